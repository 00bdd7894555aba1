package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// typed collects the elements of a tensor from a typed field, which files use instead of
// raw bytes.
type typed struct {
	num  protowire.Number // number of the field; 0: none seen
	data []byte           // packed: varints for the integer fields, else little-endian
}

func (r *reader) tensor(v field, t *Tensor) error {
	var raw []byte
	var list typed
	var place map[string]string // location in another file
	external := func() {
		if place == nil {
			place = map[string]string{}
		}
	}
	err := r.message(v, costTensor, func(v field) error {
		switch v.num {
		case tensorDims:
			return r.ints(v, &t.Dims)
		case tensorType:
			return enum(v, &t.Type, "element type")
		case tensorSegment:
			return fmt.Errorf("%w: a tensor in segments", ErrUnsupported)
		case tensorFloats, tensorInt32s, tensorInt64s, tensorDoubles, tensorUint64s:
			return r.typedField(v, &list)
		case tensorStrings:
			return r.strs(v, &t.Strings)
		case tensorName:
			return r.str(v, &t.Name)
		case tensorRaw:
			return v.bytes(&raw)
		case tensorDoc:
			return r.str(v, &t.Doc)
		case tensorExternal:
			external()
			return r.external(v, place)
		case tensorLocation:
			if v.n == locationExternal {
				external()
			}
		default:
			return r.keep(v, &t.extra)
		}
		return nil
	})
	if err == nil && place != nil {
		raw, err = r.outside.bytes(place)
	}
	if err == nil {
		err = r.fill(t, raw, list)
	}
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return t.Check()
}

// typedField adds the elements of one typed field.
func (r *reader) typedField(v field, list *typed) error {
	if list.num != 0 && list.num != v.num {
		return fmt.Errorf("elements come in fields %d and %d at once", list.num, v.num)
	}
	list.num = v.num
	width, single := 1, protowire.VarintType
	switch v.num {
	case tensorFloats:
		width, single = 4, protowire.Fixed32Type
	case tensorDoubles:
		width, single = 8, protowire.Fixed64Type
	}
	if v.typ == single { // unpacked, an older form of protobuf
		before := len(list.data)
		switch width {
		case 1:
			list.data = protowire.AppendVarint(list.data, v.n)
		case 4:
			list.data = protowire.AppendFixed32(list.data, uint32(v.n))
		default:
			list.data = protowire.AppendFixed64(list.data, v.n)
		}
		return r.charge(2 * (len(list.data) - before))
	}
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	if len(v.data)%width != 0 {
		return fmt.Errorf("field %d has %d bytes, no multiple of %d", v.num, len(v.data), width)
	}
	if list.data == nil { // the usual case: one packed list, whose bytes are used unchanged
		list.data = v.data[:len(v.data):len(v.data)]
		return nil
	}
	list.data = append(list.data, v.data...)
	return r.charge(4 * len(v.data))
}

func (r *reader) fill(t *Tensor, raw []byte, list typed) error {
	if len(list.data) == 0 {
		t.Raw = raw
		return nil
	}
	if len(raw) > 0 {
		return errors.New("elements come both raw and typed")
	}
	fits := map[protowire.Number][]DataType{
		tensorFloats:  {Float, Complex64},
		tensorDoubles: {Double, Complex128},
		tensorInt64s:  {Int64},
		tensorUint64s: {Uint64, Uint32},
		tensorInt32s: {Int32, Int16, Int8, Uint16, Uint8, Bool, Float16, BFloat16, Uint4, Int4, Float4,
			Float8E4M3, Float8E4UZ, Float8E5M2, Float8E5UZ, Float8E8},
	}
	for _, typ := range fits[list.num] {
		if typ != t.Type {
			continue
		}
		if list.num == tensorFloats || list.num == tensorDoubles {
			t.Raw = list.data
			return nil
		}
		return r.narrow(t, list.data)
	}
	return fmt.Errorf("elements of %v cannot come in field %d", t.Type, list.num)
}

// narrow stores varints in as many bytes as the tensor's type takes. A 4-bit
// type has two elements in each number.
func (r *reader) narrow(t *Tensor, varints []byte) error {
	count := 0
	for _, b := range varints {
		if b < 0x80 { // the last byte of a number
			count++
		}
	}
	width := max(t.Type.Size(), 1)
	if err := r.charge(width * count); err != nil {
		return err
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if width < 8 {
		low, high = -1<<(8*width-1), 1<<(8*width)-1
	}
	t.Raw = make([]byte, 0, width*count)
	return eachVarint(varints, func(u uint64) error {
		v := int64(u)
		if v < low || v > high {
			return fmt.Errorf("element %d is %d, which %v cannot hold", len(t.Raw)/width, v, t.Type)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], u)
		t.Raw = append(t.Raw, b[:width]...)
		return nil
	})
}
