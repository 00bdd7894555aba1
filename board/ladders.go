package board

import "slices"

// Ladder is a chain that can be captured in a ladder.
type Ladder struct {
	Head      Point // a stone of the chain
	Color     Color
	Liberties int // 1: lost with the chain's owner to move; 2: with the opponent to move
	// Working holds, in its first Count entries, the liberties on which the
	// opponent starts a working ladder; none if Liberties is 1.
	Working [2]Point
	Count   int
}

// LadderScratch is the working memory of a ladder search, for one goroutine at a
// time. The zero value is ready for use.
type LadderScratch struct {
	board   Board
	ladders []Ladder
	moves   []Point // moves still to try, depth after depth
	target  Point   // a stone of the chain that is hunted
	played  int     // moves played in this search
	depth   int     // depth from which the chain counts as captured
}

// maxLadderMoves is the number of moves after which a search gives up and considers the chain
// safe.
const maxLadderMoves = 25000

// Ladders finds all chains with one or two liberties that are lost in a ladder, in the order of
// their heads: those with one liberty if their owner moves first, those with two if the opponent
// does. The slice belongs to the scratch and is valid until its next use. The search is KataGo's:
// both sides may capture, suicide is not considered, kos favour the owner of the chain.
func (b *Board) Ladders(s *LadderScratch) []Ladder {
	s.ladders = s.ladders[:0]
	copied := false
	for p := range Point(b.geo.area) {
		a := &b.cells[p]
		if a.color == Empty || a.head != p || a.libs > 2 {
			continue
		}
		if !copied {
			copied = true
			s.board.CopyFrom(b)
			s.depth = 3 * b.geo.area / 2
		}
		if l := (Ladder{Head: p, Color: a.color, Liberties: int(a.libs)}); s.laddered(&l) {
			s.ladders = append(s.ladders, l)
		}
	}
	return s.ladders
}

// laddered reports whether the chain of l is lost and finds the working moves.
func (s *LadderScratch) laddered(l *Ladder) bool {
	b := &s.board
	if l.Liberties == 1 {
		ko := b.state.ko
		lost := s.captured(l.Head)
		b.state.ko = ko
		return lost
	}
	var store [2]Point
	libs := b.LibertyPoints(store[:0], l.Head)
	for i, m := range libs {
		hunter := l.Color ^ 3
		if m == b.state.ko || s.escapes(l.Head, libs[1-i], m) || b.IsSuicide(hunter, m) {
			continue
		}
		b.Play(hunter, m)
		if s.captured(l.Head) {
			l.Working[l.Count] = m
			l.Count++
		}
		b.Undo()
	}
	return l.Count > 0
}

// escapes reports whether the chain gets three liberties by a move on its liberty p after the
// opponent has played on the other one, m. A chain for which it returns false may still escape.
func (s *LadderScratch) escapes(head, p, m Point) bool {
	b, free := &s.board, 0
	c := b.cells[head].color
	for _, q := range &b.geo.near[p] {
		switch a := &b.cells[q]; a.color {
		case Empty:
			if q != m {
				free++
			}
		case c:
			// The move fills one of the five liberties and m perhaps another, so three are left.
			if a.head != head && b.cells[a.head].libs >= 5 {
				return true
			}
		}
	}
	return free >= 3
}

// captured reports whether the chain on p, with one liberty left and its owner to
// move, is lost.
func (s *LadderScratch) captured(p Point) bool {
	if s.board.Liberties(p) > 1 {
		return false
	}
	s.board.state.ko = NoPoint
	s.target, s.played, s.moves = p, 0, s.moves[:0]
	return s.defend(0)
}

func (s *LadderScratch) gaveUp() bool { return s.played >= maxLadderMoves }

// defend reports whether the chain is lost with its owner to move.
func (s *LadderScratch) defend(depth int) bool {
	b := &s.board
	if depth >= s.depth {
		return true
	}
	if b.Liberties(s.target) >= 2 || b.state.ko != NoPoint {
		return false
	}
	c := b.cells[s.target].color
	first := len(s.moves)
	s.listDefences(c, first)
	count := len(s.moves) - first
	// As in KataGo, only the last move listed is judged here: the chain's own liberty or, if a move
	// there is one of the captures, the last capture.
	low, high := b.libertyBounds(c, s.moves[first+count-1])
	lost := true
	switch {
	case low >= 3:
		lost = false
	case count == 1 && high <= 1:
	default:
		for i := first; i < first+count && lost; i++ {
			if m := s.moves[i]; !b.IsSuicide(c, m) {
				b.Play(c, m)
				s.played++
				lost = !s.gaveUp() && s.attack(depth+1)
				b.Undo()
			}
		}
	}
	s.moves = s.moves[:first]
	return lost
}

