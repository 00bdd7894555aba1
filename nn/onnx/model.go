package onnx

import (
	"cmp"
	"maps"
	"slices"
)

// Model is an ONNX file: a graph and its metadata.
type Model struct {
	IRVersion       int64             // version of the file format; Builder writes 8 for opset 17
	Opset           int64             // version of the default operator domain ("", also spelt "ai.onnx")
	Opsets          map[string]int64  // versions of further domains, such as "com.microsoft"; may be nil
	Producer        string            // name of the program that wrote the file
	ProducerVersion string            // version of the producer
	Domain          string            // reverse domain name of the model's maker
	Version         int64             // version of the model, chosen by its producer
	Doc             string            // free text
	Metadata        map[string]string // metadata_props; written in key order
	Graph           *Graph            // never nil in a model that Read or Builder made
	Functions       []*Function       // operators defined by the file itself; rare

	extra []byte // fields unknown to this package, kept as they were
}

// Graph is a list of nodes in topological order, with inputs and outputs.
type Graph struct {
	Name         string
	Doc          string
	Nodes        []*Node
	Inputs       []ValueInfo // IR version 3 lists initializers here too
	Outputs      []ValueInfo
	Initializers []*Tensor
	Values       []ValueInfo // types of values other than inputs and outputs; a hint, may be empty

	extra []byte
}

// Node is one application of an operator.
type Node struct {
	Name     string // may be empty; has no meaning
	OpType   string
	Domain   string   // "" is the default domain
	Inputs   []string // "" stands for an optional input that is left out
	Outputs  []string // "" stands for an optional output that is left out
	Attrs    map[string]Attr
	Doc      string
	Overload string // selects one of several Functions of the same name; almost always empty

	extra []byte
}

// Function is an operator that a model defines for itself in terms of others.
type Function struct {
	Name, Domain, Overload, Doc string
	Inputs, Outputs             []string
	Attributes                  []string        // attributes without a default
	Defaults                    map[string]Attr // attributes with a default value
	Opset                       int64           // opset of the default domain
	Opsets                      map[string]int64
	Nodes                       []*Node
	Values                      []ValueInfo

	extra []byte
}

// ValueInfo is the name and type of a value.
type ValueInfo struct {
	Name  string
	Type  DataType // Undefined where the file does not say or the value is not a tensor
	Shape Shape    // nil: rank unknown; empty but not nil: a scalar
	Doc   string

	opaque []byte // the whole TypeProto, if it is not a plain tensor type
	extra  []byte
}

// Attrs are the attributes of a node by name.
type Attrs = map[string]Attr

// Initializer returns the initializer of the given name, or nil.
func (g *Graph) Initializer(name string) *Tensor {
	for _, t := range g.Initializers {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// InitializerMap returns the initializers by name.
func (g *Graph) InitializerMap() map[string]*Tensor {
	byName := make(map[string]*Tensor, len(g.Initializers))
	for _, t := range g.Initializers {
		byName[t.Name] = t
	}
	return byName
}

// Feeds returns the inputs without an initializer, which a caller has to supply.
func (g *Graph) Feeds() []ValueInfo {
	consts := g.InitializerMap()
	feeds := make([]ValueInfo, 0, len(g.Inputs))
	for _, v := range g.Inputs {
		if consts[v.Name] == nil {
			feeds = append(feeds, v)
		}
	}
	return feeds
}

// Clone returns a copy of the model. It shares only the functions, the bytes of tensors and the
// lists in attributes, which must not be changed.
func (m *Model) Clone() *Model {
	c := *m
	c.Opsets = maps.Clone(m.Opsets)
	c.Metadata = maps.Clone(m.Metadata)
	if m.Graph != nil {
		c.Graph = m.Graph.Clone()
	}
	c.Functions = slices.Clone(m.Functions)
	return &c
}

// Clone copies a graph as [Model.Clone] does.
func (g *Graph) Clone() *Graph {
	c := *g
	c.Nodes = slices.Clone(g.Nodes)
	for i, n := range g.Nodes {
		c.Nodes[i] = n.Clone()
	}
	c.Inputs = cloneInfos(g.Inputs)
	c.Outputs = cloneInfos(g.Outputs)
	c.Values = cloneInfos(g.Values)
	c.Initializers = slices.Clone(g.Initializers)
	for i, t := range g.Initializers {
		tt := *t
		c.Initializers[i] = &tt
	}
	return &c
}

// Clone copies a node; graphs in its attributes are copied too.
func (n *Node) Clone() *Node {
	c := *n
	c.Inputs = slices.Clone(n.Inputs)
	c.Outputs = slices.Clone(n.Outputs)
	c.Attrs = maps.Clone(n.Attrs)
	for name, a := range c.Attrs {
		if a.G == nil && len(a.Graphs) == 0 {
			continue
		}
		if a.G != nil {
			a.G = a.G.Clone()
		}
		a.Graphs = slices.Clone(a.Graphs)
		for i, g := range a.Graphs {
			a.Graphs[i] = g.Clone()
		}
		c.Attrs[name] = a
	}
	return &c
}

func cloneInfos(vs []ValueInfo) []ValueInfo {
	c := slices.Clone(vs)
	for i := range c {
		c[i].Shape = slices.Clone(c[i].Shape)
	}
	return c
}

// String names the node in messages: its name, or else its first output, and the operator.
func (n *Node) String() string {
	name := n.Name
	name = cmp.Or(name, n.Output(0))
	switch {
	case name == "":
		return n.OpType
	case n.OpType == "":
		return name
	}
	return n.OpType + " " + name
}
