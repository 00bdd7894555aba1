// Package onnxref computes the ONNX graphs of networks and of their gradients, slowly and plainly.
// Tests compare other code with its results and need no ONNX runtime.
//
// Every operator follows its definition in the ONNX operator documentation. Elements are
// float32, float64, int64 or bool. All are held as float64 and rounded to the value's own
// type after each node, so sums are accumulated in float64; integers are exact up to 2⁵³.
//
// A model is checked first ([onnx.Check]); operators rely on shapes that fit.
package onnxref
