package life

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
)

// ErrMove is wrapped by the errors about moves that cannot be played against a proof.
var ErrMove = errors.New("no move against this proof")

// Values of [Step.End]: how a line against a proof ends.
const (
	EndTaken   = "taken"   // the target is captured
	EndAlive   = "alive"   // the target is pass-alive, or joined to a chain that is alive by assumption
	EndDoomed  = "doomed"  // no room for two eyes is left
	EndStands  = "stands"  // both sides pass, and the target is not captured
	EndNoLife  = "no life" // both sides pass, and the target is not pass-alive
	EndNoProof = "unknown" // nothing is proved about the state after the first move
)

var endOf = map[solver.Kind]string{solver.LeafTaken: EndTaken, solver.LeafSafe: EndAlive, solver.LeafDoomed: EndDoomed}

const mostWalked = 200000

// Walk plays the winning side of a proof against any moves of the other side, without ko
// threats. It is safe for concurrent use.
type Walk struct {
	l      *encoded
	q      *Question
	nodes  []walkNode
	starts []walkStart
}

// walkNode is a state of a proof, without the stones.
type walkNode struct {
	kind    solver.Kind
	goal    solver.Goal
	move    int16
	next    int32
	replies []solver.Reply
}

// walkStart is the proof of the question's start, or of the state after a first move.
type walkStart struct {
	first solver.Side
	after int16 // the first move; NoMove: none
	at    int32
	goal  solver.Goal
}

// Step is the position after a line against a proof.
type Step struct {
	Line      []board.Point // the moves of both sides; board.Pass is a move elsewhere
	Stones    []board.Color // one per point
	ToMove    board.Color   // the side that plays against the proof
	Legal     []board.Point // legal moves of ToMove
	Winner    board.Color   // the side that wins by the proof; Empty until a first move decides which
	Elsewhere bool          // the user's last move has no effect: the proof answers it as a pass
	End       string        // how the line ended; "": it continues
}

// newWalk returns a Walk through the proofs without ko threats; nil if there are none, or their states are too many.
func (a *asker) newWalk(cards [2]*Card) *Walk {
	var kept []claim
	w := &Walk{l: a.l, q: a.q}
	for _, c := range a.claims {
		if !c.evaded && c.threat == [2]uint8{} && cards[c.first] != nil && (len(c.after) > 0 || c.goal == shows(cards[c.first].Verdict)) {
			kept = append(kept, c)
		}
	}
	order, number := reach(a.s, kept)
	if len(order) == 0 || len(order) > mostWalked {
		return nil
	}
	for _, at := range order {
		r := a.s.Proof(at)
		n := walkNode{kind: r.Kind, goal: r.Goal, move: r.Move}
		if r.Kind == solver.WinnerMoves {
			n.next = number[r.Next]
		}
		for _, x := range r.Replies {
			if x.To != solver.Stopped {
				x.To = number[x.To]
			}
			n.replies = append(n.replies, x)
		}
		w.nodes = append(w.nodes, n)
	}
	for _, c := range kept {
		s := walkStart{first: c.first, after: solver.NoMove, at: number[c.proof], goal: c.goal}
		if len(c.after) > 0 {
			s.after = c.after[0]
		}
		w.starts = append(w.starts, s)
	}
	return w
}

// shows returns the goal that the winner of a verdict reaches.
func shows(verdict string) solver.Goal {
	switch verdict {
	case Dead:
		return solver.Capture
	case Alive:
		return solver.Settle
	case Seki, Held:
		return solver.Hold
	}
	return solver.NoGoal
}

// Size returns the size of the board.
func (w *Walk) Size() board.Size { return w.q.Size }

// Plays reports whether there is a proof to play against if the given colour moves first.
func (w *Walk) Plays(first board.Color) bool { return w.start(w.l.side(first), solver.NoMove) != nil }

func (w *Walk) start(first solver.Side, after int16) *walkStart {
	i := slices.IndexFunc(w.starts, func(s walkStart) bool { return s.first == first && s.after == after })
	if i < 0 {
		return nil
	}
	return &w.starts[i]
}

// walker plays one line.
type walker struct {
	*Walk
	p     solver.Position
	at    int32 // the node of p, if known
	known bool
	step  *Step
}

