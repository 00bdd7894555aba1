package onnxgo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// lowerConv lowers a convolution without groups. Its bias becomes an addition
// of equal shapes, and one of 1x1 becomes a product of matrices.
func lowerConv(l *lowering, n *onnx.Node) (value, error) {
	return l.conv(n, nil, nil)
}

// conv lowers a convolution, its output channels multiplied by scale and then
// moved by shift unless nil.
func (l *lowering) conv(n *onnx.Node, scale, shift []float32) (value, error) {
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	w, err := l.get(n.Input(1))
	if err != nil {
		return value{}, err
	}
	if !w.isConst() || len(w.shape) != 4 || len(x.shape) != 4 {
		return value{}, errors.New("only in two dimensions and with constant weights")
	}
	geometry, err := convGeometry(n, w.shape)
	if err != nil {
		return value{}, err
	}
	bias := make([]float32, w.shape[0])
	if n.Input(2) != "" {
		b, err := l.get(n.Input(2))
		if err != nil {
			return value{}, err
		}
		if len(b.consts) != len(bias) {
			return value{}, errors.New("its bias must be a constant for each channel")
		}
		copy(bias, b.consts)
	}
	if scale != nil {
		w.consts, w.name = slices.Clone(w.consts), ""
		per := len(w.consts) / len(bias)
		for i := range w.consts {
			w.consts[i] *= scale[i/per]
		}
		for i := range bias {
			bias[i] = bias[i]*scale[i] + shift[i]
		}
	}
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if len(shape) != 4 {
		return value{}, fmt.Errorf("it makes a value of shape %v", shape)
	}
	return l.emitConv(x, w, bias, geometry, shape), nil
}

func (l *lowering) emitConv(x, w value, bias []float32, geometry onnx.Attrs, shape []int) value {
	out, plane := shape[1], shape[2]*shape[3]
	if geometry == nil {
		y := l.matmul(value{shape: []int{out, x.shape[1]}, consts: w.consts}, l.reshape(x, x.shape[1], plane))
		y = l.each("Add", y, value{shape: y.shape, consts: repeat(bias, []int{out, 1}, y.shape)})
		return l.reshape(y, shape...)
	}
	y := l.emit("Conv", geometry, shape, x, w)
	return l.each("Add", y, value{shape: shape, consts: repeat(bias, []int{1, out, 1, 1}, shape)})
}

// convGeometry returns the attributes in the form that onnx-go reads: where rows
// and columns are padded differently it takes one number for each (ONNX has
// four). It is nil for a plain 1x1.
func convGeometry(n *onnx.Node, w []int) (onnx.Attrs, error) {
	if g := n.Int("group", 1); g != 1 {
		return nil, fmt.Errorf("%d groups", g)
	}
	two := func(name string) ([]int64, error) {
		list, ok := n.Ints(name)
		if !ok {
			return []int64{1, 1}, nil
		}
		if len(list) != 2 || list[0] < 1 || list[1] < 1 || list[0] > 1<<10 || list[1] > 1<<10 {
			return nil, fmt.Errorf("%s %v", name, list)
		}
		return list, nil
	}
	strides, err := two("strides")
	if err != nil {
		return nil, err
	}
	dilations, err := two("dilations")
	if err != nil {
		return nil, err
	}
	pads := []int64{0, 0}
	switch auto := n.Str("auto_pad", "NOTSET"); auto {
	case "NOTSET", "":
		if list, ok := n.Ints("pads"); ok {
			if len(list) != 4 || list[0] != list[2] || list[1] != list[3] || list[0] < 0 || list[1] < 0 {
				return nil, fmt.Errorf("pads %v: only equal ones on both sides", list)
			}
			pads = list[:2]
		}
	case "VALID":
	case "SAME_UPPER", "SAME_LOWER":
		for i, k := range w[2:] {
			span := (int64(k) - 1) * dilations[i]
			if strides[i] != 1 || span%2 != 0 {
				return nil, fmt.Errorf("auto_pad %s with kernel %v and strides %v", auto, w[2:], strides)
			}
			pads[i] = span / 2
		}
	default:
		return nil, fmt.Errorf("auto_pad %s", auto)
	}
	if w[2] == 1 && w[3] == 1 && strides[0] == 1 && strides[1] == 1 && pads[0] == 0 && pads[1] == 0 {
		return nil, nil
	}
	if pads[0] == pads[1] {
		pads = slices.Repeat(pads, 2)
	}
	return onnx.Attrs{
		"kernel_shape": onnx.AttrInts(int64(w[2]), int64(w[3])), "pads": onnx.AttrInts(pads...),
		"strides": onnx.AttrInts(strides...), "dilations": onnx.AttrInts(dilations...),
	}, nil
}

