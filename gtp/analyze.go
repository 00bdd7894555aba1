package gtp

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/thinking"
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
	search := thinking.MoveRequest{Keep: true}
	return []handler{
		{name: "lz-analyze", run: s.analyze(leela), byInput: true},
		{name: "kata-analyze", run: s.analyze(kata), byInput: true},
		{name: "analyze", run: s.analyze(kata), byInput: true, hidden: true},
		{name: "lz-genmove_analyze", run: s.moveAnalysis(leela, thinking.MoveRequest{})},
		{name: "kata-genmove_analyze", run: s.moveAnalysis(kata, thinking.MoveRequest{})},
		{name: "genmove_analyze", run: s.moveAnalysis(kata, thinking.MoveRequest{}), hidden: true},
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
func (s *Server) moveAnalysis(d dialect, m thinking.MoveRequest) HandlerFunc {
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
func (s *Server) printer(d dialect, req *thinking.Request, r *Reply) func(*thinking.Analysis) {
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
func (s *Server) parseAnalyze(d dialect, args []string) (thinking.Request, error) {
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
		return p.restriction(false)
	case "allow":
		return p.restriction(true)
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
		"pvVisits": &w.PVVisits, "pvEdgeVisits": &w.PVEdgeVisits, "noResultValue": &w.NoResult,
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
func (p *analyzeParser) restriction(allow bool) error {
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
			return errSyntax
		case !r.Allow || last[r.Color] == i+1:
			kept = append(kept, r)
		}
	}
	p.req.Restrictions = kept
	return nil
}
