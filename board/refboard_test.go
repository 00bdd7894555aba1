package board_test

import (
	"slices"

	"kosumi/board"
)

// refBoard is a slow and obviously correct board: colours only, all else by flood fill.
type refBoard struct {
	size   board.Size
	colors string          // one byte a point: '.', 'X', 'O'
	near   [][]board.Point // the points next to each point
}

const (
	refEmpty = '.'
	refSigns = ".XO"
)

func newRefBoard(s board.Size) refBoard {
	b := refBoard{s, string(slices.Repeat([]byte{refEmpty}, s.Area())), make([][]board.Point, s.Area())}
	for p := range b.near {
		x, y := s.XY(board.Point(p))
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if nx, ny := x+d[0], y+d[1]; nx >= 0 && ny >= 0 && nx < s.W && ny < s.H {
				b.near[p] = append(b.near[p], s.Point(nx, ny))
			}
		}
	}
	return b
}

func sign(c board.Color) byte { return refSigns[c] }

// refOf returns the slow board with the stones of a board.
func refOf(b *board.Board) refBoard {
	ref := newRefBoard(b.Size())
	signs := []byte(ref.colors)
	for p := range signs {
		signs[p] = sign(b.At(board.Point(p)))
	}
	ref.colors = string(signs)
	return ref
}

func (b refBoard) at(p board.Point) byte { return b.colors[p] }

func (b refBoard) neighbors(p board.Point) []board.Point { return b.near[p] }

// component returns the points connected to p through points for which the function in is true.
func (b refBoard) component(p board.Point, in func(q board.Point) bool) []board.Point {
	seen := make([]bool, b.size.Area())
	seen[p] = true
	list := []board.Point{p}
	for i := 0; i < len(list); i++ {
		for _, q := range b.neighbors(list[i]) {
			if !seen[q] && in(q) {
				seen[q] = true
				list = append(list, q)
			}
		}
	}
	return list
}

// around returns those neighbours of the given points that have the wanted sign.
func (b refBoard) around(points []board.Point, want byte) []board.Point {
	var list []board.Point
	for _, p := range points {
		for _, q := range b.neighbors(p) {
			if b.at(q) == want && !slices.Contains(list, q) {
				list = append(list, q)
			}
		}
	}
	return list
}

func (b refBoard) chain(p board.Point) []board.Point {
	return b.component(p, func(q board.Point) bool { return b.at(q) == b.at(p) })
}

func (b refBoard) liberties(p board.Point) int { return len(b.around(b.chain(p), refEmpty)) }

// with returns the board with the points set to a sign.
func (b refBoard) with(points []board.Point, to byte) refBoard {
	colors := []byte(b.colors)
	for _, p := range points {
		colors[p] = to
	}
	return refBoard{b.size, string(colors), b.near}
}

// refMove is the result of placing a stone.
type refMove struct {
	after    refBoard
	captured int         // opponent's stones
	suicided int         // the mover's stones
	ko       board.Point // simple ko point afterwards, NoPoint if none
}

// play puts a stone of c on the empty point p.
func (b refBoard) play(c board.Color, p board.Point) refMove {
	m := refMove{after: b.with([]board.Point{p}, sign(c)), ko: board.NoPoint}
	last := board.NoPoint
	for _, q := range b.neighbors(p) {
		if m.after.at(q) == sign(c.Opponent()) && m.after.liberties(q) == 0 {
			dead := m.after.chain(q)
			m.captured += len(dead)
			m.after = m.after.with(dead, refEmpty)
			last = q
		}
	}
	own := m.after.chain(p)
	switch libs := m.after.liberties(p); {
	case libs == 0:
		m.suicided = len(own)
		m.after = m.after.with(own, refEmpty)
	case m.captured == 1 && len(own) == 1 && libs == 1:
		m.ko = last
	}
	return m
}

func opp(c byte) byte {
	if c == 'X' {
		return 'O'
	}
	return 'X'
}

// refRegion is a region of a colour with what Benson's algorithm needs.
type refRegion struct {
	points []board.Point
	hasOpp bool
	inner  int
	vital  []board.Point // chains that the region is vital to, each by its smallest point
	chains []board.Point // all chains of the colour that the region touches
}

// names returns for each stone the smallest point of its chain.
func (b refBoard) names() []board.Point {
	names := slices.Repeat([]board.Point{board.NoPoint}, b.size.Area())
	for p := range board.Point(b.size.Area()) {
		if b.at(p) != refEmpty && names[p] == board.NoPoint {
			for _, q := range b.chain(p) {
				names[q] = p
			}
		}
	}
	return names
}

