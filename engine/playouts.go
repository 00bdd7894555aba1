package engine

import (
	"math/rand/v2"

	"kosumi/board"
)

// numRollouts is the number of random games per estimate: the standard error of a point's
// ownership is at most 1/16.
const numRollouts = 256

// randomOwnership estimates the mean owner of every point, [-1,1], + = White, by random games
// played to the end, as in the first Monte Carlo Go programs (Bruegmann 1993): no side fills its
// own eyes, and a game ends when neither can move. toMove begins each. The estimate replaces the
// ownership that some networks do not predict; it is always the same for the same position.
func randomOwnership(b *board.Board, toMove board.Color) []float32 {
	hash := b.Hash()
	rng := rand.New(rand.NewPCG(hash.Lo, hash.Hi))
	sums := make([]float32, b.Size().Area())
	work := board.NewBoard(b.Size())
	var area []board.Color
	for range numRollouts {
		work.CopyFrom(b)
		playOut(work, toMove, rng)
		area = work.FullArea(area[:0], false)
		for p, c := range area {
			if c != board.Empty {
				sums[p] += sideSign(c)
			}
		}
	}
	for p := range sums {
		sums[p] /= numRollouts
	}
	return sums
}

func playOut(b *board.Board, toMove board.Color, rng *rand.Rand) {
	area := b.Size().Area()
	empty := make([]board.Point, 0, area)
	for moves, passes := 0, 0; passes < 2 && moves < 3*area; moves++ {
		if p := pick(b, toMove, empty, rng); p == board.Pass {
			passes++
		} else {
			b.Play(toMove, p)
			passes = 0
		}
		toMove = toMove.Opponent()
	}
}

// pick draws a random move of colour c that fills no eye of c and is legal apart from superko; Pass
// if there is none. The slice empty is room for the empty points.
func pick(b *board.Board, c board.Color, empty []board.Point, rng *rand.Rand) board.Point {
	for p := range board.Point(b.Size().Area()) {
		if b.At(p) == board.Empty && p != b.KoPoint() {
			empty = append(empty, p)
		}
	}
	for n := len(empty); n > 0; n-- {
		i := rng.IntN(n)
		p := empty[i]
		empty[i] = empty[n-1]
		if !b.IsEye(p, c) && !b.IsSuicide(c, p) {
			return p
		}
	}
	return board.Pass
}
