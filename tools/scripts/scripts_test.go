package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// fakes returns a folder with the tools that every system has, and with scripts that take the place
// of the given programs.
func fakes(t *testing.T, programs map[string]string) string {
	t.Helper()
	testshared.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	for _, name := range strings.Fields("sh sed sort tail head cut dirname printf env grep mkdir mktemp rm uname cat sha256sum") {
		if path, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
		}
	}
	for name, text := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755))
	}
	return dir
}

// said runs a script that finds programs only in the folder at path, made by fakes. It returns the
// output and whether the script succeeded.
func said(t *testing.T, path, script string, env []string, args ...string) (string, bool) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	for _, file := range []string{script, "../../go.mod"} { // read here, because Go's cache of test results ignores files that only the script reads
		_, err := os.ReadFile(file)
		require.NoError(t, err)
	}
	cmd := exec.Command(sh, append([]string{script}, args...)...)
	cmd.Env = append([]string{"PATH=" + path}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// fakeGo answers as the go command does on a linux/amd64 machine; variables change its version and settings.
const fakeGo = `
case "$*" in
"env GOVERSION") echo ${VERSION:-go1.26.3} ;;
"env GOOS") echo ${GOOS:-linux} ;;
"env GOARCH") echo ${GOARCH:-amd64} ;;
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
"env CC") echo ${CC:-gcc} ;;
"env CGO_ENABLED") echo ${CGO_ENABLED:-1} ;;
"env -changed CGO_ENABLED") echo ${CGO_ENABLED:+changed} ;;
"env -changed CC") echo ${CC:+changed} ;;
version) echo "$OFFLINE" >&2; [ -z "$OFFLINE" ] ;;
*) exit 2 ;;
esac
`

func TestCheckTools(t *testing.T) {
	const gcc = "exit 0"
	for _, c := range []struct {
		name     string
		env      []string
		programs map[string]string
		want     string // the script's only line; "" if all is well
		passes   bool
	}{
		{"all is here", nil, map[string]string{"go": fakeGo, "gcc": gcc}, "", true},
		{"no Go", nil, nil, "Go 1.26.0 or newer is needed, and there is none on the path", false},
		{"Go of Debian 12", []string{"VERSION=go1.19.8"}, map[string]string{"go": fakeGo, "gcc": gcc}, "Go 1.26.0 or newer is needed, here is 1.19.8", false},
		{"Go that fetches a newer one", []string{"VERSION=go1.22.2"}, map[string]string{"go": fakeGo, "gcc": gcc}, "", true},
		{"Go that cannot fetch it", []string{"VERSION=go1.22.2", "OFFLINE=no network"}, map[string]string{"go": fakeGo, "gcc": gcc}, "here is 1.22.2, which could not fetch it: no network", false},
		{"no C compiler", nil, map[string]string{"go": fakeGo}, "there is no gcc: install gcc (Debian", false},
		{"no headers", nil, map[string]string{"go": fakeGo, "gcc": "echo 'stdlib.h: No such file' >&2; exit 1"}, "gcc does not compile C (Debian, Ubuntu: apt install build-essential): stdlib.h", false},
		{"another compiler", []string{"CC=clang -O1"}, map[string]string{"go": fakeGo, "clang": gcc}, "", true},
		{"on purpose", []string{"CGO_ENABLED=0"}, map[string]string{"go": fakeGo}, "70 times slower", true},
		{"another system", []string{"GOOS=windows"}, map[string]string{"go": fakeGo, "gcc": gcc}, "a C compiler for windows/amd64 is needed", false},
		{"another processor, cgo alone", []string{"GOARCH=arm64", "CGO_ENABLED=1"}, map[string]string{"go": fakeGo, "gcc": gcc}, "a C compiler for linux/arm64 is needed", false},
		{"another processor", []string{"GOARCH=arm64", "CGO_ENABLED=1", "CC=cross"}, map[string]string{"go": fakeGo, "cross": gcc}, "", true},
		{"another processor, on purpose", []string{"GOARCH=arm64", "CGO_ENABLED=0"}, map[string]string{"go": fakeGo}, "70 times slower", true},
		{"32 bits", []string{"GOARCH=386"}, map[string]string{"go": fakeGo, "gcc": gcc}, "linux/386 has 32 bits", false},
		{"32 bits, on purpose", []string{"GOARCH=arm", "CGO_ENABLED=0"}, map[string]string{"go": fakeGo}, "linux/arm has 32 bits", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, passes := said(t, fakes(t, c.programs), "check-tools.sh", c.env)
			require.Equal(t, c.passes, passes, out)
			if c.want == "" {
				require.Empty(t, out)
				return
			}
			require.Contains(t, out, c.want)
			require.Equal(t, 1, strings.Count(out, "\n"), out)
		})
	}
}