func (b refBoard) regions(c byte, suicide bool) []refRegion {
	var list []refRegion
	name := b.names()
	seen := map[board.Point]bool{}
	for p := range board.Point(b.size.Area()) {
		if b.at(p) == c || seen[p] {
			continue
		}
		r := refRegion{points: b.component(p, func(q board.Point) bool { return b.at(q) != c })}
		touched := map[board.Point]int{}
		asked := 0
		for _, q := range r.points {
			seen[q] = true
			var names []board.Point
			for _, l := range b.neighbors(q) {
				if b.at(l) == c {
					names = append(names, name[l])
				}
			}
			if len(names) == 0 {
				r.inner++
			}
			r.hasOpp = r.hasOpp || b.at(q) == opp(c)
			for _, n := range names {
				touched[n] += 0
			}
			if b.at(q) == refEmpty || suicide {
				asked++
				slices.Sort(names)
				for _, n := range slices.Compact(names) {
					touched[n]++
				}
			}
		}
		for n, count := range touched {
			r.chains = append(r.chains, n)
			if count == asked {
				r.vital = append(r.vital, n)
			}
		}
		list = append(list, r)
	}
	return list
}

// passAlive returns the pass-alive chains of a colour by name.
func (b refBoard) passAlive(c byte, regions []refRegion) map[board.Point]bool {
	alive := map[board.Point]bool{}
	for p, name := range b.names() {
		if b.colors[p] == c {
			alive[name] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for name := range alive {
			n := 0
			for _, r := range regions {
				if slices.Contains(r.vital, name) && r.clean(alive) {
					n++
				}
			}
			if n < 2 {
				delete(alive, name)
				changed = true
			}
		}
	}
	return alive
}

func (r refRegion) clean(alive map[board.Point]bool) bool {
	return !slices.ContainsFunc(r.chains, func(n board.Point) bool { return !alive[n] })
}

// mark returns both colours' areas.
func (b refBoard) mark(suicide, safeBig, anyBig bool) []byte {
	marks := slices.Repeat([]byte{refEmpty}, b.size.Area())
	for _, c := range []byte("XO") {
		if !slices.Contains([]byte(b.colors), c) {
			continue
		}
		regions := b.regions(c, suicide)
		alive := b.passAlive(c, regions)
		for p, name := range b.names() {
			if b.colors[p] == c && alive[name] {
				marks[p] = c
			}
		}
		for _, r := range regions {
			sure := r.clean(alive) && (r.inner <= 1 || safeBig && !r.hasOpp)
			for _, p := range r.points {
				if sure || anyBig && !r.hasOpp && marks[p] == refEmpty {
					marks[p] = c
				}
			}
		}
	}
	return marks
}

func (b refBoard) fullArea(suicide bool) []byte {
	marks := b.mark(suicide, true, true)
	for p := range marks {
		if marks[p] == refEmpty {
			marks[p] = b.colors[p]
		}
	}
	return marks
}

// independentLife returns the area of groups that are not in seki, and their
// number, White's minus Black's.
func (b refBoard) independentLife(keep board.Keep, suicide bool) ([]byte, int) {
	full := b.fullArea(suicide)
	result := slices.Repeat([]byte{refEmpty}, len(full))
	count := 0
	seen := map[board.Point]bool{}
	for p, c := range full {
		if c == refEmpty || seen[board.Point(p)] {
			continue
		}
		part := b.component(board.Point(p), func(q board.Point) bool { return full[q] == c })
		seki := false
		for _, q := range part {
			seen[q] = true
			for _, l := range b.neighbors(q) {
				seki = seki || full[l] == refEmpty && b.at(l) == refEmpty
			}
			seki = seki || b.at(q) == c && b.liberties(q) == 1
		}
		if seki {
			continue
		}
		for _, q := range part {
			result[q] = c
		}
		if c == 'O' {
			count++
		} else {
			count--
		}
	}
	for p, c := range full {
		if result[p] != refEmpty || c == refEmpty {
			continue
		}
		own, atari := b.colors[p] == c, false
		for _, q := range b.neighbors(board.Point(p)) {
			atari = atari || b.at(q) == c && b.liberties(q) == 1
		}
		switch keep {
		case board.KeepStones:
			own = !own
			fallthrough
		case board.KeepTerritory:
			if !own {
				result[p] = c
			}
		case board.KeepSafeTerritory:
			if !own && !(b.colors[p] == refEmpty && atari) {
				result[p] = c
			}
		}
	}
	return result, count
}

func (b refBoard) area() []byte {
	marks := []byte(b.colors)
	seen := map[board.Point]bool{}
	for p := range board.Point(b.size.Area()) {
		if b.at(p) != refEmpty || seen[p] {
			continue
		}
		region := b.chain(p)
		black, white := len(b.around(region, 'X')) > 0, len(b.around(region, 'O')) > 0
		for _, q := range region {
			seen[q] = true
			if black && !white {
				marks[q] = 'X'
			} else if white && !black {
				marks[q] = 'O'
			}
		}
	}
	return marks
}
