package conform

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

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
