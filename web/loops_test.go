//go:build !js

package web

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// loopWatcher watches the loops.
type loopWatcher struct{ got []api.Event }

func (c *loopWatcher) Topics() []string          { return []string{"training"} }
func (c *loopWatcher) Watches(topic string) bool { return topic == "training" }
func (c *loopWatcher) Post(e api.Event)          { c.got = append(c.got, e) }

// TestTraining: a folder without a training loop is listed with an error; a watcher gets one
// message while nothing changes.
func TestTraining(t *testing.T) {
	var h wire.Hub
	dir := t.TempDir()
	tr := NewLoops([]string{dir})
	runs := tr.State().Runs
	require.Len(t, runs, 1)
	require.Equal(t, filepath.Base(dir), runs[0].Folder)
	require.NotEmpty(t, runs[0].Error)
	var c loopWatcher
	require.True(t, h.Enter(&c))
	for range 3 {
		tr.lastRead = tr.lastRead.Add(-readEvery)
		tr.Tell(&h)
	}
	require.Len(t, c.got, 1)
	require.Equal(t, "training.state", c.got[0].T)
}
