package onnxref

import (
	"math"

	"kosumi/nn/onnx"
)

// unary maps operators to the function by which they compute each element from one number.
var unary = map[string]func(x float64) float64{
	"Relu":       func(x float64) float64 { return max(x, 0) },
	"Sigmoid":    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Tanh":       math.Tanh,
	"Softplus":   softplus,
	"Mish":       func(x float64) float64 { return x * math.Tanh(softplus(x)) },
	"Sqrt":       math.Sqrt,
	"Reciprocal": func(x float64) float64 { return 1 / x },
	"Exp":        math.Exp,
	"Log":        math.Log,
	"Neg":        func(x float64) float64 { return -x },
	"Abs":        math.Abs,
	"Erf":        math.Erf,
	"Sin":        math.Sin,
	"Cos":        math.Cos,
	"Sign":       func(x float64) float64 { return truth(x > 0) - truth(x < 0) },
	"Not":        func(x float64) float64 { return 1 - x },
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// truth returns 1 for true and 0 for false.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// mapped applies f to every element of the first input.
func mapped(c *call, f func(float64) float64) *array {
	out := alloc(c.in[0].typ, c.in[0].dims...)
	for k, v := range c.in[0].v {
		out.v[k] = f(v)
	}
	return out
}

func leakyRelu(c *call) *array {
	slope := float64(c.Float("alpha", 0.01))
	return mapped(c, func(x float64) float64 { return max(x, 0) + slope*min(x, 0) })
}

func clip(c *call) *array {
	bound := func(i int, def float64) float64 {
		if a := c.arg(i); a != nil {
			return a.v[0]
		}
		return def
	}
	low, high := bound(1, math.Inf(-1)), bound(2, math.Inf(1))
	return mapped(c, func(x float64) float64 { return min(max(x, low), high) })
}

// binary maps operators to the function by which they compute an element from two numbers or, by fold, from more.
var binary = map[string]func(a, b float64) float64{
	"Add": add, "Sum": add, "Pow": math.Pow, "Max": math.Max, "Min": math.Min,
	"Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b },
	"Div": func(a, b float64) float64 { return a / b },
}

func add(a, b float64) float64 { return a + b }

var compare = map[string]func(a, b float64) bool{
	"Equal":   func(a, b float64) bool { return a == b },
	"Greater": func(a, b float64) bool { return a > b },
	"Less":    func(a, b float64) bool { return a < b },
}

// fold combines the inputs by f, two at a time from the left, broadcasting their shapes.
func fold(c *call, typ onnx.DataType, f func(a, b float64) float64) *array {
	acc := c.in[0]
	for _, b := range c.in[1:] {
		out := alloc(typ, broadcast(acc.dims, b.dims)...)
		ia, ib := spread(acc.dims, out.dims), spread(b.dims, out.dims)
		for k := range out.v {
			out.v[k] = f(acc.v[ia[k]], b.v[ib[k]])
		}
		acc = out
	}
	return acc
}

func convert(a *array, to onnx.DataType) *array {
	out := alloc(to, a.dims...)
	for k, v := range a.v {
		if to == onnx.Bool {
			v = truth(v != 0)
		}
		out.v[k] = v
	}
	return out
}

func where(c *call) *array {
	cond, x, y := c.in[0], c.in[1], c.in[2]
	out := alloc(x.typ, broadcast(cond.dims, broadcast(x.dims, y.dims))...)
	ic, ix, iy := spread(cond.dims, out.dims), spread(x.dims, out.dims), spread(y.dims, out.dims)
	for k := range out.v {
		if out.v[k] = y.v[iy[k]]; cond.v[ic[k]] != 0 {
			out.v[k] = x.v[ix[k]]
		}
	}
	return out
}