// lowerNorm folds a BatchNormalization into the convolution before it, or into
// one product and one sum where there is none of its own.
func lowerNorm(l *lowering, n *onnx.Node) (value, error) {
	var p [4][]float32 // scale, bias, mean, variance
	for i := range p {
		v, err := l.get(n.Input(i + 1))
		if err != nil {
			return value{}, err
		}
		if p[i] = v.consts; len(p[i]) == 0 || len(p[i]) != len(p[0]) {
			return value{}, errors.New("its statistics must be a constant for each channel")
		}
	}
	if n.Int("training_mode", 0) != 0 {
		return value{}, errors.New("training mode")
	}
	channels := len(p[0])
	scale, shift := make([]float32, channels), make([]float32, channels)
	for i := range scale {
		f := float64(p[0][i]) / math.Sqrt(float64(p[3][i])+float64(n.Float("epsilon", 1e-5)))
		scale[i] = float32(f)
		shift[i] = float32(float64(p[1][i]) - f*float64(p[2][i]))
	}
	if before := l.makers[n.Input(0)]; before != nil && before.Is("Conv") && l.uses[n.Input(0)] == 1 {
		if shape, err := l.shapeOf(n.Input(0)); err == nil && len(shape) == 4 && shape[1] == channels {
			return l.conv(before, scale, shift)
		}
	}
	x, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	if len(x.shape) < 2 || x.shape[1] != channels {
		return value{}, fmt.Errorf("%d channels for a value of shape %v", channels, x.shape)
	}
	across := make([]int, len(x.shape))
	for i := range across {
		across[i] = 1
	}
	across[1] = channels
	if x, err = l.combine("Mul", x, value{shape: across, consts: scale}); err != nil {
		return value{}, err
	}
	return l.combine("Add", x, value{shape: across, consts: shift})
}

// lowerGemm writes alpha*A*B + beta*C as a product and a sum.
func lowerGemm(l *lowering, n *onnx.Node) (value, error) {
	var in [2]value
	for i, flag := range []string{"transA", "transB"} {
		v, err := l.plain(n, i)
		if err != nil {
			return value{}, err
		}
		if len(v.shape) != 2 {
			return value{}, fmt.Errorf("input %d has shape %v", i, v.shape)
		}
		if n.Int(flag, 0) != 0 {
			if v, err = l.transpose(v, []int{1, 0}); err != nil {
				return value{}, err
			}
		}
		in[i] = v
	}
	y, err := l.product(in[0], in[1])
	if err != nil {
		return value{}, err
	}
	if alpha := n.Float("alpha", 1); alpha != 1 {
		y = l.with("Mul", y, float64(alpha))
	}
	if n.Input(2) == "" {
		return y, nil
	}
	c, err := l.plain(n, 2)
	if err != nil {
		return value{}, err
	}
	if beta := n.Float("beta", 1); beta != 1 {
		if c, err = l.combine("Mul", c, filled(beta, 1)); err != nil {
			return value{}, err
		}
	}
	return l.combine("Add", y, c)
}

func lowerMatMul(l *lowering, n *onnx.Node) (value, error) {
	a, err := l.plain(n, 0)
	if err != nil {
		return value{}, err
	}
	b, err := l.plain(n, 1)
	if err != nil {
		return value{}, err
	}
	if len(b.shape) != 2 || len(a.shape) < 2 {
		return value{}, fmt.Errorf("shapes %v and %v", a.shape, b.shape)
	}
	// Further axes of the first operand are more rows.
	last := len(a.shape) - 1
	y, err := l.product(l.reshape(a, size(a.shape[:last]), a.shape[last]), b)
	if err != nil {
		return value{}, err
	}
	return l.reshape(y, append(slices.Clone(a.shape[:last]), b.shape[1])...), nil
}

