package gtp

import (
	"context"
	"fmt"

	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/internal/file"
)

func (k *kataServer) debug() []handler {
	return []handler{
		{name: "debug_moves", run: k.debugMoves}, {name: "kata-benchmark", run: k.benchmark},
		{name: "final_status_list", run: k.statusList},
	}
}

// debugMoves takes [MOVE...] [rawstats]: the board after the moves, what the last
// search knows of the position on the board and of the first of the moves, and with
// rawstats what the network says in all orientations.
func (k *kataServer) debugMoves(ctx context.Context, c Command, r *Reply) error {
	size := k.engine.Game().Size()
	raw := false
	var branch []board.Point
	for _, word := range c.Args {
		if word == "rawstats" {
			raw = true
			continue
		}
		p, err := size.ParseLocation(word)
		if err != nil {
			return kataError("Invalid move sequence")
		}
		branch = append(branch, p)
	}
	k.engine.Stop()
	g, legal := k.snapshot(), true
	for _, p := range branch {
		legal = legal && g.PlayTolerant(g.ToMove(), p) == nil
	}
	if legal {
		r.WriteString(kataBoard(g, board.NoPoint))
	}
	r.WriteString(k.tree(branch))
	if !raw {
		return nil
	}
	if !legal {
		_, err := r.WriteString("illegal move sequence")
		return err
	}
	return k.rawStats(ctx, branch, r)
}

// rawStats writes what the network says after some moves, and of the last of them.
func (k *kataServer) rawStats(ctx context.Context, branch []board.Point, r *Reply) error {
	g := k.engine.Game()
	var policy, value, lead string
	for s := range symmetries {
		req := RawRequest{Color: g.ToMove(), Symmetry: s, After: branch}
		o, err := k.engine.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		value += fmt.Sprintf("%.2fc ", 100*(o.Win-o.Loss))
		lead += fmt.Sprintf("%.2f ", o.Lead)
		if len(branch) == 0 {
			continue
		}
		last := branch[len(branch)-1]
		req.After = branch[:len(branch)-1]
		if o, err = k.engine.Evaluate(ctx, req); err != nil {
			return err
		}
		prior := o.PolicyPass
		if last >= 0 {
			prior = o.Policy[last]
		}
		policy += fmt.Sprintf("%.2f%% ", 100*prior)
	}
	_, err := fmt.Fprintf(r, "Policy: %s\nWhite winloss: %s\nWhite lead: %s", policy, value, strings.TrimSuffix(lead, " "))
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
	var want []Status
	switch c.Args[0] {
	case "alive":
		want = []Status{StatusAlive, StatusSeki}
	case "dead":
		want = []Status{StatusDead}
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
	return []handler{{name: "loadsgf", run: k.loadSGF}, {name: "printsgf", run: k.printSGF}}
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

// printSGF takes [FILE].
func (k *kataServer) printSGF(ctx context.Context, c Command, r *Reply) error {
	if len(c.Args) > 1 {
		return kataErrorf("Expected zero or one argument for print but got '%s'", c.args())
	}
	g, score := k.snapshot(), 0.0
	if g.Finished() && !g.NoResult() {
		var err error
		if score, err = k.engine.FinalScore(ctx); err != nil {
			return because(errCannotScore, err)
		}
	}
	record := kataRecord(g, score)
	if len(c.Args) == 0 || c.Args[0] == "-" {
		_, err := r.WriteString(record)
		return err
	}
	if err := file.WriteBytes(c.Args[0], []byte(record)); err != nil {
		return because(kataError("Could not open or write to file: "+c.Args[0]), err)
	}
	return nil
}

// kataRecord writes a game from where it is known, as KataGo writes records. score is
// White's lead where the game is over.
func kataRecord(g *board.Game, score float64) string {
	size, rules := g.Size(), g.Rules()
	moves := append([]board.Move{}, g.Moves()[g.Forgotten():]...)
	finished, noResult := g.Finished(), g.NoResult()
	o := g.Options()
	o.ForgetOutOfTurn = false
	g.SetOptions(o)
	for range moves {
		g.Undo()
	}
	coordinates := func(p board.Point) string {
		if p < 0 {
			return ""
		}
		x, y := size.XY(p)
		return string([]byte{'a' + byte(x), 'a' + byte(y)})
	}
	dimensions := strconv.Itoa(size.W)
	if size.W != size.H {
		dimensions += ":" + strconv.Itoa(size.H)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(;FF[4]GM[1]SZ[%s]PB[]PW[]HA[%d]KM[%s]RU[%s]", dimensions, handicapStones(g, moves), general(float64(rules.Komi)), rules.Name())
	result := "0"
	if score > 0 {
		result = "W+" + general(score)
	} else if score < 0 {
		result = "B+" + general(-score)
	}
	if finished {
		if noResult {
			result = "Void"
		}
		b.WriteString("RE[" + result + "]")
	}
	for i, color := range []board.Color{board.Black, board.White} {
		stones := ""
		for p := range board.Point(size.Area()) {
			if g.At(p) == color {
				stones += "[" + coordinates(p) + "]"
			}
		}
		if stones != "" {
			b.WriteString([]string{"AB", "AW"}[i] + stones)
		}
	}
	for i, m := range moves {
		fmt.Fprintf(&b, ";%s[%s]", colorName(m.Color)[:1], coordinates(m.Point))
		if finished && i == len(moves)-1 {
			b.WriteString("C[result=" + result + "]")
		}
	}
	return b.String() + ")"
}

// handicapStones counts Black's stones at the start and its moves before White's
// first; a single one is none, and none count where White had stones.
func handicapStones(start *board.Game, moves []board.Move) int {
	b := start.Board()
	n := b.Stones(board.Black)
	for i, m := range moves {
		if m.Color == board.White && i+1 < len(moves) && moves[i+1].Color == board.White {
			return 0
		}
		if m.Color == board.White && m.Point != board.Pass {
			break
		}
		if m.Color == board.Black && m.Point != board.Pass {
			n++
		}
	}
	if b.Stones(board.White) > 0 || n <= 1 {
		return 0
	}
	return n
}
