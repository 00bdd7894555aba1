// Package learntest makes small networks and games for tests of training.
package learntest

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/katago"
	"kosumi/train/rows"
)

// FreshKataGo writes an untrained KataGo network.
func FreshKataGo(t testing.TB, name string) string {
	t.Helper()
	net, err := katago.Fresh(name, 1)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name+".bin.gz")
	require.NoError(t, katago.WriteFile(path, net))
	return path
}

// RandomGame plays random legal moves that fill no eye. The policy target of a turn is a few
// moves, with the most weight on the move played. The first turns make no rows, since other
// games have the same positions with different targets.
func RandomGame(t testing.TB, size board.Size, seed uint64) *rows.Game {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	start, err := board.NewGame(size, board.TrompTaylor())
	require.NoError(t, err)
	g := &rows.Game{Start: start, Hash: [2]uint64{rng.Uint64(), rng.Uint64()}}
	var now board.Game
	now.CopyFrom(start)
	for !now.Finished() && now.NumMoves() < 3*size.Area() {
		var moves []board.Point
		for i, ok := range now.LegalMoves(nil) {
			if p := size.FromIndex(i); ok && p != board.Pass && !now.Board().IsEye(p, now.ToMove()) {
				moves = append(moves, p)
			}
		}
		rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		if len(moves) == 0 {
			moves = append(moves, board.Pass)
		}
		win := rng.Float32()
		turn := rows.Turn{Move: moves[0], Weight: 1, Visits: 16, HasRoot: true, Root: rows.Value{Win: win, Loss: 1 - win, Score: 10*rng.Float32() - 5}}
		for i, m := range moves[:min(4, len(moves))] {
			turn.Policy = append(turn.Policy, rows.MoveWeight{Index: uint16(size.Index(m)), Weight: int16(1000 >> (2 * i))})
		}
		if len(g.Turns) < 6 {
			turn.Weight = 0
		}
		g.Turns = append(g.Turns, turn)
		require.NoError(t, now.Play(now.ToMove(), moves[0]))
	}
	g.End = rows.ScoreEnd(&now, !now.Finished())
	return g
}

// ReadRows returns the rows of a file.
func ReadRows(t testing.TB, path string) *rows.Set {
	t.Helper()
	f, err := rows.OpenFile(path)
	require.NoError(t, err)
	defer f.Close()
	set, err := f.Read(0, f.N)
	require.NoError(t, err)
	return set
}
