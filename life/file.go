package life

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// claim is a proved statement about the start of a question.
type claim struct {
	first  solver.Side
	goal   solver.Goal
	threat [2]uint8
	proof  int32
	after  []int16 // moves from the start to the state that it is about
	shared bool    // the proof is of another state, which is the same on its zone
}

// goalNames are those of a proof file.
var goalNames = [...]string{solver.Capture: check.Capture, solver.Settle: check.Settle, solver.Hold: check.Hold, solver.Deny: check.Deny, solver.Repeat: check.Repeat, solver.Unsettled: check.Unsettled}

// proofFile writes claims as a file that the checker reads.
func (l *laid) proofFile(q *Question, s *solver.Search, claims []claim) []byte {
	var b bytes.Buffer
	l.header(&b, q)
	// The proofs of a state's successors were found before its own: in falling order
	// every node comes before those that it leads to.
	order, number := reach(s, claims)
	for _, c := range claims {
		fmt.Fprintf(&b, "claim %v %s %d %d %d", c.first, goalNames[c.goal], c.threat[0], c.threat[1], max(0, number[c.proof]))
		for _, m := range c.after {
			fmt.Fprintf(&b, " %s", l.vertex(q.Size, m))
		}
		b.WriteByte('\n')
	}
	for _, at := range order {
		r := s.Proof(at)
		switch r.Kind {
		case solver.LeafTaken:
			b.WriteString("t\n")
		case solver.LeafSafe:
			b.WriteString("s\n")
		case solver.LeafDoomed:
			b.WriteString("d\n")
		case solver.WinnerMoves:
			fmt.Fprintf(&b, "w %s:%d\n", l.vertex(q.Size, r.Move), number[r.Next])
		case solver.LoserMoves:
			b.WriteByte('l')
			for _, a := range r.Replies {
				if a.To == solver.Stopped {
					b.WriteString(" pass:end")
					continue
				}
				fmt.Fprintf(&b, " %s:%d", l.vertex(q.Size, a.Move), number[a.To])
			}
			b.WriteByte('\n')
		}
	}
	return check.Seal(b.Bytes())
}

func (l *laid) header(b *bytes.Buffer, q *Question) {
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

func (l *laid) vertex(size board.Size, m int16) string {
	if m < 0 {
		return "pass"
	}
	return size.Vertex(l.point[m])
}

// reach returns the proofs that claims rest on, in falling order, and their numbers
// in the file.
func reach(s *solver.Search, claims []claim) (order []int32, number map[int32]int) {
	number = map[int32]int{}
	var todo []int32
	visit := func(at int32) {
		if _, ok := number[at]; !ok && at >= 0 {
			number[at] = 0
			todo = append(todo, at)
		}
	}
	for _, c := range claims {
		visit(c.proof)
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
		number[at] = i
	}
	return order, number
}
