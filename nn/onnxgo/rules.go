package onnxgo

import (
	"errors"
	"fmt"
	"math"

	"kosumi/nn/onnx"
)

// rule lowers a node and returns its first output. Its error says what about
// the node cannot be run.
type rule func(l *lowering, n *onnx.Node) (value, error)

// rules by operator of the default domain. Filled in by init because rules call
// each other through it.
var rules map[string]rule

func init() {
	rules = map[string]rule{
		"Abs": unary("Abs"), "Exp": unary("Exp"), "Log": unary("Log"), "Neg": unary("Neg"), "Relu": unary("Relu"),
		"Sigmoid": unary("Sigmoid"), "Sqrt": unary("Sqrt"), "Tanh": unary("Tanh"),
		"Softplus": elementwise((*lowering).softplus), "Mish": elementwise((*lowering).mish),
		"Reciprocal": elementwise((*lowering).reciprocal), "LeakyRelu": ofFirst(lowerLeakyRelu), "Clip": ofFirst(lowerClip),
		"Add": binary("Add"), "Sub": binary("Sub"), "Mul": binary("Mul"), "Div": binary("Div"),
		"Pow": ofFirst(lowerPow), "Sum": lowerSum,
		"Conv": lowerConv, "BatchNormalization": lowerNorm, "Gemm": lowerGemm, "MatMul": lowerMatMul,
		"GlobalAveragePool": global("ReduceMean"), "GlobalMaxPool": global("ReduceMax"),
		"ReduceMean": ofFirst(lowerReduce), "ReduceSum": ofFirst(lowerReduce), "ReduceMax": ofFirst(lowerReduce),
		"Softmax": ofFirst(lowerSoftmax), "LogSoftmax": ofFirst(lowerSoftmax),
		"Identity": lowerSame, "Dropout": lowerSame, "Cast": lowerCast,
		"Reshape": ofFirst(lowerReshaped), "Flatten": ofFirst(lowerReshaped),
		"Squeeze": ofFirst(lowerReshaped), "Unsqueeze": ofFirst(lowerReshaped),
		"Expand": ofFirst(lowerExpand), "Transpose": ofFirst(lowerTranspose), "Concat": lowerConcat,
		"Gather": ofFirst(lowerGather), "Slice": ofFirst(lowerSlice),
	}
}

// plain lowers the i-th input of a node and gives a scalar one axis, since
// gorgonia treats scalars apart.
func (l *lowering) plain(n *onnx.Node, i int) (value, error) {
	name := n.Input(i)
	if name == "" {
		return value{}, fmt.Errorf("input %d is missing", i)
	}
	v, err := l.get(name)
	if err != nil {
		return value{}, err
	}
	if len(v.shape) == 0 {
		v = l.reshape(v, 1)
	}
	return v, nil
}

// ofFirst makes a rule of what is done with a node's first input.
func ofFirst(f func(l *lowering, n *onnx.Node, x value) (value, error)) rule {
	return func(l *lowering, n *onnx.Node) (value, error) {
		x, err := l.plain(n, 0)
		if err != nil {
			return value{}, err
		}
		return f(l, n, x)
	}
}

// elementwise makes a rule of what is done with each number of the first input.
func elementwise(f func(l *lowering, x value) value) rule {
	return ofFirst(func(l *lowering, _ *onnx.Node, x value) (value, error) { return f(l, x), nil })
}

// unary applies an operator of the same name and meaning.
func unary(op string) rule {
	return elementwise(func(l *lowering, x value) value { return l.each(op, x) })
}

// each emits an operator that works on the numbers of values of one shape.
func (l *lowering) each(op string, x ...value) value { return l.emit(op, nil, x[0].shape, x...) }

// binary applies an operator to two values stretched to one shape.
func binary(op string) rule {
	return ofFirst(func(l *lowering, n *onnx.Node, x value) (value, error) {
		y, err := l.plain(n, 1)
		if err != nil {
			return value{}, err
		}
		return l.combine(op, x, y)
	})
}

func (l *lowering) combine(op string, x, y value) (value, error) {
	shape, err := broadcastShape(x.shape, y.shape)
	if err != nil {
		return value{}, err
	}
	if x, err = l.stretch(x, shape); err != nil {
		return value{}, err
	}
	if y, err = l.stretch(y, shape); err != nil {
		return value{}, err
	}
	if x.isConst() && y.isConst() {
		return value{shape: shape, consts: fold(op, x.consts, y.consts)}, nil
	}
	return l.each(op, x, y), nil
}

