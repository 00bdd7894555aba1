//go:build cgo

package ort_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/ort"
)

// TestNeed fetches the library where there is none, in a process of its own, which has no
// cache and has loaded none.
func TestNeed(t *testing.T) {
	const variable = "NEED_FETCHES"
	from := os.Getenv(variable)
	if from == "" {
		lib := needLibrary(t)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestNeed$", "-test.v")
		home := t.TempDir()
		cmd.Env = append(os.Environ(), variable+"="+lib.Path, "HOME="+home, "XDG_CACHE_HOME="+home, "LD_LIBRARY_PATH=", ort.EnvLibrary+"=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	if _, err := ort.Find(""); err == nil {
		t.Skip("this system has a library of its own")
	}
	_, err := ort.Need("a test", "")
	require.ErrorIs(t, err, ort.ErrNoLibrary, "nobody has said how it is fetched")

	var asked []string
	offline := errors.New("no network")
	ort.SetFetcher(func(why string) error { asked = append(asked, why); return offline })
	for range 2 {
		_, err = ort.Need("a test", "")
		require.ErrorIs(t, err, offline)
		require.ErrorIs(t, err, ort.ErrNoLibrary)
	}
	require.Equal(t, []string{"a test"}, asked, "it is tried once")

	ort.SetFetcher(func(why string) error {
		asked = append(asked, why)
		dir := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "kosumi", "onnxruntime", "1.30.0")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return os.Symlink(from, filepath.Join(dir, filepath.Base(from)))
	})
	_, err = ort.Need("a test", "/no/such/file")
	require.Error(t, err)
	require.Len(t, asked, 1, "what was named is not fetched")
	lib, err := ort.Need("another test", "")
	require.NoError(t, err)
	require.NotEmpty(t, lib.Version)
	require.Equal(t, "another test", asked[1])
}
