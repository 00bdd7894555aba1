package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/bench"
	"kosumi/engine/doctor"
	"kosumi/internal/testshared"
)

func TestBenchmark(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	args := append([]string{"benchmark", "--json", "--boardsize", "9", "--seconds", "0.1", "--rounds", "2"}, frugal...)
	o := exits(t, exitDone, nil, "", args...)
	var raw map[string]any
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &raw))
	for _, key := range strings.Fields(`model board provider precision threads sessions batch raw_evals_per_second
		search_evals_per_second visits_per_second search_to_raw raw_processor_microseconds
		search_processor_microseconds search_to_raw_by_processor_time mean_batch cache_hit_rate own_microseconds_per_playout
		bytes_per_visit peak_rss_bytes rounds`) {
		require.Contains(t, raw, key)
	}
	var b bench.Report
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &b))
	require.Equal(t, "9x9", b.Board)
	require.Equal(t, "kernel", b.Provider)
	require.Equal(t, 1, b.Sessions)
	for name, v := range map[string]float64{
		"raw": b.RawEvals, "search": b.SearchEvals, "visits": b.Visits, "ratio": b.Ratio, "mean batch": b.MeanBatch,
		"own": b.OwnMicros, "bytes": b.BytesPerNode, "rss": float64(b.PeakRSS),
	} {
		require.Positive(t, v, name)
	}
	require.LessOrEqual(t, b.MeanBatch, float64(b.Batch))
	require.Contains(t, raw, "collision_rate")

	text := exits(t, exitDone, nil, "", append([]string{"benchmark", "--boardsize", "5", "--seconds", "0.05", "--rounds", "1"}, frugal...)...)
	require.Contains(t, text.stdout, "evaluations/s")
}

func TestDoctor(t *testing.T) {
	needLibrary(t)
	o := exits(t, exitDone, nil, "", "doctor", "--boardsize", "9")
	for _, want := range []string{"ok       program: Kosumi " + version, "processor", "onnxruntime", "provider cpu: works", "cache folder", "ok       network"} {
		require.Contains(t, o.stdout, want)
	}
	o = exits(t, exitDone, nil, "", "doctor", "--json", "--boardsize", "9")
	var all []doctor.Finding
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &all))
	require.Equal(t, "network", all[len(all)-1].What)
	require.True(t, all[len(all)-1].OK)

	o = exits(t, exitFailed, nil, "", "doctor", "--model", "/no/such/file.onnx")
	require.Contains(t, o.stdout, "missing  network")
	require.Contains(t, o.stdout, "-> ")
}

// decompressed returns the content of a .gz file.
func decompressed(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return data
}

// TestConvert converts a KataGo network to ONNX and back.
func TestConvert(t *testing.T) {
	model := realNetwork(t)
	dir := t.TempDir()
	onnx, back := filepath.Join(dir, "a.onnx"), filepath.Join(dir, "b.bin.gz")
	for _, args := range [][]string{{model, onnx, "--boardsize", "9x13"}, {onnx, back}} {
		o := exits(t, exitDone, nil, "", append([]string{"convert"}, args...)...)
		require.Contains(t, o.stderr, "wrote "+args[1])
	}
	require.True(t, bytes.Equal(decompressed(t, model), decompressed(t, back)), "byte for byte")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left behind")
}

// TestNet makes fresh networks, describes them, and plays with one.
func TestNet(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	made := func(name string, args ...string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		exits(t, exitDone, nil, "", append([]string{"net", "new", "-o", path}, args...)...)
		return path
	}
	read := func(path string) string {
		t.Helper()
		return testshared.Read(t, path)
	}
	mini := made("mini.onnx", "--arch", "mini", "--seed", "5")
	require.True(t, read(mini) == read(made("same.onnx", "--arch", "mini", "--seed", "5")), "the same seed")
	require.False(t, read(mini) == read(made("other.onnx", "--arch", "mini", "--seed", "6")), "another seed")
	for path, want := range map[string]string{
		mini: "9x9", made("b2c8.onnx", "--arch", "b2c8", "--boardsize", "5"): "5x5", made("kb2c16.bin.gz", "--arch", "kb2c16"): "kb2c16",
		made("kb2c16.onnx", "--arch", "kb2c16", "--boardsize", "7"): "kb2c16",
	} {
		info := exits(t, exitDone, nil, "", "net", "info", path)
		require.Contains(t, info.stdout, want)
		size := "5"
		if path == mini {
			size = "9"
		}
		o := exits(t, exitDone, nil, "genmove b\nquit\n", append([]string{"gtp", "--model", path, "--boardsize", size, "--visits", "3"}, frugal...)...)
		require.Regexp(t, `^= ([A-HJ]\d|pass)\n`, o.stdout)
	}
	o := invoke(t, nil, "genmove b\nquit\n", "gtp", "--model", mini, "--boardsize", "13")
	require.Contains(t, o.stdout, "? ", "a network for 9x9 only")
	require.Contains(t, o.stdout, "9x9")
	small := filepath.Join(dir, "kb2c16.bin.gz")
	grown := made("grown.bin.gz", "--arch", "kb3c32", "--grow", small)
	info := invoke(t, nil, "", "net", "info", grown)
	require.Contains(t, info.stdout, "kb3c32-grown")
	o = exits(t, exitFailed, nil, "", "net", "new", "--arch", "kb1c16", "--grow", small, "-o", filepath.Join(dir, "x.bin.gz"))
	require.Contains(t, o.stderr, "blocks and channels may become more")
	o = exits(t, exitUsage, nil, "", "net", "new", "--arch", "kb3c32", "--grow", small, "-o", filepath.Join(dir, "x.onnx"))
	mixed := filepath.Join(dir, "mixed.bin.gz")
	o = exits(t, exitDone, nil, "", "net", "mix", small, made("other.bin.gz", "--arch", "kb2c16", "--seed", "2"), "-o", mixed)
	require.Contains(t, invoke(t, nil, "", "net", "info", mixed).stdout, "-mixed")
	o = exits(t, exitFailed, nil, "", "net", "mix", small, grown, "-o", filepath.Join(dir, "x.bin.gz"))
	require.Contains(t, o.stderr, "not of the same shape")
}