// fold computes an operator on constants.
func fold(op string, x, y []float32) []float32 {
	out := make([]float32, len(x))
	for i := range out {
		switch op {
		case "Add":
			out[i] = x[i] + y[i]
		case "Sub":
			out[i] = x[i] - y[i]
		case "Mul":
			out[i] = x[i] * y[i]
		case "Div":
			out[i] = x[i] / y[i]
		}
	}
	return out
}

// with combines a value with one number.
func (l *lowering) with(op string, x value, f float64) value {
	return l.each(op, x, filled(float32(f), x.shape...))
}

// softplus computes log(1+e^x) as relu(x) + log(1+e^-|x|), which holds for any x.
func (l *lowering) softplus(x value) value {
	small := l.each("Exp", l.each("Neg", l.each("Abs", x)))
	log := l.each("Log", l.with("Add", small, 1))
	return l.each("Add", l.each("Relu", x), log)
}

func (l *lowering) mish(x value) value { return l.each("Mul", x, l.each("Tanh", l.softplus(x))) }

func (l *lowering) reciprocal(x value) value { return l.each("Div", filled(1, x.shape...), x) }

// lowerLeakyRelu computes relu(x) - slope*relu(-x).
func lowerLeakyRelu(l *lowering, n *onnx.Node, x value) (value, error) {
	below := l.each("Relu", l.each("Neg", x))
	return l.each("Sub", l.each("Relu", x), l.with("Mul", below, float64(n.Float("alpha", 0.01)))), nil
}

// lowerClip computes low + relu(x-low) - relu(x-high); a limit may be missing.
func lowerClip(l *lowering, n *onnx.Node, x value) (value, error) {
	low, high := float64(n.Float("min", -math.MaxFloat32)), float64(n.Float("max", math.MaxFloat32))
	for i, limit := range map[int]*float64{1: &low, 2: &high} {
		if n.Input(i) == "" {
			continue
		}
		v, err := l.get(n.Input(i))
		if err != nil {
			return value{}, err
		}
		if len(v.consts) != 1 {
			return value{}, errors.New("its limits must be constant numbers")
		}
		*limit = float64(v.consts[0])
	}
	if low > high {
		return value{}, fmt.Errorf("its limits are %g and %g", low, high)
	}
	if high < math.MaxFloat32 { // min(x,high) = high - relu(high-x)
		gap := l.with("Add", l.each("Neg", x), high)
		x = l.with("Add", l.each("Neg", l.each("Relu", gap)), high)
	}
	if low > -math.MaxFloat32 {
		x = l.with("Add", l.each("Relu", l.with("Sub", x, low)), low)
	}
	return x, nil
}

// lowerPow knows squares, square roots and first powers.
func lowerPow(l *lowering, n *onnx.Node, x value) (value, error) {
	y, err := l.get(n.Input(1))
	if err != nil {
		return value{}, err
	}
	if len(y.consts) == 1 {
		switch y.consts[0] {
		case 0.5:
			return l.each("Sqrt", x), nil
		case 1:
			return x, nil
		case 2:
			return l.each("Mul", x, x), nil
		}
	}
	return value{}, errors.New("only the constant powers 0.5, 1 and 2")
}

// lowerSum adds any number of values.
func lowerSum(l *lowering, n *onnx.Node) (value, error) {
	sum, err := l.plain(n, 0)
	for i := 1; i < len(n.Inputs) && err == nil; i++ {
		var y value
		if y, err = l.plain(n, i); err == nil {
			sum, err = l.combine("Add", sum, y)
		}
	}
	return sum, err
}

func lowerSame(l *lowering, n *onnx.Node) (value, error) {
	if n.Is("Dropout") && n.Input(2) != "" {
		return value{}, errors.New("training mode")
	}
	return l.plain(n, 0)
}

// lowerCast passes conversions to float32 through: all values here are.
func lowerCast(l *lowering, n *onnx.Node) (value, error) {
	if to := onnx.DataType(n.Int("to", 0)); to != onnx.Float {
		return value{}, fmt.Errorf("to %v: only float32 is computed with", to)
	}
	return l.plain(n, 0)
}

