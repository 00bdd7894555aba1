package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Names hands out names of values and nodes that a graph does not use yet.
type Names struct{ taken map[string]bool }

// NewNames collects the names in use in a graph and in the graphs within it.
func NewNames(g *Graph) *Names {
	s := &Names{taken: map[string]bool{}}
	s.collect(g)
	return s
}

func (s *Names) collect(g *Graph) {
	for _, list := range [][]ValueInfo{g.Inputs, g.Outputs} {
		for _, v := range list {
			s.taken[v.Name] = true
		}
	}
	for _, t := range g.Initializers {
		s.taken[t.Name] = true
	}
	for _, n := range g.Nodes {
		s.taken[n.Name] = true
		for _, out := range n.Outputs {
			s.taken[out] = true
		}
		eachGraph(n, s.collect)
	}
}

// New returns base if that name is free, otherwise base with a number, and reserves it.
func (s *Names) New(base string) string {
	name := base
	for i := 1; s.taken[name] || name == ""; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	s.taken[name] = true
	return name
}

// eachGraph calls f for every graph in a node's attributes, in the order of the
// attributes' names.
func eachGraph(n *Node, f func(*Graph)) {
	var names []string
	for name, a := range n.Attrs {
		if a.graphs() != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, g := range n.Attrs[name].graphs() {
			f(g)
		}
	}
}

