package loop

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/handout"
	"kosumi/internal/testshared"
)

var (
	long    = flag.Int64("long", 1600, "games of TestLongRun")
	longDir = flag.String("longdir", "", "folder of TestLongRun's loop; default: one of the test's")
)

type use struct {
	bytes, state   int64
	files, folders int
	heap           uint64
	open           time.Duration
}

func useOf(t *testing.T, dir string) (u use) {
	t.Helper()
	began := time.Now()
	l, err := Open(dir, Options{})
	require.NoError(t, err)
	u.open = time.Since(began)
	require.NoError(t, l.Close())
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			u.folders++
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		u.files++
		u.bytes += info.Size()
		if path == statePath(dir) {
			u.state = info.Size()
		}
		return nil
	}))
	runtime.GC()
	runtime.GC() // frees what finalizers and pools released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.heap = m.HeapAlloc
	return u
}

// TestLongRun runs many iterations of cheap random games with a small network that is trained,
// exported and opened each time: nothing that a loop holds may grow with the games. `go test
// ./train/loop -run LongRun -long 100000 -v` prints figures.
func TestLongRun(t *testing.T) {
	testshared.Long(t)
	dir := *longDir
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "loop")
	}
	text := strings.NewReplacer("kb2c16", "kb1c16", "rows = 60\n", "games = 100\nrows = 0\n", "ratio = 2.0", "ratio = 0.05", "average_every = 64", "average_every = 0",
		"games = 4\nvisits", "games = 0\nvisits", "considered = 4", "method = \"random\"", "games = 60", "games = 100").Replace(tiny)
	require.NoError(t, Init(dir, []byte(text)))
	needRuntime(t, dir)
	const parts = 4
	var before use
	for part := range parts {
		runLoop(t, dir, *long/parts)
		u := useOf(t, dir)
		t.Logf("%d games: %d files in %d folders, %.1f MB, state %.0f kB, heap %.1f MB, opened in %v",
			*long*int64(part+1)/parts, u.files, u.folders, float64(u.bytes)/1e6, float64(u.state)/1e3, float64(u.heap)/1e6, u.open.Round(time.Millisecond))
		if part > 0 {
			require.LessOrEqual(t, u.files, before.files+10)
			require.LessOrEqual(t, u.folders, before.folders+10)
			require.LessOrEqual(t, u.bytes-u.state, before.bytes+before.bytes/4+1<<20)
			require.LessOrEqual(t, u.heap, before.heap+before.heap/2+8<<20)
		}
		if part == 0 {
			before = u
		}
	}
	if handout.Built() == nil {
		_, err := os.Stat(filepath.Join(dir, ReportFile))
		require.NoError(t, err)
	}
}
