package board

import "math"

// Score returns White's points minus Black's, with komi and all bonuses: the result of a finished
// game, or the result if the game ended now. For a game without result it scores the position.
func (g *position) Score() float32 {
	var store [MaxPoints]Color
	owners, groups := g.areaIn(store[:0], g.options.AreaModes)
	return g.points.score(owners, groups, g.rules.Komi, g.toMove)
}

// score returns the score, White minus Black, with komi and all bonuses, from the owners of points
// and the number of taxed groups (White's minus Black's). Under territory scoring, too, stones count as
// points of their owner; s.bonus makes up for them by a point for the opponent for each stone played.
func (s *points) score(owners []Color, groups int, komi float32, toMove Color) float32 {
	score := float32(Balance(owners)-2*groups) + s.bonus + s.handicap + komi
	if s.buttonOnSide {
		score += pointFor(toMove) / 2
	}
	return score
}

// Owners returns for each point the colour that Score counts it for, Empty if neutral. The
// result is dst, made longer if need be.
func (g *position) Owners(dst []Color) []Color {
	dst, _ = g.areaIn(dst, g.options.AreaModes)
	return dst
}

// AreaNow returns the owners of points as networks get them for input: as Owners does, but with the
// area modes m in place of the game's. ok is false, and owners nil, in the main and first clean-up
// phase of territory games, in which networks get none. groups is the number of groups that pay a tax, White's
// minus Black's, 0 unless the tax is TaxAll. The result is dst, made longer if need be.
func (g *position) AreaNow(dst []Color, m AreaModes) (owners []Color, groups int, ok bool) {
	if g.rules.Scoring == ScoringTerritory && g.phase < 2 {
		return nil, 0, false
	}
	dst, groups = g.areaIn(dst, m)
	return dst, groups, true
}

// areaIn returns the owner of each point under the rules, judged in the modes given,
// and the number of groups that pay a tax, White's minus Black's.
func (g *position) areaIn(dst []Color, m AreaModes) (owners []Color, groups int) {
	m = m.under(&g.rules)
	sui := g.rules.Suicide || m.PassAliveUnderSuicide
	if g.rules.Scoring == ScoringArea {
		if g.rules.Tax == TaxNone {
			return g.board.FullArea(dst, sui), 0
		}
		dst, groups = g.board.IndependentLife(dst, KeepStones, sui)
	} else {
		keep := KeepNothing
		switch {
		case m.ExcludeTerritoryAdjacentToAtari:
			keep = KeepSafeTerritory
		case g.rules.Tax == TaxNone:
			keep = KeepTerritory
		}
		dst, groups = g.board.IndependentLife(dst, keep, sui)
		for p := range dst {
			if dst[p] != Empty {
				continue
			}
			// Stones in sekis count; in the second clean-up phase, only stones from before that phase do.
			c := g.board.cells[p].color
			if g.phase < 2 || g.SecondEncoreStart(Point(p)) == c {
				dst[p] = c
			}
		}
	}
	if g.rules.Tax != TaxAll {
		groups = 0
	}
	return dst, groups
}

// Balance returns White's points minus Black's.
func Balance(owners []Color) int {
	n, points := 0, [...]int{Black: -1, White: 1}
	for _, c := range owners {
		n += points[c]
	}
	return n
}

// OwnersWithDead returns for each point the colour that ScoreWithDead counts it for: living stones,
// and empty regions that touch one colour only. A point of such a region does not count if it is in
// seki and the rules count no points there, or, under territory scoring with a tax or the mode
// ExcludeTerritoryAdjacentToAtari, if a chain in atari has to connect there. Empty points in dead are ignored.
func (g *position) OwnersWithDead(dead []Point) []Color {
	owners, _ := g.areaWithDead(dead)
	return owners
}

// ScoreWithDead returns the score if the given stones are dead and all others alive, White minus
// Black, with komi and all bonuses, as players count after they agreed on the dead stones. Empty
// points in dead are ignored. Unlike Score it does not treat groups that touch open neutral points
// as in seki.
func (g *position) ScoreWithDead(dead []Point) float32 {
	owners, groups := g.areaWithDead(dead)
	return g.points.score(owners, groups, g.rules.Komi, g.toMove)
}

// InSeki returns the stones that are in seki if the given stones are dead and all others alive: those of
// groups that touch a neutral point which neither side can fill, or that have a chain in atari which cannot connect.
func (g *position) InSeki(dead []Point) (stones []Point) {
	b, colors := g.without(dead)
	b.closeBorders()
	lives, _ := b.livesApart(nil, b.Area(nil))
	for p, c := range colors {
		if c != lives[p] && c != Empty {
			stones = append(stones, Point(p))
		}
	}
	return stones
}

// without returns the board without the given stones, and the colours of its points.
func (g *position) without(dead []Point) (b *Board, colors []Color) {
	colors = g.board.appendColors(make([]Color, 0, MaxPoints))
	for _, p := range dead {
		if g.Size().Contains(p) {
			colors[p] = Empty
		}
	}
	b = NewBoard(g.Size())
	if b.setUp(colors) != nil {
		panic("stones without liberties") // cannot fail: removing stones leaves every chain a liberty
	}
	return b, colors
}

// areaWithDead returns the owners and taxed groups like areaIn, if the given stones are dead and all others alive.
func (g *position) areaWithDead(dead []Point) (owners []Color, groups int) {
	b, colors := g.without(dead)
	owners = b.Area(nil)
	if g.rules.Tax == TaxNone {
		if g.options.under(&g.rules).ExcludeTerritoryAdjacentToAtari {
			for p, c := range owners {
				if c != Empty && colors[p] == Empty && b.besideAtari(Point(p), c) {
					owners[p] = Empty
				}
			}
		}
		return owners, 0
	}
	b.closeBorders()
	lives, _ := b.livesApart(nil, b.Area(nil))
	territory := g.rules.Scoring == ScoringTerritory
	for p, c := range colors {
		// Points in sekis are no territory; nor, under territory scoring, are points that closeBorders filled.
		if c == Empty && (lives[p] != owners[p] || territory && b.cells[p].color != Empty) {
			owners[p] = Empty
		}
	}
	if g.rules.Tax == TaxAll {
		groups = b.groupsWithTerritory(owners, colors)
	}
	return owners, groups
}

// groupsWithTerritory returns the number of connected parts of the area that have an
// empty point, White's minus Black's.
func (b *Board) groupsWithTerritory(owners, colors []Color) (whiteMinusBlack int) {
	var seen pointSet
	var part [MaxPoints]Point
	for p, c := range owners {
		if c == Empty || colors[p] != Empty || seen.has(Point(p)) {
			continue
		}
		whiteMinusBlack += int(pointFor(c))
		b.sekiPart(&part, owners, &seen, Point(p))
	}
	return whiteMinusBlack
}

// SelfKomi returns komi and all bonuses from the view of the side to move, as networks are given
// them. drawWins is the value of a draw for White as a fraction of a win, 0.5 by default; it
// matters if the result will be an integer.
func (g *position) SelfKomi(drawWins float64) float32 {
	w := g.points.bonus + g.points.handicap + g.rules.Komi
	whole := float64(g.rules.Komi) == math.Floor(float64(g.rules.Komi))
	if whole != g.rules.Button {
		w += float32(drawWins - 0.5)
	}
	if g.toMove == White {
		return w
	}
	return -w
}
