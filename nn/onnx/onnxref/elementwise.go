package onnxref

import (
	"errors"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// elementwise lists the operators that work element by element.
func elementwise() map[string]kernel {
	ks := map[string]kernel{
		"Identity": passThrough,
		"Dropout":  dropout,
		"Cast":     cast,
		"CastLike": func(c *call) ([]*array, error) { return []*array{convert(c.in[0], c.in[1].typ)}, nil },
		"Clip":     clip,
		"Where":    where,
		"Not": func(c *call) ([]*array, error) {
			out := alloc(onnx.Bool, c.in[0].dims...)
			for k, v := range c.in[0].i {
				out.i[k] = 1 - v
			}
			return []*array{out}, nil
		},
		"Mod": func(c *call) ([]*array, error) {
			if c.Int("fmod", 0) != 0 {
				return fold(c, remainder)
			}
			return fold(c, mod)
		},
		"Sum": func(c *call) ([]*array, error) { return fold(c, add) },
		"Mean": func(c *call) ([]*array, error) {
			out, err := fold(c, add)
			if err == nil {
				for k := range out[0].f {
					out[0].f[k] /= float64(len(c.in))
				}
			}
			return out, err
		},
	}
	for name, f := range unary {
		ks[name] = func(c *call) ([]*array, error) { return mapped(c, f(c)), nil }
	}
	for name, op := range map[string]binary{"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Pow": pow, "Max": maximum, "Min": minimum} {
		ks[name] = func(c *call) ([]*array, error) { return fold(c, op) }
	}
	for name, holds := range compare {
		ks[name] = func(c *call) ([]*array, error) {
			dims, err := broadcast(c.in[0].dims, c.in[1].dims)
			if err != nil {
				return nil, err
			}
			out := alloc(onnx.Bool, dims...)
			ia, ib := spread(c.in[0].dims, dims), spread(c.in[1].dims, dims)
			for k := range out.i {
				if holds(c.in[0].at(ia[k]), c.in[1].at(ib[k])) {
					out.i[k] = 1
				}
			}
			return []*array{out}, nil
		}
	}
	return ks
}

// unary maps operators to functions of one number; the node gives parameters.
var unary = map[string]func(c *call) func(x float64) float64{
	"Relu":     plain(func(x float64) float64 { return max(x, 0) }),
	"Sigmoid":  plain(sigmoid),
	"Tanh":     plain(math.Tanh),
	"Softplus": plain(softplus),
	"Softsign": plain(func(x float64) float64 { return x / (1 + math.Abs(x)) }),
	"Mish":     plain(func(x float64) float64 { return x * math.Tanh(softplus(x)) }),
	"HardSwish": plain(func(x float64) float64 {
		return x * min(max(x/6+0.5, 0), 1)
	}),
	"Sqrt":       plain(math.Sqrt),
	"Reciprocal": plain(func(x float64) float64 { return 1 / x }),
	"Exp":        plain(math.Exp),
	"Log":        plain(math.Log),
	"Neg":        plain(func(x float64) float64 { return -x }),
	"Abs":        plain(math.Abs),
	"Erf":        plain(math.Erf),
	"Floor":      plain(math.Floor),
	"Ceil":       plain(math.Ceil),
	"Round":      plain(math.RoundToEven),
	"Sin":        plain(math.Sin),
	"Cos":        plain(math.Cos),
	"Sign": plain(func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	}),
	"LeakyRelu": func(c *call) func(float64) float64 {
		slope := float64(c.Float("alpha", 0.01))
		return func(x float64) float64 {
			if x < 0 {
				return slope * x
			}
			return x
		}
	},
	"Elu": func(c *call) func(float64) float64 {
		alpha := float64(c.Float("alpha", 1))
		return func(x float64) float64 {
			if x < 0 {
				return alpha * math.Expm1(x)
			}
			return x
		}
	},
	"HardSigmoid": func(c *call) func(float64) float64 {
		alpha, beta := float64(c.Float("alpha", 0.2)), float64(c.Float("beta", 0.5))
		return func(x float64) float64 { return min(max(alpha*x+beta, 0), 1) }
	},
	"Gelu": func(c *call) func(float64) float64 {
		if c.Str("approximate", "none") == "tanh" {
			return func(x float64) float64 {
				return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
			}
		}
		return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
	},
}

