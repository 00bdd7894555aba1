package onnxgo

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// lowerConv lowers a convolution without groups. Its bias becomes an addition of equal shapes,
// and a convolution of 1x1 becomes a product of matrices.
func lowerConv(l *lowering, n *onnx.Node, x value) (value, error) {
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
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if len(shape) != 4 {
		return value{}, fmt.Errorf("it makes a value of shape %v", shape)
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
		return y, nil
	}
	bias, err := l.get(n.Input(2))
	if err != nil {
		return value{}, err
	}
	if len(bias.consts) != out {
		return value{}, errors.New("its bias must be a constant for each channel")
	}
	return l.combine("Add", y, value{shape: []int{out, 1, 1}, consts: bias.consts})
}

// convGeometry returns the attributes in the form that onnx-go reads: four paddings, or two if rows
// and columns are padded differently. It returns nil for a plain 1x1 convolution.
func convGeometry(n *onnx.Node, w []int) (onnx.Attrs, error) {
	if g := n.Int("group", 1); g != 1 {
		return nil, fmt.Errorf("%d groups", g)
	}
	if auto := n.Str("auto_pad", "NOTSET"); auto != "NOTSET" {
		return nil, fmt.Errorf("auto_pad %s", auto)
	}
	two := func(name string) (list []int64, err error) {
		list, ok := n.Ints(name)
		if !ok {
			return []int64{1, 1}, nil
		}
		if len(list) != 2 || list[0] < 1 || list[1] < 1 || list[0] > 1<<10 || list[1] > 1<<10 {
			err = fmt.Errorf("%s %v", name, list)
		}
		return list, err
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
	if list, ok := n.Ints("pads"); ok {
		if len(list) != 4 || list[0] != list[2] || list[1] != list[3] || list[0] < 0 || list[1] < 0 {
			return nil, fmt.Errorf("pads %v: only equal ones on both sides", list)
		}
		pads = list[:2]
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

// lowerGemm writes A*B + C as a product and a sum.
func lowerGemm(l *lowering, n *onnx.Node, a value) (value, error) {
	b, err := l.plain(n, 1)
	if err != nil {
		return value{}, err
	}
	if n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1 || n.Int("transA", 0) != 0 {
		return value{}, errors.New("with factors, or its first matrix transposed")
	}
	if n.Int("transB", 0) != 0 {
		if !b.isConst() || len(b.shape) != 2 {
			return value{}, errors.New("only a constant matrix can be transposed")
		}
		b = transposed(b)
	}
	y, err := l.product(a, b)
	if err != nil || n.Input(2) == "" {
		return y, err
	}
	c, err := l.plain(n, 2)
	if err != nil {
		return value{}, err
	}
	return l.combine("Add", y, c)
}

func lowerMatMul(l *lowering, n *onnx.Node, a value) (value, error) {
	b, err := l.plain(n, 1)
	if err != nil {
		return value{}, err
	}
	return l.product(a, b)
}

func (l *lowering) product(a, b value) (value, error) {
	if len(a.shape) != 2 || len(b.shape) != 2 || a.shape[1] != b.shape[0] || !bounded([]int{a.shape[0], b.shape[1]}) {
		return value{}, fmt.Errorf("shapes %v and %v", a.shape, b.shape)
	}
	return l.matmul(a, b), nil
}

// lowerReduce reduces over the last axes: all of them where none are named.
func lowerReduce(l *lowering, n *onnx.Node, x value) (value, error) {
	axes, ok := n.Ints("axes")
	if n.Input(1) != "" {
		t := l.tensors[n.Input(1)]
		if t == nil {
			return value{}, errors.New("its axes must be constant")
		}
		var err error
		if axes, err = t.Int64s(); err != nil {
			return value{}, err
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
			return value{}, fmt.Errorf("over axes %v of shape %v: only over the last ones", axes, x.shape)
		}
	}
	return l.pool(n, x, n.OpType, int(first))
}

// global reduces each plane of a value by an operator.
func global(how string) rule {
	return func(l *lowering, n *onnx.Node, x value) (value, error) { return l.pool(n, x, how, 2) }
}

// pool reduces all axes from the given first one on.
func (l *lowering) pool(n *onnx.Node, x value, how string, first int) (value, error) {
	shape, err := l.outShape(n)
	if err != nil {
		return value{}, err
	}
	if first < 0 || first >= len(x.shape) {
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
		return l.matmul(x, filled(1, cols, 1))
	}
	attrs := onnx.Attrs{"kernel_shape": onnx.AttrInts(1, int64(cols)), "strides": onnx.AttrInts(1, 1)}
	y := l.emit("MaxPool", attrs, []int{1, rows, 1, 1}, l.reshape(x, 1, rows, 1, cols))
	return l.reshape(y, rows, 1)
}

// lowerSoftmax computes (log-)softmax over the last axis of a matrix, after subtracting
// the largest number.
func lowerSoftmax(l *lowering, n *onnx.Node, x value) (value, error) {
	if axis := n.Int("axis", -1); len(x.shape) != 2 || axis != -1 && axis != 1 {
		return value{}, fmt.Errorf("over axis %d of shape %v: only over the last of two", axis, x.shape)
	}
	spread := func(v value) value { return l.matmul(v, filled(1, 1, x.shape[1])) }
	x = l.each("Sub", x, spread(l.reduceRows("ReduceMax", x)))
	exp := l.each("Exp", x)
	sum := l.reduceRows("ReduceSum", exp)
	if n.Is("LogSoftmax") {
		return l.each("Sub", x, spread(l.each("Log", sum))), nil
	}
	return l.each("Div", exp, spread(sum)), nil
}
