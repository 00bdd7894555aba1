package katago

import (
	"encoding/binary"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

func (e *emitter) act(b *onnx.Builder, v onnx.Value, a Activation) onnx.Value {
	switch a {
	case Identity:
		return v
	case ReLU:
		return b.Relu(v)
	case Mish:
		return b.Mish(v)
	case SiLU:
		return b.Mul(v, b.Sigmoid(v))
	}
	b.Fail("%v: %v", ErrUnsupported, a)
	return ""
}

// norm adds a batch-norm record on [N,C,H,W].
func (e *emitter) norm(b *onnx.Builder, v onnx.Value, n *Norm) onnx.Value {
	if e.exact {
		return e.exactNorm(b, v, n)
	}
	return affine(b, v, n, int64(n.Channels), 1, 1)
}

// affine adds a norm as a product and a sum with constants of the shape dims: [C,1,1], or [C] on
// tokens [N,S,C].
func affine(b *onnx.Builder, v onnx.Value, n *Norm, dims ...int64) onnx.Value {
	scale, bias := n.merge()
	if !allEqual(scale, 1) {
		v = b.Mul(v, b.Floats("scale", scale, dims...))
	}
	if !allEqual(bias, 0) {
		v = b.Add(v, b.Floats("bias", bias, dims...))
	}
	return v
}

// exactNorm keeps the record's numbers. Without statistics, scale and bias are plain products and
// sums, which can be trained; with statistics the record is a BatchNormalization.
func (e *emitter) exactNorm(b *onnx.Builder, v onnx.Value, n *Norm) onnx.Value {
	c := int64(n.Channels)
	if n.plain() {
		if n.HasScale {
			v = b.Mul(v, b.Floats("scale", n.Scale, c, 1, 1))
		}
		if n.HasBias {
			v = b.Add(v, b.Floats("bias", n.Bias, c, 1, 1))
		}
		return v
	}
	param := func(name string, has bool, v []float32, without float32) onnx.Value {
		if has {
			return b.Floats(name, v, c)
		}
		return b.Const(onnx.NewTensor("", filled(n.Channels, without), c))
	}
	scale, bias := param("scale", n.HasScale, n.Scale, 1), param("bias", n.HasBias, n.Bias, 0)
	return b.BatchNorm(v, scale, bias, b.Floats("mean", n.Mean, c), b.Floats("var", n.Var, c), n.Epsilon)
}

func allEqual(v []float32, x float32) bool {
	return !slices.ContainsFunc(v, func(f float32) bool { return f != x })
}

func filled(n int, x float32) []float32 { return slices.Repeat([]float32{x}, n) }

func (e *emitter) conv(b *onnx.Builder, v onnx.Value, c *Conv) onnx.Value {
	return e.convWith(b, v, c, nil, "")
}

// convNorm adds a convolution followed by a norm; except in FormExact, the two are merged. b is the
// scope that contains both.
func (e *emitter) convNorm(b *onnx.Builder, convName, normName string, v onnx.Value, c *Conv, n *Norm) onnx.Value {
	if e.exact {
		return e.norm(b.In(normName), e.conv(b.In(convName), v, c), n)
	}
	scale, bias := n.merge()
	b = b.In(convName)
	if allEqual(bias, 0) {
		return e.convWith(b, v, c, scale, "")
	}
	return e.convWith(b, v, c, scale, b.Floats("bias", bias, int64(len(bias))))
}

// convWith adds a convolution, with the weights of each output channel multiplied by scale, if given.
func (e *emitter) convWith(b *onnx.Builder, v onnx.Value, c *Conv, scale []float32, bias onnx.Value) onnx.Value {
	w := b.Tensor(convTensor(c, scale))
	py, px := int64(c.DilY*(c.KY-1)/2), int64(c.DilX*(c.KX-1)/2)
	o := onnx.ConvOptions{Pads: []int64{py, px, py, px}}
	if c.DilY != 1 || c.DilX != 1 {
		o.Dilations = []int64{int64(c.DilY), int64(c.DilX)}
	}
	return b.ConvWith(v, w, bias, o)
}

// convTensor transposes weights from [y,x,in,out] to [out,in,y,x].
func convTensor(c *Conv, scale []float32) *onnx.Tensor {
	raw := make([]byte, 4*len(c.Weights))
	kernel := c.KY * c.KX
	const tile = 32 // output channels at a time: their rows stay in the cache
	for first := 0; first < c.Out; first += tile {
		last := min(first+tile, c.Out)
		for in := range c.In {
			for k := range kernel {
				row := c.Weights[(k*c.In+in)*c.Out:][:c.Out]
				for out := first; out < last; out++ {
					f := row[out]
					if scale != nil {
						f *= scale[out]
					}
					binary.LittleEndian.PutUint32(raw[4*((out*c.In+in)*kernel+k):], math.Float32bits(f))
				}
			}
		}
	}
	return &onnx.Tensor{Name: "weight", Type: onnx.Float,
		Dims: []int64{int64(c.Out), int64(c.In), int64(c.KY), int64(c.KX)}, Raw: raw}
}

// matmul adds a matrix product over the last axis.
func (e *emitter) matmul(b *onnx.Builder, v onnx.Value, m *MatMul) onnx.Value {
	return b.MatMul(v, b.Floats("weight", m.Weights, int64(m.In), int64(m.Out)))
}

// linear adds a matrix product of [N,In], with a bias.
func (e *emitter) linear(b *onnx.Builder, mulName, biasName string, v onnx.Value, m *MatMul, bias *Bias) onnx.Value {
	w := b.In(mulName).Floats("weight", m.Weights, int64(m.In), int64(m.Out))
	return b.In(mulName).Gemm(v, w, b.In(biasName).Floats("bias", bias.Weights, int64(bias.Channels)), false)
}

// poolKind says what the third part of a pooled vector is.
type poolKind uint8

const (
	poolMax  poolKind = iota // mean, scaled mean, maximum
	poolMean                 // mean and two scaled means: the value head
)

// pool reduces [N,C,H,W] over the board: to [N,3C] in FormExact, else to [N,2C] (mean,
// maximum) or [N,C] (mean), which fits the weights that poolWeights adds.
//
// act is the activation before the pooling. KataGo raises a maximum below -1 to -1; only without an
// activation can the maximum be that low.
func (e *emitter) pool(b *onnx.Builder, v onnx.Value, kind poolKind, act Activation) onnx.Value {
	second, third := e.poolFactors()
	parts := []onnx.Value{b.Op("GlobalAveragePool", nil, v)}
	if e.exact {
		parts = append(parts, b.Mul(parts[0], b.Scalar(second)))
	}
	switch {
	case kind == poolMax && act == Identity:
		parts = append(parts, b.Max(b.Op("GlobalMaxPool", nil, v), b.Scalar(-1)))
	case kind == poolMax:
		parts = append(parts, b.Op("GlobalMaxPool", nil, v))
	case e.exact:
		parts = append(parts, b.Mul(parts[0], b.Scalar(third)))
	default:
		return b.Flatten(parts[0])
	}
	return b.Flatten(b.Concat(1, parts...))
}

// poolWeights adds the weights [in,out] for a pooled vector, each output multiplied by scale if
// given.
func (e *emitter) poolWeights(b *onnx.Builder, m *MatMul, kind poolKind, scale []float32) onnx.Value {
	if e.exact {
		return b.Floats("weight", m.Weights, int64(m.In), int64(m.Out))
	}
	part := m.In / 3 * m.Out
	second, third := e.poolFactors()
	folded := make([]float32, part, 2*part)
	for i := range folded {
		f := float64(m.Weights[i]) + second*float64(m.Weights[part+i])
		if kind == poolMean {
			f += third * float64(m.Weights[2*part+i])
		}
		folded[i] = float32(f)
	}
	if kind == poolMax {
		folded = append(folded, m.Weights[2*part:]...)
	}
	if scale != nil {
		for i := range folded {
			folded[i] *= scale[i%m.Out]
		}
	}
	return b.Floats("weight", folded, int64(len(folded)/m.Out), int64(m.Out))
}
