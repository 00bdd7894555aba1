package gtp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/thinking"
)

func (k *kataServer) search() []handler {
	keep := thinking.MoveRequest{Keep: true}
	return []handler{
		{name: "genmove", run: k.genMove(thinking.MoveRequest{}, false)}, {name: "genmove_debug", run: k.genMove(thinking.MoveRequest{}, true)},
		{name: "kata-search", run: k.genMove(keep, false)}, {name: "kata-search_debug", run: k.genMove(keep, true)},
		{name: "kata-search_cancellable", run: k.genMove(keep, false), byInput: true},
		{name: "genmove_analyze", run: k.moveAnalysis(plain, thinking.MoveRequest{})},
		{name: "lz-genmove_analyze", run: k.moveAnalysis(leela, thinking.MoveRequest{})},
		{name: "kata-genmove_analyze", run: k.moveAnalysis(kata, thinking.MoveRequest{})},
		{name: "kata-search_analyze", run: k.moveAnalysis(kata, keep)},
		{name: "kata-search_analyze_cancellable", run: k.moveAnalysis(kata, keep), byInput: true},
		{name: "analyze", run: k.analyze(plain), byInput: true}, {name: "lz-analyze", run: k.analyze(leela), byInput: true},
		{name: "kata-analyze", run: k.analyze(kata), byInput: true},
		{name: "kata-raw-nn", run: k.rawNetwork},
	}
}

// genMove is a handler for a command with a colour as its one argument.
func (k *kataServer) genMove(r thinking.MoveRequest, debug bool) HandlerFunc {
	return func(ctx context.Context, c Command, reply *Reply) error {
		if len(c.Args) != 1 {
			return kataErrorf("Expected one argument for %s but got '%s'", c.Name, c.args())
		}
		r := r
		var err error
		if r.Color, err = k.color(c.Args[0]); err != nil {
			return err
		}
		move, err := k.choose(ctx, r, debug)
		if err != nil {
			return err
		}
		_, err = reply.WriteString(move)
		return err
	}
}

// choose has the engine choose a move, and keeps what it found.
func (k *kataServer) choose(ctx context.Context, r thinking.MoveRequest, debug bool) (string, error) {
	k.k.Engine.Turn(r.Color, true)
	before := k.snapshot()
	found := &thinking.Analysis{}
	if debug {
		found = k.listen(&r)
	}
	move, err := k.think(ctx, r)
	if err != nil {
		return move, err
	}
	at, err := before.Size().ParseVertex(move)
	if err == nil && k.k.Chosen != nil {
		k.k.Chosen(before, r.Color, at)
	}
	if debug && err == nil {
		for line := range strings.SplitSeq(kataBoard(before)+k.opinion(before.Size(), found, at), "\n") {
			k.k.Say(line)
		}
	}
	return move, nil
}

// snapshot copies the game as it stands.
func (k *kataServer) snapshot() *board.Game {
	var g board.Game
	g.CopyFrom(k.engine.Game())
	return &g
}

// keep copies what is valid during a report only.
func keep(a *thinking.Analysis) *thinking.Analysis {
	c := *a
	c.Moves, c.Unsearched = slices.Concat(a.Moves, a.Unsearched), nil
	for i := range c.Moves {
		c.Moves[i].PV = slices.Clone(c.Moves[i].PV)
	}
	return &c
}

// moveAnalysis streams while the engine chooses a move, and ends with "play" and
// the move.
func (k *kataServer) moveAnalysis(d dialect, m thinking.MoveRequest) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		req, err := k.analyzeArgs(d, c)
		if err != nil {
			return kataErrorf("Could not parse genmove_analyze arguments or arguments out of range: '%s'", c.args())
		}
		if err := r.Stream(); err != nil {
			return err
		}
		m := m
		m.Color, m.Analysis, m.Report = req.Color, &req, k.writer(d, &req, r)
		move, err := k.choose(ctx, m, false)
		if err != nil {
			return err
		}
		_, err = r.WriteString("play " + move + "\n")
		return err
	}
}

// analyze streams until input arrives. Without an interval it says nothing.
func (k *kataServer) analyze(d dialect) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		req, err := k.analyzeArgs(d, c)
		if err != nil {
			return kataErrorf("Could not parse analyze arguments or arguments out of range: '%s'", c.args())
		}
		if err := r.Stream(); err != nil {
			return err
		}
		k.k.Engine.Turn(req.Color, false)
		write := k.writer(d, &req, r)
		said := false
		report := func(a *thinking.Analysis) {
			if req.Interval > 0 && (ctx.Err() == nil || !said) {
				said = true
				write(a)
			}
		}
		if err := k.engine.Analyze(ctx, req, report); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
}

