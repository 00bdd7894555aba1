package life

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
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

// encoded is a question as the solver's game, with the names of its points.
type encoded struct {
	*solver.Game
	start    solver.Position // the attacker to move
	point    []board.Point
	index    []int16 // of each point of the board, -1 where it is no part of the fight
	defender board.Color
	closed   bool // assumed chains and edges enclose the fight
}

// encode makes a game of a question. Errors wrap ErrQuestion.
func (q *Question) encode() (*encoded, error) {
	l := &encoded{}
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
	l.start.Ban = solver.NoBan
	for p, at := range l.index {
		c := q.Stones[p]
		if at < 0 || c == board.Empty {
			continue
		}
		s := solver.Attacker
		if c == l.defender {
			s = solver.Defender
		}
		l.Place(&l.start, s, at)
		if fixed[p] {
			l.Fixed.Add(at)
		}
	}
	var at []int16
	for _, t := range q.Targets {
		at = append(at, l.index[t])
	}
	if !l.Aim(&l.start, at) {
		return nil, fmt.Errorf("%w: %d chains are asked for, want at most %d", ErrQuestion, len(l.Targets), solver.MostTargets)
	}
	return l, nil
}

// ban returns the point that one side may not retake at first, NoBan where there is
// none in the fight.
func (l *encoded) ban(q *Question) (int16, solver.Side) {
	if q.KoSide == board.Empty || !q.Size.Contains(q.Ko) || l.index[q.Ko] < 0 {
		return solver.NoBan, solver.Attacker
	}
	if q.KoSide == l.defender {
		return l.index[q.Ko], solver.Defender
	}
	return l.index[q.Ko], solver.Attacker
}

// root returns the start with a side to move and threats.
func (l *encoded) root(q *Question, first solver.Side, threat [2]uint8) solver.Position {
	p := l.start
	p.Mover, p.Threat = first, threat
	if at, who := l.ban(q); who == first {
		p.Ban = at
	}
	return p
}

// check validates all but the chains, and finds the defender.
func (q *Question) check(l *encoded) error {
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
	l, err := q.encode()
	if err != nil {
		return nil, err
	}
	part := make([]bool, len(l.index))
	for p, at := range l.index {
		part[p] = at >= 0
	}
	return part, nil
}

// crop makes the area the box around the fight.
func (l *encoded) crop(q *Question, part []bool) error {
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
	w, h := x1-x0+1, y1-y0+1
	if l.Game = solver.NewGame(w, h, q.Suicide, q.All); l.Game == nil {
		return fmt.Errorf("%w: the fight covers %dx%d points, want at most 19x19; name chains that are alive by assumption", ErrQuestion, w, h)
	}
	box := make([]bool, w*h)
	for p, in := range part {
		if x, y := q.Size.XY(board.Point(p)); in {
			box[(y-y0)*w+x-x0] = true
		}
	}
	l.Pack(box)
	l.index = make([]int16, len(q.Stones))
	l.point = make([]board.Point, l.Points())
	for i := range l.point {
		l.point[i] = board.NoPoint
	}
	for p := range q.Stones {
		l.index[p] = -1
		if part[p] {
			x, y := q.Size.XY(board.Point(p))
			at := l.At(x-x0, y-y0)
			l.index[p], l.point[at] = at, board.Point(p)
			l.On.Add(at)
		}
	}
	return nil
}

// byRows puts moves in the order of the board's points, after the pass.
func (l *encoded) byRows(moves []int16) []int16 {
	slices.SortFunc(moves, func(a, b int16) int {
		if min(a, b) < 0 {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(l.point[a], l.point[b])
	})
	return moves
}
