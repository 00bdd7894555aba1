package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/engine/doctor"
	"kosumi/internal/conform"
	"kosumi/internal/testshared"
	"kosumi/nn/ort"
)

func TestHelpAndVersion(t *testing.T) {
	about := fmt.Sprintf("Kosumi %s\ncommit %s, %s, %s/%s\n", version, programCommit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for args, want := range map[string]string{
		"--version": about, "-v": about, "version": about,
		"--help": "Usage:", "help gtp": "Usage:", "gtp --help": "--visits", "match -h": "--openings", "analysis --help": "--perspective",
	} {
		o := exits(t, exitDone, nil, "", strings.Fields(args)...)
		require.Contains(t, o.stdout, want)
		require.Empty(t, o.stderr, args)
	}
}

// TestBadNetworks: with a file that is not a usable network, gtp, analysis and benchmark end with
// an error that names the fault. The answer to a GTP command names the fault too.
func TestBadNetworks(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	cut := testshared.Read(t, "../../testdata/onnx/pytorch-dualhead-9x9.onnx")
	networks := map[string]string{
		filepath.Join(t.TempDir(), "missing.onnx"):            "no file ",
		writeFile(t, "empty.onnx", ""):                        "empty",
		writeFile(t, "empty.bin.gz", ""):                      "empty",
		writeFile(t, "text.onnx", "no network at all"):        "text.onnx",
		writeFile(t, "text.bin.gz", "no network at all"):      "text.bin.gz",
		writeFile(t, "cut.onnx", cut[:len(cut)/2]):            "cut.onnx",
		writeFile(t, "gzipped.onnx", "\x1f\x8b\x08 whatever"): "compressed",
		t.TempDir(): "folder",
	}
	for path, want := range networks {
		for _, sub := range []string{"gtp", "analysis", "benchmark"} {
			p := start(t, nil, sub, "--model", path) // the input stays open
			require.Equal(t, exitFailed, p.ends(t), "%s %s: %s", sub, path, p.stderr.String())
			require.Contains(t, p.stderr.String(), want)
			require.NotContains(t, p.stderr.String(), "panic")
		}
	}
	for _, command := range []string{"boardsize 9", "genmove b", "loadsgf ../../testdata/sgf/collection.sgf"} {
		missing := filepath.Join(t.TempDir(), "missing.bin.gz")
		o := exits(t, exitFailed, nil, "1 "+command+"\n", "gtp", "--model", missing)
		first, _, _ := strings.Cut(o.stdout, "\n")
		require.Contains(t, first, "missing.bin.gz", command)
		require.Contains(t, first, "no file ", command)
	}
	o := exits(t, exitFailed, nil, "1 genmove b\n", "gtp", "--model", writeFile(t, "bad.onnx", "bad"))
	require.Contains(t, o.stdout, "?1 ")
}

// isolated returns environment variables with which no onnxruntime library is found in a cache.
func isolated(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	env := []string{"XDG_CACHE_HOME=" + dir, "HOME=" + dir, "LD_LIBRARY_PATH=", "KOSUMI_ONNXRUNTIME="}
	var found []doctor.Finding
	o := invoke(t, env, "", "doctor", "--json", "--boardsize", "9")
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &found), o.stdout)
	i := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.What == "onnxruntime" })
	require.GreaterOrEqual(t, i, 0)
	if found[i].OK {
		t.Skipf("this system has a library of its own: %s", found[i].Found)
	}
	return env
}

// TestWithoutLibrary: play needs only the kernels. If a provider or training needs the library, the
// program says why it fetches the library, and what to do if the download fails.
func TestWithoutLibrary(t *testing.T) {
	env := isolated(t)
	o := exits(t, exitDone, env, "genmove b\nquit\n", "gtp", "--boardsize", "9", "--visits", "4", "--sessions", "1", "--batch", "2")
	require.Regexp(t, `^= ([A-HJ][1-9]|pass)\n\n= \n\n$`, o.stdout)
	require.NotContains(t, o.stderr, "onnx-go")
	require.NotContains(t, o.stderr, "fetch")

	env = append(env, "PATH=")
	for _, c := range []struct{ args, why string }{
		{"gtp --provider cpu", "--provider cpu"},
		{"train --model " + freshNetwork(t) + " --data ../../testdata/golden/training -o " + filepath.Join(t.TempDir(), "out"), "training"},
	} {
		p := start(t, env, strings.Fields(c.args)...)
		require.Equal(t, exitFailed, p.ends(t), c.args)
		require.Contains(t, p.stderr.String(), "put the library beside the program, or name it in KOSUMI_ONNXRUNTIME", "an explicit choice is not replaced")
		require.Contains(t, p.stderr.String(), "shell", c.args)
	}
	for _, c := range []struct{ args, why string }{
		{"--data " + t.TempDir(), "no file of rows (.npz) or game records (.sgf, .sgfs) is there"},
		{"--data ../../testdata/golden/training --data " + t.TempDir() + "=0.5", "no file of rows"},
		{"--data " + writeFile(t, "cut.npz", "PK"), "not an npz"},
		{"--data ../../testdata/golden/training --validate " + t.TempDir(), "no file of rows"},
		{"--data ../../testdata/golden/training --beside none.bin.gz", "--beside: no file none.bin.gz"},
		{"--data ../../testdata/golden/training --model none.bin.gz", "no file none.bin.gz"},
	} {
		out := filepath.Join(t.TempDir(), "out", "deep")
		o := invoke(t, env, "", strings.Fields("train -o "+out+" "+c.args)...)
		require.Contains(t, o.stderr, c.why, "the inputs are checked before the library is fetched")
		require.NoDirExists(t, filepath.Dir(out), c.args)
	}
}

