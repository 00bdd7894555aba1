// Package onnxref computes ONNX graphs slowly and plainly, so that tests can
// say what a graph means without a runtime. It is the yardstick for rewrites and
// for the backends that play.
//
// Every operator follows its definition in the ONNX operator documentation.
// Floating-point elements are held as float64 and rounded to the value's own
// type after each node, so sums are accumulated in float64. Integers are held as
// int64 and wrapped to their type.
//
// Not here are graphs in attributes (If, Loop), randomness (Dropout in
// training), strings, sequences, complex numbers. Memory is not bounded: do not
// run graphs of unknown origin.
package onnxref
