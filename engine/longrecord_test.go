package engine

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
)

// longRecord returns the record of a game of random moves, a tenth of them passes.
func longRecord(t *testing.T, moves int) []byte {
	t.Helper()
	g, err := board.NewGame(board.Square(9), board.Japanese())
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for g.NumMoves() < moves {
		p := board.Pass
		if rng.IntN(10) > 0 {
			p = board.Point(rng.IntN(g.Size().Area()))
		}
		_ = g.Play(g.ToMove(), p)
	}
	record := sgf.Record{Size: g.Size(), Rules: "Japanese", Steps: sgf.Steps(g.Moves(), nil)}
	data, err := sgf.Marshal(record.Tree())
	require.NoError(t, err)
	return data
}

// allocated returns the bytes that f allocates, as a measure of work that does not depend on the
// machine.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLongRecord loads, undoes, prints and continues a record of 100,000 moves. The work per move
// must not grow with their number: copying the game for each would take terabytes.
func TestLongRecord(t *testing.T) {
	const moves, most = 100_000, 5000 // bytes per move
	data := longRecord(t, moves)
	e := newEngine(t, 9, nil)
	genmove(t, e, board.Black) // so that there is a tree
	for name, step := range map[string]func(){
		"load":  func() { require.NoError(t, e.LoadSGF(data, 0)) },
		"print": func() { _, err := e.SaveSGF(t.Context()); require.NoError(t, err) },
		"undo":  func() { require.NoError(t, e.Undo(e.game.NumMoves()/2)) },
		"play": func() {
			for range 1000 {
				require.NoError(t, e.Play(e.game.ToMove(), board.Pass))
			}
		},
	} {
		require.NoError(t, e.LoadSGF(data, 0))
		require.Less(t, allocated(step), uint64(most*moves), name)
	}
	require.NoError(t, e.LoadSGF(data, 0))
	saved := printed(t, e)
	require.Equal(t, moves, strings.Count(saved, ";B[")+strings.Count(saved, ";W["))
	require.NoError(t, e.Undo(moves-1))
	require.Equal(t, 1, e.game.NumMoves())
}
