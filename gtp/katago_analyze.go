package gtp

import (
	"math"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/thinking"
)

// analyzeArgs reads "[COLOR] [CENTISECONDS] [KEY VALUE]..." as strictly as KataGo:
// a colour and a bare number only in their places, and for each colour either moves
// to avoid or, once, moves to allow.
func (k *kataServer) analyzeArgs(d dialect, c Command) (thinking.Request, error) {
	g := k.engine.Game()
	p := analyzeParser{size: g.Size(), dialect: d, args: c.Args}
	p.req.Color = g.ToMove()
	if len(p.args) > 0 {
		if color, err := board.ParseColor(p.args[0]); err == nil {
			p.req.Color, p.args = color, p.args[1:]
		}
	}
	if len(p.args) > 0 {
		if n, ok := centiseconds(p.args[0]); ok {
			p.args = p.args[1:]
			if err := p.interval(n); err != nil {
				return p.req, err
			}
		}
	}
	for len(p.args) > 0 {
		if err := p.kataPair(); err != nil {
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

// kataPair reads a key and what belongs to it.
func (p *analyzeParser) kataPair() error {
	word, _ := p.take()
	switch word {
	case "interval":
		value, _ := p.take()
		n, ok := centiseconds(value)
		if !ok {
			return errSyntax
		}
		return p.interval(n)
	case "minmoves":
		return p.number(&p.req.MinMoves, 0)
	case "maxmoves":
		err := p.number(&p.req.MaxMoves, 0)
		if err == nil && p.req.MaxMoves == 0 {
			p.req.MaxMoves = noMoves
		}
		return err
	case "avoid", "allow":
		return p.kataRestriction(word == "allow")
	}
	return p.detail(word)
}

// noMoves is the number of moves of a request for none.
const noMoves = -1

// kataRestriction reads "COLOR VERTEX,VERTEX,... DEPTH".
func (p *analyzeParser) kataRestriction(allow bool) error {
	if len(p.args) < 3 {
		return errSyntax
	}
	var named []string
	for item := range strings.SplitSeq(p.args[1], ",") {
		if item != "" {
			named = append(named, item)
		}
	}
	var points []board.Point
	for _, item := range named {
		at, err := p.size.ParseLocation(item)
		if err != nil {
			return errSyntax
		}
		points = append(points, at)
	}
	color, err := parseColor(p.args[0])
	if err != nil {
		return err
	}
	depth, err := parseInt(p.args[2])
	if err != nil || depth < 1 {
		return errSyntax
	}
	p.args = p.args[3:]
	for _, r := range p.req.Restrictions {
		if r.Color == color && (r.Allow || allow) {
			return errSyntax
		}
	}
	p.req.Restrictions = append(p.req.Restrictions, thinking.Restriction{Color: color, Points: points, Depth: depth, Allow: allow})
	return nil
}
