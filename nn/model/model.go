package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"weak"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// Config describes how to run a network. The zero value is float32 on the best working provider,
// one thread per session.
type Config struct {
	// Provider is "auto" (or ""), "kernel", "onnx-go", or one of onnxruntime's: "cpu",
	// "cuda", ... If any of them but auto does not work from the start, it is refused, not replaced.
	Provider string
	// Precision is the number format: "fp32" (or ""), "int16" (on the CPU, by the
	// kernels), "fp16" (through onnxruntime, meant for GPUs), or "auto": int16
	// where the processor has kernels for it, else fp32.
	Precision string
	// Library names the onnxruntime library; "" searches for it. Plugin names a library of further
	// execution providers, "" for none; the Provider "plugin" is the first of them.
	Library, Plugin string
	// Device is the number of the provider's device, as in ort.Devices.
	Device int
	// Size is the board size that "auto" measures; 0x0: 19x19, or the file's only size.
	Size board.Size
	// Overrides set properties that a foreign ONNX file does not state.
	Overrides Overrides
	// Upgrade opens a network of version 8 to 14 of KataGo's format as one of version 15
	// (katago.Upgrade).
	Upgrade bool
	Log     *slog.Logger // nil: silent
	// The end of Context also ends the wait for a device that is slow to start. nil: it never ends.
	Context context.Context

	auto *choice // choice of "auto"; nil until made
}

// Overrides describe a foreign ONNX file. Empty fields are inferred from shapes and
// operators.
type Overrides struct {
	Encoding string // "mini7", "agz17", "seed22", ...
	Policy   string // "logits", "log_softmax" or "softmax"
	Value    string // "tanh" or "wdl"
}

// Errors of opening a network. Test with errors.Is.
var (
	// ErrFile says that a file is not a network or is damaged.
	ErrFile = errors.New("not a usable network file")
	// ErrAmbiguous says that a foreign network needs an override.
	ErrAmbiguous = errors.New("the network does not say enough about itself")
	// ErrProvider says that the chosen provider does not work here.
	ErrProvider = errors.New("the provider does not work here")
	// ErrPrecision says that the chosen number format is not available.
	ErrPrecision = errors.New("the precision is not available")
)

// Model is an open network. Any number of goroutines may use it.
type Model struct {
	conf      Config
	source    source
	run       runner
	precision string
	why       string       // reason for the precision
	lost      atomic.Bool  // the device has failed
	opened    atomic.Int64 // longest time to open a session; 0: none yet
	alive     context.Context
	stop      context.CancelCauseFunc // cancels alive: device lost or model closed

	mu    sync.Mutex
	specs map[board.Size]nn.Spec

	building sync.Mutex
	graphs   map[string]weak.Pointer[onnx.Model]
}

var _ nn.Model = (*Model)(nil)

// Open opens the network in the file at path, or the one inside the program
// if path is "". Nothing is loaded into a session yet.
func Open(path string, c Config) (*Model, error) {
	src, err := openSource(path, c.Overrides)
	if err != nil {
		return nil, err
	}
	return openModel(src, path, c)
}

// Read opens a network from its file name and contents, such as a file dropped on a page.
func Read(name string, data []byte, c Config) (*Model, error) {
	src, err := readSource(name, data, c.Overrides)
	if err != nil {
		return nil, err
	}
	return openModel(src, name, c)
}

