package katago

import "kosumi/nn/onnx"

// normAct adds a norm followed by an activation.
func (e *emitter) normAct(b *onnx.Builder, normName, actName string, v onnx.Value, n *Norm, a Act) onnx.Value {
	return e.act(b.In(actName), e.norm(b.In(normName), v, n), a.Kind)
}

func (e *emitter) ordinary(b *onnx.Builder, x onnx.Value, k *Ordinary) onnx.Value {
	v := e.normAct(b, "norm1", "act1", x, &k.PreNorm, k.PreAct)
	v = e.convNorm(b, "conv1", "norm2", v, &k.Conv1, &k.MidNorm)
	v = e.act(b.In("act2"), v, k.MidAct.Kind)
	return b.Add(x, e.conv(b.In("conv2"), v, &k.Conv2))
}

func (e *emitter) pooling(b *onnx.Builder, x onnx.Value, k *Pooling) onnx.Value {
	v := e.normAct(b, "norm1", "act1", x, &k.PreNorm, k.PreAct)
	g := e.convNorm(b, "convg", "gnorm", v, &k.ConvG, &k.GNorm)
	g = e.pool(b, e.act(b.In("gact"), g, k.GAct.Kind), poolMax, k.GAct.Kind)
	v = e.biased(b, v, biasedConv{
		conv: &k.ConvR, convName: "conv1", pooled: g, mul: &k.GMul,
		norm: &k.MidNorm, normName: "norm2",
	})
	v = e.act(b.In("act2"), v, k.MidAct.Kind)
	return b.Add(x, e.conv(b.In("conv2"), v, &k.Conv2))
}

// biasedConv is norm(conv(x) + pooled·mul).
type biasedConv struct {
	conv     *Conv
	convName string
	pooled   onnx.Value
	mul      *MatMul
	norm     *Norm
	normName string
}

// biased emits a biasedConv. Unless the form is exact, the norm is merged: its scale goes into the
// weights of the convolution and of the matrix product, its bias into the matrix product.
func (e *emitter) biased(b *onnx.Builder, x onnx.Value, k biasedConv) onnx.Value {
	var scale, bias []float32
	if !e.exact {
		scale, bias = k.norm.merge()
	}
	conv := e.convWith(b.In(k.convName), x, k.conv, scale, "")
	mul := b.In("gmul")
	w := e.poolWeights(mul, k.mul, poolMax, scale)
	if e.exact {
		v := b.Add(conv, e.column(mul, mul.MatMul(k.pooled, w), k.mul.Out))
		return e.norm(b.In(k.normName), v, k.norm)
	}
	g := mul.Gemm(k.pooled, w, mul.Floats("bias", bias, int64(len(bias))), false)
	return b.Add(conv, e.column(mul, g, k.mul.Out))
}

// inTokens reports whether a nested block works on tokens, as it can if its own convolutions are
// 1x1 and its inner blocks are transformer blocks. In FormExact it works on boards, because its
// weights are read back as convolutions.
func (e *emitter) inTokens(k *Nested) bool {
	plain := func(c *Conv) bool { return c.KY == 1 && c.KX == 1 }
	if e.exact || !plain(&k.ConvIn) || !plain(&k.ConvOut) {
		return false
	}
	for _, block := range k.Blocks {
		switch block.(type) {
		case *Attention, *FeedForward:
		default:
			return false
		}
	}
	return true
}

// nestedTokens adds a nested block on tokens [N,S,C], where a convolution is a product.
func (e *emitter) nestedTokens(b *onnx.Builder, x onnx.Value, k *Nested) onnx.Value {
	conv := func(b *onnx.Builder, v onnx.Value, c *Conv) onnx.Value {
		return b.MatMul(v, b.Floats("weight", c.Weights, int64(c.In), int64(c.Out)))
	}
	v := e.act(b.In("act1"), affine(b.In("norm1"), x, &k.PreNorm, int64(k.PreNorm.Channels)), k.PreAct.Kind)
	v = conv(b.In("conv1"), v, &k.ConvIn)
	v = e.blocks(b.In("inner"), stream{v: v, channels: k.ConvIn.Out, tokens: true}, k.Blocks).v
	v = e.act(b.In("act2"), affine(b.In("norm2"), v, &k.PostNorm, int64(k.PostNorm.Channels)), k.PostAct.Kind)
	return b.Add(x, conv(b.In("conv2"), v, &k.ConvOut))
}

func (e *emitter) nested(b *onnx.Builder, x onnx.Value, k *Nested) onnx.Value {
	v := e.normAct(b, "norm1", "act1", x, &k.PreNorm, k.PreAct)
	v = e.conv(b.In("conv1"), v, &k.ConvIn)
	inner := e.blocks(b.In("inner"), stream{v: v, channels: k.ConvIn.Out}, k.Blocks)
	v = e.toBoard(b, inner).v
	v = e.normAct(b, "norm2", "act2", v, &k.PostNorm, k.PostAct)
	return b.Add(x, e.conv(b.In("conv2"), v, &k.ConvOut))
}

func (e *emitter) policyHead(root *onnx.Builder, x onnx.Value, p *PolicyHead, version int) {
	b := root.In("policy")
	g := e.convNorm(b, "g1", "gnorm", x, &p.G1, &p.GNorm)
	g = e.pool(b, e.act(b.In("gact"), g, p.GAct.Kind), poolMax, p.GAct.Kind)
	v := e.biased(b, x, biasedConv{
		conv: &p.P1, convName: "p1", pooled: g, mul: &p.GMul,
		norm: &p.PNorm, normName: "pnorm",
	})
	v = e.act(b.In("pact"), v, p.PAct.Kind)
	root.Output(OutputPolicy, e.conv(b.In("p2"), v, &p.P2))

	pass := b.In("pass1")
	w := e.poolWeights(pass, &p.Pass1, poolMax, nil)
	if version < 15 {
		root.Output(OutputPass, pass.MatMul(g, w))
		return
	}
	bias := b.In("pass_bias").Floats("bias", p.PassBias.Weights, int64(p.PassBias.Channels))
	h := e.act(b.In("pass_act"), pass.Gemm(g, w, bias, false), p.PassAct.Kind)
	root.Output(OutputPass, e.matmul(b.In("pass2"), h, &p.Pass2))
}

func (e *emitter) valueHead(root *onnx.Builder, x onnx.Value, k *ValueHead) {
	b := root.In("value")
	v := e.convNorm(b, "v1", "vnorm", x, &k.V1, &k.VNorm)
	v = e.act(b.In("vact"), v, k.VAct.Kind)
	pooled := e.pool(b, v, poolMean, k.VAct.Kind)
	m2 := b.In("m2")
	h := m2.Gemm(pooled, e.poolWeights(m2, &k.M2, poolMean, nil),
		b.In("b2").Floats("bias", k.B2.Weights, int64(k.B2.Channels)), false)
	h = e.act(b.In("a2"), h, k.A2.Kind)
	root.Output(OutputValue, e.linear(b, "m3", "b3", h, &k.M3, &k.B3))
	root.Output(OutputScoreValue, e.linear(b, "score", "score_bias", h, &k.Score, &k.ScoreBias))
	root.Output(OutputOwnership, e.conv(b.In("ownership"), v, &k.Ownership))
}
