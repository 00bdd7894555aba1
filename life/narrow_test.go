package life

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// TestNarrow proves on an open board what holds with any surroundings: a corner that lives
// although the attacker has everything around it, a stone that is captured although the defender
// has everything around it. The proofs answer the original question.
func TestNarrow(t *testing.T) {
	for _, test := range []struct {
		name         string
		black, white []string
		target       string
		first        solver.Side
		contest      solver.Contest
		goal         solver.Goal
	}{
		{"open second line", []string{"B2", "C2", "D2", "E2", "F2"}, []string{"B3", "C3", "D3", "E3", "F3", "G3"}, "B2", solver.Defender, solver.Fight, solver.Hold},
		{"corner", []string{"A4", "B4", "C4", "D4", "D3", "D2", "D1", "K10"}, []string{"A5", "B5", "C5", "D5", "E4", "E3"}, "A4", solver.Defender, solver.Life, solver.Settle},
		{"held corner", []string{"A3", "B3", "C3", "D3", "E3", "F3", "F2", "F1", "C2"}, []string{"A4", "B4", "C4", "D4", "E4", "F4", "G3", "G2"}, "A3", solver.Attacker, solver.Fight, solver.Hold},
		{"first line", []string{"K1"}, []string{"J1", "J2", "L1", "L2"}, "K1", solver.Attacker, solver.Fight, solver.Capture},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := &Question{Size: board.Square(19), Stones: make([]board.Color, 361), Ko: board.NoPoint}
			for c, list := range map[board.Color][]string{board.Black: test.black, board.White: test.white} {
				for _, v := range list {
					p, err := q.Size.ParseVertex(v)
					require.NoError(t, err)
					q.Stones[p] = c
				}
			}
			target, err := q.Size.ParseVertex(test.target)
			require.NoError(t, err)
			q.Targets = []board.Point{target}
			l, err := q.encode()
			require.NoError(t, err)
			a := newAsker(context.Background(), q, l, Options{Nodes: 4_000_000})
			require.True(t, a.s.Wide)
			a.part("", 1)
			p := a.root(test.first, 0, 0)
			at := a.followed(test.contest, &p, 64000)
			require.GreaterOrEqual(t, at, int32(0))
			require.Equal(t, test.goal, a.s.Proof(at).Goal)
			a.claim(test.first, test.goal, &p, at)
			require.Less(t, a.s.Nodes, int64(100_000), "a proof is followed, not searched again")
			_, err = check.Proof(l.proofFile(q, a.s, a.claims))
			require.NoError(t, err)
			for _, n := range a.narrows {
				require.LessOrEqual(t, n.On.Count(), 2*mostNarrow)
				again := n.position(&p)
				require.Equal(t, n.start.Stones, again.Stones, "the start is that of the narrow question")
			}
		})
	}
}
