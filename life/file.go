package life

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// claim is a proved statement about a question.
type claim struct {
	first  solver.Side
	goal   solver.Goal
	threat [2]uint8
	proof  int32   // number of the proof in the search
	after  []int16 // moves from the start to the state of the claim
	evaded bool    // the proof is Search.Evasions[proof]: the goal is not reached or, if a threat is Any, reached
}

// Names in a proof file of goals that are reached, and of goals that are not reached.
var (
	goalNames = [...]string{solver.Capture: check.Capture, solver.Settle: check.Settle, solver.Hold: check.Hold, solver.Deny: check.Deny}
	missNames = map[solver.Goal]string{solver.Capture: check.NotCapture, solver.Settle: check.NotSettle, solver.Hold: check.NotHold}
)

func (l *encoded) proofFile(q *Question, s *solver.Search, claims []claim) []byte {
	var b bytes.Buffer
	l.header(&b, q)
	// A proof has a higher number than its successors, so in descending order every node comes before the
	// nodes that it leads to.
	order, number := reach(s, claims)
	evasions, begin, n := evasionsOf(s, claims)
	for _, at := range order {
		number[at] += n
	}
	for _, c := range claims {
		name, at := goalNames[c.goal], int32(0)
		switch {
		case c.evaded && max(c.threat[0], c.threat[1]) == solver.Any:
			at = begin[c.proof]
		case c.evaded:
			name, at = missNames[c.goal], begin[c.proof]
		default:
			at = number[c.proof]
		}
		fmt.Fprintf(&b, "claim %v %s %s %s %d", c.first, name, l.counted(c.threat[0]), l.counted(c.threat[1]), at)
		for _, m := range c.after {
			fmt.Fprintf(&b, " %s", l.vertex(q.Size, m))
		}
		b.WriteByte('\n')
	}
	w := newNodes(l, q)
	for _, i := range evasions {
		w.evasion(s.Evasions[i], begin[i], number)
	}
	for _, at := range order {
		w.node(s.Proof(at), number)
		if len(w.text) > 1<<16 {
			b.Write(w.text)
			w.text = w.text[:0]
		}
	}
	b.Write(w.text)
	return check.Seal(b.Bytes())
}

// counted formats a number of threats: endless, any, n, or n/m if at most m of the n threats may be spent to retake
// points that were retaken before.
func (l *encoded) counted(threats uint8) string {
	n, again := l.Parts(threats)
	switch {
	case n == solver.Endless:
		return "endless"
	case n == solver.Any:
		return "any"
	case again >= 0:
		return fmt.Sprintf("%d/%d", n, again)
	}
	return strconv.Itoa(n)
}

type nodes struct {
	text  []byte
	names []string // names of points; the pass comes first
}

func newNodes(l *encoded, q *Question) *nodes {
	w := &nodes{names: []string{l.vertex(q.Size, solver.Pass)}}
	for m, p := range l.point {
		name := ""
		if p != board.NoPoint {
			name = l.vertex(q.Size, int16(m))
		}
		w.names = append(w.names, name)
	}
	return w
}

func (w *nodes) move(m int16, to int32) {
	w.text = append(append(append(w.text, ' '), w.names[m+1]...), ':')
	w.text = strconv.AppendInt(w.text, int64(to), 10)
}

func (w *nodes) node(r solver.Proof, number []int32) {
	w.text = append(w.text, [...]byte{solver.LeafTaken: 't', solver.LeafSafe: 's', solver.LeafDoomed: 'd', solver.WinnerMoves: 'w', solver.LoserMoves: 'l'}[r.Kind])
	if r.Kind == solver.WinnerMoves {
		w.move(r.Move, number[r.Next])
	}
	for _, a := range r.Replies {
		if a.To == solver.Stopped {
			w.text = append(w.text, " pass:end"...)
			continue
		}
		w.move(a.Move, number[a.To])
	}
	w.text = append(w.text, '\n')
}

func (w *nodes) evasion(e *solver.Evasion, begin int32, number []int32) {
	for _, n := range e.States {
		w.text = append(w.text, "WL"[min(1, n.Mover^e.Goal.Winner().Other())])
		for _, m := range n.Moves {
			to := begin + m.To
			if m.To < 0 {
				to = number[^m.To]
			}
			w.move(m.Move, to)
		}
		w.text = append(w.text, '\n')
	}
}

// evasionsOf returns the evasions that claims refer to, the number in the file of the first node of each, and how
// many nodes they have together. In the file, evasions come before proofs.
func evasionsOf(s *solver.Search, claims []claim) (list []int32, begin map[int32]int32, n int32) {
	begin = map[int32]int32{}
	for _, c := range claims {
		if _, ok := begin[c.proof]; c.evaded && !ok {
			list = append(list, c.proof)
			begin[c.proof] = n
			n += int32(len(s.Evasions[c.proof].States))
		}
	}
	return list, begin, n
}

func (l *encoded) header(b *bytes.Buffer, q *Question) {
	fmt.Fprintf(b, "%s\nboard %d %d\n", check.Magic, q.Size.W, q.Size.H)
	for y := range q.Size.H {
		b.WriteString("row ")
		for x := range q.Size.W {
			b.WriteByte(".XO"[q.Stones[q.Size.Point(x, y)]])
		}
		b.WriteByte('\n')
	}
	if right, down, packed := l.Order(); packed {
		fmt.Fprintf(b, "order %d %d\n", right, down)
	}
	fmt.Fprintf(b, "defender %v\ntarget %s\n", l.defender, vertices(q.Size, q.Targets))
	if len(q.Assumed) > 0 {
		fmt.Fprintf(b, "assumed %s\n", vertices(q.Size, q.Assumed))
	}
	if at, who := l.ban(q); at != solver.NoBan {
		fmt.Fprintf(b, "ban %s %v\n", l.vertex(q.Size, at), who)
	}
	if q.All {
		b.WriteString("all\n")
	}
	if q.Suicide {
		b.WriteString("suicide\n")
	}
}

func vertices(size board.Size, list []board.Point) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = size.Vertex(p)
	}
	return strings.Join(names, " ")
}

func (l *encoded) vertex(size board.Size, m int16) string {
	if m < 0 {
		return "pass"
	}
	return size.Vertex(l.point[m])
}

// reach returns the numbers of the proofs that claims depend on, in descending order, and for each proof its place
// in this list.
func reach(s *solver.Search, claims []claim) (order, number []int32) {
	number = make([]int32, s.Proved())
	var todo []int32
	visit := func(at int32) {
		if at >= 0 && number[at] == 0 {
			number[at] = 1
			todo = append(todo, at)
		}
	}
	for _, c := range claims {
		if !c.evaded {
			visit(c.proof)
			continue
		}
		for _, n := range s.Evasions[c.proof].States {
			for _, m := range n.Moves {
				visit(^m.To)
			}
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		order = append(order, at)
		r := s.Proof(at)
		if r.Kind == solver.WinnerMoves {
			visit(r.Next)
		}
		for _, a := range r.Replies {
			visit(a.To)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return int(b - a) })
	for i, at := range order {
		number[at] = int32(i)
	}
	return order, number
}
