package engines

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kosumi/web/api"
)

// TestFullDisk fetches onto a disk that is too small: the error says so, and the download resumes
// once there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	s := newSite(t)
	l := testLibrary(t, dir, s)
	s.answer = answer(media+"net.bin.gz", len(content), sum(content))
	ask := &api.FetchNetwork{Latest: "strongest"}
	require.NoError(t, l.Fetch(t.Context(), ask))
	j := l.settled(t)
	require.NotNil(t, j)
	require.Equal(t, failed, j.State)
	require.Equal(t, "cause_full", j.Say.Key, j.Error)
	require.Empty(t, fileNames(l))
	require.Error(t, l.Put(t.Context(), "mine.onnx", &endless{}, 0), "a browser's file neither")
	require.NoError(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"))
	s.ranges.Store(0)
	require.NoError(t, l.Fetch(t.Context(), ask))
	require.Equal(t, ready, l.settled(t).State)
	require.Equal(t, int64(1), s.ranges.Load(), "the rest alone was asked for")
	require.Equal(t, []string{"net.bin.gz"}, fileNames(l))
}

// endless is a file without an end.
type endless struct{}

func (*endless) Read(p []byte) (int, error) { return len(p), nil }