func plain(f func(float64) float64) func(*call) func(float64) float64 {
	return func(*call) func(float64) float64 { return f }
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func mapped(c *call, f func(float64) float64) []*array {
	out := alloc(c.in[0].typ, c.in[0].dims...)
	for k := range out.len() {
		out.set(k, f(c.in[0].at(k)))
	}
	return []*array{out}
}

var compare = map[string]func(a, b float64) bool{
	"Equal":          func(a, b float64) bool { return a == b },
	"Greater":        func(a, b float64) bool { return a > b },
	"Less":           func(a, b float64) bool { return a < b },
	"GreaterOrEqual": func(a, b float64) bool { return a >= b },
	"LessOrEqual":    func(a, b float64) bool { return a <= b },
	"And":            func(a, b float64) bool { return a != 0 && b != 0 },
	"Or":             func(a, b float64) bool { return a != 0 || b != 0 },
	"Xor":            func(a, b float64) bool { return (a != 0) != (b != 0) },
}

// binary computes one element out of two, for each kind of number.
type binary struct {
	f func(a, b float64) float64
	i func(a, b int64) (int64, error)
}

var errDivide = errors.New("integer division by zero")

func sure(f func(a, b int64) int64) func(a, b int64) (int64, error) {
	return func(a, b int64) (int64, error) { return f(a, b), nil }
}

var (
	add     = binary{func(a, b float64) float64 { return a + b }, sure(func(a, b int64) int64 { return a + b })}
	sub     = binary{func(a, b float64) float64 { return a - b }, sure(func(a, b int64) int64 { return a - b })}
	mul     = binary{func(a, b float64) float64 { return a * b }, sure(func(a, b int64) int64 { return a * b })}
	maximum = binary{math.Max, sure(func(a, b int64) int64 { return max(a, b) })}
	minimum = binary{math.Min, sure(func(a, b int64) int64 { return min(a, b) })}
	pow     = binary{math.Pow, sure(func(a, b int64) int64 { return int64(math.Pow(float64(a), float64(b))) })}
	mod     = binary{math.Mod, func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, errDivide
		}
		return ((a % b) + b) % b, nil // takes the sign of b, as the operator says
	}}
	remainder = binary{math.Mod, func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, errDivide
		}
		return a % b, nil // takes the sign of a
	}}
	div = binary{func(a, b float64) float64 { return a / b }, func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, errDivide
		}
		return a / b, nil
	}}
)

// fold combines all inputs from the left, broadcast. The result has the type of
// the first.
func fold(c *call, op binary) ([]*array, error) {
	acc := c.in[0]
	for _, b := range c.in[1:] {
		dims, err := broadcast(acc.dims, b.dims)
		if err != nil {
			return nil, err
		}
		out := alloc(acc.typ, dims...)
		ia, ib := spread(acc.dims, dims), spread(b.dims, dims)
		for k := range out.len() {
			if acc.typ.IsFloat() {
				out.f[k] = op.f(acc.f[ia[k]], b.at(ib[k]))
				continue
			}
			if out.i[k], err = op.i(acc.i[ia[k]], int64(b.at(ib[k]))); err != nil {
				return nil, err
			}
		}
		acc = out
	}
	if len(c.in) == 1 {
		acc = clone(acc)
	}
	return []*array{acc}, nil
}

func clone(a *array) *array {
	return &array{typ: a.typ, dims: slices.Clone(a.dims), f: slices.Clone(a.f), i: slices.Clone(a.i)}
}

