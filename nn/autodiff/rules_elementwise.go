package autodiff

import (
	"math"

	"kosumi/nn/onnx"
)

type value = onnx.Value

// unary makes the rule of an elementwise operator from d, which returns the input's derivative. This
// may be narrow (see doc.go) only if it is the same for all elements.
func unary(d func(s *step) value) rule {
	return func(s *step) { s.add(0, d(s)) }
}

func (t *tape) scale(v value, by float64) value { return t.b.Mul(v, t.b.Scalar(by)) }

// positive returns 1 where v > 0 and 0 elsewhere. Sign would be one operator instead of two, but
// takes longer on CPUs.
func (t *tape) positive(v value) value {
	return t.holds(t.b.Op("Greater", nil, v, t.b.Scalar(0)))
}

// holds turns a condition into 1 or 0.
func (t *tape) holds(cond value) value { return t.b.Cast(cond, onnx.Float) }

func (t *tape) oneMinusSquare(v value) value { return t.b.Sub(t.b.Scalar(1), t.b.Mul(v, v)) }

func sigmoid(s *step) value {
	y := s.y(0)
	return s.b.Mul(s.dy(), s.b.Mul(y, s.b.Sub(s.b.Scalar(1), y)))
}

// erf: the slope is 2/sqrt(pi) e^(-x²).
func erf(s *step) value {
	x := s.x(0)
	return s.b.Mul(s.dy(), s.scale(s.b.Exp(s.b.Op("Neg", nil, s.b.Mul(x, x))), 2/math.Sqrt(math.Pi)))
}

func leakyRelu(s *step) value {
	alpha := float64(s.n.Float("alpha", 0.01))
	up := s.holds(s.b.Op("Greater", nil, s.x(0), s.b.Scalar(0)))
	return s.b.Mul(s.dy(), s.b.Add(s.scale(up, 1-alpha), s.b.Scalar(alpha)))
}

// mish: y = x t with t = tanh(softplus(x)); dy/dx = t + x (1-t²) sigmoid(x).
func mish(s *step) value {
	x := s.x(0)
	t := s.b.Tanh(s.b.Softplus(x))
	slope := s.b.Add(t, s.b.Mul(s.b.Mul(x, s.oneMinusSquare(t)), s.b.Sigmoid(x)))
	return s.b.Mul(s.dy(), slope)
}

// clip passes derivatives where the input is within the limits, inclusively.
func clip(s *step) {
	pass := s.dy()
	for i, beyond := range []string{1: "Less", 2: "Greater"} {
		if limit := s.x(i); i > 0 && limit != "" {
			pass = s.b.Mul(pass, s.holds(s.b.Op("Not", nil, s.b.Op(beyond, nil, s.x(0), limit))))
		}
	}
	s.add(0, pass)
}

func add(s *step) {
	for i := range s.n.Inputs {
		if s.wants(i) {
			s.addSum(i, s.dy())
		}
	}
}

func sub(s *step) {
	if s.wants(0) {
		s.addSum(0, s.dy())
	}
	if s.wants(1) {
		s.add(1, s.b.Op("Neg", nil, s.sumTo(s.dy(), s.dims(s.y(0)), s.dims(s.x(1)))))
	}
}

func mul(s *step) {
	if s.n.Input(0) == s.n.Input(1) {
		s.add(0, s.b.Mul(s.x(0), s.scale(s.dy(), 2)))
		return
	}
	for i := range 2 {
		if s.wants(i) {
			s.addSum(i, s.b.Mul(s.dy(), s.x(1-i)))
		}
	}
}

func div(s *step) {
	q := s.b.Div(s.dy(), s.x(1))
	if s.wants(0) {
		s.addSum(0, q)
	}
	if s.wants(1) {
		s.addSum(1, s.b.Op("Neg", nil, s.b.Mul(q, s.y(0))))
	}
}

// pow: the base's derivative is p x^(p-1), the exponent's is y ln x, for x > 0.
func pow(s *step) {
	x, p := s.x(0), s.x(1)
	if s.wants(0) {
		slope := s.b.Mul(p, s.b.Pow(x, s.b.Sub(p, s.b.Scalar(1))))
		if c := s.consts[s.n.Input(1)]; c != nil {
			if f, err := c.Float32s(); err == nil && len(f) == 1 && f[0] == 2 {
				slope = s.scale(x, 2)
			}
		}
		s.addSum(0, s.b.Mul(s.dy(), slope))
	}
	if s.wants(1) {
		s.addSum(1, s.b.Mul(s.dy(), s.b.Mul(s.y(0), s.b.Log(x))))
	}
}

// extreme is the rule of Max and Min: equal operands share the derivative.
func extreme(s *step) {
	hits := make([]value, len(s.n.Inputs))
	var count value
	for i := range s.n.Inputs {
		hits[i] = s.holds(s.b.Op("Equal", nil, s.x(i), s.y(0)))
		if count == "" {
			count = hits[i]
		} else {
			count = s.b.Add(count, hits[i])
		}
	}
	share := s.b.Div(s.dy(), count)
	for i := range s.n.Inputs {
		if s.wants(i) {
			s.addSum(i, s.b.Mul(share, hits[i]))
		}
	}
}

func where(s *step) {
	cond := s.holds(s.x(0))
	if s.wants(1) {
		s.addSum(1, s.b.Mul(s.dy(), cond))
	}
	if s.wants(2) {
		s.addSum(2, s.b.Mul(s.dy(), s.b.Sub(s.b.Scalar(1), cond)))
	}
}