// listDefences appends the moves that may save the hunted chain of c: captures of neighbouring
// chains in atari, then the chain's last liberty. moves[first:] belongs to this list.
func (s *LadderScratch) listDefences(c Color, first int) {
	b, liberty := &s.board, NoPoint
	for q := s.target; ; {
		for _, l := range &b.geo.near[q] {
			switch a := &b.cells[l]; a.color {
			case Empty:
				liberty = l
			case c ^ 3:
				if b.cells[a.head].libs == 1 {
					if m := b.lastLiberty(l); !slices.Contains(s.moves[first:], m) {
						s.moves = append(s.moves, m)
					}
				}
			}
		}
		if q = b.cells[q].next; q == s.target {
			break
		}
	}
	if !slices.Contains(s.moves[first:], liberty) {
		s.moves = append(s.moves, liberty)
	}
}

// lastLiberty returns a liberty of the chain on p, which must have one.
func (b *Board) lastLiberty(p Point) Point {
	for q := p; ; q = b.cells[q].next {
		for _, l := range &b.geo.near[q] {
			if b.cells[l].color == Empty {
				return l
			}
		}
	}
}

// libertyBounds returns a lower and an upper bound for the number of liberties that a stone of c
// on the empty point z would have.
func (b *Board) libertyBounds(c Color, z Point) (low, high int) {
	free, captures, stones, most, sum := 0, 0, 0, 0, 0
	for _, q := range &b.geo.near[z] {
		a := &b.cells[q]
		head := &b.cells[a.head]
		switch a.color {
		case Empty:
			free++
		case c:
			most = max(most, int(head.libs)-1)
			sum += int(head.libs) - 1
		case c ^ 3:
			if head.libs == 1 {
				captures++
				stones += int(head.size)
			}
		}
	}
	return captures + max(free, most), free + stones + sum
}

// attack reports whether the chain is lost with the opponent to move.
func (s *LadderScratch) attack(depth int) bool {
	b := &s.board
	libs := b.Liberties(s.target)
	if depth >= s.depth || libs <= 1 {
		return true
	}
	if libs >= 3 {
		return false
	}
	c := b.cells[s.target].color
	var store [2]Point
	moves := b.LibertyPoints(store[:0], s.target)
	x, y := moves[0], moves[1]
	freeX, freeY := b.emptyAround(x), b.emptyAround(y)
	if freeX == 0 && freeY == 0 && s.doubleKo(c, x, y) {
		return true
	}
	if !slices.Contains(b.geo.adj[x], y) {
		switch {
		case freeX >= 3 && freeY >= 3:
			return false
		case freeX >= 3:
			moves = moves[:1]
		case freeY >= 3:
			moves = moves[1:]
		}
	}
	if len(moves) == 2 && b.hope(c, x, freeX) < b.hope(c, y, freeY) {
		moves[0], moves[1] = y, x
	}
	for _, m := range moves {
		if m == b.state.ko || b.IsSuicide(c^3, m) {
			continue
		}
		b.Play(c^3, m)
		s.played++
		lost := !s.gaveUp() && s.defend(depth+1)
		b.Undo()
		if lost || s.gaveUp() {
			return lost
		}
	}
	return false
}

func (b *Board) emptyAround(p Point) int {
	n := 0
	for _, q := range &b.geo.near[p] {
		if b.cells[q].color == Empty {
			n++
		}
	}
	return n
}

// hope estimates how much a stone on p would help c; free is the number of p's empty neighbours.
// The opponent first tries the liberty with the highest hope; hope only orders moves.
func (b *Board) hope(c Color, p Point, free int) int {
	h := 2 * free
	for _, q := range &b.geo.near[p] {
		if a := &b.cells[q]; a.color == c {
			if l := int(b.cells[a.head].libs); l > 1 {
				h += 2*l - 3
			}
		}
	}
	return h
}

// doubleKo reports whether the opponent can take kos on both liberties x and y of the hunted chain
// of c, while c can neither get three liberties by a move on one of them nor capture a chain in atari.
func (s *LadderScratch) doubleKo(c Color, x, y Point) bool {
	b := &s.board
	if b.koCapture(c^3, x) == NoPoint || b.koCapture(c^3, y) == NoPoint {
		return false
	}
	for _, m := range [...]Point{x, y} {
		b.Play(c, m)
		libs := b.Liberties(m)
		b.Undo()
		if libs > 2 {
			return false
		}
	}
	for q := s.target; ; {
		for _, l := range &b.geo.near[q] {
			if a := &b.cells[l]; a.color == c^3 && b.cells[a.head].libs == 1 {
				return false
			}
		}
		if q = b.cells[q].next; q == s.target {
			return true
		}
	}
}