// Reads returns every value that a node uses: its inputs and the outer values used by graphs in
// its attributes, each once, in order.
func (n *Node) Reads() []string {
	var list []string
	add := func(name string) {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range n.Inputs {
		add(name)
	}
	eachGraph(n, func(g *Graph) {
		own := map[string]bool{}
		for _, v := range g.Inputs {
			own[v.Name] = true
		}
		for _, t := range g.Initializers {
			own[t.Name] = true
		}
		for _, inner := range g.Nodes {
			for _, name := range inner.Reads() {
				if !own[name] {
					add(name)
				}
			}
			for _, name := range inner.Outputs {
				own[name] = true
			}
		}
		for _, v := range g.Outputs {
			if !own[v.Name] {
				add(v.Name)
			}
		}
	})
	return list
}

// Producers returns the node that writes each value.
func (g *Graph) Producers() map[string]*Node {
	by := make(map[string]*Node, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, out := range n.Outputs {
			if out != "" {
				by[out] = n
			}
		}
	}
	return by
}

// Users returns the nodes that use each value, in order; a node that uses a value twice is listed
// once for it. Outputs of the graph do not count.
func (g *Graph) Users() map[string][]*Node {
	by := make(map[string][]*Node, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, name := range n.Reads() {
			by[name] = append(by[name], n)
		}
	}
	return by
}

// IsOutput reports whether a value is an output of the graph.
func (g *Graph) IsOutput(name string) bool {
	return slices.ContainsFunc(g.Outputs, func(v ValueInfo) bool { return v.Name == name })
}

// ReplaceUses replaces one value by another in the inputs of every node, including nodes of
// graphs within attributes. Outputs of the graph keep their names.
func (g *Graph) ReplaceUses(from, to string) {
	for _, n := range g.Nodes {
		for i, name := range n.Inputs {
			if name == from {
				n.Inputs[i] = to
			}
		}
		eachGraph(n, func(sub *Graph) { sub.ReplaceUses(from, to) })
	}
}

// Sort puts the nodes in topological order and otherwise keeps their order. It fails if there is
// a cycle.
func (g *Graph) Sort() error {
	producers := g.Producers()
	const (
		entered = 1
		done    = 2
	)
	state := make(map[*Node]int, len(g.Nodes))
	sorted := make([]*Node, 0, len(g.Nodes))
	type frame struct {
		n     *Node
		needs []string
	}
	for _, root := range g.Nodes {
		stack := []frame{{root, root.Reads()}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if state[top.n] == done {
				stack = stack[:len(stack)-1]
				continue
			}
			state[top.n] = entered
			if len(top.needs) == 0 {
				state[top.n] = done
				sorted = append(sorted, top.n)
				continue
			}
			p := producers[top.needs[0]]
			top.needs = top.needs[1:]
			switch {
			case p == nil || state[p] == done:
			case state[p] == entered:
				return fmt.Errorf("%w: nodes form a cycle through %s", ErrGraph, p)
			default:
				stack = append(stack, frame{p, p.Reads()})
			}
		}
	}
	g.Nodes = sorted
	return nil
}

// renameValues gives values new names wherever nodes, outputs and declarations name them,
// in graphs within attributes too.
func renameValues(g *Graph, names map[string]string) {
	if len(names) == 0 {
		return
	}
	rename := func(list []string) {
		for i, name := range list {
			if to, ok := names[name]; ok {
				list[i] = to
			}
		}
	}
	for _, n := range g.Nodes {
		rename(n.Inputs)
		rename(n.Outputs)
		eachGraph(n, func(sub *Graph) { renameValues(sub, names) })
	}
	for _, list := range [][]ValueInfo{g.Outputs, g.Values} {
		for i := range list {
			if to, ok := names[list[i].Name]; ok {
				list[i].Name = to
			}
		}
	}
}

// RemoveUnused drops nodes whose results reach no output, constants that no node uses, and
// the declarations of dropped values. Inputs stay, except those named like a dropped constant.
func RemoveUnused(g *Graph) {
	live := map[string]bool{}
	for _, v := range g.Outputs {
		live[v.Name] = true
	}
	kept := make([]*Node, 0, len(g.Nodes))
	for _, n := range slices.Backward(g.Nodes) {
		if !slices.ContainsFunc(n.Outputs, func(out string) bool { return live[out] }) {
			continue
		}
		for _, name := range n.Reads() {
			live[name] = true
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	g.Nodes = kept
	dropped := map[string]bool{}
	g.Initializers = slices.DeleteFunc(slices.Clone(g.Initializers), func(t *Tensor) bool {
		dropped[t.Name] = !live[t.Name]
		return !live[t.Name]
	})
	g.Inputs = slices.DeleteFunc(slices.Clone(g.Inputs), func(v ValueInfo) bool { return dropped[v.Name] })
	written := g.Producers()
	g.Values = slices.DeleteFunc(slices.Clone(g.Values), func(v ValueInfo) bool { return written[v.Name] == nil })
}

// RemoveIdentities drops nodes that return their input: Identity, and Dropout outside
// training. A node whose result is an output of the graph stays unless its input can
// take the output's name. The nodes must be in topological order.
func RemoveIdentities(g *Graph) {
	consts := g.InitializerMap()
	isOutput := map[string]bool{}
	for _, v := range g.Outputs {
		isOutput[v.Name] = true
	}
	names := map[string]string{} // dropped value -> its replacement
	made := map[string]bool{}    // values that remaining nodes write
	gone := map[*Node]bool{}
	final := map[string]string{} // value -> its new name, that of an output
	for _, n := range g.Nodes {
		if passesThrough(n, consts) {
			from, to := n.Inputs[0], n.Outputs[0]
			if first, ok := names[from]; ok {
				from = first
			}
			_, taken := final[from]
			if !isOutput[to] {
				names[to], gone[n] = from, true
				continue
			}
			if made[from] && !isOutput[from] && !taken {
				final[from], gone[n] = to, true
				continue
			}
		}
		for _, out := range n.Outputs {
			made[out] = true
		}
	}
	for name, first := range names {
		if to, ok := final[first]; ok {
			names[name] = to
		}
	}
	maps.Copy(names, final)
	g.Nodes = slices.DeleteFunc(slices.Clone(g.Nodes), func(n *Node) bool { return gone[n] })
	renameValues(g, names)
	RemoveUnused(g)
}

// passesThrough reports whether a node's first result is its first input.
func passesThrough(n *Node, consts map[string]*Tensor) bool {
	if n.Is("Identity") {
		return len(n.Inputs) == 1 && len(n.Outputs) == 1
	}
	if !n.Is("Dropout") || n.Output(1) != "" || len(n.Inputs) == 0 {
		return false
	}
	mode := n.Input(2)
	if mode == "" {
		return true
	}
	t := consts[mode]
	return t != nil && t.Type == Bool && len(t.Raw) == 1 && t.Raw[0] == 0
}
