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

// dialect is the family of an analysis command.
type dialect uint8

const (
	leela dialect = iota // lz-: whole numbers of 1/10000
	kata                 // kata-: decimals, more keys and options
)

// analysisCommands stream what a search finds. "analyze" and "genmove_analyze"
// work but are not listed: clients that see them expect different units.
type analysisCommands struct {
	engine Engine
	mover  *Mover
}

func (s *analysisCommands) list() []Handler {
	search := thinking.MoveRequest{Keep: true}
	return []Handler{
		{Name: "lz-analyze", Run: s.analyze(leela), ByInput: true},
		{Name: "kata-analyze", Run: s.analyze(kata), ByInput: true},
		{Name: "analyze", Run: s.analyze(kata), ByInput: true, Hidden: true},
		{Name: "lz-genmove_analyze", Run: s.moveAnalysis(leela, thinking.MoveRequest{})},
		{Name: "kata-genmove_analyze", Run: s.moveAnalysis(kata, thinking.MoveRequest{})},
		{Name: "genmove_analyze", Run: s.moveAnalysis(kata, thinking.MoveRequest{}), Hidden: true},
		{Name: "kata-search_analyze", Run: s.moveAnalysis(kata, search)},
		{Name: "kata-search_analyze_cancellable", Run: s.moveAnalysis(kata, search), ByInput: true},
	}
}

// analyze streams until input arrives, also if the search ends before.
func (s *analysisCommands) analyze(d dialect) HandlerFunc {
	return func(ctx context.Context, c Command, r *Reply) error {
		req, err := s.parseAnalyze(d, c.Args)
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
		req, err := s.parseAnalyze(d, c.Args)
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
		_, err = r.WriteString("play " + move + "\n")
		return err
	}
}

// printer returns the function that writes a snapshot as one line.
func (s *analysisCommands) printer(d dialect, req *thinking.Request, r *Reply) func(*thinking.Analysis) {
	size := s.engine.Game().Size()
	var line []byte
	return func(a *thinking.Analysis) {
		shown := *a
		// A search that makes up the number of moves may come up with forbidden ones.
		shown.Moves = slices.DeleteFunc(slices.Concat(a.Moves, a.Unsearched), func(m thinking.Move) bool {
			return !thinking.Permits(req.Restrictions, req.Color, m.Move, 0)
		})
		line = appendAnalysis(line[:0], d, size, req, &shown)
		if len(line) > 0 {
			r.Write(append(line, '\n')) // a failure to write ends ctx
		}
	}
}

// analyzeParser reads the arguments of an analysis command.
type analyzeParser struct {
	size    board.Size
	dialect dialect
	args    []string
	req     thinking.Request
}

// parseAnalyze reads "[COLOR] [CENTISECONDS] [KEY VALUE]...", where repeated keys
// are harmless.
func (s *analysisCommands) parseAnalyze(d dialect, args []string) (thinking.Request, error) {
	g := s.engine.Game()
	p := analyzeParser{size: g.Size(), dialect: d, args: args}
	p.req.Color = g.ToMove()
	for len(p.args) > 0 {
		if err := p.next(); err != nil {
			return thinking.Request{}, err
		}
	}
	return p.req, p.check()
}

// take removes the next argument.
func (p *analyzeParser) take() (string, error) {
	if len(p.args) == 0 {
		return "", ErrSyntax
	}
	word := p.args[0]
	p.args = p.args[1:]
	return word, nil
}

// next reads one argument with what belongs to it.
func (p *analyzeParser) next() error {
	word, _ := p.take()
	c, err := board.ParseColor(word)
	if err == nil {
		p.req.Color = c
		return nil
	}
	if n, err := ParseNumber(word); err == nil {
		p.req.Interval = Interval(n)
		return nil
	}
	switch word {
	case "interval":
		value, err := p.take()
		if err != nil {
			return err
		}
		n, err := ParseNumber(value)
		if err != nil {
			return err
		}
		p.req.Interval = Interval(n)
		return nil
	case "minmoves":
		return p.number(&p.req.MinMoves, 0)
	case "maxmoves":
		return p.number(&p.req.MaxMoves, 1)
	case "avoid":
		return p.restriction(false)
	case "allow":
		return p.restriction(true)
	case "focus":
		if len(p.args) < 2 || p.req.Focus != nil {
			return ErrSyntax
		}
		p.req.Focus, err = ParseFocus(p.size, p.args[0], p.args[1])
		p.args = p.args[2:]
		return err
	}
	return p.detail(word)
}

// ParseFocus reads what follows KataGo's key focus: moves and the share of the playouts
// that they get, as in "D4:2,Q16,pass 0.5". A number after a colon is how many shares of
// that the move gets, 1 where there is none. Errors are ErrSyntax.
func ParseFocus(size board.Size, list, share string) (*thinking.Focus, error) {
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

// Interval is the time between two reports, of centiseconds. Clients send 2147483647
// to say "never" and fractions just above a whole number.
func Interval(centiseconds float64) time.Duration {
	return max(Seconds(centiseconds/100), 10*time.Millisecond)
}

func (p *analyzeParser) number(to *int, least int) error {
	word, err := p.take()
	if err != nil {
		return err
	}
	n, err := parseInt(word)
	if err != nil || n < least || n > math.MaxInt32 {
		return ErrSyntax
	}
	*to = n
	return nil
}

// detail reads one of KataGo's switches and its value.
func (p *analyzeParser) detail(word string) error {
	if p.dialect != kata {
		return ErrSyntax
	}
	value, err := p.take()
	if err != nil {
		return err
	}
	return SetDetail(&p.req.Want, word, value)
}

// SetDetail turns one of KataGo's switches on or off.
func SetDetail(w *thinking.Details, name, value string) (err error) {
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
	for _, item := range strings.Split(list, ",") {
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
		ax, ay := p.size.XY(a)
		bx, by := p.size.XY(b)
		for y := min(ay, by); y <= max(ay, by); y++ {
			for x := min(ax, bx); x <= max(ax, bx); x++ {
				points = append(points, p.size.Point(x, y))
			}
		}
	}
	return points, nil
}

// check makes the last of repeated allows the only one, and refuses a colour
// that has both kinds of restriction.
func (p *analyzeParser) check() error {
	var last [3]int // index of the colour's allow, from 1
	for i, r := range p.req.Restrictions {
		if r.Allow {
			last[r.Color] = i + 1
		}
	}
	var kept []thinking.Restriction
	for i, r := range p.req.Restrictions {
		switch {
		case !r.Allow && last[r.Color] != 0:
			return ErrSyntax
		case !r.Allow || last[r.Color] == i+1:
			kept = append(kept, r)
		}
	}
	p.req.Restrictions = kept
	return nil
}
