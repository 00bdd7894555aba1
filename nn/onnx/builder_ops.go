package onnx

// ConvOptions are the attributes of Conv and ConvTranspose; the zero value is
// a convolution of stride 1 without padding.
type ConvOptions struct {
	Strides   []int64 // per spatial axis; nil = 1
	Pads      []int64 // begins, then ends; nil means 0
	Dilations []int64 // nil means 1
	Group     int64   // 0 means 1
	OutputPad []int64 // ConvTranspose only
}

func (o ConvOptions) attrs() Attrs {
	a := Attrs{}
	for name, list := range map[string][]int64{"strides": o.Strides, "pads": o.Pads, "dilations": o.Dilations, "output_padding": o.OutputPad} {
		if list != nil {
			a[name] = AttrInts(list...)
		}
	}
	if o.Group > 1 {
		a["group"] = AttrInt(o.Group)
	}
	return a
}

// Conv adds a two-dimensional convolution of stride 1: x [N,C,H,W], w
// [O,C,kH,kW], bias [O] or "". pads are top, left, bottom, right. Without pads
// an odd kernel is padded so that H and W stay as they are.
func (b *Builder) Conv(x, w, bias Value, pads ...int64) Value {
	if len(pads) == 0 && b.err == nil {
		k, ok := b.Shape(w).Sizes()
		if !ok || len(k) != 4 || k[2]%2 == 0 || k[3]%2 == 0 {
			b.Fail("conv: pads are needed, kernel %q has shape %v", w, b.Shape(w))
			return ""
		}
		py, px := k[2]/2, k[3]/2
		pads = []int64{py, px, py, px}
	}
	return b.ConvWith(x, w, bias, ConvOptions{Pads: pads})
}

// ConvWith adds a convolution with any attributes; kernel_shape is filled in
// from the weight.
func (b *Builder) ConvWith(x, w, bias Value, o ConvOptions) Value {
	return b.Op("Conv", b.kernel(o, w), x, w, bias)
}

// ConvTranspose adds a transposed convolution: x [N,C,H,W], w [C,O,kH,kW].
func (b *Builder) ConvTranspose(x, w, bias Value, o ConvOptions) Value {
	return b.Op("ConvTranspose", b.kernel(o, w), x, w, bias)
}

func (b *Builder) kernel(o ConvOptions, w Value) Attrs {
	a := o.attrs()
	if k, ok := b.Shape(w).Sizes(); ok && len(k) > 2 {
		a["kernel_shape"] = AttrInts(k[2:]...)
	}
	return a
}

// BatchNorm adds a BatchNormalization in its inference form:
// (x-mean)/sqrt(variance+epsilon)*scale + bias per channel.
func (b *Builder) BatchNorm(x, scale, bias, mean, variance Value, epsilon float64) Value {
	return b.Op("BatchNormalization", Attrs{"epsilon": AttrFloat(epsilon)}, x, scale, bias, mean, variance)
}

func (b *Builder) Relu(x Value) Value    { return b.Op("Relu", nil, x) }
func (b *Builder) Sigmoid(x Value) Value { return b.Op("Sigmoid", nil, x) }
func (b *Builder) Tanh(x Value) Value    { return b.Op("Tanh", nil, x) }

func (b *Builder) Softplus(x Value) Value { return b.Op("Softplus", nil, x) }

// Mish adds x*tanh(softplus(x)), as three nodes that every opset has.
func (b *Builder) Mish(x Value) Value { return b.Mul(x, b.Tanh(b.Softplus(x))) }

// Softmax adds e^x/sum(e^x) along an axis.
func (b *Builder) Softmax(x Value, axis int64) Value {
	return b.Op("Softmax", Attrs{"axis": AttrInt(axis)}, x)
}

func (b *Builder) LogSoftmax(x Value, axis int64) Value {
	return b.Op("LogSoftmax", Attrs{"axis": AttrInt(axis)}, x)
}

// Add, like Sub, Mul, Div, Pow, Max and Min, broadcasts as numpy does.
func (b *Builder) Add(x, y Value) Value { return b.Op("Add", nil, x, y) }
func (b *Builder) Sub(x, y Value) Value { return b.Op("Sub", nil, x, y) }
func (b *Builder) Mul(x, y Value) Value { return b.Op("Mul", nil, x, y) }
func (b *Builder) Div(x, y Value) Value { return b.Op("Div", nil, x, y) }
func (b *Builder) Pow(x, y Value) Value { return b.Op("Pow", nil, x, y) }
func (b *Builder) Sqrt(x Value) Value   { return b.Op("Sqrt", nil, x) }
func (b *Builder) Exp(x Value) Value    { return b.Op("Exp", nil, x) }
func (b *Builder) Log(x Value) Value    { return b.Op("Log", nil, x) }

func (b *Builder) Max(xs ...Value) Value { return b.Op("Max", nil, xs...) }
func (b *Builder) Min(xs ...Value) Value { return b.Op("Min", nil, xs...) }

// Clip adds x limited to [lo,hi].
func (b *Builder) Clip(x Value, lo, hi float64) Value {
	return b.Op("Clip", nil, x, b.Scalar(lo), b.Scalar(hi))
}

// MatMul adds the matrix product of the last two axes.
func (b *Builder) MatMul(x, y Value) Value { return b.Op("MatMul", nil, x, y) }

// Gemm adds x·w + bias: x is [N,I], w is [I,O], or [O,I] if transposed is set, and bias is [O]
// or "".
func (b *Builder) Gemm(x, w, bias Value, transposed bool) Value {
	a := Attrs{}
	if transposed {
		a["transB"] = AttrInt(1)
	}
	return b.Op("Gemm", a, x, w, bias)
}

// Cast adds a conversion of the element type.
func (b *Builder) Cast(x Value, to DataType) Value {
	return b.Op("Cast", Attrs{"to": AttrInt(int64(to))}, x)
}
