package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// FuzzPlay plays bytes as moves. After each, legal or not, the invariants that need no reference
// must hold.
func FuzzPlay(f *testing.F) {
	f.Add(uint8(3), uint8(3), uint8(0), []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add(uint8(5), uint8(4), uint8(3), []byte("abcdefghijklmnopqrstuvwxyz"))
	f.Add(uint8(2), uint8(2), uint8(7), []byte("\x00\x01\x02\x03\x00\x01\x02\x03\xff\xff\x00\xff\xff\xff"))
	names := []string{"tromp-taylor", "chinese", "japanese", "aga-button", `{"ko":"SPIGHT","suicide":true}`, "stone-scoring", "ancient-territory", "new-zealand"}
	f.Fuzz(func(t *testing.T, w, h, rules uint8, moves []byte) {
		s := board.Size{W: int(w), H: int(h)}
		if s.Check() != nil || s.Area() > 100 || len(moves) > 300 {
			return
		}
		r, err := board.ParseRules(names[int(rules)%len(names)])
		require.NoError(t, err)
		g, err := board.NewGame(s, r)
		require.NoError(t, err)
		g.SetOptions(board.GameOptions{PreventEncore: rules&128 != 0})
		for _, m := range moves {
			fuzzMove(t, g, m)
			checkGame(t, g)
		}
		n := g.NumMoves()
		if g.Undo() {
			require.Equal(t, n-1, g.NumMoves())
			checkGame(t, g)
			hash := g.Hash()
			require.NoError(t, g.SetRules(r))
			require.Equal(t, hash, g.Hash())
		}
	})
}

// fuzzMove makes the move that a byte stands for. With bit 7 it is out of turn, with bit 6 made by
// PlayTolerant; bits 0 to 5 are a point or pass.
func fuzzMove(t *testing.T, g *board.Game, m byte) {
	p := g.Size().FromIndex(int(m&63) % (g.Size().Area() + 1))
	c := g.ToMove()
	if m&128 != 0 {
		c = c.Opponent()
	}
	legal, n, before := g.Legal(c, p), g.NumMoves(), g.Hash()
	f := g.Play
	if m&64 != 0 {
		f = g.PlayTolerant
	}
	err := f(c, p)
	if err != nil {
		require.Error(t, legal)
		require.Equal(t, before, g.Hash())
		require.Equal(t, n, g.NumMoves())
		return
	}
	require.True(t, legal == nil || m&64 != 0)
	require.Equal(t, board.Move{Color: c, Point: p}, g.LastMove(0))
	require.Equal(t, c.Opponent(), g.ToMove())
}

func checkGame(t *testing.T, g *board.Game) {
	b, s := g.Board(), g.Size()
	checkChains(t, b)
	require.Equal(t, diagram(t, b.String()).Hash(), b.Hash())
	black, white := 0, 0
	legal := g.LegalMoves(nil)
	for p := range board.Point(s.Area()) {
		switch b.At(p) {
		case board.Black:
			black++
		case board.White:
			white++
		}
		require.Equal(t, legal[p], g.Legal(g.ToMove(), p) == nil)
		if g.KoRecapBlocked(p) {
			require.NotEqual(t, board.Empty, b.At(p))
			require.Positive(t, g.Phase())
		}
	}
	require.Equal(t, []int{black, white}, []int{b.Stones(board.Black), b.Stones(board.White)})
	if k := b.KoPoint(); k != board.NoPoint {
		require.Equal(t, board.Empty, b.At(k))
		require.False(t, legal[k])
	}
	require.InDelta(t, 0, g.Score(), float64(3*s.Area()+g.NumMoves())+20)
}
