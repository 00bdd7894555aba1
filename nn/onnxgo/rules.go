package onnxgo

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// rule lowers the node n and returns the node's first output; x is the first input, already lowered.
// If the node cannot be run, the rule fails with the reason.
type rule func(l *lowering, n *onnx.Node, x value) value

// rules holds the rule of each operator of the default domain. init fills it because rules call
// each other through it.
var rules map[string]rule

func init() {
	rules = map[string]rule{
		"Relu": unary("Relu"), "Sigmoid": unary("Sigmoid"), "Tanh": unary("Tanh"), "Exp": unary("Exp"),
		"Softplus": elementwise((*lowering).softplus), "Mish": elementwise((*lowering).mish),
		"Identity": elementwise(func(_ *lowering, x value) value { return x }),
		"Add":      binary("Add"), "Sub": binary("Sub"), "Mul": binary("Mul"), "Div": binary("Div"),
		"Conv": lowerConv, "Gemm": lowerGemm, "MatMul": func(l *lowering, n *onnx.Node, a value) value { return l.product(a, l.plain(n, 1)) },
		"GlobalAveragePool": global("ReduceMean"), "GlobalMaxPool": global("ReduceMax"),
		"ReduceMean": lowerReduce, "ReduceMax": lowerReduce,
		"Softmax": lowerSoftmax, "LogSoftmax": lowerSoftmax,
		"Reshape": lowerReshaped, "Flatten": lowerReshaped, "Squeeze": lowerReshaped, "Unsqueeze": lowerReshaped,
		"Expand": func(l *lowering, n *onnx.Node, x value) value { return l.stretch(x, l.outShape(n)) },
		"Concat": lowerConcat,
	}
}

// plain lowers the i-th input of a node and gives a scalar one axis, since
// gorgonia treats scalars apart.
func (l *lowering) plain(n *onnx.Node, i int) value {
	name := n.Input(i)
	if name == "" {
		fail("input %d is missing", i)
	}
	v := l.get(name)
	if len(v.shape) == 0 {
		v = l.reshape(v, 1)
	}
	return v
}

// elementwise makes a rule from a function that computes each number of the result from one number
// of the first input.
func elementwise(f func(l *lowering, x value) value) rule {
	return func(l *lowering, _ *onnx.Node, x value) value { return f(l, x) }
}

// unary makes a rule that applies the operator op, which the backend computes as ONNX defines it.
func unary(op string) rule {
	return elementwise(func(l *lowering, x value) value { return l.each(op, x) })
}

// each emits an elementwise operator on values of equal shape.
func (l *lowering) each(op string, x ...value) value { return l.emit(op, nil, x[0].shape, x...) }

// binary makes a rule that applies the operator op to two values after stretching them to one shape.
func binary(op string) rule {
	return func(l *lowering, n *onnx.Node, x value) value { return l.combine(op, x, l.plain(n, 1)) }
}

func (l *lowering) combine(op string, x, y value) value {
	shape := broadcastShape(x.shape, y.shape)
	return l.each(op, l.stretch(x, shape), l.stretch(y, shape))
}

// softplus computes log(1+e^x) as relu(x) + log(1+e^-|x|), which does not overflow for large x.
func (l *lowering) softplus(x value) value {
	small := l.each("Exp", l.each("Neg", l.each("Abs", x)))
	log := l.each("Log", l.each("Add", small, filled(1, x.shape...)))
	return l.each("Add", l.each("Relu", x), log)
}

func (l *lowering) mish(x value) value { return l.each("Mul", x, l.each("Tanh", l.softplus(x))) }

// lowerReshaped lowers operators that only change the shape. The new shape comes from inference.
func lowerReshaped(l *lowering, n *onnx.Node, x value) value {
	shape := l.outShape(n)
	if size(shape) != size(x.shape) {
		fail("%v to %v", x.shape, shape)
	}
	return l.reshape(x, shape...)
}

