package model

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"kosumi/nn"
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
	data     []byte // the ONNX file
	spec     nn.Spec
	maxBatch int
}

// OnnxGo is the provider that needs no shared library.
const OnnxGo = "onnx-go"

// chooseRunner returns what the configuration asks for, or what is fastest for the
// network in a file, which open opens.
func chooseRunner(c Config, file string, open func() (source, error)) (runner, error) {
	switch provider := strings.ToLower(c.Provider); provider {
	case "", "auto":
		return autoRunner(c, file, open)
	case OnnxGo, "onnxgo":
		return onnxgoRunner{"chosen by --provider"}, nil
	default:
		lib, err := ort.Load(c.Library)
		if err == nil && c.Plugin != "" {
			err = ort.Register(c.Library, c.Plugin)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrProvider, provider, err)
		}
		if err := ort.Offers(c.Library, provider); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrProvider, provider, err)
		}
		if provider == ort.Plugin {
			provider = ort.PluginProvider()
		}
		return newOrtRunner(c, provider, lib, "chosen by --provider"), nil
	}
}

// autoRunner takes the fastest provider that works and says why.
func autoRunner(c Config, file string, open func() (source, error)) (runner, error) {
	if c.auto == nil {
		found, err := chooseDevice(c, file, open)
		if err != nil {
			return nil, err
		}
		c.auto = &found
	}
	if c.auto.Device == "" {
		return cpuRunner(c, c.auto.Why)
	}
	if c.Plugin != "" {
		if err := ort.Register(c.Library, c.Plugin); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrProvider, err)
		}
	}
	lib, err := ort.Load(c.Library)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	return newOrtRunner(c, c.auto.Device, lib, c.auto.Why), nil
}

// cpuRunner takes what is fastest on the processor's cores; why there is nothing else
// is said already.
func cpuRunner(c Config, why string) (runner, error) {
	lib, err := ort.Load(c.Library)
	if err == nil {
		return newOrtRunner(c, ort.CPU, lib, why), nil
	}
	named := os.Getenv(ort.EnvLibrary) != "" && !errors.Is(err, ort.ErrNoCgo)
	if c.Library != "" || named { // an explicit choice is never replaced
		return nil, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	reason := "no onnxruntime library was found; `make deps` fetches it, and `engine doctor` says more"
	if !errors.Is(err, ort.ErrNoLibrary) || errors.Is(err, ort.ErrNoCgo) {
		reason = err.Error()
	}
	c.Log.Warn("running the network through onnx-go, many times slower than onnxruntime", "reason", reason)
	return onnxgoRunner{reason}, nil
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
	conf := ort.Config{
		Library: r.conf.Library, Provider: r.provider, Threads: r.threads, MaxBatch: w.maxBatch,
		FewShapes: onDevice(r.provider),
	}
	if onDevice(r.provider) {
		conf.Device = r.conf.Device
	}
	return ort.Open(w.data, w.spec, conf)
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
	return onnxgo.Open(w.data, w.spec, w.maxBatch)
}
