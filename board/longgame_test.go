package board

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longGame plays a number of random legal moves, passes among them.
func longGame(t testing.TB, r Rules, moves int) *Game {
	t.Helper()
	g, err := NewGame(Square(7), r)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for tries := 0; g.NumMoves() < moves; tries++ {
		p := Point(rng.IntN(g.Size().Area()))
		if tries%50 == 0 || g.Play(g.ToMove(), p) != nil && tries%5 == 0 {
			require.NoError(t, g.Play(g.ToMove(), Pass))
		}
	}
	return g
}

// TestIndexedHashes: a long game, which has an index of hashes, behaves like its copy, which has
// none.
func TestIndexedHashes(t *testing.T) {
	spight := Chinese()
	spight.Ko = KoSpight
	for _, r := range []Rules{TrompTaylor(), newZealand, Japanese(), spight} {
		g := longGame(t, r, 5*shortList)
		var bare Game
		bare.CopyFrom(g)
		require.Nil(t, bare.ko.keys.index)
		rng := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			require.Equal(t, bare.LegalMoves(nil), g.LegalMoves(nil))
			require.Equal(t, bare.PassWouldEndGame(), g.PassWouldEndGame())
			p := Point(rng.IntN(g.Size().Area()))
			err := g.Play(g.ToMove(), p)
			require.Equal(t, err, bare.Play(bare.ToMove(), p))
			require.Equal(t, bare.NoResult(), g.NoResult())
		}
	}
	g := longGame(t, TrompTaylor(), 2*shortList)
	require.Len(t, g.ko.keys.list, 2*shortList+1, "no pass lifts bans under these rules")
	require.NotNil(t, g.ko.keys.index, "or the test compares nothing")
	require.True(t, g.UndoMoves(2*shortList-10))
	require.Nil(t, g.ko.keys.index)
}

func TestUndoMoves(t *testing.T) {
	for _, r := range []Rules{TrompTaylor(), Japanese()} {
		g := longGame(t, r, 60)
		g.SetToMove(g.ToMove().Opponent())
		require.NoError(t, g.PlayTolerant(g.ToMove(), Pass))
		for _, n := range []int{1, 2, 7, 61} {
			var one, all Game
			one.CopyFrom(g)
			all.CopyFrom(g)
			for range n {
				require.True(t, one.Undo())
			}
			require.True(t, all.UndoMoves(n))
			require.Equal(t, one.Moves(), all.Moves())
			require.Equal(t, one.Hash(), all.Hash())
			require.Equal(t, one.ToMove(), all.ToMove())
			require.Equal(t, one.StartToMove(), all.StartToMove())
		}
		before := g.Hash()
		for _, n := range []int{-1, 0, 62} {
			require.False(t, g.UndoMoves(n))
		}
		require.Equal(t, before, g.Hash())
	}
}

// TestUndoMovesOnce bounds the memory for undoing half of a long game: a replay for each move would
// take far more.
func TestUndoMovesOnce(t *testing.T) {
	const moves = 20_000
	g := longGame(t, Chinese(), moves)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.True(t, g.UndoMoves(moves/2))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1000*moves), "bytes; each replay takes 16 for each move")
	require.Equal(t, moves/2, g.NumMoves())
}

// TestLeadingStones compares the count of Black's stones before White's first with one that reads all
// moves again, and plays many passes: the time for each must not grow with their number.
func TestLeadingStones(t *testing.T) {
	again := func(moves []Move) (n int) {
		for i, m := range moves {
			switch {
			case m.Color == White && i+1 < len(moves) && moves[i+1].Color != Black:
				return 0
			case m.Color == White && m.Point != Pass:
				return n
			case m.Color == Black && m.Point != Pass:
				n++
			}
		}
		return n
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		g := longGame(t, Chinese(), 0)
		for range 12 {
			p := Pass
			if rng.IntN(3) > 0 {
				p = Point(rng.IntN(g.Size().Area()))
			}
			if rng.IntN(8) == 0 {
				g.UndoMoves(2)
			}
			_ = g.PlayTolerant(Black+Color(rng.IntN(2)), p)
			require.Equal(t, again(g.Moves()), g.points.leading, "%v", g.Moves())
		}
	}
	g, begun := longGame(t, Chinese(), 0), time.Now()
	for range 200_000 {
		require.NoError(t, g.PlayTolerant(g.ToMove(), Pass))
	}
	require.Less(t, time.Since(begun), 10*time.Second)
}
