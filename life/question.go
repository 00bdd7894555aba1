package life

import (
	"errors"
	"fmt"

	"kosumi/board"
)

// Question is a position and the chains whose life is asked for.
type Question struct {
	Size    board.Size
	Stones  []board.Color // one a point
	Targets []board.Point // a stone of each chain that is asked for, all of one colour
	All     bool          // the attacker must take all targets; else one of them is enough
	Assumed []board.Point // a stone of each chain that is alive by assumption; such a chain needs no liberty
	Suicide bool          // suicide of two stones or more is legal
	Ko      board.Point   // the point that KoSide may not retake at first, or board.NoPoint
	KoSide  board.Color
}

// ErrQuestion is wrapped by the errors about questions that make no sense.
var ErrQuestion = errors.New("no question of life and death")

// laid is a question as a game, with the names of its points.
type laid struct {
	*game
	start    position // the attacker to move
	point    []board.Point
	index    []int16 // of each point of the board, -1 where it is no part of the fight
	defender board.Color
	closed   bool // assumed chains and edges enclose the fight
}

// lay makes a game of a question. Errors wrap ErrQuestion.
func (q *Question) lay() (*laid, error) {
	l := &laid{game: &game{suicide: q.Suicide, all: q.All}}
	if err := q.check(l); err != nil {
		return nil, err
	}
	fixed, err := q.assumed(l.defender)
	if err != nil {
		return nil, err
	}
	part := q.fight(fixed)
	if err := l.crop(q, part); err != nil {
		return nil, err
	}
	l.start.ban = noBan
	for p, at := range l.index {
		c := q.Stones[p]
		if at < 0 || c == board.Empty {
			continue
		}
		s := attacker
		if c == l.defender {
			s = defender
		}
		l.start.stones[s].add(at)
		if fixed[p] {
			l.fixed.add(at)
		}
	}
	l.fillKeys()
	for s := range l.start.stones {
		for _, p := range l.start.stones[s].points(nil) {
			l.start.hash ^= l.zobrist[s][p]
		}
	}
	return l, l.name(q)
}

// ban returns the point that one side may not retake at first, noBan where there is
// none in the fight.
func (l *laid) ban(q *Question) (int16, side) {
	if q.KoSide == board.Empty || !q.Size.Contains(q.Ko) || l.index[q.Ko] < 0 {
		return noBan, attacker
	}
	if q.KoSide == l.defender {
		return l.index[q.Ko], defender
	}
	return l.index[q.Ko], attacker
}

// root returns the start with a side to move and threats.
func (l *laid) root(q *Question, first side, threat [2]uint8) position {
	p := l.start
	p.mover, p.threat = first, threat
	if at, who := l.ban(q); who == first {
		p.ban = at
	}
	return p
}

// check looks at what can be said without the chains, and finds the defender.
func (q *Question) check(l *laid) error {
	if err := q.Size.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrQuestion, err)
	}
	if len(q.Stones) != q.Size.Area() {
		return fmt.Errorf("%w: %d points, want %d", ErrQuestion, len(q.Stones), q.Size.Area())
	}
	if len(q.Targets) == 0 {
		return fmt.Errorf("%w: name a stone to ask for", ErrQuestion)
	}
	for _, t := range append(append([]board.Point{}, q.Targets...), q.Assumed...) {
		if !q.Size.Contains(t) {
			return fmt.Errorf("%w: a point off the board", ErrQuestion)
		}
		if q.Stones[t] == board.Empty {
			return fmt.Errorf("%w: no stone on %s", ErrQuestion, q.Size.Vertex(t))
		}
	}
	l.defender = q.Stones[q.Targets[0]]
	for _, t := range q.Targets {
		if q.Stones[t] != l.defender {
			return fmt.Errorf("%w: %s and %s are of different colours", ErrQuestion, q.Size.Vertex(q.Targets[0]), q.Size.Vertex(t))
		}
	}
	return nil
}

