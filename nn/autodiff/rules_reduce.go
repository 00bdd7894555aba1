package autodiff

import "slices"

// kept returns v, the result of a reduction or its derivative, with size 1 at the axes
// reduced over.
func (s *step) kept(v value, axes []int64) value {
	dims := slices.Clone(s.dims(s.x(0)))
	for _, a := range axes {
		dims[a] = 1
	}
	return s.reshape(v, dims)
}

func reduceSum(s *step) {
	s.add(0, s.kept(s.fullDy(), s.axes(1)))
}

func reduceMean(s *step) {
	axes := s.axes(1)
	s.add(0, s.scale(s.kept(s.fullDy(), axes), 1/float64(s.count(axes))))
}

// count returns how many elements of input 0 are reduced to one element of the result.
func (s *step) count(axes []int64) int64 {
	n, dims := int64(1), s.dims(s.x(0))
	for _, a := range axes {
		n *= dims[a]
	}
	return n
}

// spatialAxes returns all axes of input 0 but the first two.
func (s *step) spatialAxes() []int64 {
	var axes []int64
	for a := range s.dims(s.x(0)) {
		if a >= 2 {
			axes = append(axes, int64(a))
		}
	}
	return axes
}

func globalAveragePool(s *step) {
	s.add(0, s.scale(s.fullDy(), 1/float64(s.count(s.spatialAxes()))))
}

func reduceMax(s *step) {
	axes := s.axes(1)
	s.addMaxima(s.kept(s.fullDy(), axes), s.kept(s.y(0), axes), axes)
}

func globalMaxPool(s *step) {
	s.addMaxima(s.fullDy(), s.y(0), s.spatialAxes())
}

// addMaxima passes dy on to the places where input 0 equals the maximum, in equal shares.
func (s *step) addMaxima(dy, top value, axes []int64) {
	hit := s.holds(s.b.Op("Equal", nil, s.x(0), top))
	s.add(0, s.b.Mul(hit, s.b.Div(dy, s.sumAxes(hit, axes))))
}

func softmax(s *step) {
	axis := s.axis("axis", -1)
	dy, y := s.fullDy(), s.y(0)
	mean := s.b.ReduceSum(s.b.Mul(dy, y), true, axis)
	s.add(0, s.b.Mul(y, s.b.Sub(dy, mean)))
}

func logSoftmax(s *step) {
	axis := s.axis("axis", -1)
	dy := s.fullDy()
	s.add(0, s.b.Sub(dy, s.b.Mul(s.b.Exp(s.y(0)), s.b.ReduceSum(dy, true, axis))))
}

// perChannel gives a vector of C the shape [1,C,1,...], in which it broadcasts to input 0.
func (s *step) perChannel(v value) value {
	return s.reshape(v, channelShape(s.dims(s.x(0))))
}

// batchNorm is the rule of the inference form: statistics are constants.
// y = (x-mean) scale / sqrt(var+epsilon) + bias.
func batchNorm(s *step) {
	if s.n.Int("training_mode", 0) != 0 || s.n.Output(1) != "" {
		s.fail("training form: Prepare rewrites it")
		return
	}
	if s.wants(3) || s.wants(4) {
		s.fail("statistics are no weights")
		return
	}
	dy, dims := s.fullDy(), s.dims(s.x(0))
	vec := s.dims(s.x(1))
	rstd := s.b.Div(s.b.Scalar(1), s.b.Sqrt(s.b.Add(s.x(4), s.b.Scalar(float64(s.n.Float("epsilon", 1e-5))))))
	one := channelShape(dims)
	if s.wants(0) {
		s.add(0, s.b.Mul(dy, s.perChannel(s.b.Mul(rstd, s.x(1)))))
	}
	if s.wants(1) {
		g := s.sumTo(s.b.Mul(dy, s.b.Sub(s.x(0), s.perChannel(s.x(3)))), dims, one)
		s.add(1, s.b.Mul(s.reshape(g, vec), rstd))
	}
	if s.wants(2) {
		s.add(2, s.reshape(s.sumTo(dy, dims, one), vec))
	}
}

// layerNorm: y = xhat scale + bias, xhat = (x-mean)/sqrt(var+epsilon) over
// the axes from the attribute axis to the last.
func layerNorm(s *step) {
	dims := s.dims(s.x(0))
	axis := s.axis("axis", -1)
	var axes []int64
	for a := axis; a < int64(len(dims)); a++ {
		axes = append(axes, a)
	}
	x, dy := s.x(0), s.fullDy()
	xc := s.b.Sub(x, s.b.ReduceMean(x, true, axes...))
	variance := s.b.ReduceMean(s.b.Mul(xc, xc), true, axes...)
	eps := s.n.Float("epsilon", 1e-5)
	rstd := s.b.Div(s.b.Scalar(1), s.b.Sqrt(s.b.Add(variance, s.b.Scalar(float64(eps)))))
	xhat := s.b.Mul(xc, rstd)
	if s.wants(0) {
		g := s.b.Mul(dy, s.x(1))
		mean := s.b.ReduceMean(g, true, axes...)
		slope := s.b.ReduceMean(s.b.Mul(g, xhat), true, axes...)
		s.add(0, s.b.Mul(rstd, s.b.Sub(s.b.Sub(g, mean), s.b.Mul(xhat, slope))))
	}
	if s.wants(1) {
		s.add(1, s.sumTo(s.b.Mul(dy, xhat), dims, s.dims(s.x(1))))
	}
	if s.wants(2) {
		s.add(2, s.sumTo(dy, dims, s.dims(s.x(2))))
	}
}
