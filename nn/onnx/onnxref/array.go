package onnxref

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// array is a value at run time: its elements as numbers, whatever their type.
type array struct {
	typ  onnx.DataType
	dims []int
	v    []float64
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func alloc(typ onnx.DataType, dims ...int) *array {
	return &array{typ, slices.Clone(dims), make([]float64, size(dims))}
}

// view returns the same elements under other dimensions.
func (a *array) view(dims ...int) *array { return &array{a.typ, dims, a.v} }

// whole truncates a number to an int, after limiting it to ±2⁶².
func whole(v float64) int { return int(max(-1<<62, min(v, 1<<62))) }

func (a *array) ints() []int {
	out := make([]int, len(a.v))
	for k, v := range a.v {
		out[k] = whole(v)
	}
	return out
}

// round gives every element the precision of its type.
func (a *array) round() {
	for k, v := range a.v {
		if a.typ == onnx.Float {
			a.v[k] = float64(float32(v))
		} else if !a.typ.IsFloat() {
			a.v[k] = math.Trunc(v)
		}
	}
}

// load turns a constant into an array.
func load(t *onnx.Tensor) (*array, error) {
	v, err := t.Float64s()
	return &array{t.Type, cast[int](t.Dims), v}, err
}

func cast[To, From int | int64 | float32 | float64](list []From) []To {
	out := make([]To, len(list))
	for k, v := range list {
		out[k] = To(v)
	}
	return out
}

func store(name string, a *array) (*onnx.Tensor, error) {
	dims := cast[int64](a.dims)
	switch a.typ {
	case onnx.Float:
		return onnx.NewTensor(name, cast[float32](a.v), dims...), nil
	case onnx.Double:
		return onnx.NewTensor(name, a.v, dims...), nil
	case onnx.Int64:
		return onnx.NewTensor(name, cast[int64](a.ints()), dims...), nil
	case onnx.Bool:
		list := make([]bool, len(a.v))
		for k, v := range a.v {
			list[k] = v != 0
		}
		return onnx.NewTensor(name, list, dims...), nil
	}
	return nil, fmt.Errorf("%w: values of %v", onnx.ErrUnsupported, a.typ)
}

// steps returns the distance between neighbours along each axis of an array with the given dims.
func steps(dims []int) []int {
	out := make([]int, len(dims))
	for k, n := len(dims)-1, 1; k >= 0; k-- {
		out[k] = n
		n *= dims[k]
	}
	return out
}

// walk returns, in order, the places of all elements of an array with the given dims. One step
// along axis k moves by strides[k].
func walk(dims, strides []int, start int) []int {
	places := []int{start}
	for k, d := range dims {
		next := make([]int, 0, len(places)*d)
		for _, at := range places {
			for i := range d {
				next = append(next, at+i*strides[k])
			}
		}
		places = next
	}
	return places
}

// spread broadcasts an array of one shape to another. For each element of the result, it returns the
// index of the element that it comes from.
func spread(from, dims []int) []int {
	strides := make([]int, len(dims))
	for k, step := range steps(from) {
		if from[k] != 1 {
			strides[k+len(dims)-len(from)] = step
		}
	}
	return walk(dims, strides, 0)
}

// broadcast joins compatible dimensions as numpy does.
func broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for k, d := range b {
		if at := len(a) - len(b) + k; out[at] == 1 {
			out[at] = d
		}
	}
	return out
}

// pick returns an array with the given dims, whose elements come from the given places of a; a
// negative place leaves zero.
func pick(a *array, places []int, dims ...int) *array {
	out := alloc(a.typ, dims...)
	for k, j := range places {
		if j >= 0 {
			out.v[k] = a.v[j]
		}
	}
	return out
}
