package board

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHashCoversEveryBan compares the bans in the hash with those that SuperkoBanned
// reports point by point, in games full of captures and suicides.
func TestHashCoversEveryBan(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	bans, suicides := 0, 0
	for _, ko := range []KoRule{KoPositional, KoSituational} {
		for range 60 {
			rules := TrompTaylor()
			rules.Ko, rules.Suicide = ko, true
			g, err := NewGame(Size{W: 2 + rng.IntN(2), H: 2 + rng.IntN(3)}, rules)
			require.NoError(t, err)
			for range 60 {
				want := Hash{}
				for p := range Point(g.Size().Area()) {
					if g.SuperkoBanned(p) {
						want = want.xor(zobrist.banned[p])
						bans++
						if !g.board.vacated.has(p) {
							suicides++
						}
					}
				}
				require.Equal(t, want, g.hashBans(Hash{}))
				legal := g.LegalMoves(nil)
				p := Point(rng.IntN(g.Size().Area()))
				if !legal[p] {
					p = Pass
				}
				require.NoError(t, g.Play(g.ToMove(), p))
			}
		}
	}
	require.Greater(t, bans, 1000)
	require.Greater(t, suicides, 10)
}
