package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSmallFights: searches with sets of one word and of two words visit as many states and find the same proofs.
func TestSmallFights(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 4))
	met := 0
	for i := range 60 {
		from := randomFight(rng)
		small, start := from.lay()
		long, _ := from.lay()
		long.used = 2
		for bits := range 4 {
			var found [2]*Search
			for j, g := range []*Game{small, long} {
				root := *start
				root.Mover = Side(bits & 1)
				root.Threat = [2]uint8{uint8(i % 3), [...]uint8{0, 1, 2, 3, Endless}[i%5]}
				found[j] = NewSearch(g)
				found[j].MaxNodes = 1500
				found[j].Decide(Contest(bits>>1), &root)
			}
			require.Equal(t, found[1].Nodes, found[0].Nodes, from)
			require.Equal(t, found[1].Proved(), found[0].Proved(), from)
			for at := range found[0].Proved() {
				require.Equal(t, found[1].Proof(at), found[0].Proof(at), from)
			}
			met += int(found[0].Proved())
		}
	}
	require.Greater(t, met, 2000)
}
