package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/internal/testtalk"
	"kosumi/train/label"
	"kosumi/train/learn"
	"kosumi/train/training"
)

// TestLabelAndTrain: from a network that teaches to one that was taught, by two commands,
// the first of which is interrupted.
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
	p.says(t, "the same command goes on")

	out := invoke(t, nil, "", append(args, "--rows", "400")...)
	require.Zero(t, out.code, out.stderr)
	var r label.Report
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &r))
	require.GreaterOrEqual(t, r.Rows, 400)
	require.NotEmpty(t, r.TeacherFile)

	out = invoke(t, nil, "", "train", "--model", student, "--data", labels, "-o", filepath.Join(dir, "out"), "--steps", "3", "--batch", "16",
		"--beside", teacher, "--json", "--log-level", "warn")
	require.Zero(t, out.code, out.stderr)
	var trained training.Report
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &trained))
	require.Len(t, trained.Beside, 1)
	kl := func(r *learn.Result) float64 {
		term, ok := r.Term(learn.MeasureTaughtKL)
		require.True(t, ok)
		return term.Mean
	}
	require.Less(t, kl(&trained.Beside[0].Result), 0.3*kl(trained.Before), "the teacher is close to its own labels")
}

// labelled waits until a folder has so many files of labels.
func labelled(t testing.TB, dir string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*.npz"))
		return len(files) >= n
	}, 2*testtalk.Patience, 10*time.Millisecond)
}

// TestLabelUsage: what was called wrongly is said in one line, and leaves no folder.
func TestLabelUsage(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	cut := writeFile(t, "cut.bin.gz", string(decompressed(t, realNetwork(t))[:5000]))
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":  {nil, exitUsage, "--teacher FILE and --out DIR are needed"},
		"no file":  {[]string{"--teacher", "/nowhere.bin.gz", "-o", out}, exitFailed, "/nowhere.bin.gz"},
		"cut":      {[]string{"--teacher", cut, "-o", out}, exitFailed, "cut.bin.gz"},
		"encoder":  {[]string{"--teacher", cut, "-o", out, "--rows-encoder", "v9"}, exitUsage, "v9"},
		"size":     {[]string{"--teacher", cut, "-o", out, "--boardsize", "1"}, exitUsage, "boardsize"},
		"recipe":   {[]string{"--teacher", cut, "-o", out, "--recipe", filepath.Join(dir, "none.toml")}, exitFailed, "none.toml"},
		"share":    {[]string{"--teacher", realNetwork(t), "-o", out, "--share", "2"}, exitUsage, "a share of 2"},
		"no games": {[]string{"--teacher", realNetwork(t), "-o", out, "--from", t.TempDir()}, exitUsage, "no file of rows"},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, nil, "", append([]string{"label", "--log-level", "warn"}, c.args...)...)
			require.Equal(t, c.code, got.code, got.stderr)
			require.Contains(t, got.stderr, c.want)
			require.NoDirExists(t, out)
		})
	}
}
