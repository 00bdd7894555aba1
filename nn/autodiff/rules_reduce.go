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

func reduceSum(s *step) error {
	axes, err := s.axes(1)
	if err == nil {
		s.add(0, s.kept(s.fullDy(), axes))
	}
	return err
}

func reduceMean(s *step) error {
	axes, err := s.axes(1)
	if err != nil {
		return err
	}
	s.add(0, s.scale(s.kept(s.fullDy(), axes), 1/float64(s.count(axes))))
	return nil
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

func globalAveragePool(s *step) error {
	s.add(0, s.scale(s.fullDy(), 1/float64(s.count(s.spatialAxes()))))
	return nil
}

func reduceMax(s *step) error {
	axes, err := s.axes(1)
	if err != nil {
		return err
	}
	s.addMaxima(s.kept(s.fullDy(), axes), s.kept(s.y(0), axes), axes)
	return nil
}

func globalMaxPool(s *step) error {
	s.addMaxima(s.fullDy(), s.y(0), s.spatialAxes())
	return nil
}

// addMaxima passes dy on to the places where input 0 equals the maximum, in equal shares.
func (s *step) addMaxima(dy, top value, axes []int64) {
	hit := s.holds(s.b.Op("Equal", nil, s.x(0), top))
	s.add(0, s.b.Mul(hit, s.b.Div(dy, s.sumAxes(hit, axes))))
}

// softmaxAxis checks that only one axis is affected: below opset 13 the operator joined all axes
// from the given one on.
func (s *step) softmaxAxis() (int64, error) {
	rank := int64(len(s.dims(s.x(0))))
	def := int64(-1)
	if s.b.Opset() < 13 {
		def = 1
	}
	axis := s.axis("axis", def)
	if s.b.Opset() < 13 && axis != rank-1 {
		return 0, errForm("axis %d of %d in opset %d", axis, rank, s.b.Opset())
	}
	return axis, nil
}

func softmax(s *step) error {
	axis, err := s.softmaxAxis()
	if err != nil {
		return err
	}
	dy, y := s.fullDy(), s.y(0)
	mean := s.b.ReduceSum(s.b.Mul(dy, y), true, axis)
	s.add(0, s.b.Mul(y, s.b.Sub(dy, mean)))
	return nil
}

func logSoftmax(s *step) error {
	axis, err := s.softmaxAxis()
	if err != nil {
		return err
	}
	dy := s.fullDy()
	s.add(0, s.b.Sub(dy, s.b.Mul(s.b.Exp(s.y(0)), s.b.ReduceSum(dy, true, axis))))
	return nil
}

// perChannel gives a vector of C the shape [1,C,1,...], in which it broadcasts to input 0.
func (s *step) perChannel(v value) value {
	return s.reshape(v, channelShape(s.dims(s.x(0))))
}

// batchNorm is the rule of the inference form: statistics are constants.
// y = (x-mean) scale / sqrt(var+epsilon) + bias.
func batchNorm(s *step) error {
	if s.n.Int("training_mode", 0) != 0 || s.n.Output(1) != "" {
		return errForm("training form: Prepare rewrites it")
	}
	if s.wants(3) || s.wants(4) {
		return errForm("statistics are no weights")
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
	return nil
}

// layerNorm: y = xhat scale + bias, xhat = (x-mean)/sqrt(var+epsilon) over the last axes, from
// the attribute axis on.
func layerNorm(s *step) error {
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
	return nil
}
