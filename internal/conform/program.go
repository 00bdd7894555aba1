package conform

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// Program starts an executable that speaks GTP, with args before the test's own arguments and env
// added to the environment. Its stderr is shown if the test fails.
func Program(path string, env []string, args ...string) Open[*GTP] {
	return func(t testing.TB, more ...string) *GTP {
		cmd := exec.Command(path, append(append([]string{}, args...), more...)...)
		cmd.Env = append(os.Environ(), env...)
		var log testshared.Log
		cmd.Stderr = &log
		s, in, ended := Start(t, cmd)
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

// Start starts a program that speaks GTP. Closing the returned Closer ends the program's input;
// ended is closed when the program has ended.
func Start(t testing.TB, cmd *exec.Cmd) (s *GTP, in io.Closer, ended <-chan struct{}) {
	to, err := cmd.StdinPipe()
	require.NoError(t, err)
	// Wait would close a StdoutPipe before everything is read.
	out, outWrite, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = outWrite
	err = cmd.Start()
	outWrite.Close()
	require.NoError(t, err)
	gone := make(chan struct{})
	return NewGTP(t, to, out, func() error {
		defer close(gone)
		return cmd.Wait()
	}), to, gone
}
