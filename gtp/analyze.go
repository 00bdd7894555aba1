package gtp

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"kosumi/board"
)

// dialect is the family of an analysis command.
type dialect uint8

const (
	leela dialect = iota // lz-: whole numbers of 1/10000
	kata                 // kata-: decimals, more keys and options
	plain                // KataGo's analyze: its decimals, without its options
)

// analysisCommands stream what a search finds. "analyze" and "genmove_analyze"
// work but are not listed: clients that see them expect different units.
func (s *Server) analysisCommands() []handler {
	search := MoveRequest{Keep: true}
	return []handler{
		{name: "lz-analyze", run: s.analyze(leela), byInput: true},
		{name: "kata-analyze", run: s.analyze(kata), byInput: true},
		{name: "analyze", run: s.analyze(kata), byInput: true, hidden: true},
		{name: "lz-genmove_analyze", run: s.moveAnalysis(leela, MoveRequest{})},
		{name: "kata-genmove_analyze", run: s.moveAnalysis(kata, MoveRequest{})},
		{name: "genmove_analyze", run: s.moveAnalysis(kata, MoveRequest{}), hidden: true},
		{name: "kata-search_analyze", run: s.moveAnalysis(kata, search)},
		{name: "kata-search_analyze_cancellable", run: s.moveAnalysis(kata, search), byInput: true},
	}
}

// analyze streams until input arrives, also if the search ends before.
func (s *Server) analyze(d dialect) HandlerFunc {
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
func (s *Server) moveAnalysis(d dialect, m MoveRequest) HandlerFunc {
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
		move, err := s.think(ctx, m)
		if err != nil {
			return err
		}
		_, err = r.WriteString("play " + move + "\n")
		return err
	}
}

// printer returns the function that writes a snapshot as one line.
func (s *Server) printer(d dialect, req *AnalyzeRequest, r *Reply) func(*Analysis) {
	size := s.engine.Game().Size()
	forbidden := req.forbidden(size)
	var line []byte
	return func(a *Analysis) {
		shown := *a
		if forbidden != nil {
			shown.Moves = slices.DeleteFunc(slices.Clone(a.Moves), func(m MoveAnalysis) bool { return forbidden[size.Index(m.Move)] })
		}
		line = appendAnalysis(line[:0], d, size, req, &shown)
		if len(line) > 0 {
			r.Write(append(line, '\n')) // a failure to write ends ctx
		}
	}
}

// forbidden marks the moves that the request rules out at the root, by
// board.Size.Index; it is nil if there are none. A search that pads its list
// with unvisited moves may come up with them.
func (r *AnalyzeRequest) forbidden(size board.Size) []bool {
	var marks []bool
	for _, v := range r.Avoid {
		if v.Color == r.Color {
			if marks == nil {
				marks = make([]bool, size.Area()+1)
			}
			for _, p := range v.Points {
				marks[size.Index(p)] = true
			}
		}
	}
	for _, v := range r.Allow {
		if v.Color == r.Color {
			marks = slices.Repeat([]bool{true}, size.Area()+1)
			for _, p := range v.Points {
				marks[size.Index(p)] = false
			}
		}
	}
	return marks
}

// analyzeParser reads the arguments of an analysis command.
type analyzeParser struct {
	size    board.Size
	dialect dialect
	args    []string
	req     AnalyzeRequest
}

// parseAnalyze reads "[COLOR] [CENTISECONDS] [KEY VALUE]...", where repeated keys
// are harmless.
func (s *Server) parseAnalyze(d dialect, args []string) (AnalyzeRequest, error) {
	g := s.engine.Game()
	p := analyzeParser{size: g.Size(), dialect: d, args: args}
	p.req.Color = g.ToMove()
	for len(p.args) > 0 {
		if err := p.next(); err != nil {
			return AnalyzeRequest{}, err
		}
	}
	return p.req, p.check()
}

