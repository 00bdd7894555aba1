package learn

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

var long = flag.Bool("long", false, "run tests that take minutes")

func gameBatch(t testing.TB, l *Learner, size board.Size, n int) *rows.Batch {
	t.Helper()
	s, err := rows.OpenFolder(rows.Options{Batch: n, Wants: l.Wants(), Encoding: l.Encoding(), Seed: 3}, learntest.WriteGames(t, l.Encoding(), size, 4))
	require.NoError(t, err)
	defer s.Close()
	b := new(rows.Batch)
	require.NoError(t, s.Next(b))
	return b
}
