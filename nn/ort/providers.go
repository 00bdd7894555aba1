package ort

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// CPU is the provider that every library has.
const CPU = "cpu"

// provider is an execution provider that can be asked for by name.
type provider struct {
	name string
	// ortName is the name for onnxruntime's general function that adds a provider; "": it has its own function.
	ortName string
	// module is the provider's own library, without prefix and ending; "" for
	// providers inside onnxruntime's.
	module string
	// offers are the devices of a plugin's provider; nil for onnxruntime's own.
	offers []Offer
	// needs is a library of the system that the provider needs: without it WebGPU logs errors.
	// Linux only.
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

// Plugin, as a provider's name, stands for the provider of the best device that plugins offer.
const Plugin = "plugin"

// Offer is a device that a provider can use.
type Offer struct {
	Provider string // value of Config.Provider
	Device   int    // value of Config.Device, from 0
	Kind     string // "gpu", "npu", "cpu", or "device" for any other
	Name     string // description for users
	Plugin   string // file of the plugin that offers it; "" is onnxruntime itself

	device unsafe.Pointer // OrtEpDevice, which lives as long as the program
}

// describeDevice returns a device's name for users: its vendor and names from its metadata, else its id.
func describeDevice(vendor string, id uint32, about [][2]string) string {
	name := vendor
	for _, key := range []string{"Description", "FULL_DEVICE_NAME", "ov_device"} {
		for _, pair := range about {
			if pair[0] == key && pair[1] != "" {
				name += ", " + pair[1]
			}
		}
	}
	if name = strings.TrimPrefix(name, ", "); name == "" || name == vendor {
		name = strings.TrimSpace(fmt.Sprintf("%s device %#x", name, id))
	}
	return name
}

// ProviderNames lists the providers that Config.Provider may name. Which of
// them work depends on library and machine, see [Providers].
func ProviderNames() []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.name
	}
	return append(names, Plugin)
}

// PluginProvider returns the name of the provider that [Plugin] stands for, "" if no
// plugin is registered.
func PluginProvider() string {
	if all := pluginOffers(); len(all) > 0 {
		return all[0].Provider
	}
	return ""
}

// lookProvider finds a provider by its name, in capital or small letters. A plugin's provider precedes
// onnxruntime's own provider of the same name, since the user has named the plugin's file.
func lookProvider(name string) (provider, error) {
	name = strings.ToLower(name)
	all := pluginOffers()
	switch {
	case name != Plugin:
	case len(all) == 0:
		return provider{}, fmt.Errorf("%w: no plugin is loaded: name its file with --plugin", ErrProvider)
	default:
		name = all[0].Provider
	}
	all = slices.DeleteFunc(all, func(o Offer) bool { return o.Provider != name })
	if len(all) > 0 {
		return provider{name: name, offers: all}, nil
	}
	i := slices.IndexFunc(providers, func(p provider) bool { return p.name == name })
	if i < 0 {
		return provider{}, fmt.Errorf("%w: %q is unknown: use one of %s", ErrProvider, name, strings.Join(ProviderNames(), ", "))
	}
	return providers[i], nil
}

// OpenIn returns how long a provider may take to make a session.
func OpenIn(name string) time.Duration {
	switch name {
	case "tensorrt", "nvtensorrtrtx", "coreml", "openvino", "qnn", "vitisai": // these compile the network first
		return 10 * time.Minute
	}
	return 2 * time.Minute
}

// ProviderStatus says whether library and machine offer a provider.
type ProviderStatus struct {
	Name string
	Err  error // nil if it works; wraps ErrProvider and says what is missing
}

// providerError adds to an error the providers that can be used.
func providerError(why error, have []ProviderStatus, lib Library) error {
	var names []string
	for _, s := range have {
		if s.Err == nil {
			names = append(names, s.Name)
		}
	}
	return fmt.Errorf("%w; onnxruntime %s at %s offers: %s", why, lib.Version, lib.Path, strings.Join(names, ", "))
}

// Plausible reports, from the system and its files, whether a library may have a working
// provider of that name. It loads nothing.
func Plausible(lib Library, name string) bool {
	p, err := lookProvider(name)
	switch {
	case err != nil || p.lacking() != nil:
		return false
	case p.name == "coreml":
		return runtime.GOOS == "darwin"
	case p.name == "directml":
		return runtime.GOOS == "windows"
	case p.module == "":
		return true
	}
	file := "lib" + p.module + ".so"
	if runtime.GOOS == "windows" {
		file = p.module + ".dll"
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(lib.Path), file))
	return err == nil
}
