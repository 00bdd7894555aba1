package check

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// snapback is the proof that Black takes White's C3, first on B3.
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
	require.Contains(t, c.Text(), "attacker first, threats 0 to 0: it is taken")
	_, err = Proof([]byte(snapback))
	require.ErrorIs(t, err, ErrProof)
}

// FuzzProof reads what is not a proof without a panic.
func FuzzProof(f *testing.F) {
	f.Add(snapback)
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
