package engine

import (
	"math/rand/v2"

	"kosumi/board"
)

// rollouts estimates ownership by random games played to the end, as in the first Monte Carlo Go
// programs (Bruegmann 1993): no side fills its own eyes, and a game ends when neither can move.
// It serves networks that do not predict ownership.
type rollouts struct {
	rng   *rand.Rand
	work  *board.Board
	empty []board.Point
	area  []board.Color
}

// numRollouts is the number of random games per estimate: the standard error of a point's
// ownership is at most 0.06.
const numRollouts = 256

// ownership returns the mean owner of every point in [-1,1], + = White, in the
// order of board.Point. toMove begins each random game.
func (r *rollouts) ownership(b *board.Board, toMove board.Color) []float32 {
	n := b.Size().Area()
	sums := make([]float32, n)
	r.work = board.NewBoard(b.Size())
	for range numRollouts {
		r.work.CopyFrom(b)
		r.playOut(toMove)
		r.area = r.work.FullArea(r.area[:0], false)
		for p, c := range r.area {
			switch c {
			case board.White:
				sums[p]++
			case board.Black:
				sums[p]--
			}
		}
	}
	for p := range sums {
		sums[p] /= numRollouts
	}
	return sums
}

// playOut finishes one random game on the work board.
func (r *rollouts) playOut(toMove board.Color) {
	area := r.work.Size().Area()
	for moves, passes := 0, 0; passes < 2 && moves < 3*area; moves++ {
		if p := r.pick(toMove); p == board.Pass {
			passes++
		} else {
			r.work.Play(toMove, p)
			passes = 0
		}
		toMove = toMove.Opponent()
	}
}

// pick draws a random move of colour c that fills no eye of c and is legal apart from superko;
// Pass if there is none.
func (r *rollouts) pick(c board.Color) board.Point {
	r.empty = r.empty[:0]
	for p := range board.Point(r.work.Size().Area()) {
		if r.work.At(p) == board.Empty && p != r.work.KoPoint() {
			r.empty = append(r.empty, p)
		}
	}
	for n := len(r.empty); n > 0; n-- {
		i := r.rng.IntN(n)
		p := r.empty[i]
		r.empty[i] = r.empty[n-1]
		if !r.work.IsEye(p, c) && !r.work.IsSuicide(c, p) {
			return p
		}
	}
	return board.Pass
}
