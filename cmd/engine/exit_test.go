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

func TestUsageErrors(t *testing.T) {
	badConfig := writeFile(t, "bad.toml", "visits = 5\nvisists = 5\n[boards]\nsize = 9\n")
	noTOML := writeFile(t, "no.toml", "visits = = 5")
	wrongType := writeFile(t, "type.toml", `visits = "many"`)
	badValue := writeFile(t, "value.toml", `boardsize = "26"`)
	for _, c := range []struct {
		args string
		want []string
	}{
		{"fly", []string{`unknown command "fly"`}},
		{"benchmrk", []string{"did you mean benchmark?"}},
		{"gtp now", []string{`"now"`}},
		{"--gtp now", []string{"unknown flag: --gtp"}},
		{"-x", []string{"-x"}},
		{"gtp --bogus", []string{"unknown flag: --bogus"}},
		{"gtp --visits many", []string{"--visits", `"many"`}},
		{"gtp --visits -1 --boardsize 30 --rules martian --komi 999 --threads -2 --log-level loud",
			[]string{`"30"`, "martian", `--threads is "-2"`, `"loud"`, "; 2 more; "}},
		{"gtp --resign-threshold 2", []string{`--resign-threshold is "2"`}},
		{"gtp --lag-buffer -1", []string{`--lag-buffer is "-1"`}},
		{"gtp --time NaN", []string{`--time is "NaN"`}},
		{"gtp --max-memory 1", []string{`--max-memory is "1"`}},
		{"gtp --provider warp", []string{`"warp"`, "onnx-go", "cuda"}},
		{"benchmark --precision int1", []string{`"int1"`}},
		{"gtp --config " + badConfig, []string{badConfig, "unknown key boards, visists"}},
		{"gtp --config " + noTOML, []string{noTOML, "TOML"}},
		{"gtp --config " + wrongType, []string{wrongType}},
		{"gtp --config " + badValue, []string{`"26"`}},
		{"analysis --perspective RED", []string{`"RED"`}},
		{"analysis --visits 0", []string{"--visits is 0"}},
		{"analysis --positions 0", []string{"--positions is 0"}},
		{"analysis --max-memory 16 --positions 8", []string{"--max-memory is 16", "--positions 8", "32 or more"}},
		{"gtp --max-memory 20000000", []string{"--max-memory", "20000000", "from 16 to 16777216"}},
		{"analysis --boardsize 9", []string{"unknown flag"}},
		{"convert one", []string{"wrong number of arguments (1)", "engine convert IN OUT"}},
		{"match --a x --b y --games abc", []string{`--games is "abc", must be an integer`}},
		{"benchmark --rounds abc", []string{`--rounds is "abc", must be an integer`}},
		{"analysis --positions x", []string{`--positions is "x", must be an integer`}},
		{"train --lr x", []string{`--lr is "x", must be a number`}},
		{"gtp --seed x", []string{`--seed is "x"`}},
		{"benchmark --batch 99999999999999999999", []string{"--batch", "from 0 to 1024"}},
		{"review", []string{"give FILE|DIR", "engine review"}},
		{"loop", []string{"give DIR", "engine loop"}},
		{"net neww", []string{"did you mean new?"}},
		{"config x", []string{`"x"`}},
		{"train --model x", []string{"--data DIR and -o OUT"}},
		{"selfplay", []string{"--out DIR"}},
		{"benchmark --rounds 0", []string{"--rounds"}},
		{"net", []string{"subcommand"}},
		{"net fly", []string{`unknown command "fly" for "engine net"`}},
		{"net new", []string{"--arch"}},
	} {
		o := invoke(t, nil, "", strings.Fields(c.args)...)
		require.Equal(t, exitUsage, o.code, "%s: %s", c.args, o.stderr)
		for _, w := range c.want {
			require.Contains(t, o.stderr, w, c.args)
		}
		require.Contains(t, o.stderr, "engine: ")
		require.NotContains(t, o.stderr, "strconv", c.args)
		require.NotContains(t, o.stdout, "= ")
	}
}

