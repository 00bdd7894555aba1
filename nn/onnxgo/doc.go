// Package onnxgo runs networks in pure Go, on github.com/owulveryck/onnx-go and
// its backend on gorgonia.org/gorgonia. It needs no shared library and no C
// compiler, and is many times slower than onnxruntime (package ort): it is there
// so that the engine plays everywhere.
//
// onnx-go knows few operators and some of them only nearly: its
// BatchNormalization and Gemm write over values that are still needed, a value
// used twice by one node arrives once, outputs that other nodes use are never
// filled in, and broadcasting guesses axes. So a model is lowered first: at a
// batch of one, with every shape known, each node is rewritten into a few
// operators that were found to compute what ONNX defines, on equal shapes only.
// An operator without such a rewriting is refused by name, see [ErrOperator].
//
// Terms: to lower is to rewrite for this backend; a row is one position of a
// batch, and rows are computed one after another.
//
// Invariants. Nothing panics across the package's border: what the libraries
// throw becomes an error. A session has one caller at a time; any number of
// sessions may run at once.
package onnxgo
