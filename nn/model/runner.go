package model

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"kosumi/nn"
	"kosumi/nn/fuse"
	"kosumi/nn/graph"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// runner runs graphs on a provider.
type runner struct {
	name string // of the provider
	why  string // why it was chosen, for people
	open func(w work) (nn.Backend, error)
}

// work is a graph to open a session for.
type work struct {
	graph    *onnx.Model
	spec     nn.Spec
	maxBatch int
}

// marshal returns the graph as a file and frees the memory of the graph.
func (w *work) marshal() ([]byte, error) {
	data, err := w.graph.Marshal()
	w.graph = nil
	if len(data) >= largeGraph {
		debug.FreeOSMemory()
	}
	return data, err
}

// The providers besides onnxruntime's.
const (
	Kernel = "kernel"  // this program's kernels, without onnxruntime
	OnnxGo = "onnx-go" // pure Go
)

const chosen = "chosen by --provider"

// chooseRunner returns the configured runner, or the fastest for the network in a file; open reads
// the network.
func chooseRunner(c Config, file string, open func() (source, error)) (runner, error) {
	switch provider := strings.ToLower(c.Provider); provider {
	case "", "auto":
		return autoRunner(c, file, open)
	case Kernel:
		if len(kernel.Available()) == 0 {
			return runner{}, fmt.Errorf("%w: %s: %w", ErrProvider, provider, kernel.ErrMissing)
		}
		return kernelRunner(chosen), nil
	case OnnxGo, "onnxgo":
		return onnxgoRunner(chosen), nil
	default:
		if names := ort.ProviderNames(); c.Plugin == "" && !slices.Contains(names, provider) {
			return runner{}, fmt.Errorf("%w: %q is unknown: use one of auto, %s, %s, %s", ErrProvider, provider, Kernel, OnnxGo, strings.Join(names, ", "))
		}
		lib, err := nn.Await(c.context(), func() (ort.Library, error) {
			lib, err := ort.Need("--provider "+provider+" is a part of it", provider, c.Library)
			if err == nil && c.Plugin != "" {
				err = ort.Register(c.Library, c.Plugin)
			}
			if err == nil {
				err = ort.Offers(c.Library, provider)
			}
			return lib, err
		}, nil)
		if err != nil {
			return runner{}, fmt.Errorf("%w: %s: %w", ErrProvider, provider, err)
		}
		if provider == ort.Plugin {
			provider = ort.PluginProvider()
		}
		return ortRunner(c, provider, lib, chosen), nil
	}
}

// autoRunner returns the fastest runner and the reason for it.
func autoRunner(c Config, file string, open func() (source, error)) (runner, error) {
	if c.auto == nil {
		found, err := chooseDevice(c, file, open)
		if err != nil {
			return runner{}, err
		}
		c.auto = &found
	}
	if c.auto.Device == "" {
		src, err := open()
		if err != nil {
			return runner{}, err
		}
		return processorRunner(c, src, c.auto.Why)
	}
	lib, err := c.load()
	if err != nil {
		return runner{}, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	return ortRunner(c, c.auto.Device, lib, c.auto.Why), nil
}

// load loads the library and the plugin.
func (c *Config) load() (lib ort.Library, err error) {
	if lib, err = ort.Load(c.Library); err == nil && c.Plugin != "" {
		err = ort.Register(c.Library, c.Plugin)
	}
	return lib, err
}

// processorRunner returns the fastest runner on the processor's cores: fast kernels if they have all
// operators of the network, else onnxruntime if it works, else the portable kernels or pure Go.
func processorRunner(c Config, src source, why string) (runner, error) {
	lacks := whyLibrary(src)
	if c.Precision == halfPrecision {
		lacks = "fp16 is computed by it"
	}
	_, fast := kernel.Best()
	if lacks == "" && !fast {
		lacks = "this processor has neither AVX2 nor NEON"
		if name := os.Getenv(kernel.EnvISA); name != "" {
			lacks = fmt.Sprintf("%s is %q; this processor has %v", kernel.EnvISA, name, kernel.Available())
		}
		if _, err := ort.Find(c.Library); err != nil && len(kernel.Available()) > 0 {
			return kernelRunner(lacks + "; no onnxruntime library was found"), nil
		}
	}
	if lacks == "" {
		return kernelRunner(why), nil
	}
	lib, err := ort.Need(lacks, ort.CPU, c.Library)
	if err == nil {
		return ortRunner(c, ort.CPU, lib, lacks), nil
	}
	if inPage {
		return kernelRunner("a page has nothing else"), nil
	}
	reason := "no onnxruntime library was found; engine doctor says what to do"
	if !errors.Is(err, ort.ErrNoLibrary) || errors.Is(err, ort.ErrNoCgo) {
		reason = err.Error()
	}
	if ort.Available { // a program without cgo warns at its start
		c.Log.Warn("running the network through onnx-go, many times slower than onnxruntime", "reason", reason)
	}
	return onnxgoRunner(reason), nil
}

// whyLibrary returns why the kernels cannot run a network; "" if they can, as for all KataGo
// networks.
func whyLibrary(src source) string {
	s, ok := src.(*onnxSource)
	if !ok {
		return ""
	}
	fused, _, err := fuse.Rewrite(s.model, kernel.Float32)
	if err != nil {
		return s.about.File + " is not understood: " + err.Error()
	}
	if err := graph.Check(fused, s.only); err != nil {
		return s.about.File + ": " + err.Error()
	}
	return ""
}

// kernelRunner runs graphs on the kernels alone.
func kernelRunner(why string) runner {
	return runner{Kernel, why, func(w work) (nn.Backend, error) {
		isa, _ := kernel.Best()
		return graph.Open(w.graph, w.spec, graph.Config{ISA: isa, MaxBatch: w.maxBatch})
	}}
}

func ortRunner(c Config, provider string, lib ort.Library, why string) runner {
	conf := ort.Config{Library: c.Library, Provider: provider, FewShapes: onDevice(provider)}
	if onDevice(provider) {
		conf.Device = c.Device
	}
	return runner{provider, fmt.Sprintf("%s; onnxruntime %s", why, lib.Version), func(w work) (nn.Backend, error) {
		data, err := w.marshal()
		if err != nil {
			return nil, err
		}
		conf := conf
		conf.MaxBatch = w.maxBatch
		return ort.Open(data, w.spec, conf)
	}}
}

// largeGraph is the size in bytes from which the memory used for building a graph is
// returned to the system before onnxruntime makes its own copies.
const largeGraph = 32 << 20
