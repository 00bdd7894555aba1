package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// only fails a test unless the folder dir has exactly these files and subfolders, and no others.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	got := make([]string, 0, len(entries))
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.ElementsMatch(t, names, got)
}

func TestWriteReplacesAsAWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.sgf")
	require.NoError(t, Write(path, text("old")))
	full := errors.New("the disk is full")
	err := Write(path, func(w io.Writer) error {
		io.WriteString(w, "half of the n")
		return full
	})
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, path)
	got, err := Read(path, 100)
	require.NoError(t, err)
	require.Equal(t, "old", string(got), "what was there stays")
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, Write(path, text("new")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o640, info.Mode().Perm(), "the mode stays")
	only(t, dir, "a.sgf")
}

func TestWritePrivate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	left := path + ".0.tmp" // left by a killed process
	require.NoError(t, os.WriteFile(left, []byte("a much longer text"), 0o644))
	for _, was := range []func(){func() {}, func() { require.NoError(t, os.Chmod(path, 0o644)) }} {
		was()
		require.NoError(t, WritePrivate(path, []byte("secret")))
		got, err := Read(path, 100)
		require.NoError(t, err)
		require.Equal(t, "secret", string(got))
		if runtime.GOOS != "windows" {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		}
		only(t, dir, "token")
	}
	require.ErrorIs(t, WritePrivate(dir, nil), ErrKind)
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	require.NoError(t, Write(path, text("old")))
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	require.NoError(t, Write(link, text("new")))
	require.Equal(t, "new", testshared.Read(t, path))
	only(t, dir, "a", "link")
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	err := Write(dir, text("x"))
	require.ErrorIs(t, err, ErrKind)
	require.ErrorIs(t, Try(dir, true), ErrKind)
	missing := filepath.Join(dir, "no", "such", "file")
	err = Write(missing, text("x"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, missing)
	require.NotContains(t, err.Error(), ".tmp")
	require.ErrorIs(t, Try(missing, true), os.ErrNotExist)
	require.NoError(t, Write(os.DevNull, text("x")))
	only(t, dir)
}

func TestTry(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	require.NoError(t, Try(path, false))
	only(t, dir)
	require.NoError(t, Write(path, text("old")))
	require.ErrorIs(t, Try(path, false), ErrExists)
	require.NoError(t, Try(path, true))
	require.NoError(t, os.Chmod(path, 0))
	require.ErrorIs(t, Try(path, false), ErrExists, "a file of mode 000 is there, too")
	require.ErrorIs(t, WriteNew(path, nil), ErrExists)
	require.NoError(t, os.Chmod(path, 0o644))
	only(t, dir, "a")
	got, err := Read(path, 3)
	require.NoError(t, err)
	require.Equal(t, "old", string(got))
}

// TestTryRefusesInputs: Try refuses to overwrite an input file under any of its names, even with force.
func TestTryRefusesInputs(t *testing.T) {
	dir := t.TempDir()
	path, missing := filepath.Join(dir, "a.sgf"), filepath.Join(dir, "none")
	require.NoError(t, Write(path, text("old")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	names := []string{path, dir + "/sub/../a.sgf", dir + "//./a.sgf"}
	if link := filepath.Join(dir, "link"); os.Symlink(path, link) == nil {
		names = append(names, link)
	}
	if hard := filepath.Join(dir, "hard"); os.Link(path, hard) == nil {
		names = append(names, hard)
	}
	if _, err := os.Stat(filepath.Join(dir, "A.SGF")); err == nil { // this file system ignores case
		names = append(names, filepath.Join(dir, "A.SGF"))
	}
	for _, name := range names {
		require.ErrorIs(t, Try(name, true, missing, "", path), ErrInput, name)
		require.ErrorIs(t, Try(path, true, name), ErrInput, name)
		require.True(t, Same(name, path), name)
	}
	require.NoError(t, Try(missing, true, missing, "", path), "what is not there is no input")
	require.False(t, Same(missing, missing))
	require.True(t, Same(dir, dir+"/sub/.."))
}

// TestManyWriters: after many concurrent writes a file has the whole text of one of the writers.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 5 {
				if err := Write(path, text(strings.Repeat(fmt.Sprint(i%10), 10000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := Read(path, 10000)
	require.NoError(t, err)
	require.Equal(t, bytes.Repeat(got[:1], 10000), got)
	only(t, dir, "a")
}

// victim names an environment variable that is set in the process that TestKilledWriter kills.
const victim = "KOSUMI_FILE_TEST"

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		Write(path, func(w io.Writer) error {
			io.WriteString(w, "never finished")
			fmt.Println("writing")
			select {}
		})
	}
	if dir := os.Getenv(keeper); dir != "" {
		if _, err := LockFolder(dir); err == nil {
			fmt.Println("held")
			select {}
		}
	}
	os.Exit(m.Run())
}

// TestKilledWriter kills a process during a write: the old file is intact, and the next write
// leaves nothing else behind.
func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	require.NoError(t, Write(path, text("old")))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victim+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, len("writing")))
	require.NoError(t, err)
	require.NoError(t, Write(path, text("beside it")), "one that writes keeps nobody from writing")
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	got, err := Read(path, 100)
	require.NoError(t, err)
	require.Equal(t, "beside it", string(got))
	require.NoError(t, Write(path, text("new")))
	only(t, dir, "metrics.jsonl")
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	require.NoError(t, Write(path, text("1234")))
	_, err := Read(path, 3)
	require.ErrorContains(t, err, "more than the 3 bytes")
	require.ErrorContains(t, err, path)
	_, err = Read(dir, 3)
	require.ErrorIs(t, err, ErrKind)
	_, err = Read(filepath.Join(dir, "none"), 3)
	require.ErrorIs(t, err, os.ErrNotExist)
	got, err := Read(os.DevNull, 3)
	require.NoError(t, err)
	require.Empty(t, got)
}

// TestDamagedJSON: the error for a file that is cut short says what to do.
func TestDamagedJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, WriteBytes(path, []byte(`{"a": `)))
	found, err := ReadJSON(path, new(map[string]int))
	require.True(t, found)
	require.ErrorContains(t, err, path+" is damaged (")
	require.ErrorContains(t, err, "put a copy of it back, or move it away")
}
