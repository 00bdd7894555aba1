// Package onnx holds ONNX graphs as Go values: read, write, check, rewrite.
//
// The wire format is coded by hand on protowire, so there is no generated
// code: messages.go names the fields of each message once, for reading and for writing.
// Messages and field numbers are those of onnx.proto (IR version 3 and later, ONNX 1.4
// and later); the operator forms are those of the default domain's opsets 9 to 21.
//
// Terms. A value is a named tensor that flows through a graph: an input, an
// initializer (a constant stored in the file: the weights) or the output of a
// node. A dimension is a number, a symbol ("N", the batch) or unknown. A tensor
// keeps its elements as little-endian bytes in row-major order, whatever form
// the file had them in.
//
// Invariants. Read never trusts a length: what it allocates is bounded by a
// small multiple of the size of its input. The tensors of a model share the bytes that it
// was read from, which must not be changed afterwards. Read keeps fields that it does not
// know, and Marshal writes them again. Equal models marshal to equal bytes. Names are
// unique in a graph and every value is written once (SSA), which [Check] verifies.
// Functions that rewrite a model replace tensors and never change their bytes, so a
// shallow copy of a graph may share its weights.
package onnx
