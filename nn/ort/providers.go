package ort

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// CPU is the name of the provider that every library has.
const CPU = "cpu"

// provider is an execution provider that can be asked for by name.
type provider struct {
	name string
	// ortName is what onnxruntime's generic call wants, "" for those with a
	// call of their own.
	ortName string
	// module is the library of its own that the provider lives in, without
	// prefix and ending; "" for those inside onnxruntime itself.
	module string
	// needs is a library of the system without which asking is pointless (and,
	// with WebGPU, noisy). Linux only.
	needs string
}

// providers are in the order in which Providers reports them.
var providers = []provider{
	{name: CPU},
	{name: "cuda", module: "onnxruntime_providers_cuda"},
	{name: "tensorrt", module: "onnxruntime_providers_tensorrt"},
	{name: "nvtensorrtrtx", ortName: "NvTensorRtRtx"},
	{name: "coreml"},
	{name: "directml"},
	{name: "openvino", module: "onnxruntime_providers_openvino"},
	{name: "webgpu", ortName: "WebGPU", needs: "libvulkan.so.1"},
	{name: "qnn", ortName: "QNN"},
	{name: "vitisai", ortName: "VitisAI"},
	{name: "xnnpack", ortName: "XNNPACK"},
}

// ProviderNames lists the providers that Config.Provider may name. Which of
// them work depends on library and machine, see [Providers].
func ProviderNames() []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.name
	}
	return names
}

// lookProvider finds a provider by its name in any case.
func lookProvider(name string) (provider, error) {
	i := slices.IndexFunc(providers, func(p provider) bool { return strings.EqualFold(p.name, name) })
	if i < 0 {
		return provider{}, fmt.Errorf("%w: %q is unknown: use one of %s", ErrProvider, name, strings.Join(ProviderNames(), ", "))
	}
	return providers[i], nil
}

// ProviderStatus says whether library and machine offer a provider.
type ProviderStatus struct {
	Name string
	Err  error // nil if they do; wraps ErrProvider and says what is missing
}

// providerError adds to the reason why a provider cannot be used which can.
func providerError(why error, have []ProviderStatus, lib Library) error {
	var names []string
	for _, s := range have {
		if s.Err == nil {
			names = append(names, s.Name)
		}
	}
	return fmt.Errorf("%w; onnxruntime %s at %s offers: %s", why, lib.Version, lib.Path, strings.Join(names, ", "))
}

// Plausible reports whether it makes sense to load a library and ask it for a GPU
// provider, by its system and by the files beside it.
func Plausible(lib Library, name string) bool {
	p, err := lookProvider(name)
	if err != nil {
		return false
	}
	switch p.name {
	case "coreml":
		return runtime.GOOS == "darwin"
	case "directml":
		return runtime.GOOS == "windows"
	}
	if p.module == "" {
		return true
	}
	file := "lib" + p.module + ".so"
	if runtime.GOOS == "windows" {
		file = p.module + ".dll"
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(lib.Path), file))
	return err == nil
}
