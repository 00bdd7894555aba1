package onnx

// Inference follows types and shapes through a graph one node at a time, for callers
// that fix sizes which the file leaves open or know operators that this package does not.
type Inference struct{ f *inference }

// NewInference knows the constants of a model. Inputs, and what comes out of unknown
// operators, is said by [Inference.Give].
func NewInference(m *Model) *Inference {
	f := newInference(m.Opset)
	for _, t := range m.Graph.Initializers {
		f.setTensor(t)
	}
	return &Inference{f}
}

// Give says what is known of a value.
func (i *Inference) Give(name string, typ DataType, s Shape) {
	i.f.set(name, info{typ: typ, shape: s})
}

// Node infers what comes out of a node, whose inputs were there before. Errors wrap
// [ErrShape] or [ErrGraph].
func (i *Inference) Node(n *Node) error { return i.f.node(n, nil) }

// Value returns what is known of a value: [Undefined] and nil where nothing is.
func (i *Inference) Value(name string) (DataType, Shape) {
	v := i.f.get(name)
	return v.typ, v.shape
}

// Constant returns a short tensor of integers whose elements are all known, such as a
// shape; nil for any other value.
func (i *Inference) Constant(name string) *Tensor { return i.f.get(name).tensor() }
