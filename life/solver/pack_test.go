package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// blob returns a random connected set of size points around the middle of a w by h rectangle.
func blob(rng *rand.Rand, w, h, size int) []bool {
	in := make([]bool, w*h)
	x, y := w/2, h/2
	for n := 0; n < size; {
		for _, q := range [5]int{0, -1, 1, -w, w} {
			if at := y*w + x + q; !in[at] {
				in[at] = true
				n++
			}
		}
		x = min(max(1, x+rng.IntN(3)-1), w-2)
		y = min(max(1, y+rng.IntN(3)-1), h-2)
	}
	return in
}

// TestPack: points of a packed fight have the same neighbours as in the rectangle.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	packed := 0
	for range 300 {
		w, h := 8+rng.IntN(4), 8+rng.IntN(4)
		in := blob(rng, w, h, 25+rng.IntN(30))
		g := NewGame(w, h, false, false)
		g.Pack(in)
		if _, _, p := g.Order(); !p {
			continue
		}
		packed++
		require.True(t, g.small())
		for i, part := range in {
			if part {
				at := g.At(i%w, i/w)
				require.True(t, at >= 0 && int(at) < g.Points() && !g.On.Has(at))
				g.On.Add(at)
			}
		}
		for i, part := range in {
			if !part {
				continue
			}
			want := Single(g.At(i%w, i/w))
			for q, part := range in {
				if dx, dy := q%w-i%w, q/w-i/w; part && dx*dx+dy*dy == 1 {
					want.Add(g.At(q%w, q/w))
				}
			}
			seed := Single(g.At(i%w, i/w))
			require.Equal(t, want, g.Around(&seed))
		}
	}
	t.Log(packed)
	require.Greater(t, packed, 100)
}

// TestTurnsOverflow: a result by repetition does not count in a later turn, even if the turns' number comes round.
func TestTurnsOverflow(t *testing.T) {
	g, p := (&drawn{w: 5, h: 3, cells: []byte("...dXddddXXXXXX")}).lay()
	p.Mover = Attacker
	s := NewSearch(g)
	s.table.round = 1
	s.table.put(1<<20, &result{tainted: true}, 1)
	require.NotNil(t, s.table.get(1<<20))
	s.table.round = 1<<16 - 1
	at, _ := s.Pursue(Fight, p, Attacker)
	require.GreaterOrEqual(t, at, int32(0))
	require.NotZero(t, s.Nodes)
	require.NotZero(t, s.table.round, "0 would mean that no result is by repetition")
	require.Nil(t, s.table.get(1<<20))
}