// walk calls f for the points connected to p by steps that may makes, p first.
func (q *Question) walk(p board.Point, seen []bool, may func(from, to board.Point) bool, f func(board.Point)) {
	list := []board.Point{p}
	seen[p] = true
	for len(list) > 0 {
		p := list[len(list)-1]
		list = list[:len(list)-1]
		f(p)
		x, y := q.Size.XY(p)
		for _, d := range [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
			nx, ny := x+d[0], y+d[1]
			if nx < 0 || ny < 0 || nx >= q.Size.W || ny >= q.Size.H {
				continue
			}
			if n := q.Size.Point(nx, ny); !seen[n] && may(p, n) {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
}

// assumed returns the stones that are alive by assumption. Every other chain must
// have a liberty.
func (q *Question) assumed(defender board.Color) ([]bool, error) {
	same := func(from, to board.Point) bool { return q.Stones[from] == q.Stones[to] }
	fixed := make([]bool, len(q.Stones))
	for _, p := range q.Assumed {
		if !fixed[p] {
			q.walk(p, fixed, same, func(board.Point) {})
		}
	}
	for _, t := range q.Targets {
		if fixed[t] {
			return nil, fmt.Errorf("%w: %s is asked for and assumed alive", ErrQuestion, q.Size.Vertex(t))
		}
	}
	seen := make([]bool, len(q.Stones))
	for i, c := range q.Stones {
		if c == board.Empty || seen[i] || fixed[i] {
			continue
		}
		free := false
		q.walk(board.Point(i), seen, func(from, to board.Point) bool {
			free = free || q.Stones[to] == board.Empty
			return same(from, to)
		}, func(board.Point) {})
		if !free {
			return nil, fmt.Errorf("%w: the chain on %s has no liberty", ErrQuestion, q.Size.Vertex(board.Point(i)))
		}
	}
	return fixed, nil
}

// fight returns the points that are connected with the targets by points without
// stones alive by assumption, and such stones next to them. The rest of the board
// has no influence.
func (q *Question) fight(fixed []bool) []bool {
	seen := make([]bool, len(q.Stones))
	for _, t := range q.Targets {
		if !seen[t] {
			q.walk(t, seen, func(from, to board.Point) bool { return !fixed[from] }, func(board.Point) {})
		}
	}
	return seen
}

// Fight returns for each point whether it is part of the question: connected with the
// targets by points without stones alive by assumption, or such a stone next to them.
// Errors wrap ErrQuestion.
func (q *Question) Fight() ([]bool, error) {
	l, err := q.lay()
	if err != nil {
		return nil, err
	}
	part := make([]bool, len(l.index))
	for p, at := range l.index {
		part[p] = at >= 0
	}
	return part, nil
}

// crop lays the area over the box around the fight.
func (l *laid) crop(q *Question, part []bool) error {
	x0, y0, x1, y1 := q.Size.W, q.Size.H, -1, -1
	l.closed = false
	for p, in := range part {
		if in {
			x, y := q.Size.XY(board.Point(p))
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		} else {
			l.closed = true
		}
	}
	l.w, l.h = x1-x0+1, y1-y0+1
	l.stride = uint(l.w + 1)
	if int(l.stride)*l.h > maxPoints {
		return fmt.Errorf("%w: the fight covers %dx%d points, want at most 19x19; name chains that are alive by assumption", ErrQuestion, l.w, l.h)
	}
	l.used = (int(l.stride)*l.h + 63) / 64
	l.index = make([]int16, len(q.Stones))
	l.point = make([]board.Point, int(l.stride)*l.h)
	for i := range l.point {
		l.point[i] = board.NoPoint
	}
	for p := range q.Stones {
		l.index[p] = -1
		if part[p] {
			x, y := q.Size.XY(board.Point(p))
			at := int16((y-y0)*int(l.stride) + x - x0)
			l.index[p], l.point[at] = at, board.Point(p)
			l.on.add(at)
		}
	}
	return nil
}

func (g *game) fillKeys() {
	seed := uint64(0x6c696665)
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		return mix(seed)
	}
	for s := range g.zobrist {
		for p := range g.zobrist[s] {
			g.zobrist[s][p] = next()
		}
	}
	for p := range g.keys {
		g.keys[p] = next()
	}
}

// name finds one stone of each target chain, and the ban.
func (l *laid) name(q *Question) error {
	for _, t := range q.Targets {
		at := l.index[t]
		chain := l.chain(&l.start, defender, at)
		known := false
		for _, u := range l.targets {
			known = known || chain.has(u)
		}
		if !known {
			l.targets = append(l.targets, at)
		}
	}
	if len(l.targets) > 8 {
		return fmt.Errorf("%w: %d chains are asked for, want at most 8", ErrQuestion, len(l.targets))
	}
	l.start.left = 1<<len(l.targets) - 1
	return nil
}
