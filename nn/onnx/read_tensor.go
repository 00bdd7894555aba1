package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// typed collects the elements of a tensor from a typed field, which files use instead of
// raw bytes.
type typed struct {
	num  protowire.Number // number of the field; 0: none seen
	data []byte           // packed: varints for the integer fields, else little-endian
}

// elements reads the elements of a tensor, whatever form they come in.
func (c *codec) elements(t *Tensor) {
	if c.has(tensorSegment) {
		c.fail(fmt.Errorf("%w: a tensor in segments", ErrUnsupported))
	}
	var place map[string]string // location in another file
	var where int64
	named(c, tensorExternal, costEntry, &place, c.entry)
	c.int(tensorLocation, &where)
	var raw []byte
	for v := range c.fields(tensorRaw) {
		c.want(v, protowire.BytesType)
		raw = v.data
	}
	var list typed
	for _, num := range []protowire.Number{tensorFloats, tensorInt32s, tensorInt64s, tensorDoubles, tensorUint64s} {
		for v := range c.fields(num) {
			c.typed(v, &list)
		}
	}
	if c.err == nil && (place != nil || where == locationExternal) {
		raw, c.err = c.outside.bytes(place)
	}
	if c.err == nil {
		c.fill(t, raw, list)
	}
}

// typed adds the elements of one typed field: a packed list or, in older files, a single element.
func (c *codec) typed(v field, list *typed) {
	if list.num != 0 && list.num != v.num {
		c.fail(fmt.Errorf("elements come in fields %d and %d at once", list.num, v.num))
	}
	list.num = v.num
	width, alone := 1, protowire.VarintType
	switch v.num {
	case tensorFloats:
		width, alone = 4, protowire.Fixed32Type
	case tensorDoubles:
		width, alone = 8, protowire.Fixed64Type
	}
	if v.typ != alone {
		c.want(v, protowire.BytesType)
	}
	if len(v.data)%width != 0 {
		c.fail(fmt.Errorf("field %d has %d bytes, no multiple of %d", v.num, len(v.data), width))
	}
	if list.data == nil { // the usual case: one packed list, whose bytes are used unchanged
		list.data = v.data[:len(v.data):len(v.data)]
		return
	}
	list.data = append(list.data, v.data...)
	c.charge(4 * len(v.data))
}

func (c *codec) fill(t *Tensor, raw []byte, list typed) {
	if len(list.data) == 0 {
		t.Raw = raw
		return
	}
	if len(raw) > 0 {
		c.fail(errors.New("elements come both raw and typed"))
		return
	}
	fits := map[protowire.Number][]DataType{
		tensorFloats:  {Float, Complex64},
		tensorDoubles: {Double, Complex128},
		tensorInt64s:  {Int64},
		tensorUint64s: {Uint64, Uint32},
		tensorInt32s: {Int32, Int16, Int8, Uint16, Uint8, Bool, Float16, BFloat16, Uint4, Int4, Float4,
			Float8E4M3, Float8E4UZ, Float8E5M2, Float8E5UZ, Float8E8},
	}
	switch {
	case !slices.Contains(fits[list.num], t.Type):
		c.fail(fmt.Errorf("elements of %v cannot come in field %d", t.Type, list.num))
	case list.num == tensorFloats || list.num == tensorDoubles:
		t.Raw = list.data
	default:
		c.narrow(t, list.data)
	}
}

// narrow stores varints in as many bytes as the tensor's type takes. A 4-bit
// type has two elements in each number.
func (c *codec) narrow(t *Tensor, varints []byte) {
	count := 0
	for _, b := range varints {
		if b < 0x80 { // the last byte of a number
			count++
		}
	}
	width := max(t.Type.Size(), 1)
	if c.charge(width * count); c.err != nil {
		return
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if width < 8 {
		low, high = -1<<(8*width-1), 1<<(8*width)-1
	}
	t.Raw = make([]byte, 0, width*count)
	for u := range c.varints(field{typ: protowire.BytesType, data: varints}) {
		v := int64(u)
		if v < low || v > high {
			c.fail(fmt.Errorf("element %d is %d, which %v cannot hold", len(t.Raw)/width, v, t.Type))
		}
		t.Raw = append(t.Raw, binary.LittleEndian.AppendUint64(nil, u)[:width]...)
	}
}
