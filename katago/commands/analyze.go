package commands

import (
	"math"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/search/thinking"
)

// form is how an analysis command writes what it finds.
type form uint8

const (
	leela form = iota // lz-: whole numbers of 1/10000
	kata              // kata-: decimals, more keys and options
	plain             // analyze: decimals with all their zeros, without options
)

// analyzeParser reads the arguments of an analysis command.
type analyzeParser struct {
	size board.Size
	form form
	args []string
	req  thinking.Request
}

// parseAnalyze reads "[COLOR] [CENTISECONDS] [KEY VALUE]..." as strictly as KataGo:
// a colour and a bare number only in their places, and for each colour either moves
// to avoid or, once, moves to allow.
func parseAnalyze(g *board.Game, f form, args []string) (thinking.Request, error) {
	p := analyzeParser{size: g.Size(), form: f, args: args}
	p.req.Color = g.ToMove()
	if len(p.args) > 0 {
		if color, err := board.ParseColor(p.args[0]); err == nil {
			p.req.Color, p.args = color, p.args[1:]
		}
	}
	if len(p.args) > 0 {
		if n, ok := centiseconds(p.args[0]); ok {
			p.args = p.args[1:]
			p.req.Interval = gtp.Interval(n)
		}
	}
	for len(p.args) > 0 {
		if err := p.pair(); err != nil {
			return p.req, err
		}
	}
	return p.req, nil
}

// centiseconds reads the time between reports.
func centiseconds(word string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(word, 64)
	return n, err == nil && n >= 0 && !math.IsInf(n, 0)
}

// take removes the next argument, "" if there is none.
func (p *analyzeParser) take() string {
	if len(p.args) == 0 {
		return ""
	}
	word := p.args[0]
	p.args = p.args[1:]
	return word
}

// pair reads a key and what belongs to it.
func (p *analyzeParser) pair() error {
	switch word := p.take(); word {
	case "interval":
		n, ok := centiseconds(p.take())
		if !ok {
			return gtp.ErrSyntax
		}
		p.req.Interval = gtp.Interval(n)
		return nil
	case "minmoves":
		return p.count(&p.req.MinMoves)
	case "maxmoves":
		err := p.count(&p.req.MaxMoves)
		if err == nil && p.req.MaxMoves == 0 {
			p.req.MaxMoves = noMoves
		}
		return err
	case "avoid", "allow":
		return p.restriction(word == "allow")
	case "focus":
		if len(p.args) < 2 || p.req.Focus != nil {
			return gtp.ErrSyntax
		}
		var err error
		p.req.Focus, err = gtp.ParseFocus(p.size, p.take(), p.take())
		return err
	default:
		if p.form != kata {
			return gtp.ErrSyntax
		}
		return gtp.SetDetail(&p.req.Want, word, p.take())
	}
}

// count reads a number of moves.
func (p *analyzeParser) count(to *int) error {
	n, err := strconv.Atoi(p.take())
	if err != nil || n < 0 || n > math.MaxInt32 {
		return gtp.ErrSyntax
	}
	*to = n
	return nil
}

// noMoves is the number of moves of a request for none.
const noMoves = -1

// restriction reads "COLOR VERTEX,VERTEX,... DEPTH".
func (p *analyzeParser) restriction(allow bool) error {
	if len(p.args) < 3 {
		return gtp.ErrSyntax
	}
	var points []board.Point
	for item := range strings.SplitSeq(p.args[1], ",") {
		if item == "" {
			continue
		}
		at, err := p.size.ParseLocation(item)
		if err != nil {
			return gtp.ErrSyntax
		}
		points = append(points, at)
	}
	color, err := board.ParseColor(p.args[0])
	if err != nil {
		return err
	}
	depth, err := strconv.Atoi(p.args[2])
	if err != nil || depth < 1 {
		return gtp.ErrSyntax
	}
	p.args = p.args[3:]
	for _, r := range p.req.Restrictions {
		if r.Color == color && (r.Allow || allow) {
			return gtp.ErrSyntax
		}
	}
	p.req.Restrictions = append(p.req.Restrictions, thinking.Restriction{Color: color, Points: points, Depth: depth, Allow: allow})
	return nil
}
