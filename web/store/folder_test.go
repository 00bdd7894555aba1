package store_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/web/store"
)

// TestFolder: one server at a time holds a folder, and leaves its address for the next; the
// newest files are listed first.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	f, err := store.OpenFolder(dir)
	require.NoError(t, err)
	require.Zero(t, f.LastPort())
	require.NoError(t, f.KeepAddress("http://127.0.0.1:8080/", 8080))
	_, err = store.OpenFolder(dir)
	require.ErrorIs(t, err, store.ErrTaken)
	require.ErrorContains(t, err, "http://127.0.0.1:8080/")
	now := time.Now()
	var ids []string
	for i := range 3 {
		id := store.NewID()
		ids = append(ids, id)
		require.NoError(t, os.WriteFile(f.Path("docs", id, ".sgf"), []byte("(;)"), 0o600))
		require.NoError(t, os.Chtimes(f.Path("docs", id, ".sgf"), now, now.Add(time.Duration(i)*time.Second)))
	}
	require.NoError(t, os.WriteFile(f.Path("docs", "my own", ".sgf"), nil, 0o600))
	newest, err := f.Newest("docs", ".sgf", 2)
	require.NoError(t, err)
	require.Equal(t, []string{ids[2], ids[1]}, newest)
	require.NoError(t, f.Close())
	f, err = store.OpenFolder(dir)
	require.NoError(t, err)
	require.Equal(t, 8080, f.LastPort())
	require.NoError(t, f.Close())
}

func TestIDs(t *testing.T) {
	id, ok := store.ParseName(store.NewID()+".sgf", ".sgf")
	require.True(t, ok)
	require.True(t, store.ValidID(id))
	for _, bad := range []string{"", "../" + id[3:], id + "a", "A" + id[1:]} {
		_, ok := store.ParseName(bad+".sgf", ".sgf")
		require.False(t, ok, bad)
	}
	pause := time.Duration(0)
	for range 10 {
		next := store.LongerPause(pause)
		require.GreaterOrEqual(t, next, pause)
		pause = next
	}
	require.Equal(t, store.LongerPause(pause), pause, "there is a longest one")
}
