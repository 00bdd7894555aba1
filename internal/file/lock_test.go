package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// keeper names an environment variable that is set in the process that TestLockFolder kills.
const keeper = "KOSUMI_FILE_TEST_LOCK"

// TestLockFolder: a folder has one owner. A second one gets an error with the folder and the
// owner's process; after kill -9 the folder is free.
func TestLockFolder(t *testing.T) {
	dir := t.TempDir()
	require.False(t, Taken(dir))
	h, err := LockFolder(dir)
	require.NoError(t, err)
	require.True(t, Taken(dir))
	_, err = LockFolder(dir)
	require.ErrorIs(t, err, ErrTaken)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "name another folder")
	require.NoError(t, h.Release())
	require.False(t, Taken(dir))

	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), keeper+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, len("held")))
	require.NoError(t, err)
	require.True(t, Taken(dir))
	_, err = LockFolder(dir)
	require.ErrorIs(t, err, ErrTaken)
	if _, unreadable := Read(filepath.Join(dir, LockName), 1000); unreadable == nil { // where a lock also prevents reading, the error names no process
		require.ErrorContains(t, err, fmt.Sprintf("process %d", cmd.Process.Pid))
	}
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	h, err = LockFolder(dir)
	require.NoError(t, err)
	require.NoError(t, h.Release())
	only(t, dir, LockName)
}

// TestLockOverwritesNothing: a file or link with the lock's name that is not a lock stays
// unchanged, and so does the link's target.
func TestLockOverwritesNothing(t *testing.T) {
	mine := []byte("my notes\n")
	for name, make := range map[string]func(dir, path string) error{
		"file": func(_, path string) error { return os.WriteFile(path, mine, 0o644) },
		"long": func(_, path string) error { return os.WriteFile(path, bytes.Repeat(mine, 1000), 0o644) },
		"link": func(dir, path string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "notes"), mine, 0o644), os.Symlink("notes", path))
		},
		"folder": func(_, path string) error { return os.Mkdir(path, 0o755) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, LockName)
		if err := make(dir, path); errors.Is(err, errors.ErrUnsupported) {
			continue
		} else {
			require.NoError(t, err)
		}
		before, _ := os.ReadFile(path)
		_, err := LockFolder(dir)
		require.ErrorContains(t, err, "is not a lock of this program; move it away", name)
		after, _ := os.ReadFile(path)
		require.Equal(t, before, after, name)
	}
	for _, left := range []string{"", "4711 engine train\n"} { // left by a killed owner
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, LockName), []byte(left), 0o644))
		h, err := LockFolder(dir)
		require.NoError(t, err)
		require.NoError(t, h.Release())
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	h, err := Lock(path)
	require.NoError(t, err)
	_, err = Lock(path)
	require.ErrorIs(t, err, ErrTaken)
	require.ErrorContains(t, err, path)
	other, err := Lock(path + "2")
	require.NoError(t, err)
	require.NoError(t, other.Release())
	require.NoError(t, h.Release())
	_, err = Lock(filepath.Join(t.TempDir(), "missing", "journal.jsonl"))
	require.ErrorContains(t, err, "cannot be locked")
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	_, err = LockFolder(blocked)
	require.ErrorContains(t, err, blocked)
	require.NoError(t, (*Hold)(nil).Release())
}

// TestHolder: the lock's description of its owner is used only if it is plausible.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for text, want := range map[string]string{
		"4711 engine train\n": " (engine train, process 4711)",
		"":                    "",
		"engine train":        "",
		"4711":                "",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		require.Equal(t, want, holder(path), text)
	}
	require.Equal(t, "engine train", program([]string{"/usr/bin/engine", "train", "--model", "x"}))
	require.Equal(t, "engine loop", program([]string{"engine", "loop", "../run1", "--games", "3"}))
}

// TestWriteNew: WriteNew never replaces a file, and leaves nothing behind when it fails.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "game.sgf")
	require.NoError(t, WriteNew(path, []byte("first")))
	err := WriteNew(path, []byte("second"))
	require.ErrorIs(t, err, ErrExists)
	got, err := Read(path, 100)
	require.NoError(t, err)
	require.Equal(t, "first", string(got))
	require.ErrorIs(t, WriteNew(dir, []byte("x")), ErrKind)
	full := errors.New("the disk is full")
	err = replace(filepath.Join(dir, "other.sgf"), kept{anew: true}, func(io.Writer) error { return full })
	require.ErrorIs(t, err, full)
	only(t, dir, "game.sgf")

	var won atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := WriteNew(filepath.Join(dir, "race.sgf"), []byte("whole")); err == nil {
				won.Add(1)
			} else if !errors.Is(err, ErrExists) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, won.Load(), "a name is given once")
	only(t, dir, "game.sgf", "race.sgf")
}

// TestLockLeavesNothing: an unused folder stays as it was; one that was written to keeps its lock
// file.
func TestLockLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for range 2 {
		h, err := LockFolder(dir)
		require.NoError(t, err)
		_, err = LockFolder(dir)
		require.ErrorIs(t, err, ErrTaken)
		require.NoError(t, h.Release())
		require.NoDirExists(t, dir)
	}
	require.NoError(t, os.Mkdir(dir, 0o755))
	h, err := LockFolder(dir)
	require.NoError(t, err)
	require.NoError(t, h.Release())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	h, err = LockFolder(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "result"), nil, 0o644))
	require.NoError(t, h.Release())
	require.FileExists(t, filepath.Join(dir, LockName))
}

// TestLockOfOneAtATime: many goroutines lock and release an unused folder, so that its lock file
// comes and goes; only one at a time holds the lock.
func TestLockOfOneAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	var inside, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				h, err := LockFolder(dir)
				if err != nil {
					continue
				}
				if inside.Add(1) > 1 {
					t.Error("two hold one folder")
				}
				taken.Add(1)
				inside.Add(-1)
				_ = h.Release()
			}
		})
	}
	all.Wait()
	require.Positive(t, taken.Load())
}
