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

// form is the output format of an analysis command.
type form uint8

const (
	leela form = iota // lz- commands: whole numbers in units of 1/10000
	kata              // kata- commands: decimals, with more keys and options
	plain             // analyze: decimals with trailing zeros, no options
)

// genMove returns the handler of a genmove command that takes a colour as its only argument.
func (k *handlers) genMove(r thinking.MoveRequest, debug bool) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, reply *gtp.Reply) error {
		if len(c.Args) != 1 {
			return gtp.Failf("Expected one argument for %s but got '%s'", c.Name, args(c))
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
		return reply.Print(move)
	}
}

// choose asks the engine for a move. With debug it also prints the board and the search.
func (k *handlers) choose(ctx context.Context, r thinking.MoveRequest, debug bool) (string, error) {
	k.Engine.Turn(r.Color, true)
	before := k.Engine.Game().Clone()
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

// moveAnalysis streams analysis while the engine chooses a move, then ends with "play" and the
// move.
func (k *handlers) moveAnalysis(d form, m thinking.MoveRequest) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		req, err := gtp.ParseAnalyze(k.Engine.Game(), c.Args, d == kata, true)
		if err != nil {
			return gtp.Failf("Could not parse genmove_analyze arguments or arguments out of range: '%s'", args(c))
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
		return r.Print("play " + move + "\n")
	}
}

// analyze streams analysis until input arrives. Without an interval it prints nothing.
func (k *handlers) analyze(d form) gtp.HandlerFunc {
	return func(ctx context.Context, c gtp.Command, r *gtp.Reply) error {
		req, err := gtp.ParseAnalyze(k.Engine.Game(), c.Args, d == kata, true)
		if err != nil {
			return gtp.Failf("Could not parse analyze arguments or arguments out of range: '%s'", args(c))
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
func (k *handlers) writer(d form, req *thinking.Request, r *gtp.Reply) func(*thinking.Analysis) {
	size := k.Engine.Game().Size()
	return func(a *thinking.Analysis) {
		shown := k.seen(a)
		if req.MaxMoves == gtp.NoMoves {
			return
		}
		text := gtp.KataText(significant)
		if d == plain {
			text = allSignificant
		}
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
				b = text.Move(b, size, req, i, m)
			}
		}
		if len(b) == 0 {
			return
		}
		shown.Root.Raw.WinrateError *= 2 // KataGo reports the error of win minus loss
		b = text.Tail(b, req, shown)
		r.Write(append(b, '\n')) // a failed write cancels ctx
	}
}

// seen returns a copy of an analysis in the chosen perspective, with unsearched moves appended.
func (k *Personality) seen(a *thinking.Analysis) *thinking.Analysis {
	c := new(*a)
	c.Moves, c.Unsearched = slices.Concat(a.Moves, a.Unsearched), nil
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

// significant appends a key and a number with six significant digits.
func significant(b []byte, key string, x float64) []byte {
	return append(append(b, key...), setting.General(gtp.Finite(x))...)
}

// allSignificant does the same as the function significant, but keeps trailing zeros.
func allSignificant(b []byte, key string, x float64) []byte {
	x = gtp.Finite(x)
	text := setting.General(x)
	if !strings.Contains(text, "e") {
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
