package onnx

import (
	"fmt"
	"maps"
)

// maxInlined bounds how many nodes inlining may add: a chain of functions that each call
// the next one twice grows exponentially.
const maxInlined = 1 << 18

// InlineFunctions replaces every call of a function defined in the model by the function's nodes,
// and drops the functions. Functions written for another opset are not converted: known operators
// mean the same in every opset that accepts their form. On error the model is partly changed.
func InlineFunctions(m *Model) error {
	if len(m.Functions) == 0 {
		return nil
	}
	in := &inliner{m: m, byName: map[string]*Function{}}
	for _, f := range m.Functions {
		in.byName[functionKey(f.Domain, f.Name, f.Overload)] = f
	}
	nodes, err := in.expand(m.Graph.Nodes, 0)
	if err != nil {
		return err
	}
	m.Graph.Nodes = nodes
	for _, f := range m.Functions {
		for domain, v := range f.Opsets {
			if _, ok := m.Opsets[domain]; !ok {
				if m.Opsets == nil {
					m.Opsets = map[string]int64{}
				}
				m.Opsets[domain] = v
			}
		}
	}
	m.Functions = nil
	return nil
}

type inliner struct {
	m      *Model
	byName map[string]*Function
	calls  int // number of calls so far, for unique names
	added  int
}

func (in *inliner) expand(nodes []*Node, depth int) ([]*Node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: functions call each other more than %d deep", ErrGraph, maxDepth)
	}
	var out []*Node
	for _, n := range nodes {
		f := in.byName[functionKey(n.Domain, n.OpType, n.Overload)]
		if f == nil {
			if err := in.expandAttrs(n, depth); err != nil {
				return nil, err
			}
			out = append(out, n)
			continue
		}
		body, err := in.call(n, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if in.added += len(body); in.added > maxInlined {
			return nil, fmt.Errorf("%w: functions expand to more than %d nodes", ErrGraph, maxInlined)
		}
		if body, err = in.expand(body, depth+1); err != nil {
			return nil, err
		}
		out = append(out, body...)
	}
	return out, nil
}

// expandAttrs expands calls in the graphs of a node's attributes.
func (in *inliner) expandAttrs(n *Node, depth int) (err error) {
	for _, a := range n.Attrs {
		for _, g := range a.graphs() {
			if g.Nodes, err = in.expand(g.Nodes, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// call returns the nodes of one call: inputs and outputs take the caller's names, all other values
// get new names.
func (in *inliner) call(n *Node, f *Function) ([]*Node, error) {
	if len(n.Inputs) > len(f.Inputs) || len(n.Outputs) > len(f.Outputs) {
		return nil, fmt.Errorf("%w: %d inputs and %d outputs for a function of %d and %d", ErrGraph,
			len(n.Inputs), len(n.Outputs), len(f.Inputs), len(f.Outputs))
	}
	in.calls++
	names := map[string]string{"": ""}
	for i, name := range f.Inputs {
		names[name] = n.Input(i)
	}
	var copies []*Node
	for i, name := range f.Outputs {
		to := n.Output(i)
		from, isInput := names[name]
		switch {
		case to == "":
		case isInput: // the output is also an input of the function, or is listed twice
			copies = append(copies, &Node{OpType: "Identity", Inputs: []string{from}, Outputs: []string{to}})
		default:
			names[name] = to
		}
	}
	attrs := maps.Clone(f.Defaults)
	if attrs == nil {
		attrs = map[string]Attr{}
	}
	maps.Copy(attrs, n.Attrs)
	prefix := fmt.Sprintf("%s_%d/", f.Name, in.calls)
	body := make([]*Node, 0, len(f.Nodes)+len(copies))
	for _, inner := range f.Nodes {
		c := inner.Clone()
		c.Name = prefix + c.Name
		bindNode(c, names, attrs, prefix)
		body = append(body, c)
	}
	return append(body, copies...), nil
}

// bindNode renames the values of a node in a function. Attributes of the node that refer to an
// attribute of the function get its value from attrs, or are deleted if it has none.
func bindNode(n *Node, names map[string]string, attrs map[string]Attr, prefix string) {
	rename := func(list []string) {
		for i, name := range list {
			to, ok := names[name]
			if !ok {
				to = prefix + name
				names[name] = to
			}
			list[i] = to
		}
	}
	rename(n.Inputs)
	rename(n.Outputs)
	for name, a := range n.Attrs {
		if a.Ref != "" {
			if bound, ok := attrs[a.Ref]; ok {
				n.Attrs[name] = bound
			} else {
				delete(n.Attrs, name)
			}
			continue
		}
		for _, g := range a.graphs() {
			bindGraph(g, names, attrs, prefix)
		}
	}
}

func bindGraph(g *Graph, names map[string]string, attrs map[string]Attr, prefix string) {
	inner := maps.Clone(names)
	for i := range g.Inputs {
		inner[g.Inputs[i].Name] = prefix + g.Inputs[i].Name
		g.Inputs[i].Name = inner[g.Inputs[i].Name]
	}
	for _, t := range g.Initializers {
		inner[t.Name] = prefix + t.Name
		t.Name = inner[t.Name]
	}
	for _, n := range g.Nodes {
		bindNode(n, inner, attrs, prefix)
	}
	for i := range g.Outputs {
		if to, ok := inner[g.Outputs[i].Name]; ok {
			g.Outputs[i].Name = to
		}
	}
	g.Values = nil
}
