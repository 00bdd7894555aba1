package life

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSmallFights requires that a search with sets of one word does what it does with
// longer ones, state by state.
func TestSmallFights(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 4))
	met := 0
	for i := range 60 {
		s := openShape(rng)
		if i%2 == 0 {
			s = randomShape(rng)
			s.suicide = rng.IntN(3) == 0
		}
		small, err := s.question().lay()
		if err != nil || !small.small() {
			continue
		}
		long, err := s.question().lay()
		require.NoError(t, err)
		long.used = 2
		for bits := range 4 {
			var found [2]*search
			for j, l := range []*laid{small, long} {
				root := l.start
				root.mover = side(bits & 1)
				root.threat = [2]uint8{uint8(i % 3), uint8(i % 5)}
				found[j] = newSearch(l.game)
				found[j].maxNodes = 1500
				found[j].decide(contest(bits>>1), &root)
			}
			require.Equal(t, found[1].nodes, found[0].nodes, s)
			require.Equal(t, found[1].proofs, found[0].proofs, s)
			met += len(found[0].proofs)
		}
	}
	require.Greater(t, met, 2000)
}
