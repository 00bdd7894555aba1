package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
)

// occupations are states in which an engine's client vanishes. An engine has reached the state when
// it prints a line that begins with the text in the field until.
var occupations = []struct{ name, command, input, until string }{
	{"gtp idle", "gtp", "kata-get-models\n", "="},
	{"gtp search", "gtp --visits 1000000000", "kata-get-models\nboardsize 9\nkata-get-models\ngenmove b\n", "="},
	{"gtp analysis", "gtp", "boardsize 9\nkata-analyze 5\n", "info"},
	{"gtp ponder", "gtp --ponder --visits 20", "boardsize 9\ngenmove b\nkata-get-models\n", "= ["},
	{"analysis idle", "analysis", `{"id":"m","action":"query_models"}` + "\n", "{"},
	{"analysis search", "analysis", `{"id":"m","action":"query_models"}` + "\n" + endlessQuery("") + endlessQuery(""), "{"},
	{"analysis reports", "analysis -quit-without-waiting", endlessQuery(`,"reportDuringSearchEvery":0.01`), `{"id":"q"`},
}

func endlessQuery(more string) string {
	return `{"id":"q","moves":[],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":1000000000` + more + "}\n"
}

// occupy starts an engine and waits until it has printed a line that begins with until.
func occupy(t *testing.T, command, input, until string) *process {
	t.Helper()
	p := start(t, nil, slices.Concat(strings.Fields(command), frugal)...)
	_, err := io.WriteString(p.in, input)
	require.NoError(t, err)
	lines := bufio.NewScanner(p.out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), until) {
	}
	require.NoError(t, lines.Err())
	time.Sleep(100 * time.Millisecond)
	return p
}

// TestClientVanishes closes the client's ends of the pipes, in every state and combination: the program
// ends with success.
func TestClientVanishes(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	for _, o := range occupations {
		for name, vanish := range map[string]func(p *process){
			"end of input":                 func(p *process) { p.in.Close(); go io.Copy(io.Discard, p.out) },
			"output closed":                func(p *process) { p.out.Close() },
			"both":                         func(p *process) { p.out.Close(); p.in.Close() },
			"output closed, input flowing": func(p *process) { p.out.Close(); io.WriteString(p.in, "name\nversion\n") },
		} {
			if name == "end of input" && o.name == "analysis search" {
				continue // queries are answered first, however long that takes
			}
			if runtime.GOOS == "windows" && name == "output closed" {
				continue // the program notices only at the next write
			}
			t.Run(o.name+", "+name, func(t *testing.T) {
				p := occupy(t, o.command, o.input, o.until)
				vanish(p)
				require.Equal(t, exitDone, p.ends(t), p.stderr.String())
			})
		}
	}
}

// needSignals skips a test on systems where programs send no signals.
func needSignals(t *testing.T) {
	t.Helper()
	testshared.Long(t)
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send on Windows")
	}
	needLibrary(t)
}

// TestSignals: SIGTERM or ^C, also twice in quick succession, ends the program with success in
// every state.
func TestSignals(t *testing.T) {
	needSignals(t)
	for _, o := range occupations {
		for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
			p := occupy(t, o.command, o.input, o.until)
			go io.Copy(io.Discard, p.out)
			require.NoError(t, p.cmd.Process.Signal(signal))
			p.cmd.Process.Signal(signal) // fails if the program has ended
			require.Equal(t, exitDone, p.ends(t), "%s: %s", o.name, p.stderr.String())
		}
	}
}

// TestHangup: a hang-up, also a double one, ends the program with success, unless it was started to
// outlive its terminal.
func TestHangup(t *testing.T) {
	needSignals(t)
	caught := make(chan os.Signal, 1) // children inherit an ignored SIGHUP (of nohup) but not a caught one
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, o := range occupations {
		p := occupy(t, o.command, o.input, o.until)
		go io.Copy(io.Discard, p.out)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
		p.cmd.Process.Signal(syscall.SIGHUP) // fails if the program has ended
		require.Equal(t, exitDone, p.ends(t), "%s: %s", o.name, p.stderr.String())
	}
	dir := t.TempDir()
	for name, args := range map[string]string{
		"selfplay": "selfplay --method random --boardsize 9 --out " + filepath.Join(dir, "games"),
		"loop":     "loop " + filepath.Join(dir, "loop"),
	} {
		cmd := exec.Command(built(t), strings.Fields(args)...)
		require.NoError(t, cmd.Start())
		files := func() bool {
			list, _ := filepath.Glob(filepath.Join(dir, "*", "tdata", "*.npz"))
			more, _ := filepath.Glob(filepath.Join(dir, "*", "selfplay", "*", "tdata", "*.npz"))
			return len(list)+len(more) > 0
		}
		require.Eventually(t, files, conform.Patience, 10*time.Millisecond, name)
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
		require.NoError(t, cmd.Wait(), name)
		require.NoError(t, os.RemoveAll(dir))
	}

	outlives := started(t, exec.Command("nohup", append([]string{built(t), "gtp"}, frugal...)...))
	gui := &player{outlives.in, bufio.NewReader(outlives.out)}
	for range 2 {
		_, err := gui.ask("name")
		require.NoError(t, err)
		require.NoError(t, outlives.cmd.Process.Signal(syscall.SIGHUP))
	}
	_, err := gui.ask("quit")
	require.NoError(t, err)
	require.NoError(t, outlives.wait())
}

