package loop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
)

func TestView(t *testing.T) {
	dir := t.TempDir()
	v := NewViewer(dir)
	_, err := v.Snapshot()
	require.ErrorContains(t, err, "no loop in this folder")

	s := &State{Version: stateVersion, Arch: "kb4c32", Iteration: 2, Stage: stageTrain, Ledger: Ledger{Samples: 1000, Target: 3000},
		History: []Record{{Samples: 500, Seconds: Seconds{Train: 10}}, {Samples: 1000, Seconds: Seconds{Train: 50}}}}
	require.NoError(t, s.save(dir))
	w, err := v.Snapshot()
	require.NoError(t, err)
	require.Equal(t, filepath.Base(dir), w.Folder)
	require.Equal(t, []any{int64(0), int64(2000), "samples", 200 * time.Second, false}, []any{w.Done, w.Goal, w.Unit, w.Left, w.Running})

	// The samples shown are those of the newest checkpoint, and the loop counts as running while a process
	// has locked the folder.
	for name, samples := range map[string]string{"step-000000000010-00001": "1200", "step-000000000020-00002": "1500"} {
		at := filepath.Join(dir, "checkpoints", name)
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, "state.json"), []byte(`{"counters":{"samples":`+samples+`}}`), 0o644))
	}
	lock, err := file.LockFolder(dir)
	require.NoError(t, err)
	w, err = v.Snapshot()
	require.NoError(t, err)
	require.Equal(t, []any{int64(500), int64(2000), 150 * time.Second, true}, []any{w.Done, w.Goal, w.Left, w.Running})
	require.NoError(t, lock.Release())

	s.Stage, s.GoalGames, s.Games = stageSelfplay, 300, 250
	s.History[1].Games, s.History[1].Stats.Games, s.History[1].Seconds.Selfplay = 200, 100, 50
	require.NoError(t, s.save(dir))
	w, err = v.Snapshot()
	require.NoError(t, err)
	require.Equal(t, []any{int64(50), int64(100), "games", 25 * time.Second, false}, []any{w.Done, w.Goal, w.Unit, w.Left, w.Running})
}
