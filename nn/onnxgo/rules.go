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
		"Sigmoid": unary("Sigmoid"), "Sqrt": unary("Sqrt"), "Tanh": unary("Tanh"), "Softplus": lowerSoftplus,
		"Mish": lowerMish, "LeakyRelu": lowerLeakyRelu, "Clip": lowerClip,
		"Add": binary("Add"), "Sub": binary("Sub"), "Mul": binary("Mul"), "Div": binary("Div"),
		"Pow": lowerPow, "Reciprocal": lowerReciprocal, "Sum": lowerSum,
		"Conv": lowerConv, "BatchNormalization": lowerNorm, "Gemm": lowerGemm, "MatMul": lowerMatMul,
		"GlobalAveragePool": lowerGlobalAverage, "GlobalMaxPool": lowerGlobalMax,
		"ReduceMean": lowerReduce, "ReduceSum": lowerReduce, "ReduceMax": lowerReduce,
		"Softmax": lowerSoftmax, "LogSoftmax": lowerSoftmax,
		"Identity": lowerSame, "Dropout": lowerSame, "Cast": lowerCast,
		"Reshape": lowerReshaped, "Flatten": lowerReshaped, "Squeeze": lowerReshaped, "Unsqueeze": lowerReshaped,
		"Expand": lowerExpand, "Transpose": lowerTranspose, "Concat": lowerConcat, "Gather": lowerGather, "Slice": lowerSlice,
	}
}

// plain lowers the first input of a node and gives a scalar one axis, since
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

// unary applies an operator of the same name and meaning.
func unary(op string) rule {
	return func(l *lowering, n *onnx.Node) (value, error) {
		x, err := l.plain(n, 0)
		if err != nil {
			return value{}, err
		}
		return l.emit(op, nil, x.shape, x), nil
	}
}

// binary applies an operator to two values stretched to one shape.
func binary(op string) rule {
	return func(l *lowering, n *onnx.Node) (value, error) {
		x, err := l.plain(n, 0)
		if err != nil {
			return value{}, err
		}
		y, err := l.plain(n, 1)
		if err != nil {
			return value{}, err
		}
		return l.combine(op, x, y)
	}
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
	return l.emit(op, nil, shape, x, y), nil
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
	return l.emit(op, nil, x.shape, x, filled(float32(f), x.shape...))
}

// lowerSoftplus computes log(1+e^x) as relu(x) + log(1+e^-|x|), which holds for
// any x.
func lowerSoftplus(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	return l.softplus(x), nil
}

func (l *lowering) softplus(x value) value {
	small := l.emit("Exp", nil, x.shape, l.emit("Neg", nil, x.shape, l.emit("Abs", nil, x.shape, x)))
	log := l.emit("Log", nil, x.shape, l.with("Add", small, 1))
	return l.emit("Add", nil, x.shape, l.emit("Relu", nil, x.shape, x), log)
}

func lowerMish(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	return l.emit("Mul", nil, x.shape, x, l.emit("Tanh", nil, x.shape, l.softplus(x))), nil
}

// lowerLeakyRelu computes relu(x) - slope*relu(-x).
func lowerLeakyRelu(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	below := l.emit("Relu", nil, x.shape, l.emit("Neg", nil, x.shape, x))
	return l.emit("Sub", nil, x.shape, l.emit("Relu", nil, x.shape, x), l.with("Mul", below, float64(n.Float("alpha", 0.01)))), nil
}

// lowerClip computes low + relu(x-low) - relu(x-high); a limit may be missing.
func lowerClip(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
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
		gap := l.with("Add", l.emit("Neg", nil, x.shape, x), high)
		x = l.with("Add", l.emit("Neg", nil, x.shape, l.emit("Relu", nil, x.shape, gap)), high)
	}
	if low > -math.MaxFloat32 {
		x = l.with("Add", l.emit("Relu", nil, x.shape, l.with("Sub", x, low)), low)
	}
	return x, nil
}

// lowerPow knows squares, square roots and first powers.
func lowerPow(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	y, err := l.get(n.Input(1))
	if err != nil {
		return value{}, err
	}
	if len(y.consts) == 1 {
		switch y.consts[0] {
		case 0.5:
			return l.emit("Sqrt", nil, x.shape, x), nil
		case 1:
			return x, nil
		case 2:
			return l.emit("Mul", nil, x.shape, x, x), nil
		}
	}
	return value{}, errors.New("only the constant powers 0.5, 1 and 2")
}

func lowerReciprocal(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	return l.emit("Div", nil, x.shape, filled(1, x.shape...), x), nil
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
func lowerReshaped(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	shape, err := l.shapeOf(n.Output(0))
	if err != nil {
		return value{}, err
	}
	if len(shape) == 0 {
		shape = []int{1}
	}
	if size(shape) != size(x.shape) {
		return value{}, fmt.Errorf("%v to %v", x.shape, shape)
	}
	return l.reshape(x, shape...), nil
}

func lowerExpand(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	shape, err := l.shapeOf(n.Output(0))
	if err != nil {
		return value{}, err
	}
	return l.stretch(x, shape)
}

func lowerTranspose(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	perm := make([]int, len(x.shape))
	for i := range perm {
		perm[i] = len(perm) - 1 - i
	}
	if list, ok := n.Ints("perm"); ok {
		perm = perm[:0]
		for _, p := range list {
			perm = append(perm, int(p))
		}
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
	shape, err := l.shapeOf(n.Output(0))
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

func lowerGather(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
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
	shape, err := l.shapeOf(n.Output(0)) // a scalar index removes the axis
	if err != nil {
		return value{}, err
	}
	if len(shape) == 0 {
		shape = []int{1}
	}
	return l.reshape(v, shape...), nil
}

// lowerSlice takes ranges along some axes, one after another.
func lowerSlice(l *lowering, n *onnx.Node) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
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
		if n.Input(i) != "" {
			list, e := l.ints(n.Input(i))
			err = errors.Join(err, e)
			return list
		}
		if list, ok := n.Ints(attr); ok {
			def = nil
			for _, v := range list {
				def = append(def, int(v))
			}
		}
		return def
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