// TestStuckClient: one signal ends the program even if the client does not read the output.
func TestStuckClient(t *testing.T) {
	needSignals(t)
	for _, c := range []struct{ command, input string }{
		{"gtp", strings.Repeat("list_commands\n", 2000)},
		{"gtp", "boardsize 9\nkata-analyze b 1 ownership true\n"},
		{"analysis", strings.Repeat("nonsense\n", 20000)},
		{"analysis", endlessQuery(`,"reportDuringSearchEvery":0.01,"includeOwnership":true`)},
	} {
		for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
			p := start(t, nil, append([]string{c.command}, frugal...)...)
			go io.WriteString(p.in, c.input)
			untilFull(t, p.out)
			require.NoError(t, p.cmd.Process.Signal(signal))
			require.Equal(t, exitDone, p.ends(t), p.stderr.String())
		}
	}
}

// TestNamedPipes gives pipes and devices as files: GTP commands and --config refuse them.
func TestNamedPipes(t *testing.T) {
	testshared.Long(t)
	if runtime.GOOS == "windows" {
		t.Skip("no named pipes in folders on Windows")
	}
	needLibrary(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	o := exits(t, exitDone, nil, "printsgf "+pipe+"\nloadsgf "+pipe+"\nloadsgf /dev/zero\nname\n", append([]string{"gtp"}, frugal...)...)
	require.Regexp(t, "^\\? cannot save file: .+\n\n\\? cannot load file: .+\n\n\\? cannot load file: .+\n\n= Kosumi\n\n$", o.stdout)

	o = exits(t, exitFailed, nil, "", "gtp", "--config", "/dev/zero")
	require.Contains(t, o.stderr, "/dev/zero: not a file but a device")
	w, err := os.OpenFile(pipe, os.O_RDWR, 0) // the open writer keeps a reader of the pipe from seeing its end
	require.NoError(t, err)
	defer w.Close()
	o = exits(t, exitFailed, nil, "", "gtp", "--config", pipe)
	require.Contains(t, o.stderr, "a pipe that did not end")
}

// untilFull returns when a pipe that nobody reads is full.
func untilFull(t *testing.T, pipe *os.File) {
	t.Helper()
	for last, deadline := -1, time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		n := buffered(t, pipe)
		if n > 0 && n == last {
			return
		}
		require.True(t, time.Now().Before(deadline), "%d bytes of output", n)
		last = n
	}
}

// TestIdleEngineRests requires that an idle engine soon takes almost no processor time: less than
// a tenth of a second in one and a half. A busy loop would take all of it.
func TestIdleEngineRests(t *testing.T) {
	testshared.Long(t)
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of a running program is read from /proc")
	}
	needLibrary(t)
	for _, o := range occupations {
		if !strings.Contains(o.name, "idle") {
			continue
		}
		p := occupy(t, o.command, o.input, o.until)
		rests := func() bool {
			before := ticks(t, p.cmd.Process.Pid)
			time.Sleep(1500 * time.Millisecond)
			return ticks(t, p.cmd.Process.Pid)-before < 10
		}
		for tries := 0; !rests(); tries++ { // the network may still be loading
			require.Less(t, tries, 20)
		}
		p.in.Close()
		go io.Copy(io.Discard, p.out)
		require.Equal(t, exitDone, p.ends(t))
	}
}

// ticks returns the processor time of a running program in hundredths of a second.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	stat := testshared.Read(t, fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	user, err := strconv.Atoi(fields[11]) // utime and stime are fields 14 and 15
	require.NoError(t, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(t, err)
	return user + system
}
