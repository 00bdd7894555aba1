package onnx

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of onnx.proto.
const (
	modelIR, modelProducer, modelProducerVersion, modelDomain, modelVersion = 1, 2, 3, 4, 5
	modelDoc, modelGraph, modelOpset, modelMetadata, modelFunctions         = 6, 7, 8, 14, 25

	graphNode, graphName, graphInitializer, graphDoc = 1, 2, 5, 10
	graphInput, graphOutput, graphValue, graphSparse = 11, 12, 13, 15

	nodeInput, nodeOutput, nodeName, nodeOp          = 1, 2, 3, 4
	nodeAttr, nodeDoc, nodeDomain, nodeOverload      = 5, 6, 7, 8
	attrName, attrF, attrI, attrS, attrT, attrG      = 1, 2, 3, 4, 5, 6
	attrFloats, attrInts, attrStrings, attrTensors   = 7, 8, 9, 10
	attrGraphs, attrType, attrRef                    = 11, 20, 21
	tensorDims, tensorType, tensorSegment            = 1, 2, 3
	tensorFloats, tensorInt32s, tensorStrings        = 4, 5, 6
	tensorInt64s, tensorName, tensorRaw              = 7, 8, 9
	tensorDoubles, tensorUint64s, tensorDoc          = 10, 11, 12
	tensorExternal, tensorLocation                   = 13, 14
	valueName, valueType, valueDoc                   = 1, 2, 3
	typeTensor, typeElem, typeShape                  = 1, 1, 2
	shapeDim, dimValue, dimParam                     = 1, 1, 2
	opsetDomain, opsetVersion, entryKey, entryValue  = 1, 2, 1, 2
	funcName, funcInput, funcOutput, funcAttr        = 1, 4, 5, 6
	funcNode, funcDoc, funcOpset, funcDomain         = 7, 8, 9, 10
	funcDefault, funcValue, funcOverload             = 11, 12, 13
	locationExternal, maxProtobuf, shareFrom, intBit = 1, math.MaxInt32, 4096, 64
)

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

// text writes a string unless it is empty.
func (w *writer) text(num protowire.Number, s string) {
	if s != "" {
		w.str(num, s)
	}
}

func (w *writer) strs(num protowire.Number, list []string) {
	for _, s := range list {
		w.str(num, s)
	}
}

func (w *writer) int(num protowire.Number, v int64) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.VarintType)
	w.cur = protowire.AppendVarint(w.cur, uint64(v))
}

func (w *writer) ints(num protowire.Number, list []int64) {
	for _, v := range list {
		w.int(num, v)
	}
}

func (w *writer) float(num protowire.Number, v float32) {
	w.cur = protowire.AppendTag(w.cur, num, protowire.Fixed32Type)
	w.cur = protowire.AppendFixed32(w.cur, math.Float32bits(v))
}

// message writes an embedded message that f fills.
func (w *writer) message(num protowire.Number, f func(*writer)) {
	var sub writer
	f(&sub)
	w.cur = protowire.AppendTag(w.cur, num, protowire.BytesType)
	w.cur = protowire.AppendVarint(w.cur, uint64(sub.len()))
	for _, p := range sub.parts {
		w.share(p)
	}
	w.share(sub.cur)
}

// all returns every piece in order.
func (w *writer) all() [][]byte {
	if len(w.cur) == 0 {
		return w.parts
	}
	return append(w.parts[:len(w.parts):len(w.parts)], w.cur)
}

// field is one field of a message being read.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	n     uint64 // varint, fixed32, fixed64
	data  []byte // bytes
	whole []byte // the field with its tag
}

var errGroup = errors.New("group field, which ONNX has none of")

// fields calls f for every field of a message.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		v, m := field{num: num, typ: typ}, 0
		switch rest := b[n:]; typ {
		case protowire.VarintType:
			v.n, m = protowire.ConsumeVarint(rest)
		case protowire.Fixed32Type:
			var u uint32
			u, m = protowire.ConsumeFixed32(rest)
			v.n = uint64(u)
		case protowire.Fixed64Type:
			v.n, m = protowire.ConsumeFixed64(rest)
		case protowire.BytesType:
			v.data, m = protowire.ConsumeBytes(rest)
		default:
			return fmt.Errorf("field %d: %w", num, errGroup)
		}
		if m < 0 {
			return fmt.Errorf("field %d: %w", num, protowire.ParseError(m))
		}
		v.whole, b = b[:n+m], b[n+m:]
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

func (v field) want(typ protowire.Type) error {
	if v.typ != typ {
		return fmt.Errorf("field %d has wire type %d instead of %d", v.num, v.typ, typ)
	}
	return nil
}

func (v field) int(dst *int64) error {
	*dst = int64(v.n)
	return v.want(protowire.VarintType)
}

// enum reads a number that names one of ONNX's kinds.
func enum[K ~int32](v field, dst *K, what string) error {
	*dst = K(v.n)
	if v.n > math.MaxInt32 {
		return fmt.Errorf("ONNX has no %s %d", what, int64(v.n))
	}
	return v.want(protowire.VarintType)
}

func (v field) bytes(dst *[]byte) error {
	*dst = v.data
	return v.want(protowire.BytesType)
}
