package onnxref

import (
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// array is a value at run time. Floating-point elements are in f, all others
// in i.
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

// alloc returns an array of zeros.
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

// set stores a number, cut to an integer where the type is one.
func (a *array) set(k int, v float64) {
	if a.typ.IsFloat() {
		a.f[k] = v
		return
	}
	a.i[k] = int64(v)
}

// ints returns the elements as integers.
func (a *array) ints() []int {
	out := make([]int, a.len())
	for k := range out {
		if a.typ.IsFloat() {
			out[k] = int(a.f[k])
		} else {
			out[k] = int(a.i[k])
		}
	}
	return out
}

// copyFrom moves one element.
func (a *array) copyFrom(k int, b *array, j int) {
	if a.typ.IsFloat() {
		a.f[k] = b.f[j]
		return
	}
	a.i[k] = b.i[j]
}

// round gives every element the precision of its type.
func (a *array) round() {
	switch a.typ {
	case onnx.Float:
		for k, v := range a.f {
			a.f[k] = float64(float32(v))
		}
	case onnx.Float16:
		for k, v := range a.f {
			a.f[k] = float64(onnx.FromFloat16(onnx.Float16Bits(float32(v))))
		}
	case onnx.BFloat16:
		for k, v := range a.f {
			b := math.Float32bits(float32(v))
			b += 0x7fff + b>>16&1
			a.f[k] = float64(math.Float32frombits(b &^ 0xffff))
		}
	case onnx.Bool:
		for k, v := range a.i {
			a.i[k] = min(max(v, -v), 1)
		}
	case onnx.Uint32:
		for k, v := range a.i {
			a.i[k] = int64(uint32(v))
		}
	case onnx.Int32:
		for k, v := range a.i {
			a.i[k] = int64(int32(v))
		}
	case onnx.Int16, onnx.Uint16, onnx.Int8, onnx.Uint8:
		low, high := limits(a.typ)
		for k, v := range a.i {
			a.i[k] = low + ((v-low)%(high-low+1)+(high-low+1))%(high-low+1)
		}
	}
}

// limits returns the smallest and largest number of an integer type.
func limits(t onnx.DataType) (low, high int64) {
	switch t {
	case onnx.Int8:
		return math.MinInt8, math.MaxInt8
	case onnx.Uint8:
		return 0, math.MaxUint8
	case onnx.Int16:
		return math.MinInt16, math.MaxInt16
	case onnx.Uint16:
		return 0, math.MaxUint16
	case onnx.Int32:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// load turns a constant into an array.
func load(t *onnx.Tensor) (*array, error) {
	a := &array{typ: t.Type, dims: make([]int, len(t.Dims))}
	for k, d := range t.Dims {
		a.dims[k] = int(d)
	}
	var err error
	if t.Type.IsFloat() {
		a.f, err = t.Float64s()
	} else {
		a.i, err = t.Int64s()
	}
	return a, err
}

// store turns an array into a tensor.
func store(name string, a *array) (*onnx.Tensor, error) {
	dims := make([]int64, len(a.dims))
	for k, d := range a.dims {
		dims[k] = int64(d)
	}
	switch a.typ {
	case onnx.Float:
		return onnx.NewTensor(name, narrowed[float32](a.f), dims...), nil
	case onnx.Double:
		return onnx.NewTensor(name, a.f, dims...), nil
	case onnx.Float16:
		return onnx.NewFloat16(name, narrowed[float32](a.f), dims...), nil
	case onnx.BFloat16:
		t := onnx.NewTensor(name, make([]uint16, len(a.f)), dims...)
		t.Type = onnx.BFloat16
		for k, v := range a.f {
			b := math.Float32bits(float32(v)) >> 16
			t.Raw[2*k], t.Raw[2*k+1] = byte(b), byte(b>>8)
		}
		return t, nil
	case onnx.Bool:
		t := onnx.NewTensor(name, narrowed[uint8](a.i), dims...)
		t.Type = onnx.Bool
		return t, nil
	case onnx.Int64:
		return onnx.NewTensor(name, a.i, dims...), nil
	case onnx.Int32:
		return onnx.NewTensor(name, narrowed[int32](a.i), dims...), nil
	case onnx.Int16:
		return onnx.NewTensor(name, narrowed[int16](a.i), dims...), nil
	case onnx.Int8:
		return onnx.NewTensor(name, narrowed[int8](a.i), dims...), nil
	case onnx.Uint8:
		return onnx.NewTensor(name, narrowed[uint8](a.i), dims...), nil
	case onnx.Uint16:
		return onnx.NewTensor(name, narrowed[uint16](a.i), dims...), nil
	case onnx.Uint32:
		return onnx.NewTensor(name, narrowed[uint32](a.i), dims...), nil
	case onnx.Uint64:
		return onnx.NewTensor(name, narrowed[uint64](a.i), dims...), nil
	}
	return nil, fmt.Errorf("%w: values of %v", onnx.ErrUnsupported, a.typ)
}

func narrowed[T float32 | int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64, F float64 | int64](list []F) []T {
	out := make([]T, len(list))
	for k, v := range list {
		out[k] = T(v)
	}
	return out
}
