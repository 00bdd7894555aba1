package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kosumi/internal/testshared"
	"kosumi/train/learn/learntest"
)

// TestLabelFullDisk labels under a limit on file sizes: the command names the file that it could
// not write, existing files stay whole, and the command resumes once there is room.
func TestLabelFullDisk(t *testing.T) {
	testshared.Long(t)
	testshared.Slow(t)
	needLibrary(t)
	dir := filepath.Join(t.TempDir(), "labels")
	args := []string{"label", "--teacher", freshNetwork(t), "-o", dir, "--boardsize", "7", "--rows-per-file", "50", "--log-level", "warn"}
	p := start(t, nil, args...)
	labelled(t, dir, 1)
	require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100, Max: unix.RLIM_INFINITY}, nil))
	require.Equal(t, exitFailed, p.ends(t))
	p.says(t, "writing "+dir)
	before := whole(t, dir)
	require.NotZero(t, before)
	exits(t, exitDone, nil, "", append(args, "--rows", "1")...)
	require.Equal(t, before, whole(t, dir), "it has enough")
}

// whole reads every file of a folder of labels and returns the number of rows.
func whole(t testing.TB, dir string) int {
	t.Helper()
	n := 0
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() == "lock" {
			continue
		}
		n += learntest.ReadRows(t, filepath.Join(dir, e.Name())).N
	}
	return n
}
