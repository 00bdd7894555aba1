package commands

import (
	"context"
	"strconv"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/search/thinking"
)

// debugMoves takes [MOVE...] [rawstats] and prints the board after the moves. The statistics of
// search and network are left out: kata-analyze and kata-raw-nn have them.
func (k *handlers) debugMoves(_ context.Context, c gtp.Command, r *gtp.Reply) error {
	g := k.Engine.Game().Clone()
	for _, word := range c.Args {
		if word == "rawstats" {
			continue
		}
		p, err := g.Size().ParseLocation(word)
		if err == nil {
			err = g.PlayTolerant(g.ToMove(), p)
		}
		if err != nil {
			return gtp.Failure("Invalid move sequence")
		}
	}
	return r.Print(kataBoard(g))
}

// benchmark takes VISITS.
func (k *handlers) benchmark(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
	if len(c.Args) != 1 {
		return gtp.Failf("Expected one argument for kata-benchmark but got '%s'", args(c))
	}
	visits, err := strconv.Atoi(c.Args[0])
	if err != nil || visits < 1 {
		return gtp.Failf("Could not parse number of visits: %s", c.Args[0])
	}
	size := k.Engine.Game().Size()
	switch {
	case size.W != size.H:
		return gtp.Failf("Current board size is %v, no built-in benchmarks for rectangular boards", size)
	case size.W < 7 || size.W > 19:
		return gtp.Failf("getBenchmarkSGFData: unsupported board size: %d", size.W)
	}
	k.Engine.Stop()
	if err := r.Stream(); err != nil {
		return err
	}
	return k.Benchmark(ctx, size.W, visits, r)
}

// statusList lists all stones of a status on one line, from the top left. As in KataGo, stones in seki are alive.
func (k *handlers) statusList(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
	if len(c.Args) != 1 {
		return gtp.Failf("Expected one argument for final_status_list but got '%s'", args(c))
	}
	var want thinking.Status
	switch c.Args[0] {
	case "alive":
		want = thinking.Alive
	case "dead":
		want = thinking.Dead
	case "seki":
		return nil
	default:
		return gtp.Failure("Argument to final_status_list must be 'alive' or 'seki' or 'dead'")
	}
	status, err := gtp.Statuses(ctx, k.Engine)
	if err != nil {
		return err
	}
	g := k.Engine.Game()
	var points []board.Point
	for p := range board.Point(len(status)) {
		if g.At(p) != board.Empty && status[p] == want {
			points = append(points, p)
		}
	}
	return r.Print(gtp.Vertices(g.Size(), points))
}