// broadcast joins dimensions as numpy does.
func broadcast(a, b []int) ([]int, error) {
	out := make([]int, max(len(a), len(b)))
	for k := range out {
		da, db := 1, 1
		if j := k - len(out) + len(a); j >= 0 {
			da = a[j]
		}
		if j := k - len(out) + len(b); j >= 0 {
			db = b[j]
		}
		switch {
		case da == db, db == 1:
			out[k] = da
		case da == 1:
			out[k] = db
		default:
			return nil, errShape("%v and %v cannot be broadcast together", a, b)
		}
	}
	return out, nil
}

// spread returns, for each element of an array of dims, the place that it comes
// from in an array of dimensions from, which is broadcast to dims.
func spread(from, dims []int) []int {
	strides := make([]int, len(dims))
	for k, step := len(from)-1, 1; k >= 0; k-- {
		if from[k] != 1 {
			strides[k+len(dims)-len(from)] = step
		}
		step *= from[k]
	}
	return walk(dims, strides, 0)
}

// walk returns the places of all elements of an array of dims, in order, where
// one step along axis k moves by strides[k].
func walk(dims, strides []int, start int) []int {
	places := make([]int, 0, size(dims))
	index := make([]int, len(dims))
	at := start
	for range size(dims) {
		places = append(places, at)
		for k := len(dims) - 1; k >= 0; k-- {
			index[k]++
			at += strides[k]
			if index[k] < dims[k] {
				break
			}
			at -= strides[k] * dims[k]
			index[k] = 0
		}
	}
	return places
}

func passThrough(c *call) ([]*array, error) { return []*array{clone(c.in[0])}, nil }

func dropout(c *call) ([]*array, error) {
	if mode := c.arg(2); mode != nil && mode.at(0) != 0 {
		return nil, errors.Join(onnx.ErrUnsupported, errors.New("dropout in training"))
	}
	mask := alloc(onnx.Bool, c.in[0].dims...)
	for k := range mask.i {
		mask.i[k] = 1
	}
	return []*array{clone(c.in[0]), mask}, nil
}

func cast(c *call) ([]*array, error) {
	return []*array{convert(c.in[0], onnx.DataType(c.Int("to", 0)))}, nil
}

func convert(a *array, to onnx.DataType) *array {
	out := alloc(to, a.dims...)
	for k := range out.len() {
		switch {
		case to == onnx.Bool:
			if a.at(k) != 0 {
				out.i[k] = 1
			}
		case !to.IsFloat() && !a.typ.IsFloat():
			out.i[k] = a.i[k]
		default:
			out.set(k, a.at(k))
		}
	}
	return out
}

func clip(c *call) ([]*array, error) {
	low, high := math.Inf(-1), math.Inf(1)
	if a, ok := c.Attrs["min"]; ok {
		low = float64(a.F)
	}
	if a, ok := c.Attrs["max"]; ok {
		high = float64(a.F)
	}
	if a := c.arg(1); a != nil {
		low = a.at(0)
	}
	if a := c.arg(2); a != nil {
		high = a.at(0)
	}
	return mapped(c, func(x float64) float64 { return min(max(x, low), high) }), nil
}

func where(c *call) ([]*array, error) {
	cond, x, y := c.in[0], c.in[1], c.in[2]
	dims, err := broadcast(x.dims, y.dims)
	if err != nil {
		return nil, err
	}
	if dims, err = broadcast(cond.dims, dims); err != nil {
		return nil, err
	}
	out := alloc(x.typ, dims...)
	ic, ix, iy := spread(cond.dims, dims), spread(x.dims, dims), spread(y.dims, dims)
	for k := range out.len() {
		if cond.i[ic[k]] != 0 {
			out.copyFrom(k, x, ix[k])
		} else {
			out.copyFrom(k, y, iy[k])
		}
	}
	return []*array{out}, nil
}
