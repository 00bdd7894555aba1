package loop

import (
	"flag"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/handout"
	"kosumi/internal/testshared"
)

var long = flag.Int64("long", 1600, "games of TestLongRun")

// use is the disk space and the memory that a loop takes after a number of games.
type use struct {
	bytes int64
	files int // number of files and folders
	heap  uint64
}

func useOf(t *testing.T, dir string) (u use) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if u.files++; err == nil && path != statePath(dir) { // the state's history has a bound of its own
			u.bytes += info.Size()
		}
		return err
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
// ./train/loop -run LongRun -long 100000 -v` prints the disk space and the memory in use.
func TestLongRun(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, strings.NewReplacer("kb2c16", "kb1c16", "rows = 60\n", "games = 100\nrows = 0\n", "ratio = 2.0", "ratio = 0.05",
		"average_every = 64", "average_every = 0", "games = 4\nvisits", "games = 0\nvisits", "considered = 4", "method = \"random\"", "games = 60", "games = 100").Replace(tiny))
	const parts = 4
	var before use
	for part := range parts {
		runLoop(t, dir, *long/parts)
		u := useOf(t, dir)
		t.Logf("%d games: %+v", *long*int64(part+1)/parts, u)
		if part == 0 {
			before = u
			continue
		}
		require.LessOrEqual(t, u.files, before.files+10)
		require.LessOrEqual(t, u.bytes, before.bytes+before.bytes/4+1<<20)
		require.LessOrEqual(t, u.heap, before.heap+before.heap/2+8<<20)
	}
	if handout.Built() == nil {
		require.FileExists(t, filepath.Join(dir, ReportFile))
	}
}
