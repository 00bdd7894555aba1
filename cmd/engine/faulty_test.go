package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/internal/testshared"
	"kosumi/nn/ort"
)

// compiled compiles C, from a .c file or a text, to a shared library and returns the library's path.
func compiled(t *testing.T, source, library string, flags ...string) string {
	t.Helper()
	if !strings.HasSuffix(source, ".c") {
		text := source
		source = filepath.Join(t.TempDir(), "library.c")
		require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(library), 0o755))
	if out, err := exec.Command("cc", append([]string{"-shared", "-fPIC", "-o", library, source}, flags...)...).CombinedOutput(); err != nil {
		testshared.Absent(t, "no C compiler makes libraries here: %v: %s", err, out)
	}
	return library
}

// hanging is a library whose loading never ends.
const hanging = `int pause(void);
__attribute__((constructor)) static void load(void) { for (;;) pause(); }
void *OrtGetApiBase(void) { return 0; }
`

// TestFaultyDevices runs the program with libraries that hang or kill the program at any step:
// every command answers and ends. A fault is an error if the plugin was requested; auto falls back
// to the CPU, and does not try the plugin again at the next start.
func TestFaultyDevices(t *testing.T) {
	testshared.Long(t)
	needLibrary(t)
	built(t)
	if runtime.GOOS != "linux" {
		t.Skip("the libraries are for Linux")
	}
	found, err := ort.Find("")
	require.NoError(t, err)
	library := ort.EnvLibrary + "=" + found.Path
	headers, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	require.NoError(t, err)
	plugin := compiled(t, "../../testdata/plugins/faulty.c", filepath.Join(t.TempDir(), "libfaulty.so"), "-I", string(bytes.TrimSpace(headers)))
	network := freshNetwork(t)
	vulkan := filepath.Dir(compiled(t, hanging, filepath.Join(t.TempDir(), "libvulkan.so.1")))
	hasWebGPU := strings.Contains(testshared.Read(t, found.Path), "WebGpuExecutionProvider")
	cache := t.TempDir()
	fake := compiled(t, hanging, filepath.Join(cache, "kosumi", "onnxruntime", "99.0.0", "libonnxruntime.so.1.99.0"))
	compiled(t, hanging, filepath.Join(filepath.Dir(fake), "libonnxruntime_providers_cuda.so"))

	const hangs, game, any = "it hangs: no answer for 30s", "genmove b\nquit\n", -1
	on := []string{"--model", network, "--boardsize", "5"}
	faulty := slices.Concat(on, []string{"--plugin", plugin})
	command := func(words string, flags ...string) []string { return slices.Concat(strings.Fields(words), flags) }
	type call struct {
		args  []string
		input string
		code  int
		says  []string
		not   string
	}
	fails := call{command("gtp --visits 4", faulty...), game, exitFailed, []string{"? ", "the network could not be loaded", "libfaulty.so: " + hangs}, "= A"}
	avoids := call{fails.args, game, exitFailed, []string{"? ", hangs + "; remove ", " to try again"}, "= A"}
	plays := call{fails.args, game, exitDone, []string{"= ", "faulty was not ready after 20s", " on kernel"}, "?"}
	aborts := call{fails.args, game, any, []string{"SIGABRT"}, "= A"}
	cases := map[string][]call{
		"hang load 1":      {fails, avoids},
		"hang factories 1": {{command("analysis --visits 4 --model", network, "--plugin", plugin), "", exitFailed, []string{"libfaulty.so: " + hangs}, ""}, avoids},
		"hang devices 1":   {{command("doctor", faulty...), "", exitFailed, []string{"missing  plugin: plugin not usable: " + plugin + ": " + hangs}, ""}},
		"hang session 1":   {plays, plays},
		"hang run 1":       {{command("label --rows 1 --boardsize 5 --teacher", network, "-o", t.TempDir(), "--plugin", plugin), "", exitDone, []string{"faulty was not ready after 20s"}, ""}},
		// Two sessions serve the first board, so the third one is for the second board.
		"hang session 3": {{command("gtp --visits 4 --provider plugin --sessions 2", faulty...), "genmove b\nboardsize 7\ngenmove b\nquit\n", exitDone,
			[]string{"faulty failed: the CPU takes over with the same network", "faulty has not made a session after"}, "?"}},
		"hang close 1":    {{command("benchmark --provider plugin --seconds 0.02 --rounds 1", faulty...), "", exitDone, []string{"faulty"}, ""}},
		"abort session 1": {aborts, {fails.args, game, exitDone, []string{"= ", "no device is used: an earlier start ended while it measured faulty; remove "}, "?"}},
		"abort load 1":    {aborts, {fails.args, game, exitFailed, []string{"? ", "an earlier start ended while it loaded " + plugin + "; remove "}, "= A"}},
		"a library": {{command("gtp --visits 4", on...), game, exitDone, []string{"= ", "no device is used: the library cannot be loaded: " + fake + ": " + hangs}, "?"},
			{command("gtp --visits 4 --onnxruntime "+fake, on...), game, exitFailed, []string{"? ", fake + ": " + hangs}, "= A"}},
		"a driver": {{command("doctor", on...), "", exitDone, []string{"missing  provider webgpu: execution provider not available: webgpu: " + hangs}, ""},
			{command("gtp --visits 4", on...), game, exitDone, []string{"= ", "no device is used: execution provider not available: webgpu: " + hangs + "; remove "}, "?"}},
		"a driver by name": {{command("gtp --visits 4 --provider webgpu", on...), game, exitFailed, []string{"? ", "webgpu: " + hangs}, "= A"}},
	}
	env, begun := map[string][]string{}, map[string]*process{}
	for name, calls := range cases { // start all now, since each waits for its timeout
		env[name] = []string{"KOSUMI_FAULT=" + name, "XDG_CACHE_HOME=" + t.TempDir(), library}
		switch {
		case name == "a library":
			env[name] = []string{"XDG_CACHE_HOME=" + cache, ort.EnvLibrary + "="}
		case strings.HasPrefix(name, "a driver"):
			env[name] = append(env[name], "LD_LIBRARY_PATH="+vulkan)
		}
		begun[name] = start(t, env[name], calls[0].args...)
		fmt.Fprint(begun[name].in, calls[0].input)
		begun[name].in.Close()
	}
	for name, calls := range cases {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "a driver") && !hasWebGPU {
				t.Skip("this onnxruntime has no WebGPU inside")
			}
			for i, c := range calls {
				p := begun[name]
				if i > 0 {
					p = start(t, env[name], c.args...)
				}
				o := p.finish(t, c.input)
				all := o.stdout + o.stderr
				require.True(t, c.code == any || c.code == o.code, "%d: %s", o.code, all)
				for _, text := range c.says {
					require.Contains(t, all, text)
				}
				require.False(t, c.not != "" && strings.Contains(o.stdout, c.not), all)
			}
		})
	}
	endWhileItHangs(t, plugin, library, map[string][]string{"gtp": fails.args, "doctor": command("doctor", faulty...), "benchmark": command("benchmark", faulty...), "by name": cases["hang session 3"][0].args})
}

// endWhileItHangs stops programs that wait for a hanging plugin: they end at once, and record no
// fault of the device.
func endWhileItHangs(t *testing.T, plugin, library string, programs map[string][]string) {
	for name, args := range programs {
		t.Run("ended "+name, func(t *testing.T) {
			t.Parallel()
			fault := "KOSUMI_FAULT=hang factories 1"
			if name == "by name" {
				fault = "KOSUMI_FAULT=hang session 1"
			}
			cache := t.TempDir()
			p := start(t, []string{fault, "XDG_CACHE_HOME=" + cache, library}, args...)
			require.Eventually(t, func() bool { return loads(p.cmd.Process.Pid, plugin) }, conform.Patience, 10*time.Millisecond)
			require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
			p.ends(t)
			require.NotContains(t, p.stderr.String(), "hang", "it did not wait for the plugin")
			left, err := filepath.Glob(filepath.Join(cache, "kosumi", "tuning", "*.json"))
			require.NoError(t, err)
			require.Empty(t, left, "who ends a start says nothing of the devices")
		})
	}
}

// loads reports whether a process has loaded a library.
func loads(pid int, library string) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	return err == nil && bytes.Contains(maps, []byte(library))
}
