package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrTensor marks a tensor whose bytes, type and dimensions do not agree, or
// that cannot be read as the type asked for.
var ErrTensor = errors.New("bad tensor")

// Tensor is a constant array. Raw may be shared with a file that was read and
// with other tensors: treat it as read only.
type Tensor struct {
	Name    string
	Type    DataType
	Dims    []int64  // empty for a scalar
	Raw     []byte   // elements, little-endian, row-major; two 4-bit elements a byte
	Strings []string // elements, if Type is String
	Doc     string

	extra []byte
}

// Number is any type of elements that [NewTensor] takes.
type Number interface{ element | bool }

// NewTensor returns a tensor with a copy of the given elements. [Tensor.Check] verifies that
// their number fits the dimensions.
func NewTensor[T Number](name string, data []T, dims ...int64) *Tensor {
	var zero T
	raw := make([]byte, binary.Size(data))
	if floats, ok := any(data).([]float32); ok { // five times as fast as package binary
		for i, v := range floats {
			binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v))
		}
	} else {
		binary.Encode(raw, binary.LittleEndian, data)
	}
	return &Tensor{Name: name, Type: typeOf[zero], Dims: slices.Clone(dims), Raw: raw}
}

// typeOf has the element type of each [Number], by its zero value.
var typeOf = map[any]DataType{
	float32(0): Float, float64(0): Double, int8(0): Int8, int16(0): Int16, int32(0): Int32, int64(0): Int64,
	uint8(0): Uint8, uint16(0): Uint16, uint32(0): Uint32, uint64(0): Uint64, false: Bool,
}

// NewFloat16 returns a float16 tensor, each element rounded to the nearest.
func NewFloat16(name string, data []float32, dims ...int64) *Tensor {
	t := &Tensor{Name: name, Type: Float16, Dims: slices.Clone(dims), Raw: make([]byte, 2*len(data))}
	for i, v := range data {
		binary.LittleEndian.PutUint16(t.Raw[2*i:], Float16Bits(v))
	}
	return t
}

// NewScalar returns a tensor of no dimensions.
func NewScalar[T Number](name string, v T) *Tensor { return NewTensor(name, []T{v}) }

// Len returns the number of elements that the dimensions give; ok is false if a dimension is
// negative or the product overflows.
func (t *Tensor) Len() (n int64, ok bool) { return product(t.Dims) }

// Shape returns the tensor's dimensions as a Shape.
func (t *Tensor) Shape() Shape { return ShapeOf(t.Dims...) }

// Check reports whether the number of bytes fits type and dimensions.
func (t *Tensor) Check() error {
	n, ok := t.Len()
	if !ok {
		return fmt.Errorf("%w %q: dimensions %v are negative or too many elements", ErrTensor, t.Name, t.Dims)
	}
	if t.Type == String {
		if int64(len(t.Strings)) != n {
			return fmt.Errorf("%w %q: %d strings, dimensions %v ask for %d", ErrTensor, t.Name, len(t.Strings), t.Dims, n)
		}
		return nil
	}
	bits := t.Type.bits()
	if bits == 0 {
		return fmt.Errorf("%w %q: unknown element %v", ErrTensor, t.Name, t.Type)
	}
	if n > math.MaxInt64/128 {
		return fmt.Errorf("%w %q: dimensions %v are too large", ErrTensor, t.Name, t.Dims)
	}
	if want := (n*bits + 7) / 8; int64(len(t.Raw)) != want {
		return fmt.Errorf("%w %q: %d bytes of %v, dimensions %v ask for %d", ErrTensor, t.Name, len(t.Raw), t.Type, t.Dims, want)
	}
	return nil
}

// Float32s returns the elements of a float32, float64, float16, bfloat16,
// integer or bool tensor as float32, in memory of their own.
func (t *Tensor) Float32s() ([]float32, error) { return numbers[float32](t, "numbers") }

// Float64s returns the elements of a float, integer or bool tensor as float64,
// in memory of their own.
func (t *Tensor) Float64s() ([]float64, error) { return numbers[float64](t, "numbers") }

// Int64s returns the elements of an integer or bool tensor, in memory of their
// own. Unsigned 64-bit numbers above the largest int64 come out negative.
func (t *Tensor) Int64s() ([]int64, error) { return numbers[int64](t, "integers") }

func numbers[T int64 | float32 | float64](t *Tensor, wanted string) ([]T, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	decode := map[DataType]func([]byte) []T{
		Int8: convert[int8, T], Int16: convert[int16, T], Int32: convert[int32, T], Int64: convert[int64, T],
		Uint8: convert[uint8, T], Uint16: convert[uint16, T], Uint32: convert[uint32, T], Uint64: convert[uint64, T], Bool: convert[uint8, T],
		Float: convert[float32, T], Double: convert[float64, T], Float16: widen[T](FromFloat16), BFloat16: widen[T](fromBFloat16),
	}[t.Type]
	if decode == nil || t.Type.IsFloat() && wanted == "integers" {
		return nil, fmt.Errorf("%w %q: elements are %v, not %s", ErrTensor, t.Name, t.Type, wanted)
	}
	return decode(t.Raw), nil
}

// widen decodes 16-bit floating-point numbers.
func widen[T element](from func(uint16) float32) func([]byte) []T {
	return func(raw []byte) []T {
		list := make([]T, len(raw)/2)
		for i := range list {
			list[i] = T(from(binary.LittleEndian.Uint16(raw[2*i:])))
		}
		return list
	}
}

func fromBFloat16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

type element interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// convert decodes elements of one type and returns them as another.
func convert[From, To element](raw []byte) []To {
	from := make([]From, len(raw)/binary.Size(From(0)))
	if floats, ok := any(from).([]float32); ok { // as in NewTensor
		for i := range floats {
			floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	} else {
		binary.Decode(raw, binary.LittleEndian, from)
	}
	if same, ok := any(from).([]To); ok {
		return same
	}
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

// FromFloat16 widens an IEEE 754 binary16 number.
func FromFloat16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, frac := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp == 0:
		f := float32(frac) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// Float16Bits rounds a number to the nearest IEEE 754 binary16, ties to even;
// numbers beyond its range become infinite.
func Float16Bits(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN: keep it quiet
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	case b >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal, in steps of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}
