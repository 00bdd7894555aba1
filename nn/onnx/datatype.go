package onnx

import "fmt"

// DataType is the element type of a tensor, numbered as in TensorProto.DataType.
type DataType int32

// The element types of ONNX. Types after BFloat16 are read and written, but nothing here computes
// with them.
const (
	Undefined  DataType = 0
	Float      DataType = 1
	Uint8      DataType = 2
	Int8       DataType = 3
	Uint16     DataType = 4
	Int16      DataType = 5
	Int32      DataType = 6
	Int64      DataType = 7
	String     DataType = 8
	Bool       DataType = 9
	Float16    DataType = 10
	Double     DataType = 11
	Uint32     DataType = 12
	Uint64     DataType = 13
	Complex64  DataType = 14
	Complex128 DataType = 15
	BFloat16   DataType = 16
	Float8E4M3 DataType = 17
	Float8E4UZ DataType = 18
	Float8E5M2 DataType = 19
	Float8E5UZ DataType = 20
	Uint4      DataType = 21
	Int4       DataType = 22
	Float4     DataType = 23
	Float8E8   DataType = 24
)

// typeTable gives each type's name and bits per element; 0 bits if elements have no fixed size.
var typeTable = [...]struct {
	name string
	bits int64
}{
	Undefined: {"undefined", 0}, Float: {"float32", 32}, Uint8: {"uint8", 8}, Int8: {"int8", 8},
	Uint16: {"uint16", 16}, Int16: {"int16", 16}, Int32: {"int32", 32}, Int64: {"int64", 64},
	String: {"string", 0}, Bool: {"bool", 8}, Float16: {"float16", 16}, Double: {"float64", 64},
	Uint32: {"uint32", 32}, Uint64: {"uint64", 64}, Complex64: {"complex64", 64},
	Complex128: {"complex128", 128}, BFloat16: {"bfloat16", 16}, Float8E4M3: {"float8e4m3fn", 8},
	Float8E4UZ: {"float8e4m3fnuz", 8}, Float8E5M2: {"float8e5m2", 8}, Float8E5UZ: {"float8e5m2fnuz", 8},
	Uint4: {"uint4", 4}, Int4: {"int4", 4}, Float4: {"float4e2m1", 4}, Float8E8: {"float8e8m0", 8},
}

// String returns a name such as "float32".
func (t DataType) String() string {
	if t < 0 || int(t) >= len(typeTable) {
		return fmt.Sprintf("type %d", int32(t))
	}
	return typeTable[t].name
}

// Size returns the bytes of one element, 0 where that is not a whole number
// of bytes or not fixed.
func (t DataType) Size() int { return int(t.bits() / 8) }

// bits returns the bits of one element, 0 for strings and unknown types.
func (t DataType) bits() int64 {
	if t < 0 || int(t) >= len(typeTable) {
		return 0
	}
	return typeTable[t].bits
}

// IsFloat reports whether t is a floating-point type that this package
// computes with: float32, float64, float16 or bfloat16.
func (t DataType) IsFloat() bool {
	return t == Float || t == Double || t == Float16 || t == BFloat16
}

// IsInt reports whether t is an integer type of whole bytes (bool is not).
func (t DataType) IsInt() bool {
	switch t {
	case Uint8, Int8, Uint16, Int16, Int32, Int64, Uint32, Uint64:
		return true
	}
	return false
}
