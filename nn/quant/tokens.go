package quant

import "kosumi/nn/onnx"

// A token product is a matrix product of tokens [N,S,C] with a constant matrix
// [C,D]: the projections of attention and the feed-forward layers of a
// transformer. Its tokens are rounded to bytes once, whatever number of products
// read them; its sums are given as float32, unrounded, since norms, products of
// activations and the residual stream follow. Products of two activations, those
// of attention itself, stay in float32.
//
// Of what onnxruntime's CPU provider has, MatMulIntegerToFloat with a fixed range
// was the fastest with AVX-512 VNNI: DynamicQuantizeMatMul looks for the range
// each time and rounds the same tokens again for each product, QLinearMatMul and
// QLinearConv round the sums, which then have to be converted back.

// tokenProducts lists the token products of a graph, in order.
func (g *graph) tokenProducts() []*conv { return g.layers(g.tokenProduct) }

func (g *graph) tokenProduct(n *onnx.Node) *conv {
	if !n.Is("MatMul") {
		return nil
	}
	w, in, out := g.consts[n.Input(1)], g.row(n.Input(0)), g.row(n.Output(0))
	if w == nil || w.Type != onnx.Float || len(w.Dims) != 2 || len(in) != 2 || len(out) != 2 || g.consts[n.Inputs[0]] != nil {
		return nil
	}
	c := &conv{node: n, in: n.Inputs[0], out: n.Outputs[0], inputs: int(w.Dims[0]), outputs: int(w.Dims[1]), kernel: 1, tokens: true}
	c.work = float64(in[0]) * float64(c.inputs) * float64(c.outputs)
	return c
}

// transposed turns a matrix of that many rows and columns.
func transposed[T any](m []T, rows, columns int) []T {
	out := make([]T, len(m))
	for r := range rows {
		for c := range columns {
			out[c*rows+r] = m[r*columns+c]
		}
	}
	return out
}

// makeTokenProduct writes a token product.
func (e *emitter) makeTokenProduct(c *conv) string {
	q, in := e.weights[c], e.params[c.in]
	base := c.node.Inputs[1]
	inputs := []string{
		e.get(c.in, bytes), constant(e, base+".s8", transposed(q.values, c.outputs, c.inputs), int64(c.inputs), int64(c.outputs)),
		scalar(e, c.in+".scale", in.scale), constant(e, base+".scale", q.scales, int64(c.outputs)), scalar(e, c.in+".zero", in.zero),
	}
	for _, b := range q.bias {
		if b != 0 { // what rounding moved the sums' means by
			inputs = append(inputs, "", constant(e, base+".bias", q.bias, int64(c.outputs)))
			break
		}
	}
	return e.node("com.microsoft", "MatMulIntegerToFloat", c.out, nil, inputs...)
}

// appendTokenGram adds nodes that multiply a token product's inputs with each
// other, summed over the tokens: [N,C+1,C+1], the last for the number 1.
func appendTokenGram(m *onnx.Model, c *conv) string {
	names := onnx.NewNames(m.Graph)
	base := names.New(c.out + ".moments")
	node := func(op string, attrs onnx.Attrs, inputs ...string) string {
		name := names.New(base)
		m.Graph.Nodes = append(m.Graph.Nodes, &onnx.Node{OpType: op, Inputs: inputs, Outputs: []string{name}, Attrs: attrs})
		return name
	}
	add := func(t *onnx.Tensor) string {
		t.Name = names.New(base + ".const")
		m.Graph.Initializers = append(m.Graph.Initializers, t)
		return t.Name
	}
	first := node("Slice", nil, c.in, add(onnx.NewTensor("", []int64{0}, 1)), add(onnx.NewTensor("", []int64{1}, 1)), add(onnx.NewTensor("", []int64{2}, 1)))
	ones := node("Add", nil, node("Mul", nil, first, add(onnx.NewScalar("", float32(0)))), add(onnx.NewScalar("", float32(1))))
	all := node("Concat", onnx.Attrs{"axis": onnx.AttrInt(2)}, c.in, ones)
	return node("MatMul", nil, node("Transpose", onnx.Attrs{"perm": onnx.AttrInts(0, 2, 1)}, all), all)
}
