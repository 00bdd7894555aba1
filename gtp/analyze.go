package gtp

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/search/thinking"
)

// dialect is the family that an analysis command belongs to.
type dialect uint8

const (
	leela dialect = iota // lz- commands: whole numbers in units of 1/10000
	kata                 // kata- commands: decimals, more keys and options
)

// analysisCommands stream the results of a search. "analyze" and "genmove_analyze" work but are
// not listed: clients that see them expect different units.
type analysisCommands struct {
	engine Engine
	mover  *Mover
}

func (s *analysisCommands) list() []Handler {
	search := thinking.MoveRequest{Keep: true}
	return []Handler{
		{Name: "lz-analyze", Run: s.analyze(leela), ByInput: true, usage: usage{analyzeArgs, "analyses until the next line of input, as Leela Zero writes it", byLeela}},
		{Name: "kata-analyze", Run: s.analyze(kata), ByInput: true, usage: usage{analyzeArgs, "as lz-analyze, with KataGo's fields", byKataGo}},
		{Name: "analyze", Run: s.analyze(kata), ByInput: true, Hidden: true, usage: usage{analyzeArgs, "as kata-analyze, by the short name that Sabaki tries", byKataGo}},
		{Name: "lz-genmove_analyze", Run: s.moveAnalysis(leela, thinking.MoveRequest{}), usage: usage{analyzeArgs, "as genmove, with analysis on the way", byLeela}},
		{Name: "kata-genmove_analyze", Run: s.moveAnalysis(kata, thinking.MoveRequest{}), usage: usage{analyzeArgs, "as genmove, with analysis on the way", byKataGo}},
		{Name: "genmove_analyze", Run: s.moveAnalysis(kata, thinking.MoveRequest{}), Hidden: true, usage: usage{analyzeArgs, "as genmove, with analysis on the way", byKataGo}},
		{Name: "kata-search_analyze", Run: s.moveAnalysis(kata, search), usage: usage{analyzeArgs, "as kata-search, with analysis on the way", byKataGo}},
		{Name: "kata-search_analyze_cancellable", Run: s.moveAnalysis(kata, search), ByInput: true, usage: usage{analyzeArgs, "as kata-search_analyze; any input ends it", byKataGo}},
	}
}

// analyze streams until input arrives, even if the search ends before that.
func (s *analysisCommands) analyze(d dialect) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		req, err := ParseAnalyze(s.engine.Game(), c.Args, d == kata, false)
		if err != nil {
			return err
		}
		if err := r.Stream(); err != nil {
			return err
		}
		if err := s.engine.Analyze(ctx, req, s.printer(d, &req, r)); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
}

// moveAnalysis streams while the engine chooses a move, and ends with "play" and
// the move.
func (s *analysisCommands) moveAnalysis(d dialect, m thinking.MoveRequest) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		req, err := ParseAnalyze(s.engine.Game(), c.Args, d == kata, false)
		if err != nil {
			return err
		}
		if err := r.Stream(); err != nil {
			return err
		}
		m := m
		m.Color, m.Analysis, m.Report = req.Color, &req, s.printer(d, &req, r)
		move, err := s.mover.Think(ctx, m)
		if err != nil {
			return err
		}
		return r.Print("play " + move + "\n")
	}
}

// printer returns the function that writes a snapshot as one line.
func (s *analysisCommands) printer(d dialect, req *thinking.Request, r *Reply) func(*thinking.Analysis) {
	size := s.engine.Game().Size()
	var line []byte
	return func(a *thinking.Analysis) {
		shown := *a
		// Unsearched moves fill the list up to minmoves; restrictions may forbid some of them.
		shown.Moves = slices.DeleteFunc(slices.Concat(a.Moves, a.Unsearched), func(m thinking.Move) bool {
			return !thinking.Permits(req.Restrictions, req.Color, m.Move, 0)
		})
		line = appendAnalysis(line[:0], d, size, req, &shown)
		if len(line) > 0 {
			r.Write(append(line, '\n')) // a failed write cancels ctx
		}
	}
}

type analyzeParser struct {
	size   board.Size
	args   []string
	strict bool
	req    thinking.Request
}

// ParseAnalyze reads "[COLOR] [CENTISECONDS] [KEY VALUE]...". Every key except focus may be repeated.
// If details is set, it also reads the switches of kata-analyze. If strict is set, it reads as
// KataGo does: colour and bare number only at the beginning, one allow list for each colour, no
// ranges of points, and "maxmoves 0", which sets MaxMoves to [NoMoves].
func ParseAnalyze(g *board.Game, args []string, details, strict bool) (thinking.Request, error) {
	p := analyzeParser{size: g.Size(), args: args, strict: strict, req: thinking.Request{Color: g.ToMove()}}
	p.color()
	p.centiseconds()
	for len(p.args) > 0 {
		if !strict && (p.color() || p.centiseconds()) {
			continue
		}
		if err := p.pair(details); err != nil {
			return thinking.Request{}, err
		}
	}
	return p.req, p.check()
}

// NoMoves is the value of a request's MaxMoves if no moves are to be listed.
const NoMoves = -1

func (p *analyzeParser) color() bool {
	if len(p.args) == 0 {
		return false
	}
	c, err := board.ParseColor(p.args[0])
	if err == nil {
		p.req.Color, p.args = c, p.args[1:]
	}
	return err == nil
}

// centiseconds reads the time between reports, if a number from 0 up is next.
func (p *analyzeParser) centiseconds() bool {
	if len(p.args) == 0 {
		return false
	}
	n, err := ParseNumber(p.args[0])
	if err != nil || n < 0 || p.strict && strings.Contains(p.args[0], ",") {
		return false
	}
	p.req.Interval, p.args = interval(n), p.args[1:]
	return true
}

