//go:build cgo

package ort_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/ort"
)

// TestNeed: Need fetches the library if there is none. A child process tests it, without a cache or
// a loaded library.
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
	_, err := ort.Need("a test", "", "")
	require.ErrorIs(t, err, ort.ErrNoLibrary, "no fetcher is set")

	var asked []string
	offline := errors.New("no network")
	ort.SetFetcher(func(why string, cuda bool) error {
		asked = append(asked, fmt.Sprint(why, cuda))
		return offline
	})
	for range 2 {
		_, err = ort.Need("a test", "cpu", "")
		require.EqualError(t, err, "no usable onnxruntime library was found: a test: no network")
		require.ErrorIs(t, err, offline)
		require.ErrorIs(t, err, ort.ErrNoLibrary)
	}
	require.Equal(t, []string{"a testfalse"}, asked, "it is tried once")

	ort.SetFetcher(func(why string, cuda bool) error {
		asked = append(asked, fmt.Sprint(why, cuda))
		dir := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "kosumi", "onnxruntime", "1.30.0")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return os.Symlink(from, filepath.Join(dir, filepath.Base(from)))
	})
	_, err = ort.Need("a test", "", "/no/such/file")
	require.Error(t, err)
	require.Len(t, asked, 1, "what was named is not fetched")
	if runtime.GOOS+runtime.GOARCH == "linuxamd64" {
		t.Setenv("LD_LIBRARY_PATH", t.TempDir())
		if _, err = ort.Need("--provider cuda", "cuda", ""); len(asked) == 1 {
			require.ErrorContains(t, err, "libcuda.so.1 is missing", "without a driver nothing is fetched")
		}
		require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("LD_LIBRARY_PATH"), "libcuda.so.1"), nil, 0o644))
	}
	lib, err := ort.Need("another test", "cuda", "")
	require.NoError(t, err)
	require.NotEmpty(t, lib.Version)
	require.Len(t, asked, 2)
	require.Regexp(t, fmt.Sprint(runtime.GOOS+runtime.GOARCH == "linuxamd64", "$"), asked[1], "with CUDA where there is such a build")
}
