package board

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKataGoGenerator checks the first numbers that KataGo's generator draws.
func TestKataGoGenerator(t *testing.T) {
	r := newKatagoRand("Board::initHash()")
	require.Equal(t, []uint64{0x15E4AB319ABB2CC6, 0x53219F89C01C557F, 0xC535F97FD0CC7E76}, []uint64{r.uint64(), r.uint64(), r.uint64()})
	tables := katagoHashes()
	require.Equal(t, "D3C1C132E034DCB0392045E5C8D9BD73", tables.player[White].String())
	require.Equal(t, "8FA2C21BFD03E0C9FA250F737D510629", tables.stone[Black][21].String())
	require.Equal(t, "DE9F487F13AF9C0AC6C6F389CD081695", tables.ko[0].String())
	require.Equal(t, "FDB38B23C6F90DEB9DF8F4B41FE4B590", tables.height[9].String())
}

// TestPositionHashes: empty boards have KataGo's hashes, and all images of a position have the same
// SymmetricHash.
func TestPositionHashes(t *testing.T) {
	for n, want := range map[int]string{9: "1521075FDD85FFE1B074F776AFC4E49D", 19: "47E1EBDAE69A5DED3FF8DB1FA4E91845"} {
		g, err := NewGame(Square(n), TrompTaylor())
		require.NoError(t, err)
		require.Equal(t, want, PositionHash(g).String())
		require.Equal(t, want, SymmetricHash(g).String())
	}
	size := Size{W: 4, H: 6}
	moves := []string{"A1", "C2", "B5", "D6"}
	play := func(size Size, turn func(Point) Point) *Game {
		g, err := NewGame(size, TrompTaylor())
		require.NoError(t, err)
		for _, v := range moves {
			p, err := Size{W: 4, H: 6}.ParseVertex(v)
			require.NoError(t, err)
			require.NoError(t, g.Play(g.ToMove(), turn(p)))
		}
		return g
	}
	g := play(size, func(p Point) Point { return p })
	require.NotEqual(t, PositionHash(g), SymmetricHash(g))
	for k := range Symmetry(4) {
		turned := play(size, func(p Point) Point { return size.SymMap(k, p) })
		require.Equal(t, SymmetricHash(g), SymmetricHash(turned))
	}
	over := Size{W: 6, H: 4}
	turned := play(over, func(p Point) Point { x, y := size.XY(p); return over.Point(y, x) })
	require.Equal(t, SymmetricHash(g), SymmetricHash(turned), "transposed")
	g.SetToMove(White)
	require.NotEqual(t, SymmetricHash(g), SymmetricHash(turned), "the side to move counts")
}
