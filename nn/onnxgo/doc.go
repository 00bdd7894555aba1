// Package onnxgo runs networks in pure Go, on github.com/owulveryck/onnx-go and its
// backend on gorgonia.org/gorgonia. It needs no shared library and no C compiler, so that
// the engine plays everywhere, but it is many times slower than onnxruntime (package ort).
//
// onnx-go knows few operators and has faults in some: its BatchNormalization and Gemm overwrite
// values that are still needed, a value that one node uses twice arrives once, outputs that other
// nodes use are never set, and broadcasting guesses axes. So a model is lowered first: at a batch
// of one, with every shape known, each node is rewritten into a few operators that compute what
// ONNX defines for operands of equal shapes. Any other operator is refused by name ([ErrOperator]).
//
// Terms: to lower is to rewrite for this backend; a row is one position of a
// batch, and rows are computed one after another.
//
// Invariants. A panic of the libraries becomes an error. A session has one caller at a time; any number of
// sessions may run at once.
package onnxgo
