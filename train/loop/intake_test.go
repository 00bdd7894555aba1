package loop

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// TestIntake: each file is taken once, its rows count as waiting until then, and its games count
// towards the end of the bootstrap from its arrival on.
func TestIntake(t *testing.T) {
	in := newIntake(t.TempDir(), 0, true)
	in.bound(100, 0, 60)
	left, unbounded := in.left()
	require.EqualValues(t, 60, left)
	require.False(t, unbounded)
	require.EqualValues(t, 100, in.wanted())

	var writers sync.WaitGroup
	for range 5 {
		writers.Go(func() { in.written(selfplay.FileInfo{Rows: 24, Info: rows.Info{Games: 8, IDs: make([][3]uint64, 1)}}) })
	}
	writers.Wait()
	<-in.news
	left, _ = in.left()
	require.EqualValues(t, 20, left)
	require.Zero(t, in.wanted(), "120 rows wait")
	in.bound(200, 10, 60)
	left, _ = in.left()
	require.EqualValues(t, 10, left)

	files := in.take()
	require.Len(t, files, 5)
	require.Len(t, files[0].Filed(), 1)
	require.Empty(t, in.take())
	require.EqualValues(t, 200, in.wanted())

	in.bound(1, 0, -1)
	_, unbounded = in.left()
	require.True(t, unbounded)
}
