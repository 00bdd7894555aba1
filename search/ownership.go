package search

import (
	"math"

	"kosumi/board"
)

// ownership averages the owners of points over the evaluations of a search, for
// the whole tree and for each move at the root. It is filled only when a search
// asks for it.
type ownership struct {
	area  int
	total ownerSum
	moves map[board.Point]*ownerSum
}

// ownerSum is a weighted sum of ownership maps in White's view.
type ownerSum struct {
	weight  float64
	sum     []float32
	squares []float32
}

func (o *ownership) reset() { o.total, o.moves = ownerSum{}, nil }

// add enters the evaluation of a slot, if the search asked for ownership.
func (o *ownership) add(s *slot, weight float64) {
	if !s.query.NeedOwnership || !s.out.HasOwnership || len(s.path) == 0 || o.moves == nil {
		return
	}
	first := s.path[0].move
	m := o.moves[first]
	if m == nil {
		m = &ownerSum{}
		o.moves[first] = m
	}
	m.add(s, weight, o.area)
	o.total.add(s, weight, o.area)
}

// addRoot starts the sums of a search with the root's own evaluation.
func (o *ownership) addRoot(s *slot, t *Tree) {
	if !t.sh.limits.Ownership || !s.out.HasOwnership {
		o.reset()
		return
	}
	o.area = t.sh.size.Area()
	if o.moves == nil {
		o.moves = make(map[board.Point]*ownerSum)
	}
	if o.total.weight == 0 {
		o.total.add(s, s.result.weight, o.area)
	}
}

func (m *ownerSum) add(s *slot, weight float64, area int) {
	if m.sum == nil {
		m.sum, m.squares = make([]float32, area), make([]float32, area)
	}
	w := float32(weight)
	signed := w
	if s.game.ToMove() == board.Black {
		signed = -w
	}
	for i, v := range s.out.Ownership[:area] {
		m.sum[i] += signed * v
		m.squares[i] += w * v * v
	}
	m.weight += weight
}

// advance makes what was learned below a move the start of the next sums.
func (o *ownership) advance(p board.Point) {
	if m := o.moves[p]; m != nil {
		o.total, o.moves = *m, make(map[board.Point]*ownerSum)
		return
	}
	o.reset()
}

// report returns mean and standard deviation by point, in the view of a side;
// nil if nothing was added.
func (m *ownerSum) report(white bool) (mean, stdev []float32) {
	if m == nil || m.weight <= 0 {
		return nil, nil
	}
	mean, stdev = make([]float32, len(m.sum)), make([]float32, len(m.sum))
	for i := range m.sum {
		v := float64(m.sum[i]) / m.weight
		stdev[i] = float32(math.Sqrt(max(0, float64(m.squares[i])/m.weight-v*v)))
		if !white {
			v = -v
		}
		mean[i] = float32(max(-1, min(1, v)))
	}
	return mean, stdev
}
