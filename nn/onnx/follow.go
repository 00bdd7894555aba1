package onnx

// Inference follows types and shapes through a graph one node at a time, for callers
// that fix sizes which the file leaves open or know operators that this package does not.
type Inference struct{ f *inference }

// NewInference returns an inference that knows the constants of a model. [Inference.Give] adds
// inputs and results of unknown operators.
func NewInference(m *Model) *Inference {
	f := newInference(m.Opset)
	for _, t := range m.Graph.Initializers {
		f.setTensor(t)
	}
	return &Inference{f}
}

// Give sets the type and shape of a value.
func (i *Inference) Give(name string, typ DataType, s Shape) {
	i.f.set(name, info{typ: typ, shape: s})
}

// Node infers the outputs of a node from its inputs. Errors wrap [ErrShape] or
// [ErrGraph].
func (i *Inference) Node(n *Node) error { return i.f.node(n, nil) }

// Value returns the type and shape of a value, [Undefined] and nil where they are unknown.
func (i *Inference) Value(name string) (DataType, Shape) {
	v := i.f.get(name)
	return v.typ, v.shape
}

// Constant returns a short tensor of integers, such as a shape, if all its elements are
// known, else nil.
func (i *Inference) Constant(name string) *Tensor { return i.f.get(name).tensor() }
