package review

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// tear appends the beginning of a line, as after a kill in the middle of a write.
func tear(t testing.TB, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"ply":0,"visits":4,"ms":1,"eval":{"vis`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func mustStore(t testing.TB, dir string, g *Game, network string) *Store {
	t.Helper()
	s, err := OpenStore(dir, g, network, quick())
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestStoreBelongsToOneGame requires that another network, rule or game uses a different store.
func TestStoreBelongsToOneGame(t *testing.T) {
	g, dir := load(t, short), t.TempDir()
	s := mustStore(t, dir, g, "hash")
	require.NoError(t, s.put(0, 4, &Eval{Visits: 4, Lead: 1.5}, 0))
	require.NotNil(t, mustStore(t, dir, g, "hash").get(0, 4))
	other := *g
	other.Rules.Komi = 5.5
	require.Nil(t, mustStore(t, dir, &other, "hash").get(0, 4))
	require.Nil(t, mustStore(t, dir, g, "another").get(0, 4))
	var none *Store
	require.Nil(t, none.get(0, 4))
	require.NoError(t, none.Close())
}
