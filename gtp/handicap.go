package gtp

import (
	"context"

	"kosumi/board"
)

// handicapCommands returns the commands that place Black's handicap stones.
func (s *handlers) handicapCommands() []Handler {
	return []Handler{
		{Name: "fixed_handicap", Run: s.fixedHandicap, usage: usage{"N", "handicap stones on the usual points", standard}},
		{Name: "place_free_handicap", Run: s.placeFreeHandicap, usage: usage{"N", "handicap stones where the engine wants them", standard}},
		{Name: "set_free_handicap", Run: s.setFreeHandicap, usage: usage{"VERTEX...", "handicap stones where the client wants them", standard}},
	}
}

// stoneCount reads the only argument of the commands that place stones.
func (s *handlers) stoneCount(c Command) (int, error) {
	if len(c.Args) != 1 {
		return 0, ErrSyntax
	}
	n, err := parseInt(c.Args[0])
	if err != nil {
		return 0, err
	}
	if n < 2 || n >= s.engine.Game().Size().Area() {
		return 0, errStoneCount
	}
	return n, boardEmpty(s.engine.Game())
}

// boardEmpty refuses a game that has stones on the board.
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
	var points []board.Point
	if chooser, ok := s.engine.(HandicapChooser); ok {
		if points, err = chooser.FreeHandicap(ctx, n); err != nil {
			s.log.Warn("the engine places no handicap stones", "error", err)
			points = nil
		}
	}
	if len(points) != n {
		points = FreeHandicap(s.engine.Game().Size(), n)
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
	if len(c.Args) < 2 || len(c.Args) >= size.Area() {
		return errVertexList
	}
	seen := make([]bool, size.Area())
	points := make([]board.Point, len(c.Args))
	for i, v := range c.Args {
		p, err := size.ParseVertex(v)
		if err != nil || p == board.Pass || seen[p] {
			return errVertexList
		}
		seen[p] = true
		points[i] = p
	}
	if err := boardEmpty(s.engine.Game()); err != nil {
		return err
	}
	return OrFail(errVertexList, s.engine.SetHandicap(points))
}

// FreeHandicap returns n points for any board and 2 <= n < area: the fixed points first, then
// always the point farthest from the stones so far. Points on the first and second line come last.
func FreeHandicap(size board.Size, n int) []board.Point {
	if points := board.FixedHandicap(size, n); points != nil {
		return points
	}
	points := make([]board.Point, 0, n)
	for k := min(n, 9); k >= 2 && len(points) == 0; k-- {
		points = append(points, board.FixedHandicap(size, k)...)
	}
	nearest := make([]int, size.Area()) // squared distance to the nearest stone; -1 for a stone
	for p := range nearest {
		nearest[p] = size.W*size.W + size.H*size.H
	}
	note := func(stone board.Point) {
		x, y := size.XY(stone)
		for p := range nearest {
			px, py := size.XY(board.Point(p))
			nearest[p] = min(nearest[p], (px-x)*(px-x)+(py-y)*(py-y))
		}
		nearest[stone] = -1
	}
	for _, p := range points {
		note(p)
	}
	for len(points) < n {
		best, bestValue := board.NoPoint, -1
		for p, d := range nearest {
			if d < 0 {
				continue
			}
			if value := d + 1<<20*min(edgeDistance(size, board.Point(p)), 2); value > bestValue {
				best, bestValue = board.Point(p), value
			}
		}
		points = append(points, best)
		note(best)
	}
	return points
}

// edgeDistance is 0 on the first line.
func edgeDistance(size board.Size, p board.Point) int {
	x, y := size.XY(p)
	return min(x, y, size.W-1-x, size.H-1-y)
}
