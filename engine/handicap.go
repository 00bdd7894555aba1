package engine

import (
	"context"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/nn"
)

// FreeHandicap chooses n points for Black's handicap stones on an empty board:
// one after the other what the network would play next, no two adjacent while
// there is room. Nothing is placed.
func (e *Engine) FreeHandicap(ctx context.Context, n int) ([]board.Point, error) {
	size := e.game.Size()
	if n < 2 || n > maxFreeHandicap(size) {
		return nil, fmt.Errorf("%w: %d of them; 2 to %d fit this board", ErrHandicapStones, n, maxFreeHandicap(size))
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

// maxFreeHandicap leaves White room to play.
func maxFreeHandicap(s board.Size) int { return max(2, min(30, s.Area()/4)) }

// bestHandicapPoint returns the empty point with the highest prior that has an
// edge distance of 3 or 4 if the board has such points, and no stone beside it;
// the demands are dropped one by one where no point meets them.
func bestHandicapPoint(b *board.Board, out *nn.Output) board.Point {
	size := b.Size()
	for _, accept := range []func(board.Point) bool{
		func(p board.Point) bool {
			return standsAlone(b, p) && edgeDistance(size, p) >= min(3, (min(size.W, size.H)+1)/2)
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

// edgeDistance counts lines from the nearest edge; the first line has 1.
func edgeDistance(s board.Size, p board.Point) int {
	x, y := s.XY(p)
	return 1 + min(x, y, s.W-1-x, s.H-1-y)
}
