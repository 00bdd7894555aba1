package life

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
)

// Question is a position and the target chains whose life is in question.
type Question struct {
	Size    board.Size
	Stones  []board.Color // one per point
	Targets []board.Point // a stone of each target chain, all of one colour
	All     bool          // the attacker must capture all targets, not only one
	Assumed []board.Point // a stone of each chain that is alive by assumption; such a chain needs no liberty
	Suicide bool          // suicide of two stones or more is legal
	Ko      board.Point   // the point that KoSide may not retake with its first move; NoPoint: none
	KoSide  board.Color
}

// ErrQuestion is wrapped by the errors about invalid questions.
var ErrQuestion = errors.New("no question of life and death")

// encoded is a question as the solver's game.
type encoded struct {
	*solver.Game
	start    solver.Position // the position, with the attacker to move
	point    []board.Point   // board point of each point of the game; NoPoint: none
	index    []int16         // for each point of the board, its point in the game; -1: not part of the fight
	defender board.Color
	closed   bool // the fight is not the whole board: chains assumed alive enclose it
}

// encode converts a question into a game. Errors wrap ErrQuestion.
func (q *Question) encode() (*encoded, error) {
	l := &encoded{}
	if err := q.check(l); err != nil {
		return nil, err
	}
	fixed, err := q.assumed()
	if err != nil {
		return nil, err
	}
	if err := l.crop(q, q.fight(fixed)); err != nil {
		return nil, err
	}
	l.start.Ban = solver.NoBan
	for p, at := range l.index {
		c := q.Stones[p]
		if at < 0 || c == board.Empty {
			continue
		}
		l.Place(&l.start, l.side(c), at)
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

// ban returns the point that one side may not retake with its first move, and this side; NoBan if the fight has no
// such point.
func (l *encoded) ban(q *Question) (int16, solver.Side) {
	if q.KoSide == board.Empty || !q.Size.Contains(q.Ko) || l.index[q.Ko] < 0 {
		return solver.NoBan, solver.Attacker
	}
	return l.index[q.Ko], l.side(q.KoSide)
}

// side returns the side that has a colour.
func (l *encoded) side(c board.Color) solver.Side {
	if c == l.defender {
		return solver.Defender
	}
	return solver.Attacker
}

// color returns a side's colour.
func (l *encoded) color(s solver.Side) board.Color {
	if s == solver.Defender {
		return l.defender
	}
	return l.defender.Opponent()
}

// root returns the start with the given side to move and the given threats of both sides.
func (l *encoded) root(q *Question, first solver.Side, threat [2]uint8) solver.Position {
	p := l.start
	p.Mover, p.Threat = first, threat
	if at, who := l.ban(q); who == first {
		p.Ban = at
	}
	return p
}

// check sets l.defender and validates the question, except for the checks that the methods assumed and crop make.
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

func nextTo(size board.Size, p board.Point) iter.Seq[board.Point] {
	return func(yield func(board.Point) bool) {
		x, y := size.XY(p)
		for _, d := range [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
			if nx, ny := x+d[0], y+d[1]; nx >= 0 && ny >= 0 && nx < size.W && ny < size.H && !yield(size.Point(nx, ny)) {
				return
			}
		}
	}
}

// walk returns p and all points that steps allowed by join reach from p. It leaves out points that are marked in seen,
// and marks there the points that it returns.
func (q *Question) walk(p board.Point, seen []bool, join func(from, to board.Point) bool) []board.Point {
	seen[p] = true
	list := []board.Point{p}
	for i := 0; i < len(list); i++ {
		for n := range nextTo(q.Size, list[i]) {
			if !seen[n] && join(list[i], n) {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	return list
}

// same reports whether two points have the same colour, or are both empty.
func (q *Question) same(from, to board.Point) bool { return q.Stones[from] == q.Stones[to] }

// areas returns the chains and the connected sets of empty points, in order of their first
// points.
func (q *Question) areas() (list [][]board.Point) {
	seen := make([]bool, len(q.Stones))
	for p := range q.Stones {
		if !seen[p] {
			list = append(list, q.walk(board.Point(p), seen, q.same))
		}
	}
	return list
}

// beside reports whether any point of an area has a neighbour that meets a condition.
func (q *Question) beside(area []board.Point, is func(board.Point) bool) bool {
	return slices.ContainsFunc(area, func(p board.Point) bool {
		for n := range nextTo(q.Size, p) {
			if is(n) {
				return true
			}
		}
		return false
	})
}

// assumed marks the stones that are alive by assumption. It returns an error if a target is among them, or if a chain
// that is not among them has no liberty.
func (q *Question) assumed() ([]bool, error) {
	fixed := q.chains(q.Assumed)
	for _, t := range q.Targets {
		if fixed[t] {
			return nil, fmt.Errorf("%w: %s is asked for and assumed alive", ErrQuestion, q.Size.Vertex(t))
		}
	}
	for _, chain := range q.areas() {
		p := chain[0]
		if q.Stones[p] != board.Empty && !fixed[p] && !q.beside(chain, func(n board.Point) bool { return q.Stones[n] == board.Empty }) {
			return nil, fmt.Errorf("%w: the chain on %s has no liberty", ErrQuestion, q.Size.Vertex(p))
		}
	}
	return fixed, nil
}

// fight marks the points that influence the question: the points that a path reaches from a target without crossing
// stones that are alive by assumption, and the stones of this kind where such a path ends.
func (q *Question) fight(fixed []bool) []bool {
	seen := make([]bool, len(q.Stones))
	for _, t := range q.Targets {
		if !seen[t] {
			q.walk(t, seen, func(from, to board.Point) bool { return !fixed[from] })
		}
	}
	return seen
}

// Fight reports for each point whether it influences the question. A point does if a path reaches it from a target
// without crossing stones that are alive by assumption; the path may end on such a stone. Errors wrap ErrQuestion.
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

// crop creates the game on the smallest box around the points of the fight, which part marks.
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

// byRows sorts moves by row and column on the board, with the pass first.
func (l *encoded) byRows(moves []int16) []int16 {
	slices.SortFunc(moves, func(a, b int16) int {
		if min(a, b) < 0 {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(l.point[a], l.point[b])
	})
	return moves
}
