package board

import "math"

// Score returns the score now, White minus Black, with komi and all bonuses: the
// result if the game is finished, otherwise what it were if the game ended here.
// A game without result has no score; Score then returns that of the position.
func (g *Game) Score() float32 {
	var store [MaxPoints]Color
	_, points := g.owners(store[:0])
	score := float32(points) + g.points.bonus + g.points.handicap + g.rules.Komi
	if g.points.buttonOnSide {
		score += pointFor(g.toMove) / 2
	}
	return score
}

// Owners returns for each point whom Score counts it for, Empty for nobody. The
// result is dst, made longer if need be.
func (g *Game) Owners(dst []Color) []Color {
	dst, _ = g.owners(dst)
	return dst
}

// AreaNow returns the area that is shown to networks: as Owners counts it. ok is
// false, and dst nil, in the main and first clean-up phase of territory games,
// where nothing is shown. groups is White's minus Black's number of groups that
// pay a tax, 0 unless the tax is TaxAll.
func (g *Game) AreaNow(dst []Color) (owners []Color, groups int, ok bool) {
	if g.rules.Scoring == ScoringTerritory && g.phase < 2 {
		return nil, 0, false
	}
	dst, groups = g.areaNow(dst)
	return dst, groups, true
}

// suicideForArea tells whether areas are judged as if suicide were legal.
func (g *Game) suicideForArea() bool { return g.rules.Suicide || g.options.PassAliveUnderSuicide }

// areaNow returns the owner of each point under the rules and the number of
// groups that pay a tax, White's minus Black's.
func (g *Game) areaNow(dst []Color) (owners []Color, groups int) {
	sui := g.suicideForArea()
	if g.rules.Scoring == ScoringArea {
		if g.rules.Tax == TaxNone {
			return g.board.FullArea(dst, sui), 0
		}
		dst, groups = g.board.IndependentLife(dst, false, true, sui)
	} else {
		dst, groups = g.board.IndependentLife(dst, g.rules.Tax == TaxNone, false, sui)
		for p := range dst {
			if dst[p] != Empty {
				continue
			}
			// A game that stops early counts its stones as they stand.
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

// owners returns areaNow and the score that it makes, White minus Black.
func (g *Game) owners(dst []Color) (owners []Color, score int) {
	owners, groups := g.areaNow(dst)
	return owners, balance(owners) - 2*groups
}

// balance returns White's points minus Black's.
func balance(owners []Color) int {
	n := 0
	for _, c := range owners {
		switch c {
		case White:
			n++
		case Black:
			n--
		}
	}
	return n
}

// OwnersWithDead returns for each point the colour that it counts for when the given
// stones are taken off the board: living stones, and empty regions that touch one
// colour only. Points that hold no stone do not count.
func (g *Game) OwnersWithDead(dead []Point) []Color {
	var b Board
	b.reset(g.board.geo)
	colors := g.board.appendColors(make([]Color, 0, MaxPoints))
	for _, p := range dead {
		if g.Size().Contains(p) {
			colors[p] = Empty
		}
	}
	if b.setUp(colors) != nil { // taking stones off never takes liberties
		return g.board.Area(nil)
	}
	return b.Area(nil)
}

// ScoreWithDead returns the score when the given stones are dead, White minus
// Black, with komi and handicap bonus: under area scoring stones and surrounded
// points, under territory scoring surrounded points and prisoners, dead stones
// among them. It is the count of players who agreed on what is dead: taxes do
// not come in, and of bonuses only a button that was taken. Points that hold no
// stone do not count.
func (g *Game) ScoreWithDead(dead []Point) float32 {
	owners := g.OwnersWithDead(dead)
	score := g.points.handicap + g.rules.Komi
	if g.rules.Scoring == ScoringArea {
		return score + float32(balance(owners)) + g.points.bonus
	}
	prisoners := g.board.Captured(Black) - g.board.Captured(White)
	colors := g.board.appendColors(make([]Color, 0, MaxPoints))
	for _, p := range dead {
		if !g.Size().Contains(p) {
			continue
		}
		switch colors[p] {
		case Black:
			prisoners++
		case White:
			prisoners--
		}
		colors[p] = Empty
	}
	for p, c := range colors {
		if c != Empty {
			owners[p] = Empty
		}
	}
	return score + float32(balance(owners)+prisoners)
}

// SelfKomi returns komi and all bonuses from the view of the side to move, as
// networks are told them. drawWins is how much of a win a draw is worth to
// White, 0.5 by default; it counts where the result will be a whole number.
func (g *Game) SelfKomi(drawWins float64) float32 {
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
