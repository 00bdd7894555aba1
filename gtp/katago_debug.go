package gtp

import (
	"context"
	"fmt"
	"strconv"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/thinking"
)

func (k *kataServer) debug() []handler {
	return []handler{
		{name: "debug_moves", run: k.debugMoves}, {name: "kata-benchmark", run: k.benchmark},
		{name: "final_status_list", run: k.statusList},
	}
}

// debugMoves takes [MOVE...] [rawstats]: the board after the moves. The last search
// and the network are shown by kata-analyze and kata-raw-nn.
func (k *kataServer) debugMoves(_ context.Context, c Command, r *Reply) error {
	g := k.snapshot()
	for _, word := range c.Args {
		if word == "rawstats" {
			continue
		}
		p, err := g.Size().ParseLocation(word)
		if err == nil {
			err = g.PlayTolerant(g.ToMove(), p)
		}
		if err != nil {
			return kataError("Invalid move sequence")
		}
	}
	_, err := r.WriteString(kataBoard(g))
	return err
}

// benchmark takes VISITS.
func (k *kataServer) benchmark(ctx context.Context, c Command, r *Reply) error {
	if len(c.Args) != 1 {
		return kataErrorf("Expected one argument for kata-benchmark but got '%s'", c.args())
	}
	visits, err := strconv.Atoi(c.Args[0])
	if err != nil || visits < 1 {
		return kataErrorf("Could not parse number of visits: %s", c.Args[0])
	}
	size := k.engine.Game().Size()
	switch {
	case size.W != size.H:
		return kataErrorf("Current board size is %v, no built-in benchmarks for rectangular boards", size)
	case size.W < 7 || size.W > 19:
		return kataErrorf("getBenchmarkSGFData: unsupported board size: %d", size.W)
	}
	k.engine.Stop()
	if err := r.Stream(); err != nil {
		return err
	}
	return k.k.Benchmark(ctx, size.W, visits, r)
}

// statusList writes all points on one line, from the top left. There is no seki.
func (k *kataServer) statusList(ctx context.Context, c Command, r *Reply) error {
	if len(c.Args) != 1 {
		return kataErrorf("Expected one argument for final_status_list but got '%s'", c.args())
	}
	var want []thinking.Status
	switch c.Args[0] {
	case "alive":
		want = []thinking.Status{thinking.Alive, thinking.Seki}
	case "dead":
		want = []thinking.Status{thinking.Dead}
	case "seki":
		return nil
	default:
		return kataError("Argument to final_status_list must be 'alive' or 'seki' or 'dead'")
	}
	status, err := k.status(ctx)
	if err != nil {
		return err
	}
	g := k.engine.Game()
	var points []board.Point
	for p := range board.Point(len(status)) {
		for _, w := range want {
			if g.At(p) != board.Empty && status[p] == w {
				points = append(points, p)
			}
		}
	}
	_, err = r.WriteString(vertices(g.Size(), points))
	return err
}

func (k *kataServer) records() []handler {
	return []handler{{name: "loadsgf", run: k.loadSGF}}
}

// loadSGF takes FILE [MOVE], the position before that move, from 1.
func (k *kataServer) loadSGF(_ context.Context, c Command, _ *Reply) error {
	name, before, err := fileAndMove(c.Rest)
	if len(c.Args) == 0 || len(c.Args) > 2 {
		return kataErrorf("Expected one or two arguments for loadsgf but got '%s'", c.args())
	}
	if words := c.Args; err != nil || len(words) == 2 && (before < 1 || before > 10000001) {
		return kataError("Invalid value for moveNumber for loadsgf")
	}
	data, err := file.Read(name, k.opts.MaxSGF)
	if err != nil {
		return because(kataErrorf("Could not load sgf: Could not open file %s - does not exist or invalid permissions?", name), err)
	}
	was, size := k.engine.Game().Rules(), k.engine.Game().Size()
	if err := k.k.LoadSGF(name, data, before); err != nil {
		return kataErrorf("Could not load sgf: %v", err)
	}
	g := k.engine.Game()
	if now := g.Rules().Komi; now != was.Komi {
		k.k.Say("Changing komi to " + general(float64(now)))
	}
	if g.Size() != size {
		k.k.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", g.Size().W, g.Size().H))
	}
	return nil
}
