package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/ort"
)

// Config says how a network is run. The zero value is the best provider that
// works, one thread for each session, with the default cache folder.
type Config struct {
	// Provider is "auto" (or ""), "onnx-go", or one of onnxruntime's: "cpu",
	// "cuda", ... Anything but auto is used or refused, never replaced.
	Provider string
	// Precision is the number format: "fp32" (or ""), "int8" (on the CPU through
	// onnxruntime), "fp16" (through onnxruntime, meant for GPUs), or "auto": int8
	// on a processor with fast 8-bit instructions, where it turns out to be faster
	// and accurate for this network, else fp32. int8 is prepared on first use for
	// each board size, which takes a while, and kept in CacheDir. A file that is
	// in some precision already runs as it is, or not at all.
	Precision string
	// Later, if not nil, keeps auto from making anyone wait: until int8 has been
	// prepared in the background, from [Model.Searched] on, sessions are opened in
	// fp32. Later is called
	// once sessions for a board size can be had in int8, from a goroutine of its
	// own. Without Later whoever opens a session waits.
	Later func(board.Size)
	// Library names the onnxruntime library; "" searches for it.
	Library string
	// Threads share one run of one session; 0 means 1.
	Threads int
	// CacheDir keeps optimised graphs; "" is kosumi/graphs in the user's
	// cache folder, "none" keeps nothing.
	CacheDir string
	// Overrides settle what a foreign ONNX file leaves open.
	Overrides Overrides
	// Calibration, if not nil, returns positions to quantize by for boards of a
	// size, the last of them, a quarter or more, to judge the result by. Without any the
	// network plays its own, which costs more than the rest of quantizing.
	Calibration func(board.Size) []*board.Game
	Log         *slog.Logger // nil: silent
}

// Overrides say what a foreign ONNX file is where shapes and operators do not.
// Empty fields are inferred.
type Overrides struct {
	Encoding string // "mini7", "seed22", "v7", ...
	Policy   string // "logits", "log_softmax" or "softmax"
	Value    string // "tanh" or "wdl"
}

// Errors of opening a network. Test with errors.Is.
var (
	// ErrFile says that a file is no network, or a damaged one.
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
	conf   Config
	source source
	run    runner
	ctx    context.Context // ends with Close
	stop   context.CancelFunc

	mu    sync.Mutex
	specs map[board.Size]nn.Spec
	sizes map[board.Size]*sized
}

// sized is what is decided once for a board size. Its mutex is held while the
// graph is made, so that whoever comes later waits.
type sized struct {
	mu       sync.Mutex
	choice   atomic.Pointer[choice]
	searched bool // see [Model.Searched]
	owed     bool // int8 is to be prepared in the background, and is not yet
}

var _ nn.Model = (*Model)(nil)

// Open opens the network in the file at path, or the one inside the program
// if path is "". Nothing is loaded into a session yet.
func Open(path string, c Config) (*Model, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Precision != "" && !slices.Contains(precisions, c.Precision) {
		return nil, fmt.Errorf("%w: %q: use one of %s", ErrPrecision, c.Precision, strings.Join(precisions, ", "))
	}
	src, err := openSource(path, c.Overrides)
	if err != nil {
		return nil, err
	}
	if s, ok := src.(*onnxSource); ok && s.warning != "" {
		c.Log.Warn(s.warning, "file", s.about.File)
	}
	run, err := chooseRunner(c)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Precision == int8Precision && run.name() != ort.CPU:
		return nil, fmt.Errorf("%w: int8 is for the CPU through onnxruntime, not for %s", ErrPrecision, run.name())
	case c.Precision == halfPrecision && run.name() == OnnxGo:
		return nil, fmt.Errorf("%w: fp16 needs onnxruntime: %s", ErrPrecision, run.why())
	case c.Precision == halfPrecision && run.name() == ort.CPU:
		c.Log.Warn("fp16 is for GPUs: a processor computes it no faster than fp32")
	}
	m := &Model{conf: c, source: src, run: run, specs: map[board.Size]nn.Spec{}, sizes: map[board.Size]*sized{}}
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m, nil
}

// Spec describes the network for boards of that size; nn.ErrSize if it cannot
// serve them.
func (m *Model) Spec(size board.Size) (nn.Spec, error) {
	if err := size.Check(); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", nn.ErrSize, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spec(size)
}

func (m *Model) spec(size board.Size) (nn.Spec, error) {
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

// Serves returns nil if boards of that size can be evaluated.
func (m *Model) Serves(size board.Size) error {
	_, err := m.Spec(size)
	return err
}

// Open makes a session of its own for the caller. The first one for a size
// builds and optimises the graph, and quantizes it where the precision asks for
// that (see [Config].Later); others wait for it.
func (m *Model) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	if _, err := m.Spec(size); err != nil {
		return nil, err
	}
	state := m.state(size)
	state.mu.Lock()
	defer state.mu.Unlock()
	c, err := m.choose(m.ctx, size, state)
	if err != nil {
		return nil, err
	}
	return m.openAs(size, maxBatch, c)
}

// Prepare decides on the precision for boards of a size and waits for what that
// takes, so that Open is quick. ctx ends it early.
func (m *Model) Prepare(ctx context.Context, size board.Size) error {
	if _, err := m.Spec(size); err != nil {
		return err
	}
	state := m.state(size)
	state.mu.Lock()
	defer state.mu.Unlock()
	_, err := m.choose(ctx, size, state)
	return err
}

// state returns what is known of a board size.
func (m *Model) state(size board.Size) *sized {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sizes[size]
	if s == nil {
		s = &sized{}
		m.sizes[size] = s
	}
	return s
}

// OpenOriginal opens a session for the network as its file has it, whatever
// Config.Precision says. Nothing is prepared for it.
func (m *Model) OpenOriginal(size board.Size, maxBatch int) (nn.Backend, error) {
	src := m.source
	return m.openAs(size, maxBatch, &choice{precision: src.precision()})
}

// openAs opens a session in a precision.
func (m *Model) openAs(size board.Size, maxBatch int, c *choice) (nn.Backend, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	src := m.source
	w := work{
		sha256: src.describe().SHA256, size: size, spec: spec, maxBatch: maxBatch,
		precision: c.cacheName(), integer: c.precision == int8Precision,
	}
	w.graph = func() ([]byte, error) {
		if c.graph != nil {
			return c.graph()
		}
		return src.graph(size)
	}
	return m.run.open(w)
}

// Describe says which network this is and how it runs.
func (m *Model) Describe() nn.Description {
	d := m.source.describe()
	d.Provider, d.Precision, d.Why = m.run.name(), floatPrecision, m.run.why()
	return d
}

// DescribeAt is Describe for one board size, whose precision may differ.
func (m *Model) DescribeAt(size board.Size) nn.Description {
	d := m.Describe()
	if c := m.state(size).choice.Load(); c != nil {
		d.Precision = c.precision
		if c.why != "" {
			d.Why += "; " + c.why
		}
	}
	return d
}

// Close forgets the network and gives up what is being prepared, without waiting
// for it. Sessions that are open stay their owners'.
func (m *Model) Close() error {
	m.stop()
	return nil
}
