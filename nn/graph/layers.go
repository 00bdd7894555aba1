package graph

import (
	"fmt"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// kernelNode adds a node of the kernels' own domain, see package fuse.
func (p *planner) kernelNode(n *onnx.Node, in []*value) error {
	at := func(i int) *value {
		if i < len(in) {
			return in[i]
		}
		return nil
	}
	if len(in) == 0 || in[0] == nil || len(n.Outputs) == 0 {
		return fmt.Errorf("%w: it reads or writes nothing", onnx.ErrShape)
	}
	switch n.OpType {
	case "Conv":
		return p.conv(n, at)
	case "Attention":
		return p.attention(n, at)
	}
	return fmt.Errorf("%w: %s of domain %q", ErrOperator, n.OpType, n.Domain)
}

// constants returns the numbers of a constant input; nil if it is absent.
func constants(v *value) ([]float32, error) {
	if v == nil {
		return nil, nil
	}
	if !v.fixed || v.tensor.Type != onnx.Float {
		return nil, fmt.Errorf("%w: weights must be constant and float32", onnx.ErrShape)
	}
	return v.tensor.Float32s()
}

func (p *planner) conv(n *onnx.Node, at func(int) *value) error {
	x, weights := at(0), at(1)
	if weights == nil || !weights.fixed || len(weights.dims) != 4 || weights.dims[2] != weights.dims[3] {
		return fmt.Errorf("%w: weights must be constant, [out, in, size, size]", onnx.ErrShape)
	}
	s := kernel.Shape{Out: weights.dims[0], In: weights.dims[1], Size: weights.dims[2], Planes: n.Int("planes", 0) != 0,
		Precision: kernel.Precision(n.Int("precision", 0)), Activation: kernel.Activation(n.Int("activation", 0)), Epsilon: n.Float("epsilon", 0)}
	var err error
	if s.Scale, err = constants(at(4)); err == nil {
		s.Shift, err = constants(at(5))
	}
	rank := len(x.dims)
	channels := rank - 1
	if s.Planes {
		channels = 1
	}
	if err != nil || rank < 3 || s.Planes && rank != 4 || s.Size > 1 && rank != 4 || x.dims[channels] != s.In {
		return fmt.Errorf("%w: the input %v does not fit the weights %v", onnx.ErrShape, x.dims, weights.dims)
	}
	w := &work{step: kernel.Step{Kind: kernel.StepLayer, N: x.dims[0], H: x.dims[1], W: product(x.dims[2 : rank-1])}, layer: n, over: []int{2}}
	dims := append([]int{}, x.dims...)
	if s.Planes { // [n, in, h, w] becomes [n, h, w, out]
		w.step.H, w.step.W = x.dims[2], x.dims[3]
		dims[1], dims[2] = x.dims[2], x.dims[3]
	}
	if dims[rank-1] = s.Out; s.Activation == kernel.SwiGLU {
		dims[rank-1] = s.Out / 2
	}
	for i, v := range []*value{x, at(2), at(3)} {
		if v == nil {
			continue
		}
		if w.reads[i], err = p.numbers(v); err != nil {
			return err
		}
	}
	if bias := at(2); bias != nil {
		k := len(bias.dims)
		if w.step.ByBoard = k > 1; k == 0 || k > 2 || bias.dims[k-1] != s.Out || k == 2 && bias.dims[0] != x.dims[0] {
			return fmt.Errorf("%w: the bias %v does not fit", onnx.ErrShape, bias.dims)
		}
	}
	if residual := at(3); residual != nil && product(residual.dims) != product(dims) {
		return fmt.Errorf("%w: the residual %v does not fit %v", onnx.ErrShape, residual.dims, dims)
	}
	for i, name := range []string{n.Output(0), n.Output(1)} {
		if name != "" {
			w.writes[i] = p.give(name, dims)
			p.infer.Give(name, onnx.Float, shapeOf(dims))
		}
	}
	p.layer(n, s, weights.tensor.Float32s)
	p.step(w)
	return nil
}

// layer adds a node's layer, unless an earlier plan has added it.
func (p *planner) layer(n *onnx.Node, s kernel.Shape, weights func() ([]float32, error)) {
	if p.layout.layers[n] == nil {
		p.layout.layers[n] = &layer{shape: s, weights: weights}
	}
}

func (p *planner) attention(n *onnx.Node, at func(int) *value) error {
	x := at(0)
	a := kernel.Attention{Heads: int(n.Int("heads", 0)), KVHeads: int(n.Int("kv_heads", 0)), QDim: int(n.Int("q_dim", 0)),
		VDim: int(n.Int("v_dim", 0)), Precision: kernel.Precision(n.Int("precision", 0))}
	const most = 4096
	if len(x.dims) != 3 || a.Heads < 1 || a.KVHeads < 1 || a.QDim < 1 || a.VDim < 1 || max(a.Heads, a.QDim, a.VDim) > most ||
		a.Heads%a.KVHeads != 0 || x.dims[2] != a.Heads*a.QDim+a.KVHeads*(a.QDim+a.VDim) {
		return fmt.Errorf("%w: the input %v does not fit the heads", onnx.ErrShape, x.dims)
	}
	w := &work{step: kernel.Step{Kind: kernel.StepAttention, N: x.dims[0], H: x.dims[1], Attention: a}}
	for i, v := range []*value{x, at(1), at(2)} {
		if v == nil {
			continue
		}
		var err error
		if w.reads[i], err = p.numbers(v); err != nil {
			return err
		}
		if i > 0 && w.reads[i].size != x.dims[1]*a.KVHeads*(a.QDim/2) {
			return fmt.Errorf("%w: the turns %v do not fit the heads", onnx.ErrShape, v.dims)
		}
	}
	dims := []int{x.dims[0], x.dims[1], a.Heads * a.VDim}
	w.writes[0] = p.give(n.Output(0), dims)
	p.infer.Give(n.Output(0), onnx.Float, shapeOf(dims))
	p.step(w)
	return nil
}

// matMul is a product by a constant matrix.
func matMul(c *call) bool {
	x, m := c.block(0), c.matrix(1)
	if x == nil || m == nil || len(c.in[0].dims) < 1 {
		return false
	}
	c.product(x, m.dims[0], m.dims[1], 1, false, nil, c.give(c.Output(0), c.out))
	return true
}

// matrix returns an input if it is a constant matrix, else nil.
func (c *call) matrix(i int) *value {
	v := c.in[i]
	if v == nil || !v.fixed || v.tensor.Type != onnx.Float || len(v.dims) != 2 || product(v.dims) == 0 {
		return nil
	}
	return v
}

// product adds a layer that multiplies the vectors in x by the call's constant matrix.
func (c *call) product(x *block, in, out int, factor float32, turned bool, bias *block, to *block) {
	matrix := c.in[1].tensor
	c.layer(c.Node, kernel.Shape{In: in, Out: out, Size: 1}, func() ([]float32, error) {
		from, err := matrix.Float32s()
		if err != nil {
			return nil, err
		}
		weights := make([]float32, len(from))
		for o := range out {
			for i := range in {
				if turned {
					weights[o*in+i] = from[o*in+i] * factor
				} else {
					weights[o*in+i] = from[i*out+o] * factor
				}
			}
		}
		return weights, nil
	})
	c.step(&work{step: kernel.Step{Kind: kernel.StepLayer, N: x.size / in, H: 1, W: 1}, layer: c.Node, writes: [2]*block{to}, reads: [3]*block{x, bias}})
}

// gemm is a product by a constant matrix plus the third input, which may be left out.
func gemm(c *call) bool {
	x, m := c.block(0), c.matrix(1)
	if x == nil || m == nil || c.Int("transA", 0) != 0 || len(c.in[0].dims) != 2 || c.Input(2) != "" && c.block(2) == nil {
		return false
	}
	turned := c.Int("transB", 0) != 0
	in, out := m.dims[0], m.dims[1]
	if turned {
		in, out = out, in
	}
	alpha, beta := c.Float("alpha", 1), c.Float("beta", 1)
	switch with := c.block(2); {
	case with == nil:
		c.product(x, in, out, alpha, turned, nil, c.give(c.Output(0), c.out))
	case beta != 1:
		return false
	case with.size == out && (len(c.in[2].dims) == 1 || len(c.in[2].dims) == 2 && c.in[2].dims[0] == 1):
		c.product(x, in, out, alpha, turned, with, c.give(c.Output(0), c.out))
	default:
		mid := &block{size: product(c.out)}
		c.product(x, in, out, alpha, turned, nil, mid)
		c.join(kernel.JoinAdd, c.give(c.Output(0), c.out), c.out, mid, c.out, with, c.in[2].dims)
	}
	return true
}