// writer returns the function that writes a snapshot as one line.
func (k *kataServer) writer(d dialect, req *thinking.Request, r *Reply) func(*thinking.Analysis) {
	size := k.engine.Game().Size()
	return func(a *thinking.Analysis) {
		shown := k.seen(a)
		if req.MaxMoves == noMoves {
			return
		}
		n := kataNumbers{full: d == plain}
		var b []byte
		for i := range shown.Moves {
			m := &shown.Moves[i]
			if req.MaxMoves > 0 && i == req.MaxMoves {
				break
			}
			if len(m.PV) > k.k.PVLen+1 {
				m.PV = m.PV[:k.k.PVLen+1]
				m.PVVisits, m.PVEdgeVisits = m.PVVisits[:min(len(m.PV), len(m.PVVisits))], m.PVEdgeVisits[:min(len(m.PV), len(m.PVEdgeVisits))]
			}
			if i > 0 {
				b = append(b, ' ')
			}
			if d == leela {
				b = appendLeelaMove(b, size, i, m)
			} else {
				b = n.move(b, size, req, i, m)
			}
		}
		if len(b) == 0 {
			return
		}
		if req.Want.RootInfo {
			b = n.root(b, &shown.Root)
		}
		if req.Want.Ownership {
			b = n.list(b, " ownership", shown.Ownership)
		}
		if req.Want.OwnershipStdev {
			b = n.list(b, " ownershipStdev", shown.OwnershipStdev)
		}
		r.Write(append(b, '\n')) // a failure to write ends ctx
	}
}

// seen returns an analysis from the view that numbers are given from.
func (k *kataServer) seen(a *thinking.Analysis) *thinking.Analysis {
	c := keep(a)
	if k.k.Perspective == board.Empty || k.k.Perspective == a.ToMove {
		return c
	}
	flip := func(list []float32) []float32 {
		out := slices.Clone(list)
		for i := range out {
			out[i] = -out[i]
		}
		return out
	}
	for i := range c.Moves {
		m := &c.Moves[i]
		m.Winrate, m.LCB = 1-m.Winrate, 1-m.LCB
		m.Utility, m.UtilityLCB = -m.Utility, -m.UtilityLCB
		m.Lead, m.ScoreMean = -m.Lead, -m.ScoreMean
		m.Ownership = flip(m.Ownership)
	}
	r := &c.Root
	r.Winrate, r.Utility, r.Lead, r.ScoreMean = 1-r.Winrate, -r.Utility, -r.Lead, -r.ScoreMean
	c.Ownership = flip(c.Ownership)
	return c
}

// kataNumbers writes analyses with six digits that count; full keeps zeros at
// their end.
type kataNumbers struct{ full bool }

func (n kataNumbers) number(b []byte, key string, x float64) []byte {
	x = finite(x)
	text := general(x)
	if n.full && !strings.Contains(text, "e") {
		before := 1
		if a := math.Abs(x); a >= 1 {
			before = int(math.Log10(a)) + 1
		} else if a > 0 {
			before = int(math.Floor(math.Log10(a))) + 1
		}
		text = strconv.FormatFloat(x, 'f', max(0, 6-before), 64)
	}
	return append(append(b, key...), text...)
}

func (n kataNumbers) list(b []byte, key string, list []float32) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, key...)
	for _, x := range list {
		b = n.number(b, " ", float64(x))
	}
	return b
}

func (n kataNumbers) move(b []byte, size board.Size, req *thinking.Request, order int, m *thinking.Move) []byte {
	b = append(append(b, "info move "...), size.Vertex(m.Move)...)
	b = appendInt(b, " visits ", m.Visits)
	b = appendInt(b, " edgeVisits ", m.EdgeVisits)
	for _, f := range []struct {
		key   string
		value float64
	}{
		{" utility ", m.Utility}, {" winrate ", m.Winrate}, {" scoreMean ", m.Lead}, {" scoreStdev ", m.ScoreStdev},
		{" scoreLead ", m.Lead}, {" scoreSelfplay ", m.ScoreMean},
	} {
		b = n.number(b, f.key, f.value)
	}
	if req.Want.NoResult {
		b = n.number(b, " noResultValue ", m.NoResult)
	}
	b = n.number(b, " prior ", float64(m.Prior))
	b = n.number(b, " lcb ", m.LCB)
	b = n.number(b, " utilityLcb ", m.UtilityLCB)
	b = n.number(b, " weight ", m.Weight)
	if m.SymmetryOf != board.NoPoint && m.SymmetryOf != m.Move {
		b = append(append(b, " isSymmetryOf "...), size.Vertex(m.SymmetryOf)...)
	}
	b = appendInt(b, " order ", int64(order))
	b = appendPV(b, size, m)
	if req.Want.PVVisits {
		b = appendInts(b, " pvVisits", m.PVVisits)
	}
	if req.Want.PVEdgeVisits {
		b = appendInts(b, " pvEdgeVisits", m.PVEdgeVisits)
	}
	if req.Want.MovesOwnership {
		b = n.list(b, " movesOwnership", m.Ownership)
	}
	if req.Want.MovesOwnershipStdev {
		b = n.list(b, " movesOwnershipStdev", m.OwnershipStdev)
	}
	return b
}

