package gtp

import (
	"context"

	"kosumi/board"
)

func (s *handlers) handicapCommands() []Handler {
	return []Handler{
		{Name: "fixed_handicap", Run: s.fixedHandicap, args: 1, usage: usage{"N", "handicap stones on the usual points", standard}},
		{Name: "place_free_handicap", Run: s.placeFreeHandicap, args: 1, usage: usage{"N", "handicap stones where the engine wants them", standard}},
		{Name: "set_free_handicap", Run: s.setFreeHandicap, usage: usage{"VERTEX...", "handicap stones where the client wants them", standard}},
	}
}

func (s *handlers) stoneCount(c Command) (int, error) {
	n, err := parseInt(c.Args[0])
	if err != nil {
		return 0, err
	}
	if n < 2 || n >= s.engine.Game().Size().Area() {
		return 0, errStoneCount
	}
	return n, boardEmpty(s.engine.Game())
}

func boardEmpty(g *board.Game) error {
	if b := g.Board(); b.Stones(board.Black)+b.Stones(board.White) > 0 {
		return errNotEmpty
	}
	return nil
}

func (s *handlers) fixedHandicap(_ context.Context, c Command, r *Reply) error {
	n, err := s.stoneCount(c)
	if err != nil {
		return err
	}
	points := board.FixedHandicap(s.engine.Game().Size(), n)
	if points == nil {
		return errStoneCount
	}
	return s.placeHandicap(points, r)
}

func (s *handlers) placeFreeHandicap(ctx context.Context, c Command, r *Reply) error {
	n, err := s.stoneCount(c)
	if err != nil {
		return err
	}
	points, err := s.engine.FreeHandicap(ctx, n)
	if err != nil {
		return err
	}
	return s.placeHandicap(points, r)
}

func (s *handlers) placeHandicap(points []board.Point, r *Reply) error {
	if err := s.engine.SetHandicap(points); err != nil {
		return Because(errStoneCount, err)
	}
	return r.Print(Vertices(s.engine.Game().Size(), points))
}

func (s *handlers) setFreeHandicap(_ context.Context, c Command, _ *Reply) error {
	size := s.engine.Game().Size()
	if len(c.Args) == 0 {
		return ErrSyntax
	}
	points := make([]board.Point, len(c.Args))
	for i, v := range c.Args {
		p, err := size.ParseVertex(v)
		if err != nil || p == board.Pass {
			return errVertexList
		}
		points[i] = p
	}
	if err := boardEmpty(s.engine.Game()); err != nil {
		return err
	}
	return Because(errVertexList, s.engine.SetHandicap(points))
}
