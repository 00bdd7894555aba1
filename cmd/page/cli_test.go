package main_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

// commandLine is the command kosumi of the installed package.
func commandLine(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), program(t, "node"), append([]string{filepath.Join(dir, "node_modules/.bin/kosumi")}, args...)...)
}

// TestCommandLine: the package's command speaks GTP, and reports wrong calls.
func TestCommandLine(t *testing.T) {
	testshared.Slow(t)
	dir := installed(t)
	for _, c := range []struct {
		args        string
		code        int
		input, want string // standard input; pattern of standard output and error
	}{
		{"gtp --boardsize 9 --visits=4", 0, "\n3 name\nfly\n# nothing\ngenmove b", `^=3 Kosumi\n\n\? unknown command\n\n= [A-J][1-9]\n\n$`},
		{"gtp", 0, "name\nquit\nname\n", `^= Kosumi\n\n= \n\n$`},
		{"gtp", 0, "", `^$`},
		{"gtp --boardsize 99", 1, "name\n", `^kosumi: boardsize: .*2 to 25`},
		{"fly", 2, "", `^kosumi: usage:\nkosumi web`},
		{"web --folder x", 2, "", `^kosumi: usage:\nkosumi web`},
		{"--help", 0, "", `^kosumi web`},
	} {
		cmd := commandLine(t, dir, strings.Fields(c.args)...)
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.input), &out, &out
		cmd.Run()
		require.Regexp(t, c.want, out.String(), c.args)
		require.Equal(t, c.code, cmd.ProcessState.ExitCode(), c.args)
	}
}

// TestCommandServesThePage plays in the page that the package's command serves.
func TestCommandServesThePage(t *testing.T) {
	testshared.Slow(t)
	cmd := commandLine(t, installed(t), "--port", "0", "--no-open")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address, _, _ := strings.Cut(line, " ")
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate(address))
	b.Enter()
	b.Point("E5")
	b.Until(`document.querySelectorAll(".moves li").length >= 2`)
}
