package commands

import (
	"context"
	"slices"
	"strconv"

	"kosumi/board"
	"kosumi/gtp"
)

// stones reads the number of handicap stones and checks that the board is empty.
func (k *handlers) stones(c gtp.Command) (int, error) {
	if len(c.Args) != 1 {
		return 0, gtp.Failf("Expected one argument for %s but got '%s'", c.Name, args(c))
	}
	n, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return 0, gtp.Failf("Could not parse number of handicap stones: '%s'", c.Args[0])
	}
	if n < 2 {
		return 0, gtp.Failf("Number of handicap stones less than 2: '%s'", c.Args[0])
	}
	return n, k.empty()
}

func (k *handlers) empty() error {
	if b := k.Engine.Game().Board(); b.Stones(board.Black)+b.Stones(board.White) > 0 {
		return gtp.Failure("Board is not empty")
	}
	return nil
}

func (k *handlers) fixedHandicap(_ context.Context, c gtp.Command, r *gtp.Reply) error {
	n, err := k.stones(c)
	if err != nil {
		return err
	}
	const instead = ", try place_free_handicap"
	size := k.Engine.Game().Size()
	switch {
	case min(size.W, size.H) < 7:
		return gtp.Failure("Board is too small for fixed handicap" + instead)
	case n > 4 && (size.W%2 == 0 || size.H%2 == 0):
		return gtp.Failure("Fixed handicap > 4 is not allowed on boards with even dimensions" + instead)
	case n > 4 && min(size.W, size.H) == 7:
		return gtp.Failure("Fixed handicap > 4 is not allowed on boards with size 7" + instead)
	case n > 9:
		return gtp.Failure("Fixed handicap > 9 is not allowed" + instead)
	}
	return k.lay(board.FixedHandicap(size, n), r)
}

// lay places stones and replies with them, sorted from the top left.
func (k *handlers) lay(points []board.Point, r *gtp.Reply) error {
	if err := k.Engine.SetHandicap(points); err != nil {
		return gtp.Because(gtp.Failure("Handicap placement is invalid"), err)
	}
	points = slices.Sorted(slices.Values(points))
	return r.Print(gtp.Vertices(k.Engine.Game().Size(), points))
}

func (k *handlers) freeHandicap(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
	n, err := k.stones(c)
	if err != nil {
		return err
	}
	size := k.Engine.Game().Size()
	n = min(n, max(2, min(30, size.Area()/4)))
	points, err := k.Engine.FreeHandicap(ctx, n)
	if err != nil {
		return err
	}
	return k.lay(points, r)
}

// setHandicap takes any number of vertices; White moves next.
func (k *handlers) setHandicap(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	if err := k.empty(); err != nil {
		return err
	}
	fault := gtp.Failure("Handicap placement is invalid")
	size := k.Engine.Game().Size()
	var points []board.Point
	for _, word := range c.Args {
		p, err := size.ParseLocation(word)
		if err != nil || p < 0 || slices.Contains(points, p) {
			return fault
		}
		points = append(points, p)
	}
	if len(points) < 2 {
		return gtp.Because(fault, k.Engine.Setup(points, nil, board.White))
	}
	return gtp.Because(fault, k.Engine.SetHandicap(points))
}
