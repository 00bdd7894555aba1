package commands

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/search/setting"
	"kosumi/search/thinking"
)

// searchCommands choose moves and analyse.
type searchCommands struct {
	*Personality
	mover *gtp.Mover
	chat  *gtp.Chat
}

func (k *searchCommands) list() []gtp.Handler {
	keep := thinking.MoveRequest{Keep: true}
	return []gtp.Handler{
		{Name: "genmove", Run: k.genMove(thinking.MoveRequest{}, false)}, {Name: "genmove_debug", Run: k.genMove(thinking.MoveRequest{}, true)},
		{Name: "kata-search", Run: k.genMove(keep, false)}, {Name: "kata-search_debug", Run: k.genMove(keep, true)},
		{Name: "kata-search_cancellable", Run: k.genMove(keep, false), ByInput: true},
		{Name: "genmove_analyze", Run: k.moveAnalysis(plain, thinking.MoveRequest{})},
		{Name: "lz-genmove_analyze", Run: k.moveAnalysis(leela, thinking.MoveRequest{})},
		{Name: "kata-genmove_analyze", Run: k.moveAnalysis(kata, thinking.MoveRequest{})},
		{Name: "kata-search_analyze", Run: k.moveAnalysis(kata, keep)},
		{Name: "kata-search_analyze_cancellable", Run: k.moveAnalysis(kata, keep), ByInput: true},
		{Name: "analyze", Run: k.analyze(plain), ByInput: true}, {Name: "lz-analyze", Run: k.analyze(leela), ByInput: true},
		{Name: "kata-analyze", Run: k.analyze(kata), ByInput: true},
	}
}

// genMove is a handler for a command with a colour as its one argument.
func (k *searchCommands) genMove(r thinking.MoveRequest, debug bool) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, reply *gtp.Reply) error {
		if len(c.Args) != 1 {
			return failf("Expected one argument for %s but got '%s'", c.Name, args(c))
		}
		r := r
		var err error
		if r.Color, err = parseColor(c.Args[0]); err != nil {
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
func (k *searchCommands) choose(ctx context.Context, r thinking.MoveRequest, debug bool) (string, error) {
	k.Engine.Turn(r.Color, true)
	before := k.snapshot()
	found := &thinking.Analysis{}
	if debug {
		found = gtp.Listen(&r)
	}
	move, err := k.mover.Think(ctx, r)
	if err != nil {
		return move, err
	}
	at, err := before.Size().ParseVertex(move)
	if debug && err == nil {
		for line := range strings.SplitSeq(kataBoard(before)+k.chat.Opinion(before.Size(), found, at), "\n") {
			k.Say(line)
		}
	}
	return move, nil
}

// snapshot copies the game as it stands.
func (k *Personality) snapshot() *board.Game {
	var g board.Game
	g.CopyFrom(k.Engine.Game())
	return &g
}

// moveAnalysis streams while the engine chooses a move, and ends with "play" and
// the move.
func (k *searchCommands) moveAnalysis(d form, m thinking.MoveRequest) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		req, err := parseAnalyze(k.Engine.Game(), d, c.Args)
		if err != nil {
			return failf("Could not parse genmove_analyze arguments or arguments out of range: '%s'", args(c))
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
func (k *searchCommands) analyze(d form) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		req, err := parseAnalyze(k.Engine.Game(), d, c.Args)
		if err != nil {
			return failf("Could not parse analyze arguments or arguments out of range: '%s'", args(c))
		}
		if err := r.Stream(); err != nil {
			return err
		}
		k.Engine.Turn(req.Color, false)
		write := k.writer(d, &req, r)
		said := false
		report := func(a *thinking.Analysis) {
			if req.Interval > 0 && (ctx.Err() == nil || !said) {
				said = true
				write(a)
			}
		}
		if err := k.Engine.Analyze(ctx, req, report); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
}

// writer returns the function that writes a snapshot as one line.
func (k *searchCommands) writer(d form, req *thinking.Request, r *gtp.Reply) func(*thinking.Analysis) {
	size := k.Engine.Game().Size()
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
			if len(m.PV) > k.PVLen+1 {
				m.PV = m.PV[:k.PVLen+1]
				m.PVVisits, m.PVEdgeVisits = m.PVVisits[:min(len(m.PV), len(m.PVVisits))], m.PVEdgeVisits[:min(len(m.PV), len(m.PVEdgeVisits))]
			}
			if i > 0 {
				b = append(b, ' ')
			}
			if d == leela {
				b = gtp.AppendLeelaMove(b, size, i, m)
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

// own copies an analysis, so that its numbers may be changed, with the moves that were
// not searched behind the others.
func own(a *thinking.Analysis) *thinking.Analysis {
	c := *a
	c.Moves, c.Unsearched = slices.Concat(a.Moves, a.Unsearched), nil
	return &c
}

// seen returns an analysis from the view that numbers are given from.
func (k *Personality) seen(a *thinking.Analysis) *thinking.Analysis {
	c := own(a)
	if k.Perspective == board.Empty || k.Perspective == a.ToMove {
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
	x = gtp.Finite(x)
	text := setting.General(x)
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
	b = gtp.AppendInt(b, " visits ", m.Visits)
	b = gtp.AppendInt(b, " edgeVisits ", m.EdgeVisits)
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
	b = gtp.AppendInt(b, " order ", int64(order))
	b = gtp.AppendPV(b, size, m)
	if req.Want.PVVisits {
		b = gtp.AppendInts(b, " pvVisits", m.PVVisits)
	}
	if req.Want.PVEdgeVisits {
		b = gtp.AppendInts(b, " pvEdgeVisits", m.PVEdgeVisits)
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
	b = gtp.AppendInt(b, " rootInfo visits ", r.Visits)
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
