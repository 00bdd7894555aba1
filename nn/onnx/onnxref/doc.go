// Package onnxref computes ONNX graphs slowly and plainly, so that tests can say what a
// graph means without a runtime: networks, and their gradients.
//
// Every operator follows its definition in the ONNX operator documentation. Elements are
// float32, float64, int64 or bool. All are held as float64 and rounded to the value's own
// type after each node, so sums are accumulated in float64; integers are exact up to 2⁵³.
//
// A model is checked first ([onnx.Check]); operators rely on shapes that fit.
package onnxref
