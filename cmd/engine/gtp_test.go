package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
)

// TestGTPConformance checks that the program, with its defaults, has the features that clients rely
// on. Features that need a stronger network or more outputs are also checked with a network of KataGo's.
func TestGTPConformance(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	flags := append([]string{"gtp", "--log-level", "warn"}, frugal...)
	t.Run("embedded network", func(t *testing.T) {
		conform.RunGTP(t, engineOf(built(t), flags))
	})
	t.Run("trained network", func(t *testing.T) {
		flags := append(flags, "--model", realNetwork(t))
		conform.RunGTP(t, engineOf(built(t), flags), 23, 44, 45, 55)
	})
}

// engineOf starts an executable that speaks GTP, with args before the test's own arguments. Its
// stderr is shown if the test fails.
func engineOf(path string, args []string) conform.Open[*conform.GTP] {
	return func(t testing.TB, more ...string) *conform.GTP {
		cmd := exec.Command(path, slices.Concat(args, more)...)
		var log testshared.Log
		cmd.Stderr = &log
		s, in, ended := conform.Start(t, cmd)
		t.Cleanup(func() {
			in.Close()
			select {
			case <-ended:
			case <-time.After(2 * time.Second):
				cmd.Process.Kill()
				<-ended
			}
			if t.Failed() {
				t.Logf("stderr of %v:\n%s", cmd, log.String())
			}
		})
		return s
	}
}

// TestBoardThatTheNetworkDoesNotServe: the engine warns once at the start, and accepts another
// board size.
func TestBoardThatTheNetworkDoesNotServe(t *testing.T) {
	needLibrary(t)
	o := exits(t, exitDone, nil, "genmove b\nboardsize 9\ngenmove b\n", append([]string{"gtp", "--model", "../../testdata/onnx/pytorch-dualhead-9x9.onnx", "--boardsize", "19", "--visits", "1"}, frugal...)...)
	require.Regexp(t, `^\? the network does not serve this board size: \S+ is for 9x9 boards, not 19x19 \(--boardsize 9x9\)\n\n= \n\n= ([A-HJ][1-9]|pass)\n`, o.stdout)
	require.Contains(t, o.stderr, "warning: the network does not serve this board size")
}

// TestMoveAgainstTheRules: the engine plays a move that retakes a ko, and warns of it once. A record that is missing
// is named in the reply.
func TestMoveAgainstTheRules(t *testing.T) {
	needLibrary(t)
	const ko = "gogui-play_sequence b b1 w c1 b a2 w d2 b b3 w c3 b c2 w b2\n"
	o := exits(t, exitDone, nil, "boardsize 9\n"+ko+"play b c2\nloadsgf missing.sgf\nboardsize 99\n", append([]string{"gtp"}, frugal...)...)
	require.Equal(t, "= \n\n= \n\n= \n\n? cannot load file: no file missing.sgf\n\n? unacceptable size: board size out of range: 99x99, want 2 to 25 on each side\n\n", o.stdout)
	require.Equal(t, 1, strings.Count(o.stderr, "warning: "), o.stderr)
}
