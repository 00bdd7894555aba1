package quant

import "kosumi/nn/onnx"

// A wide convolution multiplies 8-bit integers like the others but gives its
// sums as float32, unrounded. It is written as a matrix product over the patches
// of its input, which costs copies; so it is for the few convolutions whose
// rounded outputs would cost most.

// canBeWide reports whether a convolution can be written so.
func (g *graph) canBeWide(c *conv) bool {
	if c.relu || g.m.Opset < 13 {
		return false
	}
	for _, s := range intsOr(c.node, "strides", 1, 1) {
		if s != 1 {
			return false
		}
	}
	return true
}

// makeWide writes a wide convolution; the result has the channels last.
func (e *emitter) makeWide(c *conv, out string) string {
	q, in := e.weights[c], e.params[c.in]
	values, dims := e.layOut(c, q)
	row := e.row(c.node.Outputs[0])
	patches := e.patches(c, out, dims, int64(row[1]), int64(row[2]))
	depth := dims[1] * dims[2] * dims[3]
	matrix := e.points(e.names.New(out+".rows"), patches, depth)
	zeros := make([]int8, c.outputs)
	base := c.node.Inputs[1]
	product := e.node("com.microsoft", "MatMulIntegerToFloat", e.names.New(out+".product"), nil,
		matrix, constant(e, base+".s8", patchOrder(values, dims), depth, dims[0]),
		scalar(e, c.in+".scale", in.scale), constant(e, base+".scale", q.scales, dims[0]),
		scalar(e, c.in+".zero", in.zero), constant(e, base+".zero", zeros, dims[0]),
		constant(e, base+".bias", q.bias, dims[0]))
	shape := constant(e, out+".shape", []int64{-1, int64(row[1]), int64(row[2]), dims[0]}, 4)
	return e.node("", "Reshape", out, nil, product, shape)
}

// points flattens [N,H,W,C] to [N*H*W,C].
func (e *emitter) points(out, src string, channels int64) string {
	return e.node("", "Reshape", out, nil, src, constant(e, out+".shape", []int64{-1, channels}, 2))
}

// patches lays the points that a kernel covers side by side, first along the
// rows, then along the columns: [N,H,W,height*width*in].
func (e *emitter) patches(c *conv, out string, dims []int64, h, w int64) string {
	src := e.get(c.in, bytes)
	pads, dilations := intsOr(c.node, "pads", 0, 0, 0, 0), intsOr(c.node, "dilations", 1, 1)
	if pads[0]|pads[1]|pads[2]|pads[3] != 0 {
		amounts := constant(e, out+".pads", []int64{0, pads[0], pads[1], 0, 0, pads[2], pads[3], 0}, 8)
		src = e.node("", "Pad", e.names.New(out+".padded"), nil, src, amounts, scalar(e, c.in+".zero", e.params[c.in].zero))
	}
	src = e.window(src, out+".across", 2, dims[3], dilations[1], w)
	return e.window(src, out+".down", 1, dims[2], dilations[0], h)
}

// window joins size shifted copies of a value along its channels.
func (e *emitter) window(src, base string, axis, size, dilation, length int64) string {
	if size == 1 {
		return src
	}
	var parts []string
	for k := range size {
		at := k * dilation
		parts = append(parts, e.node("", "Slice", e.names.New(base+".part"), nil, src,
			constant(e, base+".start", []int64{at}, 1), constant(e, base+".end", []int64{at + length}, 1), constant(e, base+".axis", []int64{axis}, 1)))
	}
	return e.node("", "Concat", e.names.New(base), onnx.Attrs{"axis": onnx.AttrInt(3)}, parts...)
}

// patchOrder turns weights [out, in, height, width] into a matrix [patch, out],
// patches in the order height, width, in.
func patchOrder(w []int8, dims []int64) []int8 {
	o, n, kernel := int(dims[0]), int(dims[1]), int(dims[2]*dims[3])
	out := make([]int8, len(w))
	for i := range o {
		for c := range n {
			for k := range kernel {
				out[(k*n+c)*o+i] = w[(i*n+c)*kernel+k]
			}
		}
	}
	return out
}