// lowerConcat joins along an axis; all axes before it must have size 1.
func lowerConcat(l *lowering, n *onnx.Node, _ value) value {
	shape := l.outShape(n)
	axis := int(n.Int("axis", 0))
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) || size(shape[:axis]) != 1 || len(n.Inputs) < 2 {
		fail("of %d values along axis %d of shape %v", len(n.Inputs), axis, shape)
	}
	// All axes before axis have size 1, so each value is joined as one row.
	parts := make([]value, len(n.Inputs))
	for i := range parts {
		v := l.plain(n, i)
		parts[i] = l.reshape(v, 1, size(v.shape))
	}
	joined := l.emit("Concat", onnx.Attrs{"axis": onnx.AttrInt(1)}, []int{1, size(shape)}, parts...)
	return l.reshape(joined, shape...)
}

func filled(f float32, shape ...int) value {
	return value{shape: shape, consts: slices.Repeat([]float32{f}, size(shape))}
}

// reshape gives v another shape of the same size.
func (l *lowering) reshape(v value, shape ...int) value {
	if slices.Equal(v.shape, shape) {
		return v
	}
	if v.isConst() {
		return value{shape: shape, consts: v.consts}
	}
	// One initializer serves equal lists.
	list := "shape" + fmt.Sprint(shape)
	if l.graph.Initializer(list) == nil {
		l.graph.Initializers = append(l.graph.Initializers, onnx.NewTensor(list, dims(shape), int64(len(shape))))
	}
	return l.node("Reshape", nil, shape, []string{v.name, list})
}

func (l *lowering) matmul(a, b value) value {
	return l.emit("MatMul", nil, []int{a.shape[0], b.shape[1]}, a, b)
}

// broadcastShape is the shape to which both operands of a node are stretched.
func broadcastShape(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := slices.Clone(a)
	for i, d := range b {
		at := len(a) - len(b) + i
		switch {
		case shape[at] == 1:
			shape[at] = d
		case d != 1 && d != shape[at]:
			fail("shapes %v and %v do not go together", a, b)
		}
	}
	if !bounded(shape) {
		fail("shape %v is too large", shape)
	}
	return shape
}

// stretch repeats v along its axes of size 1 until it has the given shape. Constants are
// stretched here. Computed values are multiplied with a row of ones; this works only if
// the axes that are kept come first.
func (l *lowering) stretch(v value, shape []int) value {
	from := append(slices.Repeat([]int{1}, len(shape)-len(v.shape)), v.shape...)
	if slices.Equal(from, shape) {
		return l.reshape(v, shape...)
	}
	if v.isConst() {
		return value{shape: shape, consts: repeat(v.consts, from, shape)}
	}
	kept, after := 1, 1
	for i, d := range shape {
		switch {
		case from[i] == d && after == 1: // the axis is kept, even if both sizes are 1
			kept *= d
		case from[i] == 1:
			after *= d
		default:
			fail("stretching %v to %v", from, shape)
		}
	}
	return l.reshape(l.matmul(l.reshape(v, kept, 1), filled(1, 1, after)), shape...)
}

// repeat returns the elements of a constant stretched from one shape to another of the same rank.
func repeat(data []float32, from, to []int) []float32 {
	inner := 1
	for axis := len(to) - 1; axis >= 0; axis-- {
		inner *= from[axis]
		if from[axis] == to[axis] {
			continue
		}
		var out []float32
		for block := range slices.Chunk(data, inner) {
			out = append(out, slices.Repeat(block, to[axis])...)
		}
		data, inner = out, inner*to[axis]
	}
	return data
}

// transposed returns a constant matrix with rows and columns exchanged.
func transposed(m value) value {
	rows, cols := m.shape[0], m.shape[1]
	out := value{shape: []int{cols, rows}, consts: make([]float32, len(m.consts))}
	for i, f := range m.consts {
		out.consts[i%cols*rows+i/cols] = f
	}
	return out
}