func (l *lowering) product(a, b value) (value, error) {
	if a.shape[1] != b.shape[0] || !bounded([]int{a.shape[0], b.shape[1]}) {
		return value{}, fmt.Errorf("shapes %v and %v", a.shape, b.shape)
	}
	return l.matmul(a, b), nil
}

// global reduces each plane of a value by an operator.
func global(how string) rule {
	return ofFirst(func(l *lowering, n *onnx.Node, x value) (value, error) { return l.pool(n, x, how, 2) })
}

// lowerReduce reduces over the last axes: all of them where none are named.
func lowerReduce(l *lowering, n *onnx.Node, x value) (value, error) {
	axes, err := l.list(n, 1, "axes", nil)
	if err != nil {
		return value{}, err
	}
	first := 0
	if len(axes) > 0 {
		for i := range axes {
			if axes[i], err = axisOf(axes[i], len(x.shape)); err != nil {
				return value{}, err
			}
		}
		slices.Sort(axes)
		first = axes[0]
		// Axes of size 1 need no reducing.
		for a := first; a < len(x.shape); a++ {
			if !slices.Contains(axes, a) && x.shape[a] != 1 {
				return value{}, fmt.Errorf("over axes %v of shape %v: only over the last ones", axes, x.shape)
			}
		}
	}
	return l.pool(n, x, n.OpType, first)
}

// pool reduces all axes from first on.
func (l *lowering) pool(n *onnx.Node, x value, how string, first int) (value, error) {
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if first >= len(x.shape) {
		return value{}, fmt.Errorf("a value of shape %v", x.shape)
	}
	rows, cols := size(x.shape[:first]), size(x.shape[first:])
	if rows != size(shape) {
		return value{}, fmt.Errorf("%v to %v", x.shape, shape)
	}
	y := l.reduceRows(how, l.reshape(x, rows, cols))
	return l.reshape(y, shape...), nil
}

// reduceRows reduces each row of a matrix to one number, [rows,1].
func (l *lowering) reduceRows(how string, x value) value {
	rows, cols := x.shape[0], x.shape[1]
	switch how {
	case "ReduceMean":
		return l.matmul(x, filled(1/float32(cols), cols, 1))
	case "ReduceSum":
		return l.matmul(x, ones(cols, 1))
	}
	attrs := onnx.Attrs{"kernel_shape": onnx.AttrInts(1, int64(cols)), "strides": onnx.AttrInts(1, 1)}
	y := l.emit("MaxPool", attrs, []int{1, rows, 1, 1}, l.reshape(x, 1, rows, 1, cols))
	return l.reshape(y, rows, 1)
}

// lowerSoftmax computes (log-)softmax over the last axis, the largest number
// taken off first.
func lowerSoftmax(l *lowering, n *onnx.Node, x value) (value, error) {
	// Before opset 13 everything from the axis on is one row; since then it is
	// the axis alone. For the last axis both mean the same.
	axis, err := axisOf(int(n.Int("axis", -1)), len(x.shape))
	if err != nil {
		return value{}, err
	}
	rows, cols := size(x.shape[:axis]), size(x.shape[axis:])
	if cols != x.shape[axis] {
		return value{}, fmt.Errorf("over axis %d of shape %v: only over the last", axis, x.shape)
	}
	flat := l.reshape(x, rows, cols)
	spread := func(v value) value { return l.matmul(v, ones(1, cols)) }
	flat = l.each("Sub", flat, spread(l.reduceRows("ReduceMax", flat)))
	exp := l.each("Exp", flat)
	sum := l.reduceRows("ReduceSum", exp)
	if n.Is("LogSoftmax") {
		flat = l.each("Sub", flat, spread(l.each("Log", sum)))
	} else {
		flat = l.each("Div", exp, spread(sum))
	}
	return l.reshape(flat, x.shape...), nil
}
