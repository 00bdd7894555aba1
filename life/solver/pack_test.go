package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// blob draws a connected fight in the middle of a box, with stones alive by assumption
// around it.
func blob(rng *rand.Rand, w, h, size int) []Cell {
	cells := make([]Cell, w*h)
	x, y := w/2, h/2
	for n := 0; n < size; {
		if at := y*w + x; cells[at] != Inside {
			cells[at] = Inside
			n++
		}
		x = min(max(1, x+rng.IntN(3)-1), w-2)
		y = min(max(1, y+rng.IntN(3)-1), h-2)
	}
	for at, c := range cells {
		if c != Inside {
			continue
		}
		for _, q := range [4]int{at - 1, at + 1, at - w, at + w} {
			if cells[q] == Outside {
				cells[q] = FixedAttack
				if rng.IntN(30) == 0 {
					cells[q] = FixedDefence
				}
			}
		}
	}
	return cells
}

// TestPack requires that points of a packed fight have the neighbours that they have in
// its box: of those where stones come and go all, of stones alive by assumption the colours.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	packed := 0
	for range 300 {
		w, h := 8+rng.IntN(4), 8+rng.IntN(4)
		cells := blob(rng, w, h, 12+rng.IntN(20))
		g := NewGame(w, h, false, false)
		g.Pack(cells)
		if _, _, p := g.Order(); !p {
			continue
		}
		packed++
		require.True(t, g.small())
		kinds := map[int16]Cell{}
		for i, c := range cells {
			if c != Outside {
				at := g.At(i%w, i/w)
				require.Zero(t, kinds[at])
				require.True(t, at >= 0 && int(at) < g.Points())
				kinds[at] = c
				g.On.Add(at)
			}
		}
		for i, c := range cells {
			if c != Inside {
				continue
			}
			want, fixed := Single(g.At(i%w, i/w)), map[Cell]bool{}
			for _, q := range [4]int{i - 1, i + 1, i - w, i + w} {
				if cells[q] == Inside {
					want.Add(g.At(q%w, q/w))
				} else {
					fixed[cells[q]] = true
				}
			}
			seed := Single(g.At(i%w, i/w))
			got, beside := Set{}, map[Cell]bool{}
			near := g.Around(&seed)
			for _, q := range near.Points(nil) {
				if kinds[q] == Inside {
					got.Add(q)
				} else {
					beside[kinds[q]] = true
				}
			}
			require.Equal(t, want, got)
			require.Equal(t, fixed, beside)
		}
	}
	require.Greater(t, packed, 100)
}
