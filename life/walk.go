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

// Ends of a line that is played against a proof.
const (
	EndTaken   = "taken"   // the target is off the board
	EndAlive   = "alive"   // it is pass-alive, or joined to a chain that is alive by assumption
	EndDoomed  = "doomed"  // no room for two eyes is left
	EndStands  = "stands"  // both pass, and the target stands
	EndNoLife  = "no life" // both pass, and the target has not become pass-alive
	EndNoProof = "unknown" // the first move was not searched to its end
)

var endOf = map[solver.Kind]string{solver.LeafTaken: EndTaken, solver.LeafSafe: EndAlive, solver.LeafDoomed: EndDoomed}

// mostWalked bounds the nodes of a walk.
const mostWalked = 200000

// Walk plays the side that wins by the proof of an answer against every move of the
// other, neither with a ko threat. It may be used by several goroutines.
type Walk struct {
	l      *encoded
	q      *Question
	nodes  []walkNode
	starts []walkStart
}

// walkNode is a proved state without its position.
type walkNode struct {
	kind    solver.Kind
	goal    solver.Goal
	move    int16
	next    int32
	replies []solver.Reply
}

// walkStart is a proved state to begin at: the start of the question, or that after
// one move of its first mover.
type walkStart struct {
	first solver.Side
	after int16 // NoMove: none
	at    int32
	goal  solver.Goal
}

// Step is where a line that is played against a proof has come to.
type Step struct {
	Line      []board.Point // all moves, those of the proof too; board.Pass is a move elsewhere
	Stones    []board.Color // one a point
	ToMove    board.Color   // who plays against the proof
	Legal     []board.Point // where
	Winner    board.Color   // whose moves the proof answers with; Empty before a first move that decides it
	Elsewhere bool          // the last move lies where it changes nothing
	End       string        // why the line is over, "" if it continues
}

// newWalk keeps what the claims without threats rest on; nil if nothing does.
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

// shows returns the goal whose proof shows a verdict to one who plays against it.
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

// Size is that of the board.
func (w *Walk) Size() board.Size { return w.q.Size }

// Plays reports whether there is a proof to play against with a colour to move first.
func (w *Walk) Plays(first board.Color) bool { return w.start(w.side(first), solver.NoMove) != nil }

func (w *Walk) side(c board.Color) solver.Side {
	if c == w.l.defender {
		return solver.Defender
	}
	return solver.Attacker
}

func (w *Walk) color(s solver.Side) board.Color {
	if s == solver.Defender {
		return w.l.defender
	}
	return w.l.defender.Opponent()
}

func (w *Walk) start(first solver.Side, after int16) *walkStart {
	i := slices.IndexFunc(w.starts, func(s walkStart) bool { return s.first == first && s.after == after })
	if i < 0 {
		return nil
	}
	return &w.starts[i]
}

// walker is a line under way.
type walker struct {
	*Walk
	p     solver.Position
	at    int32
	named bool // at holds
	step  *Step
}

// Play plays moves of one side against the proof, from the start of the question with
// first to move. If the winner moves first, the first move is the reader's all the same;
// from there on the proof has the side that wins after it. A move outside of the fight,
// or a pass, is a move elsewhere. Errors wrap ErrMove.
func (w *Walk) Play(first board.Color, moves []board.Point) (*Step, error) {
	root := w.start(w.side(first), solver.NoMove)
	if root == nil {
		return nil, fmt.Errorf("%w: nothing is proved with %v first", ErrMove, first)
	}
	r := &walker{Walk: w, p: w.l.root(w.q, w.side(first), [2]uint8{}), step: &Step{}}
	if r.nodes[root.at].kind < solver.WinnerMoves || root.goal.Winner() != r.p.Mover {
		r.at, r.named = root.at, true
		r.step.End = endOf[r.nodes[root.at].kind]
	}
	for i, m := range moves {
		if r.step.End != "" {
			return nil, fmt.Errorf("%w: the line is over", ErrMove)
		}
		if err := r.reader(root, i, m); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r.step, nil
}

// reader makes a move of the reader's, and the proof's answer.
func (r *walker) reader(root *walkStart, i int, at board.Point) error {
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
	case r.named:
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
		r.named = true
		r.answer()
	}
	return nil
}

// follow goes to the proof of the state after a move of the loser's. One that the proof
// does not name is answered as a pass is.
func (r *walker) follow(m int16) {
	n := &r.nodes[r.at]
	find := func(m int16) int {
		return slices.IndexFunc(n.replies, func(x solver.Reply) bool { return x.Move == m })
	}
	i := find(m)
	if r.step.Elsewhere = m >= 0 && i < 0; i < 0 {
		i = find(solver.Pass)
	}
	if i < 0 { // a leaf: play is over
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

// answer plays the winner's move, if it is the winner's turn.
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

// legal returns where the side to move may play.
func (r *walker) legal() (moves []int16) {
	empty := r.l.Empty(&r.p)
	for _, m := range empty.Points(nil) {
		if m == r.p.Ban {
			continue
		}
		after := r.p
		if _, legal := r.l.Move(&after, m); legal {
			moves = append(moves, m)
		}
	}
	return moves
}

// finish says where the line has come to.
func (r *walker) finish() {
	s := r.step
	s.ToMove = r.color(r.p.Mover)
	if r.named {
		s.Winner = r.color(r.nodes[r.at].goal.Winner())
	}
	s.Stones = slices.Clone(r.q.Stones)
	for m, p := range r.l.point {
		if p == board.NoPoint {
			continue
		}
		s.Stones[p] = board.Empty
		for c := solver.Attacker; c <= solver.Defender; c++ {
			if r.p.Stones[c].Has(int16(m)) {
				s.Stones[p] = r.color(c)
			}
		}
	}
	if s.End == "" {
		for _, m := range r.legal() {
			s.Legal = append(s.Legal, r.l.point[m])
		}
	}
}
