package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of onnx.proto.
const (
	modelIR, modelProducer, modelProducerVersion, modelDomain, modelVersion = 1, 2, 3, 4, 5
	modelDoc, modelGraph, modelOpset, modelMetadata, modelFunctions         = 6, 7, 8, 14, 25

	graphNode, graphName, graphInitializer, graphDoc = 1, 2, 5, 10
	graphInput, graphOutput, graphValue, graphSparse = 11, 12, 13, 15

	nodeInput, nodeOutput, nodeName, nodeOp         = 1, 2, 3, 4
	nodeAttr, nodeDoc, nodeDomain, nodeOverload     = 5, 6, 7, 8
	attrName, attrF, attrI, attrS, attrT, attrG     = 1, 2, 3, 4, 5, 6
	attrFloats, attrInts, attrStrings, attrTensors  = 7, 8, 9, 10
	attrGraphs, attrType, attrRef                   = 11, 20, 21
	tensorDims, tensorType, tensorSegment           = 1, 2, 3
	tensorFloats, tensorInt32s, tensorStrings       = 4, 5, 6
	tensorInt64s, tensorName, tensorRaw             = 7, 8, 9
	tensorDoubles, tensorUint64s, tensorDoc         = 10, 11, 12
	tensorExternal, tensorLocation                  = 13, 14
	valueName, valueType, valueDoc                  = 1, 2, 3
	typeTensor, typeElem, typeShape                 = 1, 1, 2
	shapeDim, dimValue, dimParam                    = 1, 1, 2
	opsetDomain, opsetVersion, entryKey, entryValue = 1, 2, 1, 2
	funcName, funcInput, funcOutput, funcAttr       = 1, 4, 5, 6
	funcNode, funcDoc, funcOpset, funcDomain        = 7, 8, 9, 10
	funcDefault, funcValue, funcOverload            = 11, 12, 13
	locationExternal, maxProtobuf, shareFrom        = 1, math.MaxInt32, 4096
)

// codec reads or writes messages. Each kind of message has one function, which names its fields
// in the order in which they are written. After an error nothing more is read or written.
type codec struct {
	out     *writer // the message being written; nil: one is read
	in      []byte  // the message being read
	there   uint64  // field numbers in the message, one bit each; the last bit is for all higher ones
	known   uint64  // bits of the field numbers that were asked for
	budget  int64   // bytes of memory that may still be taken
	depth   int     // graphs inside each other
	outside *outside
	err     error
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// within adds to an error the part of the file that it is about, such as a node and its name.
func (c *codec) within(what string, name any) {
	if c.err != nil {
		c.err = fmt.Errorf("%s %q: %w", what, name, c.err)
	}
}

var errBudget = errors.New("the file asks for far more memory than its size explains")

// charge accounts for n bytes of memory.
func (c *codec) charge(n int) {
	if c.budget -= int64(n); c.budget < 0 {
		c.fail(errBudget)
	}
}

// Upper estimates of the memory that objects take.
const (
	costNode, costTensor, costAttr = 320, 240, 560
	costValue, costDim, costString = 200, 24, 16
	costGraph, costEntry           = 400, 96
)

// field is one field of a message being read.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	data  []byte // the value; bytes and messages without their length
	whole []byte // the field with its tag
}

// next returns the first field of a message, and what follows it.
func next(b []byte) (v field, rest []byte, err error) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return v, nil, protowire.ParseError(n)
	}
	if typ == protowire.StartGroupType || typ == protowire.EndGroupType {
		return v, nil, fmt.Errorf("field %d: a group, which ONNX has none of", num)
	}
	m := protowire.ConsumeFieldValue(num, typ, b[n:])
	if m < 0 {
		return v, nil, fmt.Errorf("field %d: %w", num, protowire.ParseError(m))
	}
	v = field{num, typ, b[n : n+m], b[:n+m]}
	if typ == protowire.BytesType {
		v.data, _ = protowire.ConsumeBytes(v.data)
	}
	return v, b[n+m:], nil
}

// enter begins to read a message.
func (c *codec) enter(message []byte) {
	c.in, c.there, c.known = message, 0, 0
	var v field
	for rest := message; c.err == nil && len(rest) > 0; {
		v, rest, c.err = next(rest)
		c.there |= 1 << min(v.num, 63)
	}
}

