// Package quant rewrites float32 networks as ONNX graphs that compute in 8-bit
// integers or in 16-bit floats.
//
// # Integers
//
// Int8 takes a graph of one exact board size and a way to run graphs over
// calibration rows, and returns a graph whose convolutions multiply unsigned
// 8-bit activations by signed 8-bit weights and add up in 32 bits. Weights have
// a scale for each output channel; an activation has one scale and one zero
// point. Everything between the convolutions, above all the residual stream,
// stays in float32. The same is done to a transformer's matrix products of tokens
// with constant weights; the products inside attention stay in float32.
//
// The graph is laid out for onnxruntime's CPU provider: activations with the
// channels last, where its integer convolution is fastest, ReLU done by the
// saturation at a zero point of 0, and convolutions that follow each other
// without going back to float32. Norms before a convolution are folded away
// exactly as far as that costs no accuracy. What remains of float32 is listed in
// the Summary.
//
// # Processors
//
// x86 processors without VNNI add up two products of bytes at a time in 16 bits,
// which saturate. For them the largest steps of a filter are chosen so that
// 255*|a + b| fits for the two weights a and b that share a sum, and where that
// costs too much both give way (see [Processor]); planes of zeros and ones are held
// as 0 and 126, which fits anyway.
//
// # Terms
//
// A tap is a value of the float graph whose numbers are collected over the
// calibration rows. The range of a tap is the interval that its 256 levels
// cover; what lies outside is clipped. A row is one position.
//
// The arithmetic is that of Jacob et al., "Quantization and Training of Neural
// Networks for Efficient Integer-Arithmetic-Only Inference" (2018). Ranges by
// entropy follow Migacz, "8-bit Inference with TensorRT" (2017); the correction
// of biases follows Nagel et al., "Data-Free Quantization Through Weight
// Equalization and Bias Correction" (2019).
package quant
