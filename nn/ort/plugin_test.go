//go:build cgo

package ort_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/ort"
)

func library(t *testing.T, name, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("libraries are made with a Unix compiler here")
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	dir := t.TempDir()
	source, lib := filepath.Join(dir, name+".c"), filepath.Join(dir, "lib"+name+".so")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", lib, source).CombinedOutput(); err != nil {
		testshared.Absent(t, "no C compiler makes libraries here: %v: %s", err, out)
	}
	return lib
}

// Sources of two plugins: one requests a newer interface than any onnxruntime has, one has no
// device.
const (
	newer = `
struct base { void **(*api)(unsigned); };
void *CreateEpFactories(const char *name, struct base *onnxruntime, void *log, void **factories, unsigned long most, unsigned long *n) {
	void **api = onnxruntime->api(1000);
	if (!api)
		return ((void *(*)(int, const char *))onnxruntime->api(1)[0])(1, "interface 1000 is needed");
	return 0;
}
void *ReleaseEpFactory(void *factory) { return 0; }
`
	empty = `
void *CreateEpFactories(const char *name, void *onnxruntime, void *log, void **factories, unsigned long most, unsigned long *n) {
	*n = 0;
	return 0;
}
void *ReleaseEpFactory(void *factory) { return 0; }
`
)

func TestPluginsThatCannotBeUsed(t *testing.T) {
	needLibrary(t)
	text := filepath.Join(t.TempDir(), "plugin.so")
	require.NoError(t, os.WriteFile(text, []byte("no library at all"), 0o600))
	pipe := filepath.Join(t.TempDir(), "pipe.so")
	_ = exec.Command("mkfifo", pipe).Run() // fails on Windows, where no file is made
	for name, c := range map[string]struct {
		path, says string
		is         error
	}{
		"no file":         {filepath.Join(t.TempDir(), "absent.so"), "absent.so: not found", ort.ErrNotFound},
		"a folder":        {t.TempDir(), "it is a folder: name the library in it", nil},
		"a pipe":          {pipe, "it is not a file", ort.ErrNotPlugin},
		"no library":      {text, "not a shared library of any system", ort.ErrNotPlugin},
		"another library": {library(t, "another", "int answer(void) { return 42; }"), "it does not export CreateEpFactories", ort.ErrNotPlugin},
		"another version": {library(t, "newer", newer), "it may be made for another version: ", nil},
		"no device":       {library(t, "empty", empty), "it finds no device here that it can use", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time the result is cached
				err := ort.Register("", c.path)
				require.ErrorIs(t, err, ort.ErrPlugin)
				require.ErrorContains(t, err, c.says)
				if c.is != nil {
					require.ErrorIs(t, err, c.is)
				}
				require.NotContains(t, err.Error(), "\n")
			}
		})
	}
	_, err := ort.Open(nil, tinySpec(3), ort.Config{Provider: ort.Plugin})
	require.ErrorContains(t, err, "--plugin", "none was registered")
	require.Empty(t, ort.PluginProvider())
}

// TestDevices: the offers include at least the processor.
func TestDevices(t *testing.T) {
	needLibrary(t)
	all, err := ort.Devices("")
	require.NoError(t, err)
	seen := map[string]int{}
	for _, o := range all {
		require.NotEmpty(t, o.Provider)
		require.Equal(t, seen[o.Provider], o.Device, "devices of a provider are counted")
		seen[o.Provider]++
		require.Contains(t, []string{"cpu", "gpu", "npu"}, o.Kind)
		require.NotEmpty(t, o.Name)
	}
	require.Positive(t, seen[ort.CPU])
	again, err := ort.Devices("")
	require.NoError(t, err)
	require.Equal(t, all, again)
}

func TestDeviceNumbers(t *testing.T) {
	needLibrary(t)
	require.ErrorContains(t, ort.Config{Device: -1}.Validate(), "counted from 0")
	_, err := ort.Open(nil, tinySpec(3), ort.Config{Device: 1})
	require.Error(t, err)
}
