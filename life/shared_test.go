package life

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/life/check"
	"kosumi/life/solver"
)

// TestSharedProofs takes back what rests on the proof of another state: what remains is
// proved, and no move of it is called the only one.
func TestSharedProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 10))
	dropped := 0
	for range shapesToAsk(20) {
		s, _ := nextShape(rng, 20000)
		q := s.question()
		l, err := q.lay()
		require.NoError(t, err)
		a := newAsker(context.Background(), q, l, Options{Nodes: 1000000})
		cards := [2]*Card{{Verdict: Unknown}, {Verdict: Unknown}}
		a.answer(cards)
		if !a.dropShared(cards) {
			continue
		}
		dropped++
		_, err = check.Proof(l.proofFile(q, a.s, a.claims))
		require.NoError(t, err)
		for first, c := range cards {
			proved := map[string]bool{}
			for _, cl := range a.claims {
				require.False(t, cl.shared)
				if len(cl.after) == 1 && cl.first == solver.Side(first) {
					proved[l.vertex(q.Size, cl.after[0])] = true
				}
			}
			if _, _, every := aim(solver.Side(first), c.Verdict); c.AllMoves || every {
				continue
			}
			for _, m := range c.Moves {
				require.True(t, proved[m], "%s\n%v", m, s)
			}
		}
	}
	require.Greater(t, dropped, 3)
}