// Scripts that fail as npm and pip do when they are offline.
const (
	npmOffline = `echo 'npm error code EAI_AGAIN
npm error request to https://packages.example/x failed, reason: getaddrinfo EAI_AGAIN packages.example
npm error A complete log of this run can be found in: x' >&2
exit 1`
	pipOffline = `case "$*" in *--version*) exit 0 ;; esac
echo "WARNING: Retrying after connection broken by 'NewConnectionError('<pip>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /x
ERROR: No matching distribution found for onnxruntime" >&2
exit 1`
)

func TestNpmCiSaysWhy(t *testing.T) {
	for want, programs := range map[string]map[string]string{
		"npm: getaddrinfo EAI_AGAIN packages.example": {"npm": npmOffline, "node": "echo v20.1.0"},
		"npm: request":                                  {"npm": "echo npm: request >&2; exit 1", "node": "echo v18.0.0"},
		"npm not found (Node 18 or newer)":              {"node": "echo v18.0.0"},
		"Node 18 or newer is needed, here is v12.22.12": {"npm": npmOffline, "node": "echo v12.22.12"},
	} {
		out, passes := said(t, fakes(t, programs), "npm-ci.sh", nil, t.TempDir())
		require.False(t, passes)
		require.Contains(t, out, want)
		require.Equal(t, 1, strings.Count(out, "\n"), out)
	}
}

// TestLibraryNotFetched: if fetch-onnxruntime.sh cannot fetch the library, it writes one line with
// the reason.
func TestLibraryNotFetched(t *testing.T) {
	offline := map[string]string{"npm": npmOffline, "python3": pipOffline}
	for _, c := range []struct {
		env      []string
		programs map[string]string
		args     []string
		want     string
	}{
		{nil, offline, nil, "there is no folder of yours to keep it in: set HOME\n"},
		{[]string{"HOME=/dev/null"}, offline, nil, "/dev/null/.cache/kosumi/onnxruntime/1.30.0 cannot be made: set XDG_CACHE_HOME to a folder that can be written\n"},
		{[]string{"HOME=" + t.TempDir()}, offline, nil, "the package could not be fetched (npm: getaddrinfo EAI_AGAIN packages.example; pip: [Errno -3] Temporary failure in name resolution). Offline? Copy the library from another machine and name it in KOSUMI_ONNXRUNTIME\n"},
		{[]string{"HOME=" + t.TempDir()}, nil, nil, "this needs npm, or python3 with pip, to fetch the library, and found neither that serves (sources: npm pip)\n"},
		{[]string{"HOME=" + t.TempDir()}, offline, []string{"--platform", "linux/riscv64"}, "there is no such build of onnxruntime 1.30.0 for linux/riscv64"},
	} {
		out, passes := said(t, fakes(t, c.programs), "../../nn/ort/fetch-onnxruntime.sh", c.env, append([]string{"--platform", "linux/x64", "--why", "a test"}, c.args...)...)
		require.False(t, passes)
		require.Contains(t, out, c.want)
		require.Equal(t, 1, strings.Count(out, "\n"), out)
	}
}

// TestSlowly: the line about a slow command is shown before the command ends; a fast command has no
// line and is not delayed.
func TestSlowly(t *testing.T) {
	for _, c := range []struct{ after, command, want string }{
		{"0", `until grep -q fetching said; do sleep 0.05; done; exit 3`, "fetching\n"},
		{"1000", `exit 3`, ""},
	} {
		dir := t.TempDir()
		file, err := os.Create(filepath.Join(dir, "said"))
		require.NoError(t, err)
		script, err := filepath.Abs("slowly.sh")
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), script, "fetching", "sh", "-c", c.command)
		cmd.Dir, cmd.Stderr, cmd.Env = dir, file, append(os.Environ(), "KOSUMI_SLOWLY="+c.after)
		require.Error(t, cmd.Run())
		require.Equal(t, 3, cmd.ProcessState.ExitCode())
		require.Equal(t, c.want, testshared.Read(t, file.Name()))
	}
}