func (n kataNumbers) root(b []byte, r *thinking.Root) []byte {
	b = appendInt(b, " rootInfo visits ", r.Visits)
	for _, f := range []struct {
		key   string
		value float64
	}{
		{" utility ", r.Utility}, {" winrate ", r.Winrate}, {" scoreMean ", r.Lead}, {" scoreStdev ", r.ScoreStdev},
		{" scoreLead ", r.Lead}, {" scoreSelfplay ", r.ScoreMean}, {" weight ", r.Weight},
		{" rawStWrError ", wholeError(r.Raw.WinrateError)}, {" rawStScoreError ", r.Raw.ScoreError}, {" rawVarTimeLeft ", r.Raw.VarTimeLeft},
	} {
		b = n.number(b, f.key, f.value)
	}
	return b
}

// wholeError is the error of win minus loss: twice that of the winrate, -1 where
// the network has none.
func wholeError(half float64) float64 { return 2 * half }

// rawNetwork takes [COLOR] SYMMETRY|all [OPTIMISM].
func (k *kataServer) rawNetwork(ctx context.Context, c Command, r *Reply) error {
	const form = "kata-raw-nn (expected an optional color, a symmetry 'all' or index [0-7], and an optional optimism [0-1])"
	g := k.engine.Game()
	req := thinking.EvaluationRequest{Color: g.ToMove(), Optimism: rootOptimism}
	args := c.Args
	if len(args) > 0 {
		if color, err := board.ParseColor(args[0]); err == nil {
			req.Color, args = color, args[1:]
		}
	}
	if len(args) == 0 {
		return kataError("Expected a symmetry argument 'all' or index [0-7] for " + form)
	}
	first, last := 0, symmetries-1
	if !strings.EqualFold(args[0], "all") {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n >= symmetries {
			return kataErrorf("Expected a symmetry argument 'all' or index [0-7] but got '%s' for %s", args[0], form)
		}
		first, last = n, n
	}
	if len(args) > 1 {
		x, err := parseNumber(args[1])
		if err != nil || x < 0 || x > 1 {
			return kataErrorf("Expected an optimism value in [0,1] but got '%s' for %s", args[1], form)
		}
		req.Optimism = x
	}
	if len(args) > 2 {
		return kataErrorf("Unexpected extra argument '%s' for %s", args[2], form)
	}
	var b strings.Builder
	for req.Symmetry = first; req.Symmetry <= last; req.Symmetry++ {
		o, err := k.engine.Evaluate(ctx, req)
		if err != nil {
			return err
		}
		if area := g.Size().Area(); len(o.Policy) != area+1 || o.Ownership != nil && len(o.Ownership) != area {
			return errors.New("the network's output does not fit the board")
		}
		b.WriteString(kataRaw(g.Size(), req.Symmetry, o))
	}
	_, err := r.WriteString(strings.TrimSpace(b.String()))
	return err
}

// kataRaw writes one evaluation in KataGo's widths.
func kataRaw(size board.Size, symmetry int, o *thinking.Evaluation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "symmetry %d\nwhiteWin %.6f\nwhiteLoss %.6f\nnoResult %.6f\nwhiteLead %.3f\nwhiteScoreSelfplay %.3f\nwhiteScoreSelfplaySq %.3f\n",
		symmetry, o.Win, o.Loss, o.NoResult, o.Lead, o.ScoreMean, o.ScoreMeanSq)
	fmt.Fprintf(&b, "varTimeLeft %.3f\nshorttermWinlossError %.3f\nshorttermScoreError %.3f\npolicy\n", o.VarTimeLeft, o.ErrWinLoss, o.ErrScore)
	area := size.Area()
	for p, x := range o.Policy[:area] {
		if x < 0 {
			b.WriteString("    NAN ")
		} else {
			fmt.Fprintf(&b, "%8.6f ", x)
		}
		if (p+1)%size.W == 0 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "policyPass %8.6f \nwhiteOwnership\n", o.Policy[area])
	for p, x := range o.Ownership {
		fmt.Fprintf(&b, "%9.7f ", x)
		if (p+1)%size.W == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