// lowerReshaped covers what changes shapes only: inference knows the outcome.
func lowerReshaped(l *lowering, n *onnx.Node, x value) (value, error) {
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if size(shape) != size(x.shape) {
		return value{}, fmt.Errorf("%v to %v", x.shape, shape)
	}
	return l.reshape(x, shape...), nil
}

func lowerExpand(l *lowering, n *onnx.Node, x value) (value, error) {
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	return l.stretch(x, shape)
}

func lowerTranspose(l *lowering, n *onnx.Node, x value) (value, error) {
	perm := make([]int, len(x.shape))
	for i := range perm {
		perm[i] = len(perm) - 1 - i
	}
	if list, ok := n.Ints("perm"); ok {
		perm = narrowed(list)
	}
	return l.transpose(x, perm)
}

// lowerConcat joins along an axis before which all axes are of size 1.
func lowerConcat(l *lowering, n *onnx.Node) (value, error) {
	var parts []value
	for i := range n.Inputs {
		v, err := l.plain(n, i)
		if err != nil {
			return value{}, err
		}
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return value{}, errors.New("it has no inputs")
	}
	axis, err := axisOf(int(n.Int("axis", 0)), len(parts[0].shape))
	if err != nil {
		return value{}, err
	}
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if size(shape[:axis]) != 1 {
		return value{}, fmt.Errorf("along axis %d of shape %v", axis, shape)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	// Side by side in memory, so as rows of one element each.
	for i := range parts {
		parts[i] = l.reshape(parts[i], 1, size(parts[i].shape))
	}
	joined := l.emit("Concat", onnx.Attrs{"axis": onnx.AttrInt(1)}, []int{1, size(shape)}, parts...)
	return l.reshape(joined, shape...), nil
}

func lowerGather(l *lowering, n *onnx.Node, x value) (value, error) {
	indices, err := l.ints(n.Input(1))
	if err != nil {
		return value{}, err
	}
	axis, err := axisOf(int(n.Int("axis", 0)), len(x.shape))
	if err != nil {
		return value{}, err
	}
	v, err := l.pick(x, axis, indices)
	if err != nil {
		return value{}, err
	}
	shape, err := l.outShape(n) // a scalar index removes the axis
	if err != nil {
		return value{}, err
	}
	return l.reshape(v, shape...), nil
}

// lowerSlice takes ranges along some axes, one after another.
func lowerSlice(l *lowering, n *onnx.Node, x value) (value, error) {
	starts, ends, axes, steps, err := l.sliceRanges(n, len(x.shape))
	if err != nil {
		return value{}, err
	}
	for i, a := range axes {
		axis, err := axisOf(a, len(x.shape))
		if err != nil {
			return value{}, err
		}
		indices := sliceIndices(starts[i], ends[i], steps[i], x.shape[axis])
		if len(indices) == x.shape[axis] && steps[i] == 1 {
			continue
		}
		if x, err = l.pick(x, axis, indices); err != nil {
			return value{}, err
		}
	}
	return x, nil
}

// sliceRanges reads the inputs (or, before opset 10, attributes) of Slice.
func (l *lowering) sliceRanges(n *onnx.Node, rank int) (starts, ends, axes, steps []int, err error) {
	read := func(i int, attr string, def []int) []int {
		list, e := l.list(n, i, attr, def)
		err = errors.Join(err, e)
		return list
	}
	starts, ends = read(1, "starts", nil), read(2, "ends", nil)
	all := make([]int, len(starts))
	one := make([]int, len(starts))
	for i := range all {
		all[i], one[i] = i, 1
	}
	axes, steps = read(3, "axes", all), read(4, "steps", one)
	if err == nil && (len(starts) == 0 || len(ends) != len(starts) || len(axes) != len(starts) || len(steps) != len(starts) || len(starts) > rank) {
		err = fmt.Errorf("ranges %v to %v along %v by %v", starts, ends, axes, steps)
	}
	return starts, ends, axes, steps, err
}

// sliceIndices follows ONNX's definition of Slice: ends are clamped, steps may
// be negative.
func sliceIndices(start, end, step, d int) []int {
	if start < 0 {
		start += d
	}
	if end < 0 {
		end += d
	}
	var indices []int
	switch {
	case step > 0:
		for i := max(start, 0); i < min(end, d); i += step {
			indices = append(indices, i)
		}
	case step < 0:
		for i := min(start, d-1); i > max(end, -1); i += step {
			indices = append(indices, i)
		}
	}
	return indices
}
