package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/train/learn"
)

// TestTrainData: a share follows the last "=", unless the whole text is an existing path.
func TestTrainData(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "komi=6.5")
	require.NoError(t, os.Mkdir(odd, 0o755))
	for _, c := range []struct {
		given, paths []string
		shares       map[string]float64
	}{
		{[]string{"a", "b=0.25"}, []string{"a", "b"}, map[string]float64{"b": 0.25}},
		{[]string{odd, "b"}, []string{odd, "b"}, nil},
		{[]string{odd + "=0.5"}, []string{odd}, map[string]float64{odd: 0.5}},
		{[]string{"a=b", "=1"}, []string{"a=b", "=1"}, nil},
	} {
		paths, shares := parseData(c.given)
		require.Equal(t, c.paths, paths)
		require.Equal(t, c.shares, shares)
	}
}

func TestTrainLine(t *testing.T) {
	r := learn.Result{Loss: 1.5, Terms: []learn.Term{
		{Name: learn.TermPolicy, Mean: 2, Weight: 3}, {Name: learn.TermScoreMean, Mean: 4, Weight: 3},
		{Name: learn.TermValue, Mean: 9}, {Name: learn.MeasurePolicyTop1, Mean: 0.25, Weight: 3},
	}}
	require.Equal(t, "loss 1.5000, policy 2.000, score mean 4.000, top-1 25 %, 800 samples/s, left 3s",
		(&learn.Progress{Recent: r, Speed: 800, Left: 3e9}).String())
	require.Equal(t, "loss 1.5000, policy 2.000, score mean 4.000, top-1 25 %, 800 samples/s",
		(&learn.Progress{Recent: r, Speed: 800}).String(), "a bar has the time left")
	require.Equal(t, "saving", (&learn.Progress{Recent: r, Doing: "saving"}).String())
}

// TestTrainGoesOnWithItsSettings: if the batch size changes in mid-run, the error names the old
// value and what to do; a run with an absurd learning rate exports no network.
func TestTrainGoesOnWithItsSettings(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "better")
	model, games := material(t, dir)
	train := func(code int, more ...string) outcome {
		return exits(t, code, nil, "", append([]string{"train", "--model", model, "--data", games, "-o", out}, more...)...)
	}
	o := train(exitFailed, "--steps", "3", "--batch", "8", "--lr", "1e9")
	require.Contains(t, o.stderr, "training diverged")
	require.Contains(t, o.stderr, "lower --lr than 1e+09")
	require.NoFileExists(t, filepath.Join(out, "model.onnx"))
	o = train(exitDone, "--steps", "3", "--batch", "8")
	require.Contains(t, o.stdout, "rows held back")
	o = train(exitDone, "--steps", "4", "--batch", "8", "--lr", "0.001")
	for _, out := range []string{o.stdout, o.stderr} {
		require.Contains(t, out, "from step 3 on --lr is 0.001; it was 0.002 before")
	}
	o = train(exitUsage, "--steps", "6", "--batch", "16", "--optimizer", "adam")
	require.Contains(t, o.stderr, "begun with --batch 8")
	require.Contains(t, o.stderr, "--optimizer sgd")
	requireFlags(t, "train", o.stderr)
	o = train(exitUsage, "--steps", "6", "--batch", "8", "--validation", "0.2")
	require.Contains(t, o.stderr, "begun with --validation 0.05, and now it is --validation 0.2")
	require.Contains(t, o.stderr, "another folder with -o")
}
