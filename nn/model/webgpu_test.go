package model_test

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/fresh"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/nn/ort"
)

// inSoftware is the environment variable that makes the test's child process compute WebGPU in software;
// its value is a plugin's file, or empty.
const inSoftware = "KOSUMI_TEST_WEBGPU"

// softwareGPU returns environment variables that make WebGPU compute in software, by Chromium's SwiftShader.
func softwareGPU(t *testing.T) []string {
	t.Helper()
	for _, dir := range []string{"/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome"} {
		driver := filepath.Join(dir, "vk_swiftshader_icd.json")
		_, err := os.Stat(driver)
		_, none := os.Stat(filepath.Join(dir, "libvulkan.so.1"))
		if err == nil && none == nil {
			return []string{"LD_LIBRARY_PATH=" + dir, "VK_ICD_FILENAMES=" + driver, "VK_DRIVER_FILES=" + driver, "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1"}
		}
	}
	testshared.Absent(t, "no SwiftShader is installed (package chromium)")
	return nil
}

// TestWebGPU compares networks on WebGPU with the CPU, without a GPU: onnxruntime's own WebGPU,
// and the plugin if installed. The environment decides at a program's start which libraries it
// finds, so the test runs itself as a child.
func TestWebGPU(t *testing.T) {
	testshared.Long(t)
	if plugin, ok := os.LookupEnv(inSoftware); ok {
		agreeOnWebGPU(t, plugin)
		return
	}
	testshared.Slow(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the library with WebGPU inside and SwiftShader are Linux's, on x86-64")
	}
	plugins := map[string]string{"built in": ""}
	path, err := filepath.Abs("../../testdata/plugins/packages/onnxruntime_ep_webgpu/libonnxruntime_providers_webgpu.so")
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		testshared.Absent(t, "the plugin is not here: run make deps-test")
	}
	plugins["plugin"] = path
	for name, plugin := range plugins {
		t.Run(name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestWebGPU$", "-test.v")
			c.Env = append(append(os.Environ(), softwareGPU(t)...), inSoftware+"="+plugin)
			out, err := c.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Equal(t, 2, strings.Count(string(out), "30 positions on webgpu"), string(out))
			for line := range strings.Lines(string(out)) {
				if _, said, ok := strings.Cut(line, "kb2"); ok {
					t.Log("kb2" + strings.TrimSpace(said))
				}
			}
		})
	}
}

// agreeOnWebGPU compares WebGPU with the CPU on two small networks, one of them with attention.
func agreeOnWebGPU(t *testing.T, plugin string) {
	_, err := ort.Load("")
	needLibrary(t, err)
	provider := "webgpu"
	if plugin != "" {
		provider = ort.Plugin
	}
	for _, name := range []string{"kb2c16", "kb2c32h2nbttflrs"} {
		a, err := fresh.Parse(name)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "net"+fresh.Ending(name))
		require.NoError(t, a.Write(path, 1))
		size := board.Square(7)
		cpu, err := model.Open(path, model.Config{Provider: ort.CPU, Precision: "fp32"})
		require.NoError(t, err)
		device, err := model.Open(path, model.Config{Provider: provider, Plugin: plugin, Precision: "fp32"})
		require.NoError(t, err)
		require.Equal(t, "webgpu", device.Describe().Provider)
		want, got := answers(t, cpu, size), answers(t, device, size)
		worst := 0.0
		for i := range want {
			for k := range want[i] {
				d := math.Abs(float64(want[i][k]-got[i][k])) / (1 + math.Abs(float64(want[i][k])))
				require.False(t, math.IsNaN(d))
				worst = max(worst, d)
			}
		}
		require.Equal(t, "webgpu", device.Describe().Provider, "the CPU has not taken its place")
		t.Logf("%s: 30 positions on webgpu within %.1e of the CPU", name, worst)
		require.Less(t, worst, 1e-3)
	}
}

// answers returns a network's raw outputs for 30 positions of random games.
func answers(t *testing.T, m *model.Model, size board.Size) [][]float32 {
	t.Helper()
	const rows = 30
	spec, err := m.Spec(size)
	require.NoError(t, err)
	codec, err := nn.NewCodec(spec, size)
	require.NoError(t, err)
	b, err := m.Open(size, rows)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	uniform := nntest.Server(t, nntest.Uniform(), nn.ServerConfig{MaxBatch: 1})
	rng := rand.New(rand.NewPCG(3, 4))
	for row, in := range nn.Rows(spec.Inputs, b.Inputs(), rows) {
		g, err := bench.Likely(t.Context(), uniform, size, board.Chinese(), row, rng)
		require.NoError(t, err)
		require.NoError(t, codec.Encode(&nn.Query{Game: g}, 0, in, codec.NewScratch()))
	}
	require.NoError(t, b.Run(rows))
	out := b.Outputs()
	require.NotEqual(t, out[0][0], out[0][1], "answers are not all the same")
	return out
}
