package onnx

import "slices"

// AttrType says which field of an Attr holds its value, numbered as in
// AttributeProto.AttributeType.
type AttrType int32

// The kinds of attributes.
const (
	KindUndefined AttrType = 0
	KindFloat     AttrType = 1
	KindInt       AttrType = 2
	KindString    AttrType = 3
	KindTensor    AttrType = 4
	KindGraph     AttrType = 5
	KindFloats    AttrType = 6
	KindInts      AttrType = 7
	KindStrings   AttrType = 8
	KindTensors   AttrType = 9
	KindGraphs    AttrType = 10
)

// Attr is the value of an attribute: the one field that Kind names. Kinds that
// this package has no field for (sparse tensors, types) are kept as they were
// in the file.
type Attr struct {
	Kind    AttrType
	F       float32
	I       int64
	S       string // any bytes
	T       *Tensor
	G       *Graph
	Floats  []float32
	Ints    []int64
	Strings []string
	Tensors []*Tensor
	Graphs  []*Graph
	Ref     string // inside a Function: name of the caller's attribute to use

	extra []byte
}

func AttrFloat(f float64) Attr { return Attr{Kind: KindFloat, F: float32(f)} }
func AttrInt(i int64) Attr     { return Attr{Kind: KindInt, I: i} }
func AttrInts(i ...int64) Attr { return Attr{Kind: KindInts, Ints: i} }

// graphs returns the graphs that an attribute holds.
func (a Attr) graphs() []*Graph {
	if a.G == nil {
		return a.Graphs
	}
	return append([]*Graph{a.G}, a.Graphs...)
}

// Int returns an integer attribute of n, or def where n has none of that name.
func (n *Node) Int(name string, def int64) int64 {
	if a, ok := n.Attrs[name]; ok && a.Kind == KindInt {
		return a.I
	}
	return def
}

// Float returns a float attribute of n, or def where n has none of that name.
func (n *Node) Float(name string, def float32) float32 {
	if a, ok := n.Attrs[name]; ok && a.Kind == KindFloat {
		return a.F
	}
	return def
}

// Str returns a string attribute of n, or def where n has none of that name.
func (n *Node) Str(name, def string) string {
	if a, ok := n.Attrs[name]; ok && a.Kind == KindString {
		return a.S
	}
	return def
}

// Ints returns an integer list attribute of n; ok is false where n has none of
// that name.
func (n *Node) Ints(name string) (list []int64, ok bool) {
	a, ok := n.Attrs[name]
	if !ok || a.Kind != KindInts {
		return nil, false
	}
	return a.Ints, true
}

// Input returns the name of input i, "" where it is left out.
func (n *Node) Input(i int) string {
	if i < 0 || i >= len(n.Inputs) {
		return ""
	}
	return n.Inputs[i]
}

// Output returns the name of output i, "" where it is left out.
func (n *Node) Output(i int) string {
	if i < 0 || i >= len(n.Outputs) {
		return ""
	}
	return n.Outputs[i]
}

// IsDefault reports whether the node's operator is one of the default domain.
func (n *Node) IsDefault() bool { return n.Domain == "" || n.Domain == "ai.onnx" }

// Is reports whether the node is one of the given operators of the default domain.
func (n *Node) Is(ops ...string) bool {
	if !n.IsDefault() {
		return false
	}
	return slices.Contains(ops, n.OpType)
}
