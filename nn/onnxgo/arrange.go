package onnxgo

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// This file holds what moves elements about: reshaping, broadcasting, picking.

// ones returns a constant matrix of ones.
func ones(rows, cols int) value { return filled(1, rows, cols) }

func filled(f float32, shape ...int) value {
	data := make([]float32, size(shape))
	for i := range data {
		data[i] = f
	}
	return value{shape: shape, consts: data}
}

// reshape gives v another shape of the same size.
func (l *lowering) reshape(v value, shape ...int) value {
	if slices.Equal(v.shape, shape) {
		return v
	}
	if v.isConst() {
		return value{shape: shape, consts: v.consts}
	}
	return l.node("Reshape", nil, shape, []string{v.name, l.named64(shape)})
}

// named64 makes a list of integers an initializer, one for equal lists.
func (l *lowering) named64(list []int) string {
	name := "shape" + fmt.Sprint(list)
	if l.graph.Initializer(name) == nil {
		l.graph.Initializers = append(l.graph.Initializers, onnx.NewTensor(name, dims(list), int64(len(list))))
	}
	return name
}

// matmul multiplies two matrices.
func (l *lowering) matmul(a, b value) value {
	return l.emit("MatMul", nil, []int{a.shape[0], b.shape[1]}, a, b)
}

// broadcastShape is the shape to which both operands of a node are stretched.
func broadcastShape(a, b []int) ([]int, error) {
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
			return nil, fmt.Errorf("shapes %v and %v do not go together", a, b)
		}
	}
	if !bounded(shape) {
		return nil, fmt.Errorf("shape %v is too large", shape)
	}
	return shape, nil
}

// stretch repeats v along its axes of size 1 until it has the given shape.
// Constants are stretched here; values by multiplying with ones, which needs
// the axes that are kept to stand side by side.
func (l *lowering) stretch(v value, shape []int) (value, error) {
	from := append(slices.Repeat([]int{1}, len(shape)-len(v.shape)), v.shape...)
	if slices.Equal(from, shape) {
		return l.reshape(v, shape...), nil
	}
	if v.isConst() {
		return value{shape: shape, consts: repeat(v.consts, from, shape)}, nil
	}
	before, kept, after := 1, 1, 1
	for i, d := range shape {
		switch {
		case from[i] == d && after == 1: // also axes of size 1 in both
			kept *= d
		case from[i] == d && d > 1:
			return value{}, fmt.Errorf("stretching %v to %v", from, shape)
		case from[i] == 1 && kept == 1:
			before *= d
		case from[i] == 1:
			after *= d
		}
	}
	out := v
	if after > 1 {
		out = l.matmul(l.reshape(out, kept, 1), ones(1, after))
	}
	if before > 1 {
		out = l.matmul(ones(before, 1), l.reshape(out, 1, kept*after))
	}
	return l.reshape(out, shape...), nil
}

// repeat stretches elements of shape from to shape to, of the same rank.
func repeat(data []float32, from, to []int) []float32 {
	strides := make([]int, len(from))
	step := 1
	for i := len(from) - 1; i >= 0; i-- {
		if from[i] > 1 {
			strides[i] = step
		}
		step *= from[i]
	}
	out := make([]float32, size(to))
	index := make([]int, len(to))
	at := 0
	for i := range out {
		out[i] = data[at]
		for k := len(to) - 1; k >= 0; k-- {
			index[k]++
			at += strides[k]
			if index[k] < to[k] {
				break
			}
			at -= index[k] * strides[k]
			index[k] = 0
		}
	}
	return out
}

// transpose reorders axes.
func (l *lowering) transpose(v value, perm []int) (value, error) {
	shape := make([]int, len(perm))
	var moved, still []int // the axes longer than 1, as they are and as they were
	seen := map[int]bool{}
	for i, p := range perm {
		if len(perm) != len(v.shape) || p < 0 || p >= len(perm) || seen[p] {
			return value{}, fmt.Errorf("axes %v of a value of shape %v", perm, v.shape)
		}
		seen[p] = true
		shape[i] = v.shape[p]
		if shape[i] > 1 {
			moved = append(moved, p)
		}
	}
	still = slices.Sorted(slices.Values(moved))
	if slices.Equal(moved, still) {
		return l.reshape(v, shape...), nil
	}
	if v.isConst() {
		return value{shape: shape, consts: permute(v.consts, v.shape, perm)}, nil
	}
	list := make([]int64, len(perm))
	for i, p := range perm {
		list[i] = int64(p)
	}
	return l.emit("Transpose", onnx.Attrs{"perm": onnx.AttrInts(list...)}, shape, v), nil
}

func permute(data []float32, shape, perm []int) []float32 {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	out := make([]float32, len(data))
	index := make([]int, len(perm))
	for i := range out {
		at := 0
		for k, p := range perm {
			at += index[k] * strides[p]
		}
		out[i] = data[at]
		for k := len(perm) - 1; k >= 0; k-- {
			index[k]++
			if index[k] < shape[perm[k]] {
				break
			}
			index[k] = 0
		}
	}
	return out
}

// pick takes the given indices along an axis, by multiplying with a matrix of
// zeros and ones. It needs all axes before the axis, or all after it, to be of
// size 1.
func (l *lowering) pick(v value, axis int, indices []int) (value, error) {
	before, d, after := size(v.shape[:axis]), v.shape[axis], size(v.shape[axis+1:])
	shape := slices.Clone(v.shape)
	shape[axis] = len(indices)
	if len(indices) == 0 || !bounded(shape) || !bounded([]int{d, len(indices)}) {
		return value{}, fmt.Errorf("%d of %d elements of axis %d", len(indices), d, axis)
	}
	for i, at := range indices {
		if at < 0 {
			indices[i] += d
		}
		if indices[i] < 0 || indices[i] >= d {
			return value{}, fmt.Errorf("index %d of an axis of %d", at, d)
		}
	}
	if before == 1 {
		chooser := filled(0, len(indices), d)
		for row, at := range indices {
			chooser.consts[row*d+at] = 1
		}
		return l.reshape(l.matmul(chooser, l.reshape(v, d, after)), shape...), nil
	}
	if after == 1 {
		chooser := filled(0, d, len(indices))
		for col, at := range indices {
			chooser.consts[at*len(indices)+col] = 1
		}
		return l.reshape(l.matmul(l.reshape(v, before, d), chooser), shape...), nil
	}
	return value{}, fmt.Errorf("picking along axis %d of shape %v", axis, v.shape)
}

// axis turns an axis counted from the end into one counted from the beginning.
func axisOf(axis, rank int) (int, error) {
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return 0, fmt.Errorf("axis %d of a value with %d axes", axis, rank)
	}
	return axis, nil
}