// take removes the next argument.
func (p *analyzeParser) take() (string, error) {
	if len(p.args) == 0 {
		return "", errSyntax
	}
	word := p.args[0]
	p.args = p.args[1:]
	return word, nil
}

// next reads one argument with what belongs to it.
func (p *analyzeParser) next() error {
	word, _ := p.take()
	if c, err := board.ParseColor(word); err == nil {
		p.req.Color = c
		return nil
	}
	if n, err := parseNumber(word); err == nil {
		return p.interval(n)
	}
	switch word {
	case "interval":
		value, err := p.take()
		if err != nil {
			return err
		}
		n, err := parseNumber(value)
		if err != nil {
			return err
		}
		return p.interval(n)
	case "minmoves":
		return p.number(&p.req.MinMoves, 0)
	case "maxmoves":
		return p.number(&p.req.MaxMoves, 1)
	case "avoid":
		return p.restriction(&p.req.Avoid)
	case "allow":
		return p.restriction(&p.req.Allow)
	}
	return p.detail(word)
}

// interval takes centiseconds. Clients send 2147483647 to say "never" and
// fractions just above a whole number.
func (p *analyzeParser) interval(centiseconds float64) error {
	p.req.Interval = max(seconds(centiseconds/100), 10*time.Millisecond)
	return nil
}

func (p *analyzeParser) number(to *int, least int) error {
	word, err := p.take()
	if err != nil {
		return err
	}
	n, err := parseInt(word)
	if err != nil || n < least || n > math.MaxInt32 {
		return errSyntax
	}
	*to = n
	return nil
}

// detail reads one of KataGo's switches and its value.
func (p *analyzeParser) detail(word string) error {
	w := &p.req.Want
	to := map[string]*bool{
		"rootInfo": &w.RootInfo, "ownership": &w.Ownership, "ownershipStdev": &w.OwnershipStdev,
		"movesOwnership": &w.MovesOwnership, "movesOwnershipStdev": &w.MovesOwnershipStdev,
		"pvVisits": &w.PVVisits, "pvEdgeVisits": &w.PVEdgeVisits, "noResultValue": &w.NoResultValue,
	}[word]
	if to == nil || p.dialect != kata {
		return errSyntax
	}
	value, err := p.take()
	if err != nil {
		return err
	}
	*to, err = parseBool(value)
	return err
}

// restriction reads "COLOR VERTEX,VERTEX,... DEPTH".
func (p *analyzeParser) restriction(to *[]Restriction) error {
	if len(p.args) < 3 {
		return errSyntax
	}
	c, err := parseColor(p.args[0])
	if err != nil {
		return err
	}
	depth, err := parseInt(p.args[2])
	if err != nil || depth < 1 {
		return errSyntax
	}
	points, err := p.points(p.args[1])
	if err != nil {
		return err
	}
	p.args = p.args[3:]
	*to = append(*to, Restriction{Color: c, Points: points, Depth: depth})
	return nil
}

// points reads vertices, pass and ranges such as A1:C3, separated by commas.
func (p *analyzeParser) points(list string) ([]board.Point, error) {
	var points []board.Point
	for _, item := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(item, ":")
		a, err := p.size.ParseVertex(from)
		if err != nil {
			return nil, errSyntax
		}
		if !isRange {
			points = append(points, a)
			continue
		}
		b, err := p.size.ParseVertex(to)
		if err != nil || a == board.Pass || b == board.Pass {
			return nil, errSyntax
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
	var last [3]*Restriction
	for i := range p.req.Allow {
		last[p.req.Allow[i].Color] = &p.req.Allow[i]
	}
	var allow []Restriction
	for _, r := range last {
		if r != nil {
			allow = append(allow, *r)
		}
	}
	p.req.Allow = allow
	for _, r := range p.req.Avoid {
		if last[r.Color] != nil {
			return errSyntax
		}
	}
	return nil
}