func openModel(src source, path string, c Config) (*Model, error) {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if k, ok := src.(katagoSource); ok && c.Upgrade {
		if now := katago.Upgrade(k.net); now != k.net {
			c.Log.Info("read as version 15 of KataGo's format: same answers, with an optimistic policy and short-term errors to be learnt",
				"file", k.net.Source.File, "version", k.net.Header.Version)
			src = katagoSource{now}
		}
	}
	run, err := chooseRunner(c, path, func() (source, error) { return src, nil })
	if err != nil {
		return nil, err
	}
	if c.Device > 0 && !onDevice(run.name) {
		if !isAuto(c.Provider) {
			return nil, fmt.Errorf("%w: device %d of %s: it computes on the processor's cores: leave --device out", ErrProvider, c.Device, run.name)
		}
		c.Log.Warn("no other device is used than the processor's cores", "device", c.Device)
	}
	m := newModel(c, src, run)
	if m.precision, m.why, err = precisionOf(c, run); err != nil {
		return nil, err
	}
	if m.precision == halfPrecision && run.name == ort.CPU {
		c.Log.Warn("fp16 is for GPUs: a processor computes it no faster than fp32")
	}
	if s, ok := src.(*onnxSource); ok && s.warning != "" {
		c.Log.Warn(s.warning, "file", s.about.File)
	}
	return m, nil
}

func newModel(c Config, src source, run runner) *Model {
	m := &Model{conf: c, source: src, run: run, specs: map[board.Size]nn.Spec{}, graphs: map[string]weak.Pointer[onnx.Model]{}}
	m.alive, m.stop = context.WithCancelCause(c.context())
	return m
}

// context returns the context that ends the waiting for a device.
func (c *Config) context() context.Context { return cmp.Or(c.Context, context.Background()) }

// Spec describes the network for boards of that size; nn.ErrSize if it cannot
// serve them.
func (m *Model) Spec(size board.Size) (nn.Spec, error) {
	if err := size.Check(); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", nn.ErrSize, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if spec, ok := m.specs[size]; ok {
		return spec, nil
	}
	spec, err := m.source.spec(size)
	if err != nil {
		return nn.Spec{}, err
	}
	m.specs[size] = spec
	return spec, nil
}

func (m *Model) Serves(size board.Size) error {
	_, err := m.Spec(size)
	return err
}

// Open makes a session, which the caller closes. If the device fails, the session is on the
// CPU, provided that "auto" chose the device or that the device worked before.
func (m *Model) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	if m.lost.Load() {
		return m.openSpare(size, maxBatch)
	}
	if !onDevice(m.run.name) {
		return m.openOn(m.run, m.precision, size, maxBatch)
	}
	b, err := m.openOnDevice(size, maxBatch)
	switch {
	case err == nil:
		return spared{b, m, new(sync.Mutex)}, nil
	case m.conf.context().Err() == nil && (m.opened.Load() > 0 || isAuto(m.conf.Provider)):
		m.lose(err)
		return m.openSpare(size, maxBatch)
	}
	return nil, withAdvice(err)
}

// openOn makes a session with a runner.
func (m *Model) openOn(run runner, precision string, size board.Size, maxBatch int) (nn.Backend, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	graph, err := m.graph(run, precision, size)
	if err != nil {
		return nil, err
	}
	return run.open(work{graph: graph, spec: spec, maxBatch: maxBatch})
}

// graph returns the graph of a session. Sessions that are opened one after another share it;
// it is collected when none of them is being opened.
func (m *Model) graph(run runner, precision string, size board.Size) (*onnx.Model, error) {
	m.building.Lock()
	defer m.building.Unlock()
	key := fmt.Sprint(run.name, precision, size)
	if g := m.graphs[key].Value(); g != nil {
		return g, nil
	}
	g, err := graphFor(m.source, size, run, precision)
	if err == nil {
		m.graphs[key] = weak.Make(g)
	}
	return g, err
}

// Describe says which network this is and how it runs.
func (m *Model) Describe() nn.Description {
	d := m.source.describe()
	d.Provider, d.Precision, d.Why = m.run.name, m.precision, m.run.why
	if m.why != "" {
		d.Why += "; " + m.why
	}
	if m.lost.Load() {
		d.Provider, d.Why = ort.CPU, m.run.name+" failed"
	}
	return d
}

// Close drops the network. Open sessions stay usable.
func (m *Model) Close() error {
	m.stop(nil)
	return nil
}