// TestNoHome: on a system without a home folder, a command that keeps files ends with a one-line
// error that says what to set. All other commands work.
func TestNoHome(t *testing.T) {
	env := append(isolated(t), "HOME=", "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "KOSUMI_HOME=")
	address := writeFile(t, "address", "nats://127.0.0.1:1")
	require.NoError(t, os.Chmod(address, 0o600))
	for _, c := range []struct {
		args string
		want string // part of the only output line; "" if the command works
	}{
		{"web", "set HOME, or name one with --folder"},
		{"drill", "set HOME, or name a file with --answers"},
		{"serve", "set HOME, or name one with --dir"},
		{"work " + address, "set HOME, or name one with --dir"},
		{"benchmark --tune --boardsize 9", "the result cannot be kept: there is no folder of yours to keep files in"},
		{"train --data ../../testdata/golden/training -o " + filepath.Join(t.TempDir(), "out"), "training runs on it: there is no folder of yours to keep it in: set HOME"},
		{"gtp --provider cpu", "--provider cpu is a part of it: there is no folder of yours to keep it in: set HOME"},
		{"gtp --boardsize 9", ""},
		{"analysis", ""},
		{"config", ""},
		{"net info", ""},
		{"doctor", ""},
	} {
		p := start(t, env, strings.Fields(c.args)...)
		if c.want == "" {
			p.in.Close()
			require.Zero(t, p.ends(t), c.args)
			continue
		}
		require.NotZero(t, p.ends(t), c.args) // although the input stays open
		require.Contains(t, p.stderr.String(), c.want)
		require.Equal(t, 1, strings.Count(p.stderr.String(), "\n"), p.stderr.String())
	}
}

// TestBrokenLibrary: if a named library is missing or a text file, the error names it.
func TestBrokenLibrary(t *testing.T) {
	testshared.Long(t)
	text := writeFile(t, "libonnxruntime.so", "this is not a library")
	for _, c := range []struct {
		env  []string
		args string
	}{
		{[]string{"KOSUMI_ONNXRUNTIME=" + text}, "gtp --provider cpu"},
		{nil, "gtp --provider cpu --onnxruntime " + text},
		{nil, "analysis --onnxruntime " + text},
		{[]string{"KOSUMI_ONNXRUNTIME=" + text}, "gtp --provider auto"},
		{nil, "benchmark --onnxruntime " + text},
		{nil, "doctor --onnxruntime " + text},
		{[]string{"KOSUMI_ONNXRUNTIME=/no/such/file"}, "gtp --provider cpu"},
	} {
		p := start(t, c.env, strings.Fields(c.args)...) // the input stays open
		require.Equal(t, exitFailed, p.ends(t), c.args)
		library := text
		if c.env != nil {
			library = strings.TrimPrefix(c.env[0], "KOSUMI_ONNXRUNTIME=")
		}
		o := p.finish(t, "")
		require.Contains(t, o.stdout+o.stderr, library, c.args)
		require.NotContains(t, o.stderr, "panic")
	}
}

// TestNoGPU: a requested device works, or its absence is an error.
func TestNoGPU(t *testing.T) {
	needLibrary(t)
	p := start(t, nil, "gtp", "--provider", "cuda", "--boardsize", "9")
	select {
	case <-p.ended:
		require.Equal(t, exitFailed, p.ends(t))
		require.Contains(t, p.stderr.String(), "cuda")
		require.NotContains(t, p.stderr.String(), "onnx-go", "an explicit choice is not replaced")
	case <-time.After(conform.Patience):
		require.Contains(t, p.stderr.String(), " on cuda", "no error, so it must run there")
	}
}

// TestNothingIsReported plays with an empty home folder: the library leaves no id and no telemetry
// database there, and no files appear except this program's.
func TestNothingIsReported(t *testing.T) {
	lib, err := ort.Find("")
	if err != nil {
		testshared.Absent(t, "no onnxruntime library (make deps fetches it): %v", err)
	}
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "LOCALAPPDATA=" + filepath.Join(home, "cache"), "ORT_DISABLE_TELEMETRY="}
	exits(t, exitDone, env, "boardsize 9\ngenmove b\nquit\n", append([]string{"gtp", "--provider", "cpu", "--onnxruntime", lib.Path, "--visits", "2"}, frugal...)...)
	var left []string
	require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "kosumi") {
			left = append(left, path)
		}
		return err
	}))
	require.Empty(t, left)
}
