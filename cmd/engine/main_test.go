package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
	"kosumi/nn/ort"
)

// program is the path of the engine, built once for all tests, with a fixed commit: whether Go
// finds the real commit depends on its settings and the folder.
var program string

const programCommit = "0123456789ab"

// TestHelp: help lists a command's own flags and the common ones first, and the flags about
// running the network under a heading; defaults are readable.
func TestHelp(t *testing.T) {
	for _, c := range []struct{ command, own, network string }{
		{"gtp", "--level --boardsize --model --time --visits --rules", "--provider --precision --sessions --encoder --onnxruntime"},
		{"life", "--at --move --model --time --out", "--provider --plugin --device --cache"},
		{"selfplay", "--out --games --model", "--batch --provider"},
		{"analysis", "--model --visits --positions", "--provider"},
		{"work", "--parallel --price", "--provider --sessions --log-level"},
	} {
		o := exits(t, exitDone, nil, "", c.command, "--help")
		own, network, found := strings.Cut(o.stdout[strings.Index(o.stdout, "\nFlags:"):], "\n"+networkGroup+":\n")
		require.True(t, found, c.command)
		require.LessOrEqual(t, strings.Count(own, "\n"), 40, c.command)
		for _, name := range strings.Fields(c.own) {
			require.Contains(t, own, name+" ", c.command)
		}
		for _, name := range strings.Fields(c.network) {
			require.NotContains(t, own, " "+name+" ", c.command)
			require.Contains(t, network, name+" ", c.command)
		}
	}
	for command, want := range map[string]string{
		"selfplay": "maximum batch size of a network call (default 16)\n", "match": "(default 5m)\n",
		"label": "not the order in which games end", "life": "after move N of the main line; default: its end\n",
	} {
		require.Contains(t, invoke(t, nil, "", command, "--help").stdout, want)
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" || testing.Short() {
		os.Exit(m.Run()) // these tests need no program, and the workers of fuzz targets must not build one
	}
	dir, err := os.MkdirTemp("", "kosumi-engine-")
	if err == nil {
		program = filepath.Join(dir, "engine")
		build := exec.Command("go", "build", fmt.Sprintf("-race=%t", testshared.Race), "-ldflags", "-X main.commit="+programCommit, "-o", program, ".")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // the program's end must not be delayed
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, "the engine cannot be built:", err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// built returns the path of the engine; tests that run it skip under -short.
func built(t testing.TB) string {
	t.Helper()
	testshared.Slow(t)
	return program
}

// needLibrary skips a test if there is no onnxruntime library, or fails it under CI=true.
func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := ort.Find(""); err != nil {
		testshared.Absent(t, "no onnxruntime library (make deps fetches it): %v", err)
	}
}

// realNetwork is a small trained network that serves any board.
func realNetwork(t testing.TB) string {
	t.Helper()
	return testshared.Network(t)
}

// freshNetwork writes a small network that serves every board.
func freshNetwork(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fresh.bin.gz")
	exits(t, exitDone, nil, "", "net", "new", "--arch", "kb3c32", "--seed", "1", "-o", path)
	return path
}

// frugal are flags that keep an engine to one core, and avoid tuning and large memory.
var frugal = []string{"--sessions", "1", "--batch", "4", "--threads", "4", "--cache", "16", "--precision", "fp32"}

// outcome is the output and exit status of a finished program.
type outcome struct {
	code   int
	stdout string
	stderr string
}

// invoke runs the engine to its end with the given input.
func invoke(t testing.TB, env []string, input string, args ...string) outcome {
	t.Helper()
	return start(t, env, args...).finish(t, input)
}

// exits runs the engine to its end with the given input, and requires an exit status.
func exits(t testing.TB, code int, env []string, input string, args ...string) outcome {
	t.Helper()
	o := invoke(t, env, input, args...)
	require.Equal(t, code, o.code, "%v: %s", args, o.stderr)
	return o
}

// finish gives a program its input and waits for its end.
func (p *process) finish(t testing.TB, input string) outcome {
	t.Helper()
	go func() {
		io.WriteString(p.in, input)
		p.in.Close()
	}()
	stdout, err := io.ReadAll(p.out)
	require.NoError(t, err)
	code := p.ends(t)
	return outcome{code, string(stdout), p.stderr.String()}
}

// process is a program that was started.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	stderr *testshared.Log
	ended  chan struct{} // closed when it has ended
	err    error         // valid after ended is closed
}

// start starts the engine.
func start(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(built(t), args...)
	cmd.Env = append(os.Environ(), env...)
	return started(t, cmd)
}

// started starts a command, which runs at most until the test ends.
func started(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, stderr: new(testshared.Log), ended: make(chan struct{})}
	p.cmd.Stderr = p.stderr
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, outWrite, err := os.Pipe() // not StdoutPipe, which Wait closes
	require.NoError(t, err)
	p.out, p.cmd.Stdout = out, outWrite
	err = p.cmd.Start()
	outWrite.Close()
	require.NoError(t, err)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.in.Close()
		select {
		case <-p.ended:
		case <-time.After(2 * time.Second):
			p.cmd.Process.Kill()
			<-p.ended
		}
		p.out.Close()
		if t.Failed() {
			t.Logf("stderr of %v:\n%s", p.cmd.Args[1:], p.stderr.String())
		}
	})
	return p
}

// wait waits for the program's end and returns the error of exec.Cmd.Wait.
func (p *process) wait() error {
	<-p.ended
	return p.err
}

// ends waits for the program's end and returns its exit status, -1 after a signal.
func (p *process) ends(t testing.TB) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(2 * conform.Patience):
		require.FailNow(t, "still running", "%v", p.cmd.Args[1:])
	}
	var exit *exec.ExitError
	if p.err != nil {
		require.True(t, errors.As(p.err, &exit), "%v", p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// says waits for text on stderr.
func (p *process) says(t testing.TB, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(p.stderr.String(), text) }, time.Minute, 10*time.Millisecond, text)
}

// writeFile makes a file in a new folder.
func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}
