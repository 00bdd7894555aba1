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
	"kosumi/nn/onnxgo"
	"kosumi/nn/ort"
)

// runner executes graphs.
type runner interface {
	name() string // the provider
	why() string  // why it was chosen, for people
	open(w work) (nn.Backend, error)
}

// work is a graph to open a session for.
type work struct {
	graph    *onnx.Model
	spec     nn.Spec
	maxBatch int
}

// marshal returns the graph as a file, and gives back the memory that building it took.
func (w *work) marshal() ([]byte, error) {
	data, err := w.graph.Marshal()
	w.graph = nil
	releaseBuilt(len(data))
	return data, err
}

// The providers beside onnxruntime's.
const (
	Kernel = "kernel"  // the kernels of this program alone
	OnnxGo = "onnx-go" // pure Go
)

// preferred lists the GPU providers that auto takes before the CPU.
var preferred = []string{"cuda", "coreml", "directml"}

func chooseRunner(c Config, src source) (runner, error) {
	const chosen = "chosen by --provider"
	switch provider := strings.ToLower(c.Provider); provider {
	case "", "auto":
		return autoRunner(c, src)
	case Kernel:
		if len(kernel.Available()) == 0 {
			return nil, fmt.Errorf("%w: %s: %w", ErrProvider, provider, kernel.ErrMissing)
		}
		return kernelRunner{chosen}, nil
	case OnnxGo, "onnxgo":
		return onnxgoRunner{chosen}, nil
	default:
		if !slices.Contains(ort.ProviderNames(), provider) {
			return nil, fmt.Errorf("%w: %q is unknown: use one of auto, %s, %s, %s", ErrProvider, provider, Kernel, OnnxGo, strings.Join(ort.ProviderNames(), ", "))
		}
		lib, err := ort.Need("--provider "+provider+" runs networks on it", c.Library)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrProvider, provider, err)
		}
		if err := ort.Offers(c.Library, provider); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrProvider, provider, err)
		}
		return newOrtRunner(c, provider, lib, chosen), nil
	}
}

// autoRunner takes the best provider that works and says why: a GPU, else the kernels
// where they have all of the network, else onnxruntime's CPU, else pure Go.
func autoRunner(c Config, src source) (runner, error) {
	lib, err := ort.Find(c.Library)
	if named := c.Library != "" || os.Getenv(ort.EnvLibrary) != ""; err != nil && named { // an explicit choice is never replaced
		return nil, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	for _, name := range preferred {
		if err == nil && ort.Plausible(lib, name) && ort.Offers(c.Library, name) == nil {
			lib, _ = ort.Loaded()
			return newOrtRunner(c, name, lib, "the best that works here"), nil
		}
	}
	why := whyLibrary(src)
	if c.Precision == halfPrecision {
		why = "fp16 is computed by it"
	}
	if _, fast := kernel.Best(); fast && why == "" {
		if err != nil {
			return kernelRunner{"it needs no library"}, nil
		}
		return kernelRunner{"no GPU provider works here, and it needs no library"}, nil
	} else if why == "" && len(kernel.Available()) > 0 && err != nil {
		return kernelRunner{"no onnxruntime library was found"}, nil
	} else if why == "" {
		why = "this processor has neither AVX2 nor NEON"
	}
	if lib, err = ort.Need(why, c.Library); err == nil {
		return newOrtRunner(c, ort.CPU, lib, why), nil
	}
	reason := "no onnxruntime library was found; `make deps` fetches it, and `engine doctor` says more"
	if !errors.Is(err, ort.ErrNoLibrary) || errors.Is(err, ort.ErrNoCgo) {
		reason = err.Error()
	}
	c.Log.Warn("running the network through onnx-go, many times slower than onnxruntime", "reason", reason)
	return onnxgoRunner{reason}, nil
}

// whyLibrary says what of a network the kernels have not; "" where they have all of it,
// as they have of KataGo's.
func whyLibrary(src source) string {
	s, ok := src.(*onnxSource)
	if !ok {
		return ""
	}
	if s.format != floatPrecision {
		return s.about.File + " is in " + s.format
	}
	fused, _, err := fuse.Rewrite(s.model, kernel.Float32)
	if err != nil {
		return s.about.File + " is not understood: " + err.Error()
	}
	operators, err := graph.Strangers(fused, s.only)
	if err != nil {
		return s.about.File + ": " + err.Error()
	}
	if len(operators) > 0 {
		return fmt.Sprintf("%s has operators that there are no kernels for: %s", s.about.File, strings.Join(operators, ", "))
	}
	return ""
}

// kernelRunner runs graphs on the kernels alone.
type kernelRunner struct{ reason string }

func (kernelRunner) name() string  { return Kernel }
func (r kernelRunner) why() string { return r.reason }

func (kernelRunner) open(w work) (nn.Backend, error) {
	isa, _ := kernel.Best()
	return graph.Open(w.graph, w.spec, graph.Config{ISA: isa, MaxBatch: w.maxBatch})
}

// ortRunner runs graphs through onnxruntime.
type ortRunner struct {
	provider, reason string
	library          ort.Library
	threads          int
	conf             Config
}

func newOrtRunner(c Config, provider string, lib ort.Library, reason string) *ortRunner {
	return &ortRunner{
		provider: provider, library: lib, threads: c.Threads, conf: c,
		reason: fmt.Sprintf("%s; onnxruntime %s", reason, lib.Version),
	}
}

func (r *ortRunner) name() string { return r.provider }
func (r *ortRunner) why() string  { return r.reason }

func (r *ortRunner) open(w work) (nn.Backend, error) {
	data, err := w.marshal()
	if err != nil {
		return nil, err
	}
	conf := ort.Config{
		Library: r.conf.Library, Provider: r.provider, Threads: r.threads, MaxBatch: w.maxBatch,
		FixedBatch: r.provider != ort.CPU,
	}
	return ort.Open(data, w.spec, conf)
}

// largeGraph is the size in bytes from which the memory that building a graph
// took is worth giving back before onnxruntime makes its own copies.
const largeGraph = 32 << 20

func releaseBuilt(size int) {
	if size >= largeGraph {
		debug.FreeOSMemory()
	}
}

// onnxgoRunner runs graphs in pure Go.
type onnxgoRunner struct{ reason string }

func (onnxgoRunner) name() string  { return OnnxGo }
func (r onnxgoRunner) why() string { return r.reason }

func (onnxgoRunner) open(w work) (nn.Backend, error) {
	data, err := w.marshal()
	if err != nil {
		return nil, err
	}
	return onnxgo.Open(data, w.spec, w.maxBatch)
}
