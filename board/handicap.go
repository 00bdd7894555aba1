package board

// HandicapLine is the line of corner handicap points, counted from 0, on a side of n points: the
// fourth line on large boards, otherwise the third.
func HandicapLine(n int) int {
	if n >= 13 {
		return 3
	}
	return 2
}

// FixedHandicap returns the points of n fixed handicap stones by section 4.1.1 of GTP version 2, or
// nil where the board has no such placement. n may be 2 to 9 if width and height are odd and at
// least 9, and 2 to 4 if they are at least 7.
func FixedHandicap(size Size, n int) []Point {
	most := 0
	switch odd := size.W%2 == 1 && size.H%2 == 1; {
	case odd && min(size.W, size.H) >= 9:
		most = 9
	case min(size.W, size.H) >= 7:
		most = 4
	}
	if n < 2 || n > most {
		return nil
	}
	left, right, middle := HandicapLine(size.W), size.W-1-HandicapLine(size.W), size.W/2
	top, bottom, centre := HandicapLine(size.H), size.H-1-HandicapLine(size.H), size.H/2
	points := []Point{
		size.Point(left, bottom), size.Point(right, top), size.Point(left, top), size.Point(right, bottom),
		size.Point(left, centre), size.Point(right, centre), size.Point(middle, top), size.Point(middle, bottom),
	}
	tengen := size.Point(middle, centre)
	if n == 5 || n == 7 || n == 9 {
		return append(points[:n-1], tengen)
	}
	return points[:n]
}

// HandicapStones returns the number of handicap stones: the number given to SetHandicapStones;
// otherwise, in a start position without white stones, the number of black ones, if at least 2.
// With GameOptions.StartBlackMovesAreHandicap, Black's moves before White's first count too.
func (g *Game) HandicapStones() int {
	return g.handicapStones(g.options.StartBlackMovesAreHandicap)
}

// StartingStones is like HandicapStones, but always counts Black's moves before White's first.
func (g *Game) StartingStones() int { return g.handicapStones(true) }

func (g *Game) handicapStones(withMoves bool) int {
	if g.points.stones >= 0 {
		return g.points.stones
	}
	n, white := g.points.first[0], g.points.first[1]
	if white > 0 {
		return 0
	}
	if withMoves {
		n += g.points.leading
	}
	if n <= 1 {
		return 0
	}
	return n
}

// countLeading counts a move that is about to be made for points.leading.
func (g *Game) countLeading(c Color, p Point) {
	switch s := &g.points; {
	case s.counted:
	case c == White && len(g.moves) > g.known && g.LastMove(0).Color == White:
		s.leading, s.counted = 0, true
	case s.whiteMoved:
		s.counted = true
	case c == Black && p != Pass:
		s.leading++
	}
}

func (g *Game) handicapBonus() float32 {
	switch g.rules.HandicapBonus {
	case BonusN:
		return float32(g.HandicapStones())
	case BonusNMinus1:
		return float32(max(g.HandicapStones()-1, 0))
	}
	return 0
}
