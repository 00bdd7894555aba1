package check

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// snapback is a proof that Black captures White's C3 with the first move B3.
const snapback = Magic + `
board 6 3
row O.OOOX
row X.OOXX
row XXXXXO
defender white
target C3
assumed A3 F3 A2 E2 F2 A1 B1 C1 D1 E1 F1
claim attacker capture 0 0 0
w B3:1
l pass:2 B2:3
w B2:4
w B3:4
t
`

// TestProof verifies a proof and reads what it claims.
func TestProof(t *testing.T) {
	c, err := Proof(Seal([]byte(snapback)))
	require.NoError(t, err)
	require.Equal(t, 5, c.Nodes)
	require.Contains(t, c.Text(), "attacker first, without ko threats: it is taken")
	_, err = Proof([]byte(snapback))
	require.ErrorIs(t, err, ErrProof)
}

// TestOrders: a proof holds for any order in which points are numbered; an order with duplicate
// or invalid numbers is refused.
func TestOrders(t *testing.T) {
	for _, o := range []struct {
		line, refused string
	}{
		{"order 1 7", ""}, {"order 1 6", ""}, {"order -1 6", ""}, {"order 3 -1", ""}, {"order -4 -1", ""}, {"order 5 -6", ""}, {"order 7 -3", ""}, {"order 63 2", ""},
		{"order 1 1", "one number"}, {"order 2 -4", "one number"}, {"order 0 7", "bad order"}, {"order 1 64", "bad order"}, {"order -64 1", "bad order"},
		{"order 1", "bad order"}, {"order a b", "bad order"}, {"order 1 7\norder 1 7", "bad order"},
	} {
		_, err := Proof(Seal([]byte(strings.Replace(snapback, "defender", o.line+"\ndefender", 1))))
		if o.refused == "" {
			require.NoError(t, err, o.line)
			continue
		}
		require.ErrorIs(t, err, ErrProof, o.line)
		require.ErrorContains(t, err, o.refused, o.line)
	}
	wide := strings.Repeat(".", maxSide)
	text := Magic + "\nboard 25 25\n" + strings.Repeat("row "+wide+"\n", maxSide-1) + "row O" + wide[1:] + "\norder 63 62\ndefender white\ntarget A1\nclaim attacker capture 0 0 0\nt\n"
	_, err := Proof(Seal([]byte(text)))
	require.ErrorContains(t, err, "too much room")
}

// TestNear compares the neighbours that near finds with those on the board, in random fights and orders.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	met := 0
	for range 3000 {
		f := &file{}
		f.Width, f.Height = 1+rng.IntN(9), 1+rng.IntN(9)
		f.order = [2]int{rng.IntN(41) - 20, rng.IntN(41) - 20}
		area := f.Width * f.Height
		f.stones, f.fixed, f.targets, f.banned = make([]byte, area), make([]bool, area), []int{0}, noPoint
		for p := 1; p < area; p++ {
			f.fixed[p] = rng.IntN(4) == 0
		}
		box, err := f.fight()
		if err != nil {
			continue
		}
		met++
		p, err := newProof[[mostWords]uint64](f, box)
		require.NoError(t, err)
		for cell, at := range box.at {
			if at == noPoint {
				continue
			}
			require.Equal(t, cell, p.cell[at])
			var want points[[mostWords]uint64]
			for q, to := range box.at {
				if dx, dy := q%f.Width-cell%f.Width, q/f.Width-cell/f.Width; to != noPoint && dx*dx+dy*dy == 1 {
					want.add(to)
				}
			}
			require.Equal(t, want, p.b.near(single[[mostWords]uint64](at)))
		}
	}
	require.Greater(t, met, 1000)
}

// FuzzProof: a damaged proof causes an error, never a panic.
func FuzzProof(f *testing.F) {
	f.Add(snapback)
	f.Add(strings.Replace(snapback, "defender", "order 3 -1\ndefender", 1))
	f.Add(Magic + "\nboard 3 3\nrow ...\nrow .O.\nrow ...\ndefender white\ntarget B2\nall\nsuicide\nban A1 defender\nclaim defender not-hold 0 4 0 pass\nW B1:1\nL pass:0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		if _, err := Proof(Seal([]byte(text))); err != nil && !errors.Is(err, ErrProof) {
			t.Fatal(err)
		}
	})
}
