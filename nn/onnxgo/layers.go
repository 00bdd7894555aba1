package onnxgo

import (
	"slices"

	"kosumi/nn/onnx"
)

// lowerConv lowers a convolution without groups. A bias becomes an addition of equal shapes, and a
// 1x1 convolution a product of matrices.
func lowerConv(l *lowering, n *onnx.Node, x value) value {
	w := l.get(n.Input(1))
	if !w.isConst() || len(w.shape) != 4 || len(x.shape) != 4 {
		fail("only in two dimensions and with constant weights")
	}
	geometry := convGeometry(n, w.shape)
	shape := l.outShape(n)
	if len(shape) != 4 {
		fail("it makes a value of shape %v", shape)
	}
	out, plane := shape[1], shape[2]*shape[3]
	var y value
	if geometry == nil {
		w = value{shape: []int{out, x.shape[1]}, consts: w.consts}
		y = l.reshape(l.matmul(w, l.reshape(x, x.shape[1], plane)), shape...)
	} else {
		y = l.emit("Conv", geometry, shape, x, w)
	}
	if n.Input(2) == "" {
		return y
	}
	bias := l.get(n.Input(2))
	if len(bias.consts) != out {
		fail("its bias must be a constant for each channel")
	}
	return l.combine("Add", y, value{shape: []int{out, 1, 1}, consts: bias.consts})
}

// convGeometry returns a convolution's attributes in the form that onnx-go reads, or nil for a 1x1 kernel
// with stride 1 and no padding. If rows and columns have different padding, onnx-go wants two pads, not four.
func convGeometry(n *onnx.Node, w []int) onnx.Attrs {
	if g := n.Int("group", 1); g != 1 {
		fail("%d groups", g)
	}
	if auto := n.Str("auto_pad", "NOTSET"); auto != "NOTSET" {
		fail("auto_pad %s", auto)
	}
	two := func(name string) []int64 {
		list, ok := n.Ints(name)
		if !ok {
			return []int64{1, 1}
		}
		if len(list) != 2 || list[0] < 1 || list[1] < 1 || list[0] > 1<<10 || list[1] > 1<<10 {
			fail("%s %v", name, list)
		}
		return list
	}
	strides, dilations := two("strides"), two("dilations")
	pads := []int64{0, 0}
	if list, ok := n.Ints("pads"); ok {
		if len(list) != 4 || list[0] != list[2] || list[1] != list[3] || list[0] < 0 || list[1] < 0 {
			fail("pads %v: only equal ones on both sides", list)
		}
		pads = list[:2]
	}
	if w[2] == 1 && w[3] == 1 && strides[0] == 1 && strides[1] == 1 && pads[0] == 0 && pads[1] == 0 {
		return nil
	}
	if pads[0] == pads[1] {
		pads = slices.Repeat(pads, 2)
	}
	return onnx.Attrs{
		"kernel_shape": onnx.AttrInts(int64(w[2]), int64(w[3])), "pads": onnx.AttrInts(pads...),
		"strides": onnx.AttrInts(strides...), "dilations": onnx.AttrInts(dilations...),
	}
}

// lowerGemm writes A*B + C as a product and a sum.
func lowerGemm(l *lowering, n *onnx.Node, a value) value {
	b := l.plain(n, 1)
	if n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1 || n.Int("transA", 0) != 0 {
		fail("with factors, or its first matrix transposed")
	}
	if n.Int("transB", 0) != 0 {
		if !b.isConst() || len(b.shape) != 2 {
			fail("only a constant matrix can be transposed")
		}
		b = transposed(b)
	}
	y := l.product(a, b)
	if n.Input(2) == "" {
		return y
	}
	return l.combine("Add", y, l.plain(n, 2))
}

func (l *lowering) product(a, b value) value {
	if len(a.shape) != 2 || len(b.shape) != 2 || a.shape[1] != b.shape[0] || !bounded([]int{a.shape[0], b.shape[1]}) {
		fail("shapes %v and %v", a.shape, b.shape)
	}
	return l.matmul(a, b)
}

// lowerReduce reduces over the last axes, or over all if none are named.
func lowerReduce(l *lowering, n *onnx.Node, x value) value {
	axes, ok := n.Ints("axes")
	if n.Input(1) != "" {
		t := l.tensors[n.Input(1)]
		if t == nil {
			fail("its axes must be constant")
		}
		var err error
		if axes, err = t.Int64s(); err != nil {
			fail("%w", err)
		}
		ok = len(axes) > 0
	}
	if !ok {
		return l.pool(n, x, n.OpType, 0)
	}
	rank := int64(len(x.shape))
	first := rank - int64(len(axes))
	for a := first; a < rank; a++ {
		if !slices.Contains(axes, a) && !slices.Contains(axes, a-rank) {
			fail("over axes %v of shape %v: only over the last ones", axes, x.shape)
		}
	}
	return l.pool(n, x, n.OpType, int(first))
}

// global makes a rule that reduces each plane of a value to one number by the operator named how.
func global(how string) rule {
	return func(l *lowering, n *onnx.Node, x value) value { return l.pool(n, x, how, 2) }
}

// pool reduces x over the axes from number first to the last, by the operator named how.
func (l *lowering) pool(n *onnx.Node, x value, how string, first int) value {
	shape := l.outShape(n)
	if first < 0 || first >= len(x.shape) {
		fail("a value of shape %v", x.shape)
	}
	rows, cols := size(x.shape[:first]), size(x.shape[first:])
	if rows != size(shape) {
		fail("%v to %v", x.shape, shape)
	}
	return l.reshape(l.reduceRows(how, l.reshape(x, rows, cols)), shape...)
}

// reduceRows reduces each row of a matrix to one number, [rows,1].
func (l *lowering) reduceRows(how string, x value) value {
	rows, cols := x.shape[0], x.shape[1]
	switch how {
	case "ReduceMean":
		return l.matmul(x, filled(1/float32(cols), cols, 1))
	case "ReduceSum":
		return l.matmul(x, filled(1, cols, 1))
	}
	attrs := onnx.Attrs{"kernel_shape": onnx.AttrInts(1, int64(cols)), "strides": onnx.AttrInts(1, 1)}
	y := l.emit("MaxPool", attrs, []int{1, rows, 1, 1}, l.reshape(x, 1, rows, 1, cols))
	return l.reshape(y, rows, 1)
}

// lowerSoftmax computes (log-)softmax over the last axis of a matrix, after subtracting
// the largest number.
func lowerSoftmax(l *lowering, n *onnx.Node, x value) value {
	if axis := n.Int("axis", -1); len(x.shape) != 2 || axis != -1 && axis != 1 {
		fail("over axis %d of shape %v: only over the last of two", axis, x.shape)
	}
	spread := func(v value) value { return l.matmul(v, filled(1, 1, x.shape[1])) }
	x = l.each("Sub", x, spread(l.reduceRows("ReduceMax", x)))
	exp := l.each("Exp", x)
	sum := l.reduceRows("ReduceSum", exp)
	if n.Is("LogSoftmax") {
		return l.each("Sub", x, spread(l.each("Log", sum)))
	}
	return l.each("Div", exp, spread(sum))
}
