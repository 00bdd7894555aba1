package board

// HandicapLine is the line that corner handicap points stand on, on a side of n
// points, from 0: the fourth on large boards, else the third.
func HandicapLine(n int) int {
	if n >= 13 {
		return 3
	}
	return 2
}

// FixedHandicap returns the points of n fixed handicap stones, as section 4.1.1
// of GTP version 2 has them, or nil where the board has no such placement: 2 to 9
// stones if both sides are odd and at least 9, 2 to 4 if both are at least 7.
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
	switch {
	case n == 5 || n == 7 || n == 9:
		return append(points[:n-1], tengen)
	default:
		return points[:n]
	}
}