// has marks a field as asked for and reports whether it is in the message being read.
func (c *codec) has(num protowire.Number) bool {
	c.known |= 1 << num
	return c.there>>num&1 != 0
}

// fields yields the fields with the given number in the message being read.
func (c *codec) fields(num protowire.Number) iter.Seq[field] {
	return func(yield func(field) bool) {
		if !c.has(num) {
			return
		}
		var v field
		for rest := c.in; c.err == nil && len(rest) > 0; {
			if v, rest, c.err = next(rest); c.err == nil && v.num == num && !yield(v) {
				return
			}
		}
	}
}

func (c *codec) want(v field, typ protowire.Type) {
	if v.typ != typ {
		c.fail(fmt.Errorf("field %d has wire type %d instead of %d", v.num, v.typ, typ))
	}
}

// varints yields the numbers of a field, which is a packed list or a single number.
func (c *codec) varints(v field) iter.Seq[uint64] {
	if v.typ != protowire.VarintType {
		c.want(v, protowire.BytesType)
	}
	return func(yield func(uint64) bool) {
		for b := v.data; c.err == nil && len(b) > 0; {
			u, n := protowire.ConsumeVarint(b)
			if n < 0 {
				c.fail(protowire.ParseError(n))
			} else if b = b[n:]; !yield(u) {
				return
			}
		}
	}
}

// messages reads or writes the messages of one field and calls f for each. For writing, n is their number.
func (c *codec) messages(num protowire.Number, cost, n int, f func(i int)) {
	if outer := c.out; outer != nil {
		for i := range n {
			c.out = new(writer)
			f(i)
			outer.message(num, c.out)
		}
		c.out = outer
		return
	}
	i := 0
	for v := range c.fields(num) {
		c.want(v, protowire.BytesType)
		if c.charge(cost); c.err != nil {
			return
		}
		in, there, known := c.in, c.there, c.known
		c.enter(v.data)
		f(i)
		c.in, c.there, c.known = in, there, known
		i++
	}
}

// list reads or writes a field with any number of messages.
func list[M any](c *codec, num protowire.Number, cost int, all *[]M, f func(*M)) {
	c.messages(num, cost, len(*all), func(i int) {
		if c.out == nil {
			*all = append(*all, *new(M))
		}
		f(&(*all)[i])
	})
}

// one reads or writes a field with at most one message.
func one[M any](c *codec, num protowire.Number, cost int, m **M, f func(**M)) {
	var all []*M
	if *m != nil {
		all = append(all, *m)
	}
	list(c, num, cost, &all, f)
	if len(all) > 1 {
		c.fail(fmt.Errorf("field %d is there twice", num))
	}
	if c.out == nil && len(all) > 0 {
		*m = all[0]
	}
}

// named reads or writes a field with messages that each have a name; it writes them in the order of
// their names.
func named[M any](c *codec, num protowire.Number, cost int, all *map[string]M, f func(name *string, m *M)) {
	names := slices.Sorted(maps.Keys(*all))
	c.messages(num, cost, len(names), func(i int) {
		if c.out != nil {
			m := (*all)[names[i]]
			f(&names[i], &m)
			return
		}
		var name string
		var m M
		f(&name, &m)
		if _, twice := (*all)[name]; twice {
			c.fail(fmt.Errorf("%q is given twice", name))
		}
		if *all == nil {
			*all = map[string]M{}
		}
		(*all)[name] = m
	})
}

// str reads or writes a field with a text; it writes even an empty one.
func (c *codec) str(num protowire.Number, s *string) {
	if c.out != nil {
		c.out.str(num, *s)
		return
	}
	for v := range c.fields(num) {
		c.want(v, protowire.BytesType)
		c.charge(len(v.data) + costString)
		*s = string(v.data)
	}
}

func (c *codec) text(num protowire.Number, s *string) {
	if c.out == nil || *s != "" {
		c.str(num, s)
	}
}

func (c *codec) strs(num protowire.Number, all *[]string) {
	if c.out != nil {
		for i := range *all {
			c.out.str(num, (*all)[i])
		}
		return
	}
	for v := range c.fields(num) {
		c.want(v, protowire.BytesType)
		c.charge(len(v.data) + 3*costString)
		*all = append(*all, string(v.data))
	}
}

