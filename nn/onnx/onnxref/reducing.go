package onnxref

import (
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// reducing lists the reductions.
func reducing() map[string]kernel {
	ks := map[string]kernel{}
	for name, join := range map[string]func(list []float64) float64{
		"ReduceSum":       total,
		"ReduceMean":      func(l []float64) float64 { return total(l) / float64(len(l)) },
		"ReduceMax":       func(l []float64) float64 { return slices.Max(append(l, math.Inf(-1))) },
		"ReduceMin":       func(l []float64) float64 { return slices.Min(append(l, math.Inf(1))) },
		"ReduceL1":        func(l []float64) float64 { return total(each(l, math.Abs)) },
		"ReduceL2":        func(l []float64) float64 { return math.Sqrt(total(each(l, square))) },
		"ReduceSumSquare": func(l []float64) float64 { return total(each(l, square)) },
		"ReduceLogSum":    func(l []float64) float64 { return math.Log(total(l)) },
		"ReduceLogSumExp": func(l []float64) float64 {
			if len(l) == 0 {
				return math.Inf(-1)
			}
			top := slices.Max(l)
			return top + math.Log(total(each(l, func(v float64) float64 { return math.Exp(v - top) })))
		},
		"ReduceProd": func(l []float64) float64 {
			p := 1.0
			for _, v := range l {
				p *= v
			}
			return p
		},
	} {
		ks[name] = func(c *call) ([]*array, error) { return reduce(c, join) }
	}
	return ks
}

func square(v float64) float64 { return v * v }

func total(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}

func each(list []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(list))
	for k, v := range list {
		out[k] = f(v)
	}
	return out
}

func reduce(c *call, join func([]float64) float64) ([]*array, error) {
	x := c.in[0]
	axes := c.list("axes", 1)
	gone := make([]bool, len(x.dims))
	for _, a := range axes {
		axis, err := c.axis(int64(a), len(x.dims))
		if err != nil {
			return nil, err
		}
		gone[axis] = true
	}
	if len(axes) == 0 {
		if c.Int("noop_with_empty_axes", 0) != 0 {
			return passThrough(c)
		}
		gone = slices.Repeat([]bool{true}, len(x.dims))
	}
	from := steps(x.dims)
	var keptDims, keptSteps, goneDims, goneSteps []int
	dims := []int{}
	for k, d := range x.dims {
		if !gone[k] {
			keptDims, keptSteps, dims = append(keptDims, d), append(keptSteps, from[k]), append(dims, d)
			continue
		}
		goneDims, goneSteps = append(goneDims, d), append(goneSteps, from[k])
		if c.Int("keepdims", 1) != 0 {
			dims = append(dims, 1)
		}
	}
	out := alloc(x.typ, dims...)
	within := walk(goneDims, goneSteps, 0)
	list := make([]float64, len(within))
	for k, start := range walk(keptDims, keptSteps, 0) {
		for i, at := range within {
			list[i] = x.at(start + at)
		}
		out.set(k, join(list))
	}
	return []*array{out}, nil
}

// quantizing lists the conversions between real numbers and small integers.
func quantizing() map[string]kernel {
	return map[string]kernel{"QuantizeLinear": quantize, "DequantizeLinear": dequantize}
}

// quantParams returns scale and zero point of each element of x.
func quantParams(c *call) (at func(k int) (scale, zero float64), err error) {
	x, scale, zero := c.in[0], c.in[1], c.arg(2)
	inner, n := 1, 1
	if scale.len() > 1 {
		axis, err := c.axis(c.Int("axis", 1), len(x.dims))
		if err != nil {
			return nil, err
		}
		if inner, n = size(x.dims[axis+1:]), x.dims[axis]; scale.len() != n || c.Int("block_size", 0) != 0 {
			return nil, errShape("%v scales for axis %d of %v", scale.dims, axis, x.dims)
		}
	}
	return func(k int) (float64, float64) {
		j := k / inner % n
		if zero == nil {
			return scale.f[j], 0
		}
		return scale.f[j], zero.at(j)
	}, nil
}

func quantize(c *call) ([]*array, error) {
	typ := onnx.Uint8
	if to := c.Int("output_dtype", 0); to != 0 {
		typ = onnx.DataType(to)
	}
	if zero := c.arg(2); zero != nil {
		typ = zero.typ
	}
	params, err := quantParams(c)
	if err != nil {
		return nil, err
	}
	low, high := limits(typ)
	out := alloc(typ, c.in[0].dims...)
	for k := range out.i {
		scale, zero := params(k)
		// Runtimes divide in float32.
		v := math.RoundToEven(float64(float32(c.in[0].at(k))/float32(scale))) + zero
		out.i[k] = int64(min(max(v, float64(low)), float64(high)))
	}
	return []*array{out}, nil
}

func dequantize(c *call) ([]*array, error) {
	params, err := quantParams(c)
	if err != nil {
		return nil, err
	}
	out := alloc(c.in[1].typ, c.in[0].dims...)
	for k := range out.f {
		scale, zero := params(k)
		out.f[k] = (c.in[0].at(k) - zero) * scale
	}
	return []*array{out}, nil
}
