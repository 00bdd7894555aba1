package onnxref

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// array is a value at run time. Floating-point elements are in f, all others in i.
type array struct {
	typ  onnx.DataType
	dims []int
	f    []float64
	i    []int64
}

func (a *array) len() int { return size(a.dims) }

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func alloc(typ onnx.DataType, dims ...int) *array {
	a := &array{typ: typ, dims: slices.Clone(dims)}
	if typ.IsFloat() {
		a.f = make([]float64, size(dims))
	} else {
		a.i = make([]int64, size(dims))
	}
	return a
}

// view returns the same elements under other dimensions.
func (a *array) view(dims ...int) *array {
	return &array{typ: a.typ, dims: dims, f: a.f, i: a.i}
}

// at returns an element as a number, whatever its type.
func (a *array) at(k int) float64 {
	if a.typ.IsFloat() {
		return a.f[k]
	}
	return float64(a.i[k])
}

// set stores a number, truncated to an integer if the type is one.
func (a *array) set(k int, v float64) {
	if a.typ.IsFloat() {
		a.f[k] = v
		return
	}
	a.i[k] = int64(v)
}

func (a *array) ints() []int {
	out := make([]int, a.len())
	for k := range out {
		out[k] = int(a.i[k])
	}
	return out
}

// copyFrom copies element j of b to element k.
func (a *array) copyFrom(k int, b *array, j int) {
	if a.typ.IsFloat() {
		a.f[k] = b.f[j]
		return
	}
	a.i[k] = b.i[j]
}

// round gives every element the precision of its type.
func (a *array) round() {
	if a.typ == onnx.Float {
		for k, v := range a.f {
			a.f[k] = float64(float32(v))
		}
	}
}

// load turns a constant into an array.
func load(t *onnx.Tensor) (*array, error) {
	a := &array{typ: t.Type}
	for _, d := range t.Dims {
		a.dims = append(a.dims, int(d))
	}
	var err error
	if t.Type.IsFloat() {
		a.f, err = t.Float64s()
	} else {
		a.i, err = t.Int64s()
	}
	return a, err
}

func store(name string, a *array) (*onnx.Tensor, error) {
	dims := make([]int64, len(a.dims))
	for k, d := range a.dims {
		dims[k] = int64(d)
	}
	switch a.typ {
	case onnx.Float:
		list := make([]float32, len(a.f))
		for k, v := range a.f {
			list[k] = float32(v)
		}
		return onnx.NewTensor(name, list, dims...), nil
	case onnx.Double:
		return onnx.NewTensor(name, a.f, dims...), nil
	case onnx.Int64:
		return onnx.NewTensor(name, a.i, dims...), nil
	case onnx.Bool:
		list := make([]bool, len(a.i))
		for k, v := range a.i {
			list[k] = v != 0
		}
		return onnx.NewTensor(name, list, dims...), nil
	}
	return nil, fmt.Errorf("%w: values of %v", onnx.ErrUnsupported, a.typ)
}

// steps returns how far one step along each axis moves in an array of dims.
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

// spread returns, for each element of an array of dims, its source in the array of fewer or smaller
// dimensions that is broadcast to dims.
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

// pick returns an array of dims whose elements come from the given places of a; a
// negative place leaves zero.
func pick(a *array, places []int, dims ...int) *array {
	out := alloc(a.typ, dims...)
	for k, j := range places {
		if j >= 0 {
			out.copyFrom(k, a, j)
		}
	}
	return out
}
