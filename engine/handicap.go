package engine

import (
	"context"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/nn"
)

// FreeHandicap chooses n points for Black's handicap stones on an empty board, one after the
// other by the network's policy, not adjacent while there is room. It places no stones.
func (e *Engine) FreeHandicap(ctx context.Context, n int) ([]board.Point, error) {
	size := e.game.Size()
	if n < 2 || n >= size.Area() {
		return nil, fmt.Errorf("%w: %d of them", ErrHandicapStones, n)
	}
	e.Stop()
	game, err := board.NewGame(size, e.game.Rules())
	if err != nil {
		return nil, err
	}
	var stones []board.Point
	var out nn.Output
	for len(stones) < n {
		if err := game.Setup(stones, nil, board.Black); err != nil {
			return nil, err
		}
		q := nn.Query{Game: game, SkipCache: true}
		if err := e.net.Evaluate(ctx, &q, &out); err != nil {
			return nil, err
		}
		stones = append(stones, bestHandicapPoint(game.Board(), &out))
	}
	return stones, nil
}

// bestHandicapPoint returns the empty point with the highest prior that lies on the third line or
// farther in and has no stone next to it. If there is none, it drops the condition on the line,
// then the one on stones.
func bestHandicapPoint(b *board.Board, out *nn.Output) board.Point {
	size := b.Size()
	for _, accept := range []func(board.Point) bool{
		func(p board.Point) bool {
			return standsAlone(b, p) && size.Line(p) >= min(3, (min(size.W, size.H)+1)/2)
		},
		func(p board.Point) bool { return standsAlone(b, p) },
		func(board.Point) bool { return true },
	} {
		best := board.NoPoint
		for p := range board.Point(size.Area()) {
			if b.At(p) != board.Empty || b.IsSuicide(board.Black, p) || !accept(p) {
				continue
			}
			if best == board.NoPoint || out.Policy[p] > out.Policy[best] {
				best = p
			}
		}
		if best != board.NoPoint {
			return best
		}
	}
	return board.NoPoint
}

func standsAlone(b *board.Board, p board.Point) bool {
	return !slices.ContainsFunc(b.Neighbors(p), func(q board.Point) bool { return b.At(q) != board.Empty })
}
