package autodiff

// rules maps the name of each differentiable operator to its rule. Operators outside the default
// domain have the domain before their name.
var rules map[string]rule

func init() {
	rules = map[string]rule{
		// one number in, one number out
		"Identity": unary((*step).dy),
		"Dropout":  unary((*step).dy), // inference form
		"Cast":     unary((*step).dy), // between float types; see reach
		"Neg":      unary(func(s *step) value { return s.b.Op("Neg", nil, s.dy()) }),
		"Exp":      unary(func(s *step) value { return s.b.Mul(s.dy(), s.y(0)) }),
		"Log":      unary(func(s *step) value { return s.b.Div(s.dy(), s.x(0)) }),
		"Sqrt":     unary(func(s *step) value { return s.b.Div(s.scale(s.dy(), 0.5), s.y(0)) }),
		"Reciprocal": unary(func(s *step) value {
			return s.b.Op("Neg", nil, s.b.Mul(s.dy(), s.b.Mul(s.y(0), s.y(0))))
		}),
		"Abs":       unary(func(s *step) value { return s.b.Mul(s.dy(), s.b.Op("Sign", nil, s.x(0))) }),
		"Sin":       unary(func(s *step) value { return s.b.Mul(s.dy(), s.b.Op("Cos", nil, s.x(0))) }),
		"Cos":       unary(func(s *step) value { return s.b.Op("Neg", nil, s.b.Mul(s.dy(), s.b.Op("Sin", nil, s.x(0)))) }),
		"Erf":       unary(erf),
		"Relu":      unary(func(s *step) value { return s.b.Mul(s.dy(), s.positive(s.y(0))) }),
		"LeakyRelu": unary(leakyRelu),
		"Sigmoid":   unary(sigmoid),
		"Tanh":      unary(func(s *step) value { return s.b.Mul(s.dy(), s.oneMinusSquare(s.y(0))) }),
		"Softplus":  unary(func(s *step) value { return s.b.Mul(s.dy(), s.b.Sigmoid(s.x(0))) }),
		"Mish":      unary(mish),
		"Clip":      clip,

		// operators with two inputs
		"Add":   add,
		"Sum":   add,
		"Sub":   sub,
		"Mul":   mul,
		"Div":   div,
		"Pow":   pow,
		"Max":   extreme,
		"Min":   extreme,
		"Where": where,

		// operators that only move elements
		"Reshape":   reshape,
		"Flatten":   reshape,
		"Squeeze":   reshape,
		"Unsqueeze": reshape,
		"Transpose": transpose,
		"Concat":    concat,
		"Slice":     slice,
		"Split":     split,
		"Expand":    expand,
		"Pad":       pad,
		"Gather":    gather,

		// sums and products
		"ReduceSum":          reduceSum,
		"ReduceMean":         reduceMean,
		"GlobalAveragePool":  globalAveragePool,
		"ReduceMax":          reduceMax,
		"GlobalMaxPool":      globalMaxPool,
		"MatMul":             matMul,
		"Gemm":               gemm,
		"Softmax":            softmax,
		"LogSoftmax":         logSoftmax,
		"BatchNormalization": batchNorm,
		"LayerNormalization": layerNorm,
		"Conv":               conv,
	}
}
