//go:build unix

package file

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kosumi/internal/testshared"
)

// TestPipes: reading and writing named pipes and devices does not hang, but gives content or an
// error.
func TestPipes(t *testing.T) {
	testshared.Slow(t)
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	require.ErrorIs(t, Write(path, text("x")), ErrKind)
	require.ErrorIs(t, Try(path, true), ErrKind)
	got, err := Read(path, 10) // there is no writer
	require.NoError(t, err)
	require.Empty(t, got)

	w, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = w.WriteString("some")
	require.NoError(t, err)
	_, err = Read(path, 10)
	require.ErrorContains(t, err, "did not end", "the other end stays open")
	_, err = w.WriteString("more than ten bytes")
	require.NoError(t, err)
	_, err = Read(path, 10)
	require.ErrorContains(t, err, "more than the 10 bytes")
	w.Close()

	read := make(chan []byte)
	w, err = os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = w.WriteString("whole")
	require.NoError(t, err)
	go func() {
		data, _ := Read(path, 10)
		read <- data
	}()
	w.Close()
	require.Contains(t, []string{"whole", ""}, string(<-read)) // nothing, if the writer closed the pipe first

	_, err = Read("/dev/zero", 10)
	require.ErrorIs(t, err, ErrKind)
}
