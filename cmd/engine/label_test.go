package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
	"kosumi/train/label"
	"kosumi/train/learn"
)

// TestLabelAndTrain: two commands lead from a teacher network to a trained one, although the
// first is interrupted.
func TestLabelAndTrain(t *testing.T) {
	testshared.Slow(t)
	needLibrary(t)
	dir, teacher, student := t.TempDir(), realNetwork(t), freshNetwork(t)
	labels := filepath.Join(dir, "labels")
	args := []string{"label", "--teacher", teacher, "-o", labels, "--boardsize", "7", "--rows-per-file", "50", "--json", "--log-level", "warn"}
	p := start(t, nil, args...)
	labelled(t, labels, 2)
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.Equal(t, exitFailed, p.ends(t))
	p.says(t, "run the same command to resume")

	out := exits(t, exitDone, nil, "", append(args, "--rows", "400")...)
	var r label.Report
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &r))
	require.GreaterOrEqual(t, r.Rows, 400)
	require.NotEmpty(t, r.TeacherFile)

	out = exits(t, exitDone, nil, "", "train", "--model", student, "--data", labels, "-o", filepath.Join(dir, "out"), "--steps", "3", "--batch", "16",
		"--beside", teacher, "--json", "--log-level", "warn")
	var trained learn.Report
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &trained))
	require.Len(t, trained.Beside, 1)
	kl := func(r *learn.Result) float64 {
		term, ok := r.Term(learn.MeasureTaughtKL)
		require.True(t, ok)
		return term.Mean
	}
	require.Less(t, kl(&trained.Beside[0].Result), 0.3*kl(trained.Before), "the teacher is close to its own labels")
}

// labelled waits until a folder has at least n files of labels.
func labelled(t testing.TB, dir string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*.npz"))
		return len(files) >= n
	}, 2*conform.Patience, 10*time.Millisecond)
}

// TestCutTeacher: label refuses a truncated network file, and leaves no folder.
func TestCutTeacher(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	whole := testshared.Read(t, realNetwork(t))
	got := exits(t, exitFailed, nil, "", "label", "--teacher", writeFile(t, "cut.bin.gz", whole[:len(whole)/2]), "-o", out)
	require.Contains(t, got.stderr, "cut.bin.gz")
	require.Contains(t, got.stderr, "cut short")
	require.NoDirExists(t, out)
}
