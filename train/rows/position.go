package rows

import (
	"fmt"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// Position reconstructs the position of row i for a network: the inputs; a game with the row's
// stones and rules, in which Black plays the side to move and komi is 0; and the empty points that
// the row forbids and the board allows, such as a ko. Errors wrap ErrFormat.
func (s *Set) Position(i int) (shown *nn.Encoded, g *board.Game, banned []board.Point, err error) {
	size, err := s.board(i)
	if err != nil {
		return nil, nil, nil, err
	}
	e, area := s.Layout.Encoding, size.Area()
	shown = &nn.Encoded{Encoding: e, Spatial: make([]float32, e.Planes()*area), Global: append([]float32(nil), s.global(i)[:e.Globals()]...)}
	var u unpacker
	u.planes(shown.Spatial, s, i, u.sources(s.Layout.Side, size, 0), historyMoves)
	form := forms[e]
	on := func(plane, p int) bool { return shown.Spatial[plane*area+p] > 0 }
	var stones [2][]board.Point
	for p := range area {
		switch at := board.Point(p); {
		case on(form.stones[0], p):
			stones[0] = append(stones[0], at)
		case on(form.stones[1], p):
			stones[1] = append(stones[1], at)
		case form.legal > 0 && !on(form.legal, p), form.ko > 0 && on(form.ko, p):
			banned = append(banned, at)
		}
	}
	if g, err = board.NewGame(size, s.rules(i)); err != nil {
		return nil, nil, nil, fmt.Errorf("%w: row %d: %w", ErrFormat, i, err)
	}
	if err = g.Setup(stones[0], stones[1], board.Black); err != nil {
		return nil, nil, nil, fmt.Errorf("%w: row %d: %w", ErrFormat, i, err)
	}
	return shown, g, banned, nil
}

// rules returns the rules of row i, as far as its inputs tell them.
func (s *Set) rules(i int) board.Rules {
	var r board.Rules
	if s.Layout.Encoding != features.V7 {
		r.Ko = board.KoPositional // networks of other encodings do not know games without result
		return r
	}
	g := s.global(i)
	switch {
	case g[6] > 0 && g[7] > 0:
		r.Ko = board.KoPositional
	case g[6] > 0:
		r.Ko = board.KoSituational
	}
	r.Suicide = g[8] > 0
	if g[9] > 0 {
		r.Scoring = board.ScoringTerritory
	}
	return r
}