// take removes and returns the next argument; "" if there is none.
func (p *analyzeParser) take() string {
	if len(p.args) == 0 {
		return ""
	}
	word := p.args[0]
	p.args = p.args[1:]
	return word
}

func (p *analyzeParser) pair(details bool) (err error) {
	switch word := p.take(); word {
	case "interval":
		if !p.centiseconds() {
			return ErrSyntax
		}
	case "minmoves":
		p.req.MinMoves, err = p.count(0)
	case "maxmoves":
		least := 1
		if p.strict {
			least = 0
		}
		if p.req.MaxMoves, err = p.count(least); p.req.MaxMoves == 0 {
			p.req.MaxMoves = NoMoves
		}
	case "avoid", "allow":
		err = p.restriction(word == "allow")
	case "focus":
		if len(p.args) < 2 || p.req.Focus != nil {
			return ErrSyntax
		}
		p.req.Focus, err = parseFocus(p.size, p.take(), p.take())
	default:
		if !details {
			return ErrSyntax
		}
		err = setDetail(&p.req.Want, word, p.take())
	}
	return err
}

// parseFocus reads the value of KataGo's key focus: moves and their share of the playouts, as in
// "D4:2,Q16,pass 0.5". A number after a colon is the weight of a move, 1 by default. Errors are
// ErrSyntax.
func parseFocus(size board.Size, list, share string) (*thinking.Focus, error) {
	f := &thinking.Focus{}
	var err error
	if f.Prob, err = ParseNumber(share); err != nil || f.Prob < 0 || f.Prob > 1 {
		return nil, ErrSyntax
	}
	for item := range strings.SplitSeq(list, ",") {
		if item == "" {
			continue
		}
		vertex, text, weighted := strings.Cut(item, ":")
		weight := 1.0
		if weighted {
			if weight, err = ParseNumber(text); err != nil || weight <= 0 {
				return nil, ErrSyntax
			}
		}
		move, err := size.ParseLocation(vertex)
		if err != nil {
			return nil, ErrSyntax
		}
		f.Moves, f.Weights = append(f.Moves, move), append(f.Weights, weight)
	}
	return f, nil
}

// interval converts the centiseconds between reports to a duration of at least 10 ms. It may be
// a fraction; clients send 2147483647 for "never".
func interval(centiseconds float64) time.Duration {
	return max(Seconds(centiseconds/100), 10*time.Millisecond)
}

func (p *analyzeParser) count(least int) (int, error) {
	n, err := parseInt(p.take())
	if err != nil || n < least || n > math.MaxInt32 {
		return 0, ErrSyntax
	}
	return n, nil
}

func setDetail(w *thinking.Details, name, value string) (err error) {
	to := map[string]*bool{
		"rootInfo": &w.RootInfo, "ownership": &w.Ownership, "ownershipStdev": &w.OwnershipStdev,
		"movesOwnership": &w.MovesOwnership, "movesOwnershipStdev": &w.MovesOwnershipStdev,
		"pvVisits": &w.PVVisits, "pvEdgeVisits": &w.PVEdgeVisits, "noResultValue": &w.NoResult,
	}[name]
	if to == nil {
		return ErrSyntax
	}
	*to, err = parseBool(value)
	return err
}

// restriction reads "COLOR VERTEX,VERTEX,... DEPTH".
func (p *analyzeParser) restriction(allow bool) error {
	if len(p.args) < 3 {
		return ErrSyntax
	}
	c, err := parseColor(p.args[0])
	if err != nil {
		return err
	}
	depth, err := parseInt(p.args[2])
	if err != nil || depth < 1 {
		return ErrSyntax
	}
	points, err := p.points(p.args[1])
	if err != nil {
		return err
	}
	p.args = p.args[3:]
	p.req.Restrictions = append(p.req.Restrictions, thinking.Restriction{Color: c, Points: points, Depth: depth, Allow: allow})
	return nil
}

// points reads vertices, pass and ranges such as A1:C3, separated by commas.
func (p *analyzeParser) points(list string) ([]board.Point, error) {
	var points []board.Point
	for item := range strings.SplitSeq(list, ",") {
		if p.strict {
			if item == "" {
				continue
			}
			at, err := p.size.ParseLocation(item)
			if err != nil {
				return nil, ErrSyntax
			}
			points = append(points, at)
			continue
		}
		from, to, isRange := strings.Cut(item, ":")
		a, err := p.size.ParseVertex(from)
		if err != nil {
			return nil, ErrSyntax
		}
		if !isRange {
			points = append(points, a)
			continue
		}
		b, err := p.size.ParseVertex(to)
		if err != nil || a == board.Pass || b == board.Pass {
			return nil, ErrSyntax
		}
		points = p.size.Rectangle(points, a, b)
	}
	return points, nil
}

// check keeps the last allow list of each colour, or refuses a second one if p.strict is set. It
// also refuses a colour that has both an allow list and an avoid list.
func (p *analyzeParser) check() error {
	var last [3]int // index of each colour's last allow list in the restrictions, plus 1
	for i, r := range p.req.Restrictions {
		if r.Allow {
			last[r.Color] = i + 1
		}
	}
	var kept []thinking.Restriction
	for i, r := range p.req.Restrictions {
		switch {
		case !r.Allow && last[r.Color] != 0, p.strict && r.Allow && last[r.Color] != i+1:
			return ErrSyntax
		case !r.Allow || last[r.Color] == i+1:
			kept = append(kept, r)
		}
	}
	p.req.Restrictions = kept
	return nil
}
