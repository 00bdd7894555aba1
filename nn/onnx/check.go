package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// ErrGraph marks a graph that is not well formed.
var ErrGraph = errors.New("graph is not well formed")

// attrKinds maps an attribute's name to its type. It holds the names that have one type in all
// known operators.
var attrKinds = map[string]AttrType{
	"alpha": KindFloat, "beta": KindFloat, "epsilon": KindFloat, "momentum": KindFloat, "gamma": KindFloat,
	"axis": KindInt, "axes": KindInts, "perm": KindInts, "to": KindInt, "keepdims": KindInt, "group": KindInt,
	"kernel_shape": KindInts, "pads": KindInts, "strides": KindInts, "dilations": KindInts, "auto_pad": KindString,
	"output_padding": KindInts, "output_shape": KindInts, "transA": KindInt, "transB": KindInt, "split": KindInts,
	"starts": KindInts, "ends": KindInts, "steps": KindInts, "allowzero": KindInt, "mode": KindString,
	"noop_with_empty_axes": KindInt, "ceil_mode": KindInt, "block_size": KindInt, "training_mode": KindInt,
}

// Check returns the first fault of a model: missing versions of operator domains; values that are
// never written, written twice, or read before they are written (a cycle or a graph out of order);
// operators of this package's set with wrong numbers of inputs or outputs, wrong attributes, or
// types and shapes that do not fit; tensors whose bytes do not fit their dimensions. Graphs within
// attributes and functions are checked too, except for their types.
//
// Errors wrap [ErrGraph], [ErrShape], [ErrTensor] or [ErrUnsupported].
func Check(m *Model) error {
	if m == nil || m.Graph == nil {
		return fmt.Errorf("%w: no graph", ErrGraph)
	}
	c := &checker{m: m, functions: map[string]bool{}}
	for _, f := range m.Functions {
		c.functions[functionKey(f.Domain, f.Name, f.Overload)] = true
	}
	for _, f := range m.Functions {
		if err := c.function(f); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	if len(m.Graph.Outputs) == 0 {
		return fmt.Errorf("%w: no outputs", ErrGraph)
	}
	if err := c.graph(m.Graph, nil, 0); err != nil {
		return err
	}
	_, err := infer(m)
	return err
}

type checker struct {
	m         *Model
	functions map[string]bool
}

func functionKey(domain, name, overload string) string {
	if domain == "ai.onnx" {
		domain = ""
	}
	return domain + "\x00" + name + "\x00" + overload
}

// scope holds the names of a graph's values; outer is the scope of the graph around it.
type scope struct {
	names map[string]string // value -> its origin, for messages
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if _, ok := s.names[name]; ok {
			return true
		}
	}
	return false
}

func (s *scope) add(name, writer string) error {
	if name == "" {
		return fmt.Errorf("%w: %s has no name", ErrGraph, writer)
	}
	if first, twice := s.names[name]; twice {
		return fmt.Errorf("%w: %q is written by %s and by %s", ErrGraph, name, first, writer)
	}
	s.names[name] = writer
	return nil
}

func (c *checker) graph(g *Graph, outer *scope, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: graphs are nested more than %d deep", ErrGraph, maxDepth)
	}
	s := &scope{names: make(map[string]string, len(g.Nodes)+len(g.Initializers)), outer: outer}
	for _, v := range g.Inputs {
		if err := s.add(v.Name, "an input"); err != nil {
			return err
		}
	}
	seen := make(map[string]bool, len(g.Initializers))
	for _, t := range g.Initializers {
		if seen[t.Name] || t.Name == "" {
			return fmt.Errorf("%w: initializer %q has no name or one that is taken", ErrGraph, t.Name)
		}
		if err := t.Check(); err != nil {
			return err
		}
		seen[t.Name] = true
		s.names[t.Name] = "an initializer" // an input may have the same name
	}
	if err := c.nodes(g.Nodes, s, depth); err != nil {
		return err
	}
	seen = make(map[string]bool, len(g.Outputs))
	for _, v := range g.Outputs {
		if seen[v.Name] {
			return fmt.Errorf("%w: output %q is listed twice", ErrGraph, v.Name)
		}
		seen[v.Name] = true
		if !s.has(v.Name) {
			return fmt.Errorf("%w: nothing writes output %q", ErrGraph, v.Name)
		}
	}
	return nil
}

func (c *checker) nodes(nodes []*Node, s *scope, depth int) error {
	for i, n := range nodes {
		if err := c.node(n, s, depth); err != nil {
			return fmt.Errorf("node %d (%s): %w", i, n, err)
		}
		for _, name := range n.Inputs {
			if name == "" || s.has(name) {
				continue
			}
			for _, later := range nodes[i:] {
				if slices.Contains(later.Outputs, name) {
					return fmt.Errorf("%w: node %d (%s) uses %q, which %s writes later: a cycle, or nodes out of order", ErrGraph, i, n, name, later)
				}
			}
			return fmt.Errorf("%w: node %d (%s) uses %q, which nothing writes", ErrGraph, i, n, name)
		}
		for _, name := range n.Outputs {
			if name == "" {
				continue
			}
			if err := s.add(name, n.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) node(n *Node, s *scope, depth int) error {
	if n.OpType == "" {
		return fmt.Errorf("%w: no operator is named", ErrGraph)
	}
	if !c.functions[functionKey(n.Domain, n.OpType, n.Overload)] {
		if n.IsDefault() && c.m.Opset < 1 {
			return fmt.Errorf("%w: the version of the default operator domain is missing", ErrGraph)
		}
		if _, ok := c.m.Opsets[n.Domain]; !n.IsDefault() && !ok {
			return fmt.Errorf("%w: the version of operator domain %q is missing", ErrGraph, n.Domain)
		}
	}
	op, known := lookup(n)
	if known {
		if err := op.arity(n); err != nil {
			return err
		}
	}
	for name, a := range n.Attrs {
		if want, ok := attrKinds[name]; ok && known && a.Kind != want {
			return fmt.Errorf("%w: attribute %q is of kind %d instead of %d", ErrGraph, name, a.Kind, want)
		}
		for _, t := range append(slices.Clip(a.Tensors), a.T) {
			if t == nil {
				continue
			}
			if err := t.Check(); err != nil {
				return err
			}
		}
		for _, sub := range a.graphs() {
			if err := c.graph(sub, s, depth+1); err != nil {
				return fmt.Errorf("attribute %q: %w", name, err)
			}
		}
	}
	return nil
}

func (c *checker) function(f *Function) error {
	inner := &checker{m: &Model{Opset: f.Opset, Opsets: f.Opsets}, functions: c.functions}
	s := &scope{names: map[string]string{}}
	for _, name := range f.Inputs {
		if err := s.add(name, "an input"); err != nil {
			return err
		}
	}
	if err := inner.nodes(f.Nodes, s, 1); err != nil {
		return err
	}
	for _, name := range f.Outputs {
		if !s.has(name) {
			return fmt.Errorf("%w: nothing writes output %q", ErrGraph, name)
		}
	}
	return nil
}