// Play plays a user's moves against the proof, from the start of the question, where the given colour moves first. If
// this is the winner's colour, the user still makes the first move, and the proof then plays for the side that wins
// after this move. A pass or a move outside the fight is a move elsewhere. Errors wrap ErrMove.
func (w *Walk) Play(first board.Color, moves []board.Point) (*Step, error) {
	root := w.start(w.l.side(first), solver.NoMove)
	if root == nil {
		return nil, fmt.Errorf("%w: nothing is proved with %v first", ErrMove, first)
	}
	r := &walker{Walk: w, p: w.l.root(w.q, w.l.side(first), [2]uint8{}), step: &Step{}}
	if r.nodes[root.at].kind < solver.WinnerMoves || root.goal.Winner() != r.p.Mover {
		r.at, r.known = root.at, true
		r.step.End = endOf[r.nodes[root.at].kind]
	}
	for i, m := range moves {
		if r.step.End != "" {
			return nil, fmt.Errorf("%w: the line is over", ErrMove)
		}
		if err := r.user(root, i, m); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r.step, nil
}

// user plays move i of the user and the proof's answer.
func (r *walker) user(root *walkStart, i int, at board.Point) error {
	m := solver.Pass
	if at != board.Pass {
		if !r.q.Size.Contains(at) {
			return fmt.Errorf("%w: a point off the board", ErrMove)
		}
		if x := r.l.index[at]; x >= 0 {
			m = x
		}
	}
	if m >= 0 && !slices.Contains(r.legal(), m) {
		return fmt.Errorf("%w: %s cannot be played", ErrMove, r.q.Size.Vertex(at))
	}
	r.move(m)
	switch {
	case r.known:
		r.follow(m)
	case i == 0:
		switch n, s := &r.nodes[root.at], r.start(root.first, m); {
		case s != nil:
			r.at = s.at
		case n.move == m:
			r.at = n.next
		default:
			r.step.End = EndNoProof
			return nil
		}
		r.known = true
		r.answer()
	}
	return nil
}

// follow plays the proof's answer to a move of the loser. A move that the proof does not mention is answered as a pass.
func (r *walker) follow(m int16) {
	n := &r.nodes[r.at]
	find := func(m int16) int {
		return slices.IndexFunc(n.replies, func(x solver.Reply) bool { return x.Move == m })
	}
	i := find(m)
	if r.step.Elsewhere = m >= 0 && i < 0; i < 0 {
		i = find(solver.Pass)
	}
	if i < 0 { // play is over
		return
	}
	if n.replies[i].To != solver.Stopped {
		r.at = n.replies[i].To
		r.answer()
		return
	}
	r.move(solver.Pass)
	if m < 0 {
		r.step.End = map[solver.Goal]string{solver.Hold: EndStands, solver.Deny: EndNoLife}[n.goal]
	}
}

// answer plays the winner's move if the winner is to move, and sets the step's End if play is over.
func (r *walker) answer() {
	n := &r.nodes[r.at]
	if n.kind == solver.WinnerMoves {
		r.move(n.move)
		r.at = n.next
		n = &r.nodes[r.at]
	}
	r.step.End = endOf[n.kind]
}

func (r *walker) move(m int16) {
	at := board.Pass
	if m >= 0 {
		at = r.l.point[m]
	}
	r.l.Move(&r.p, m)
	r.step.Line = append(r.step.Line, at)
}

// legal returns the legal moves of the side to move.
func (r *walker) legal() (moves []int16) {
	for m := range r.l.Empty(&r.p).All {
		after := r.p
		if _, legal := r.l.Move(&after, m); legal && m != r.p.Ban {
			moves = append(moves, m)
		}
	}
	return moves
}

// finish fills in the rest of the step.
func (r *walker) finish() {
	s := r.step
	s.ToMove = r.l.color(r.p.Mover)
	if r.known {
		s.Winner = r.l.color(r.nodes[r.at].goal.Winner())
	}
	s.Stones = slices.Clone(r.q.Stones)
	for m, p := range r.l.point {
		if p == board.NoPoint {
			continue
		}
		s.Stones[p] = board.Empty
		for c := solver.Attacker; c <= solver.Defender; c++ {
			if r.p.Stones[c].Has(int16(m)) {
				s.Stones[p] = r.l.color(c)
			}
		}
	}
	if s.End == "" {
		for _, m := range r.legal() {
			s.Legal = append(s.Legal, r.l.point[m])
		}
	}
}
