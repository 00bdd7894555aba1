package autodiff

import (
	"slices"

	"kosumi/nn/onnx"
)

func reshape(s *step) {
	s.add(0, s.reshape(s.fullDy(), s.dims(s.x(0))))
}

func transpose(s *step) {
	perm, ok := s.n.Ints("perm")
	if !ok {
		for i := range s.dims(s.x(0)) {
			perm = slices.Insert(slices.Clone(perm), 0, int64(i))
		}
	}
	back := make([]int64, len(perm))
	for i, p := range perm {
		back[p] = int64(i)
	}
	s.add(0, s.b.Transpose(s.reshape(s.dy(), align(s.dims(s.dy()), len(perm))), back...))
}

func concat(s *step) {
	axis, at := s.axis("axis", 0), int64(0)
	dy := s.fullDy()
	for i := range s.n.Inputs {
		size := s.dims(s.x(i))[axis]
		if s.wants(i) && size > 0 {
			s.add(i, s.b.Slice(dy, axis, at, at+size))
		}
		at += size
	}
}

// slice pads the derivative with zeros in place of what was cut off.
func slice(s *step) {
	in, out := s.dims(s.x(0)), s.dims(s.y(0))
	starts, axes := s.constInts(1), []int64(nil)
	if s.n.Input(3) != "" {
		axes = s.constInts(3)
	}
	if s.n.Input(4) != "" {
		steps := s.constInts(4)
		if slices.ContainsFunc(steps, func(k int64) bool { return k != 1 }) {
			s.slicePicked(starts, axes, steps)
			return
		}
	}
	if s.err != nil {
		return
	}
	pads := make([]int64, 2*len(in))
	for j, start := range starts {
		a := sliceAxis(axes, j, len(in))
		start = sliceStart(start, in[a], 1)
		pads[a], pads[int(a)+len(in)] = start, in[a]-start-out[a]
	}
	s.add(0, s.b.Op("Pad", nil, s.fullDy(), s.b.Ints(pads...)))
}

func sliceAxis(axes []int64, j, rank int) int64 {
	a := int64(j)
	if axes != nil {
		a = axes[j]
	}
	if a < 0 {
		a += int64(rank)
	}
	return a
}

func sliceStart(start, size, stride int64) int64 {
	if start < 0 {
		start += size
	}
	if stride < 0 {
		return max(0, min(start, size-1))
	}
	return max(0, min(start, size))
}

// slicePicked is the rule of Slice with steps other than 1: axis by axis, the picked elements
// return to their places.
func (s *step) slicePicked(starts, axes, steps []int64) {
	in, out := s.dims(s.x(0)), s.dims(s.y(0))
	v := s.fullDy()
	if s.err != nil {
		return
	}
	for j, start := range starts {
		a := sliceAxis(axes, j, len(in))
		index := make([]int64, out[a])
		for i := range index {
			index[i] = sliceStart(start, in[a], steps[j]) + int64(i)*steps[j]
		}
		v = s.scatter(v, a, in[a], index)
	}
	s.add(0, v)
}

// scatter returns the derivative of an operator that picked entries by index from an axis of the
// given size, as a product with a matrix of ones and zeros.
func (t *tape) scatter(v value, axis, size int64, index []int64) value {
	dims := t.dims(v)
	pick := make([]float32, size*int64(len(index)))
	for j, i := range index {
		pick[i*int64(len(index))+int64(j)] = 1
	}
	before, after := int64(1), int64(1)
	for i, d := range dims {
		switch {
		case int64(i) < axis:
			before *= d
		case int64(i) > axis:
			after *= d
		}
	}
	m := t.b.Const(onnx.NewTensor("", pick, size, int64(len(index))))
	v = t.b.MatMul(m, t.reshape(v, []int64{before, int64(len(index)), after}))
	back := slices.Clone(dims)
	back[axis] = size
	return t.reshape(v, back)
}

func gather(s *step) {
	axis := s.axis("axis", 0)
	in := s.dims(s.x(0))
	index := s.constInts(1)
	for i := range index {
		if index[i] < 0 {
			index[i] += in[axis]
		}
	}
	flat := slices.Concat(in[:axis], []int64{int64(len(index))}, in[axis+1:])
	v := s.scatter(s.reshape(s.fullDy(), flat), axis, in[axis], index)
	s.add(0, s.reshape(v, in))
}

// split joins the derivatives of the parts, zeros where the loss does not depend on a part.
func split(s *step) {
	parts := make([]value, len(s.dys))
	for i := range parts {
		dims := s.dims(s.y(i))
		dy := s.dys[i]
		if dy == "" {
			dy = s.b.Scalar(0)
		}
		parts[i] = s.full(dy, dims)
	}
	s.add(0, s.b.Concat(s.axis("axis", 0), parts...))
}

func expand(s *step) {
	s.addSum(0, s.dy())
}

func pad(s *step) {
	if mode := s.n.Str("mode", "constant"); mode != "constant" {
		s.fail("padding mode %q", mode)
		return
	}
	in := s.dims(s.x(0))
	pads := s.constInts(1)
	if s.n.Input(3) != "" {
		s.fail("padding of some axes only")
	}
	if s.err != nil {
		return
	}
	axes, starts, ends := []int64{}, []int64{}, []int64{}
	for a := range in {
		if pads[a] != 0 || pads[a+len(in)] != 0 {
			axes, starts, ends = append(axes, int64(a)), append(starts, pads[a]), append(ends, pads[a]+in[a])
		}
	}
	v := s.fullDy()
	if len(axes) > 0 {
		v = s.b.SliceAxes(v, axes, starts, ends, nil)
	}
	s.add(0, v)
}