func TestHelpAndVersion(t *testing.T) {
	about := fmt.Sprintf("Kosumi %s\ncommit %s, %s, %s/%s\n", version, programCommit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for args, want := range map[string]string{
		"--version": about, "-v": about, "version": about,
		"--help": "Usage:", "help gtp": "Usage:", "gtp --help": "--visits", "match -h": "--openings", "analysis --help": "--perspective",
	} {
		o := invoke(t, nil, "", strings.Fields(args)...)
		require.Equal(t, exitDone, o.code, args)
		require.Contains(t, o.stdout, want)
		require.Empty(t, o.stderr, args)
	}
}

// TestBadNetworks: with a file that is not a usable network, gtp, analysis and benchmark end with
// an error that names the fault. The answer to a GTP command names the fault too.
func TestBadNetworks(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	cut, err := os.ReadFile("../../testdata/onnx/pytorch-dualhead-9x9.onnx")
	require.NoError(t, err)
	networks := map[string]string{
		filepath.Join(t.TempDir(), "missing.onnx"):            "no file ",
		writeFile(t, "empty.onnx", ""):                        "empty",
		writeFile(t, "empty.bin.gz", ""):                      "empty",
		writeFile(t, "text.onnx", "no network at all"):        "text.onnx",
		writeFile(t, "text.bin.gz", "no network at all"):      "text.bin.gz",
		writeFile(t, "cut.onnx", string(cut[:len(cut)/2])):    "cut.onnx",
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
		o := invoke(t, nil, "1 "+command+"\n", "gtp", "--model", missing)
		require.Equal(t, exitFailed, o.code)
		first, _, _ := strings.Cut(o.stdout, "\n")
		require.Contains(t, first, "missing.bin.gz", command)
		require.Contains(t, first, "no file ", command)
	}
	o := invoke(t, nil, "1 genmove b\n", "gtp", "--model", writeFile(t, "bad.onnx", "bad"))
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stdout, "?1 ")
}

// TestMissingFiles: if a file is missing, too large or a folder, the error says so.
func TestMissingFiles(t *testing.T) {
	for args, want := range map[string]string{
		"gtp --config /no/such/file.toml":          "no file ",
		"gtp --config /":                           "folder",
		"convert /no/such/file.bin.gz /tmp/x.onnx": "no file ",
		"match --a x --b y --openings /no/such":    "no file ",
		"net info /no/such/file":                   "no file ",
		"net info /":                               "folder",
	} {
		o := invoke(t, nil, "", strings.Fields(args)...)
		require.Equal(t, exitFailed, o.code, "%s: %s", args, o.stderr)
		require.Contains(t, o.stderr, want)
	}
	huge := filepath.Join(t.TempDir(), "huge.toml")
	require.NoError(t, os.WriteFile(huge, make([]byte, maxConfigSize+1), 0o644))
	o := invoke(t, nil, "", "gtp", "--config", huge)
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stderr, "more than")
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
	o := invoke(t, env, "genmove b\nquit\n", "gtp", "--boardsize", "9", "--visits", "4", "--sessions", "1", "--batch", "2")
	require.Zero(t, o.code, o.stderr)
	require.Regexp(t, `^= ([A-HJ][1-9]|pass)\n\n= \n\n$`, o.stdout)
	require.NotContains(t, o.stderr, "onnx-go")
	require.NotContains(t, o.stderr, "fetch")

	env = append(env, "PATH=")
	for _, c := range []struct{ args, why string }{
		{"gtp --provider cpu", "--provider cpu"},
		{"train --model " + freshNetwork(t) + " --data " + t.TempDir() + " -o " + filepath.Join(t.TempDir(), "out"), "training"},
	} {
		p := start(t, env, strings.Fields(c.args)...)
		require.Equal(t, exitFailed, p.ends(t), c.args)
		require.Contains(t, p.stderr.String(), "put the library beside the program, or name it in KOSUMI_ONNXRUNTIME", "an explicit choice is not replaced")
		require.Contains(t, p.stderr.String(), "shell", c.args)
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
		p.in.Close()
		if c.want == "" {
			require.Zero(t, p.ends(t), c.args)
			continue
		}
		require.NotZero(t, p.ends(t), c.args)
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
		p := start(t, c.env, strings.Fields(c.args)...)
		require.Equal(t, exitFailed, p.ends(t), c.args)
		said := p.stderr.String() + readAll(t, p.out)
		if c.env == nil {
			require.Contains(t, said, text, c.args)
		} else {
			require.Contains(t, said, c.env[0][len("KOSUMI_ONNXRUNTIME="):], c.args)
		}
		require.NotContains(t, p.stderr.String(), "panic")
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
	o := invoke(t, env, "boardsize 9\ngenmove b\nquit\n", append([]string{"gtp", "--provider", "cpu", "--onnxruntime", lib.Path, "--visits", "2"}, frugal...)...)
	require.Zero(t, o.code, o.stderr)
	var left []string
	require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "kosumi") {
			left = append(left, path)
		}
		return err
	}))
	require.Empty(t, left)
}
