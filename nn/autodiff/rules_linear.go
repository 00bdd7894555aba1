package autodiff

import "kosumi/nn/onnx"

func (t *tape) swapLast(v value) value {
	rank := len(t.dims(v))
	perm := make([]int64, rank)
	for i := range perm {
		perm[i] = int64(i)
	}
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	return t.b.Transpose(v, perm...)
}

func matMul(s *step) {
	x, w := s.x(0), s.x(1)
	dx, dw := s.dims(x), s.dims(w)
	if len(dx) < 2 || len(dw) < 2 {
		s.fail("a vector as operand")
		return
	}
	dy := s.fullDy()
	dd := s.dims(dy)
	if s.wants(0) {
		v := s.b.MatMul(dy, s.swapLast(w))
		s.add(0, s.sumTo(v, s.dims(v), dx))
	}
	if !s.wants(1) {
		return
	}
	if len(dw) == 2 {
		// Multiply all rows in one product.
		rows := []int64{-1, dx[len(dx)-1]}
		if len(dx) > 2 {
			x = s.b.Reshape(x, rows...)
			dy = s.b.Reshape(dy, -1, dd[len(dd)-1])
		}
		s.add(1, s.tape.gemm(x, dy, true, false))
		return
	}
	v := s.b.MatMul(s.swapLast(x), dy)
	s.add(1, s.sumTo(v, s.dims(v), dw))
}

// gemm multiplies two matrices, each optionally transposed.
func (t *tape) gemm(x, y value, transX, transY bool) value {
	a := onnx.Attrs{}
	if transX {
		a["transA"] = onnx.AttrInt(1)
	}
	if transY {
		a["transB"] = onnx.AttrInt(1)
	}
	return t.b.Op("Gemm", a, x, y)
}

// gemm: y = alpha a'·b' + beta c.
func gemm(s *step) {
	alpha, beta := float64(s.n.Float("alpha", 1)), float64(s.n.Float("beta", 1))
	ta, tb := s.n.Int("transA", 0) != 0, s.n.Int("transB", 0) != 0
	dy := s.fullDy()
	if s.wants(2) {
		g := dy
		if beta != 1 {
			g = s.scale(g, beta)
		}
		s.addSum(2, g)
	}
	if alpha != 1 {
		dy = s.scale(dy, alpha)
	}
	if s.wants(0) {
		if ta {
			s.add(0, s.tape.gemm(s.x(1), dy, tb, true))
		} else {
			s.add(0, s.tape.gemm(dy, s.x(1), false, !tb))
		}
	}
	if s.wants(1) {
		if tb {
			s.add(1, s.tape.gemm(dy, s.x(0), true, ta))
		} else {
			s.add(1, s.tape.gemm(s.x(0), dy, !ta, false))
		}
	}
}