func (c *codec) int(num protowire.Number, n *int64) {
	if c.out != nil {
		c.out.int(num, *n)
		return
	}
	for v := range c.fields(num) {
		c.want(v, protowire.VarintType)
		u, _ := protowire.ConsumeVarint(v.data)
		*n = int64(u)
	}
}

// enum reads or writes a field with one of ONNX's enums.
func enum[K ~int32](c *codec, num protowire.Number, k *K, what string) {
	n := int64(*k)
	if c.int(num, &n); c.out != nil {
		return
	}
	if n < 0 || n > math.MaxInt32 {
		c.fail(fmt.Errorf("ONNX has no %s %d", what, n))
	}
	*k = K(n)
}

func (c *codec) ints(num protowire.Number, all *[]int64) {
	if c.out != nil {
		for _, n := range *all {
			c.out.int(num, n)
		}
		return
	}
	for v := range c.fields(num) {
		for u := range c.varints(v) {
			*all = append(*all, int64(u))
			c.charge(16)
		}
	}
}

func (c *codec) float(num protowire.Number, f *float32) {
	if c.out != nil {
		c.out.float(num, *f)
		return
	}
	for v := range c.fields(num) {
		if c.want(v, protowire.Fixed32Type); c.err == nil {
			*f = math.Float32frombits(binary.LittleEndian.Uint32(v.data))
		}
	}
}

func (c *codec) floats(num protowire.Number, all *[]float32) {
	if c.out != nil {
		for _, f := range *all {
			c.out.float(num, f)
		}
		return
	}
	for v := range c.fields(num) {
		if v.typ != protowire.Fixed32Type {
			c.want(v, protowire.BytesType)
		}
		if len(v.data)%4 != 0 {
			c.fail(fmt.Errorf("field %d has %d bytes, no multiple of 4", num, len(v.data)))
		}
		if c.charge(2*len(v.data) + 8); c.err == nil {
			floats := make([]float32, len(v.data)/4)
			binary.Decode(v.data, binary.LittleEndian, floats)
			*all = append(*all, floats...)
		}
	}
}

// rest keeps the fields that were read but not asked for, or writes those kept earlier.
func (c *codec) rest(extra *[]byte) {
	if c.out != nil {
		c.out.share(*extra)
		return
	}
	var v field
	for in := c.in; c.err == nil && c.there&^c.known != 0 && len(in) > 0; {
		if v, in, c.err = next(in); c.err == nil && c.known>>v.num&1 == 0 {
			*extra = append(*extra, v.whole...)
			c.charge(2 * len(v.whole))
		}
	}
}

// writer collects an encoded message. Large byte strings are referred to, not
// copied, until the whole is put together.
type writer struct {
	parts [][]byte // finished pieces
	cur   []byte   // piece being written
	size  int      // bytes in parts
}

func (w *writer) len() int { return w.size + len(w.cur) }

func (w *writer) share(b []byte) {
	if len(b) < shareFrom {
		w.cur = append(w.cur, b...)
		return
	}
	if len(w.cur) > 0 {
		w.parts, w.size = append(w.parts, w.cur), w.size+len(w.cur)
		w.cur = nil
	}
	w.parts, w.size = append(w.parts, b), w.size+len(b)
}

func (w *writer) bytes(num protowire.Number, b []byte) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.BytesType)
	w.cur = protowire.AppendVarint(w.cur, uint64(len(b)))
	w.share(b)
}

func (w *writer) str(num protowire.Number, s string) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.BytesType)
	w.cur = protowire.AppendString(w.cur, s)
}

func (w *writer) int(num protowire.Number, v int64) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.VarintType)
	w.cur = protowire.AppendVarint(w.cur, uint64(v))
}

func (w *writer) float(num protowire.Number, v float32) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.Fixed32Type)
	w.cur = protowire.AppendFixed32(w.cur, math.Float32bits(v))
}

// message writes an embedded message.
func (w *writer) message(num protowire.Number, sub *writer) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.BytesType)
	w.cur = protowire.AppendVarint(w.cur, uint64(sub.len()))
	for _, p := range sub.all() {
		w.share(p)
	}
}

// all returns every piece in order.
func (w *writer) all() [][]byte {
	if len(w.cur) == 0 {
		return w.parts
	}
	return append(w.parts[:len(w.parts):len(w.parts)], w.cur)
}
