package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/match/opening"
)

// TestMatchOpenings makes a file of openings, and reads it as a match does.
func TestMatchOpenings(t *testing.T) {
	needLibrary(t)
	args := append([]string{"match", "openings", "--model", realNetwork(t), "--boardsize", "9", "--komi", "7", "--count", "20", "--seed", "3"}, frugal...)
	size := board.Square(9)
	var files []string
	for _, name := range []string{"a.txt", "b.txt"} {
		file := filepath.Join(t.TempDir(), name)
		o := exits(t, exitDone, nil, "", append(args, "-o", file)...)
		require.Contains(t, o.stderr, "20 openings")
		files = append(files, file)
	}
	require.Equal(t, testshared.Read(t, files[0]), testshared.Read(t, files[1]), "a seed gives one book")

	openings, err := opening.Read(files[0], size)
	require.NoError(t, err)
	require.Len(t, openings, 20)
	_, err = opening.Read(files[0], board.Square(13))
	require.ErrorContains(t, err, "openings for a board of 9x9, the match is on 13x13")
	seen := map[string]bool{}
	for _, o := range openings {
		require.GreaterOrEqual(t, len(o), 2)
		require.LessOrEqual(t, len(o), 6)
		g := played(t, size, o)
		require.False(t, seen[opening.Key(g)], "%v", o)
		seen[opening.Key(g)] = true
	}
}

func played(t *testing.T, size board.Size, moves []board.Move) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	for _, m := range moves {
		require.NoError(t, g.Play(m.Color, m.Point))
	}
	return g
}
