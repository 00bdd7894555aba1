package store

import (
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/web/wire"
)

// TestShelf opens a file from many goroutines: it is read once. After a failed read or a Drop it
// is read again.
func TestShelf(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	reads, fail := atomic.Int32{}, error(fs.ErrNotExist)
	s := NewShelf(f, wire.NewWarnings(slog.New(slog.DiscardHandler)), "games", ".jsonl", "game", func(string) (*int, error) {
		n := int(reads.Add(1))
		return &n, fail
	})
	id := NewID()
	for _, tc := range []struct {
		id   string
		fail error
		want string
	}{{"../x", nil, "no such game"}, {id, fs.ErrNotExist, "no such game"}, {id, errors.New("damaged"), "damaged"}} {
		fail = tc.fail
		_, err := s.Open(tc.id)
		require.EqualError(t, err, tc.want)
	}
	require.Empty(t, s.All())
	require.EqualValues(t, 2, reads.Load(), "not for what is no ID")
	fail = nil
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			v, err := s.Open(id)
			require.NoError(t, err)
			require.Equal(t, 3, *v)
		})
	}
	all.Wait()
	require.Len(t, s.All(), 1)
	s.Drop(id)
	v, err := s.Open(id)
	require.NoError(t, err)
	require.Equal(t, 4, *v)
}
