package search

import (
	"cmp"
	"slices"

	"kosumi/board"
)

// Line is what a tree holds of a line of moves.
type Line struct {
	ToMove board.Color // at the root; every number is from its view
	// Root is the root as the averages of its subtree have it, as if it were a move,
	// without a prior.
	Root MoveInfo
	// Moves are the moves at the root, and then those after each move of the line as
	// long as the tree holds them; symmetric copies are not among them. Share tells how
	// much weight each has in the averages of the position before it.
	Moves [][]LineMove
}

// LineMove is a move of a [Line].
type LineMove struct {
	MoveInfo
	Share float64
}

// Line returns what is known of the moves along a line from the root. ok is false if
// there is no tree. Not while a search runs.
func (t *Tree) Line(line []board.Point) (l Line, ok bool) { return t.report.along(line) }

// along is [Tree.Line].
func (rep *report) along(line []board.Point) (l Line, ok bool) {
	if rep.nodes.root == 0 || !rep.nodes.a.node(rep.nodes.root).is(flagEvaluated) {
		return l, false
	}
	n := rep.nodes.a.node(rep.nodes.root)
	l.ToMove = rep.sh.game.ToMove()
	l.Root = MoveInfo{Move: board.NoPoint, SymmetryOf: board.NoPoint, Visits: int64(n.visits), Weight: n.weight, Utility: rep.nodes.view() * n.utility}
	l.Root.fill(&n.avg, rep.nodes.view(), &rep.sh.value)
	for i := rep.nodes.root; ; {
		l.Moves = append(l.Moves, rep.lineMoves(i))
		if len(l.Moves) > len(line) {
			break
		}
		if i = rep.nodes.childBy(i, line[len(l.Moves)-1]); i == 0 {
			break
		}
	}
	if first := l.Moves[0]; len(first) > 0 {
		l.Root.PV = first[0].PV
	} else if rest := rep.chooser.unsearched(); len(rest) > 0 {
		best := slices.MaxFunc(rest, func(a, b option) int { return cmp.Compare(a.value, b.value) })
		l.Root.PV = []board.Point{best.move}
	}
	return l, true
}

// lineMoves returns the moves of a node, the one that would be chosen first, in
// the view of the root.
func (rep *report) lineMoves(i uint32) []LineMove {
	n := rep.nodes.a.node(i)
	if n.edgeCount == 0 || n.is(flagTerminal) {
		return nil
	}
	var moves []LineMove
	for _, m := range rep.chooser.candidates(nil, i) {
		if m.visits == 0 {
			continue
		}
		v := LineMove{MoveInfo: rep.moveInfo(&m, false), Share: float64(m.edge.mult) * float64(m.edge.weight)}
		v.UtilityLCB = rep.nodes.view() * n.sign() * m.lcb
		v.PV, _, _ = rep.principal(m.edge)
		moves = append(moves, v)
	}
	slices.SortStableFunc(moves, func(a, b LineMove) int { return a.compare(&b.MoveInfo) })
	return moves
}
