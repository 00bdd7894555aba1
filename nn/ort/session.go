//go:build cgo

package ort

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// Available reports whether this program can load the library at all.
const Available = true

// session is an nn.Backend on one onnxruntime session.
type session struct {
	spec    nn.Spec
	config  Config
	run     *native
	inputs  [][]float32
	outputs [][]float32
	pins    runtime.Pinner
	rows    []*rows // by number of rows, made on first use; entry 0 is unused
	// bind says that inputs and outputs are bound once, as on the CPU. Otherwise they are bound
	// before each run, since devices copy an input when it is bound.
	bind   bool
	closed bool
	alone  bool // see the function alone
}

// rows holds what a run of one batch size needs: tensors over the first rows
// of the session's memory.
type rows struct {
	inputs, outputs []ort.Value
	binding         *ort.IoBinding
}

// Open loads the library if need be and makes a session of an ONNX model for the inputs and
// outputs that spec describes. It runs the network once as a test. The session holds its own copy
// of the model.
func Open(model []byte, spec nn.Spec, c Config) (nn.Backend, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	m, err := onnx.Read(model)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	fixed, err := onnx.Fit(m.Graph, spec.Inputs, spec.Outputs)
	if err == nil && fixed > 0 && (fixed > 1 || c.MaxBatch > 1) {
		err = fmt.Errorf("the network takes exactly %d rows a run, not up to %d", fixed, c.MaxBatch)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrSpec, err)
	}
	run, err := c.open(model, names(spec.Inputs), names(spec.Outputs))
	if err != nil {
		return nil, err
	}
	s := &session{spec: spec, config: c, run: run, bind: c.Provider == CPU, alone: alone(c.Provider), rows: make([]*rows, c.MaxBatch+1)}
	// Free a session that nobody closed: the runtime ends the program when it collects pins that
	// were not released.
	runtime.SetFinalizer(s, func(s *session) { _ = s.Close() })
	s.inputs = s.memory(spec.Inputs)
	s.outputs = s.memory(spec.Outputs)
	if err := s.Run(1); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: the network cannot run as described: %w", nn.ErrSpec, err)
	}
	return s, nil
}

// loadError explains why a session could not be made.
func (c Config) loadError(err error, lib Library) error {
	if c.Provider != CPU {
		return fmt.Errorf("%w by %s: %v", ErrModel, c.Provider, err)
	}
	return fmt.Errorf("%w (onnxruntime %s): %v", ErrModel, lib.Version, err)
}

func names(specs []nn.TensorSpec) []string {
	all := make([]string, len(specs))
	for i := range specs {
		all[i] = specs[i].Name
	}
	return all
}

// open loads the library if need be and makes a session, which holds its own
// copy of the model.
func (c Config) open(model []byte, inputs, outputs []string) (*native, error) {
	lib, err := Load(c.Library)
	if err == nil {
		err = enterDomain()
	}
	if err != nil {
		return nil, err
	}
	if c.Provider == CPU {
		return c.session(lib, model, inputs, outputs)
	}
	run, err := answer(OpenIn(c.Provider), func() (*native, error) { return c.session(lib, model, inputs, outputs) }, func(n *native, err error) {
		if err == nil {
			_ = n.Destroy()
		}
	})
	if errors.Is(err, ErrHangs) {
		err = c.loadError(err, lib)
	}
	return run, err
}

func (c Config) session(lib Library, model []byte, inputs, outputs []string) (*native, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	if err := c.apply(options, lib); err != nil {
		return nil, err
	}
	ops, err := addOperators(options, lib, c.Threads)
	if err != nil {
		return nil, err
	}
	run, err := ort.NewDynamicAdvancedSessionWithONNXData(model, inputs, outputs, options)
	if err != nil {
		ops.drop()
		return nil, c.loadError(err, lib)
	}
	return &native{run, ops}, nil
}

// apply turns the configuration into onnxruntime's options.
func (c Config) apply(o *ort.SessionOptions, lib Library) error {
	faults := []error{
		o.SetIntraOpNumThreads(c.Threads),
		o.SetInterOpNumThreads(1),
		o.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		// DirectML cannot use memory patterns.
		o.SetMemPattern(c.Provider != "directml"),
		o.SetLogSeverityLevel(ort.LoggingLevelError),
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
	}
	if c.CommonArena {
		faults = append(faults, commonArena(), o.AddSessionConfigEntry("session.use_env_allocators", "1"))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	p, err := lookProvider(c.Provider)
	if err != nil {
		return err
	}
	if err = probe(p); err == nil {
		if err = p.appendTo(o, c.Device); err != nil {
			err = fmt.Errorf("%w: %s: %w", ErrProvider, p.name, explainModule(err, p.module, lib))
		}
	}
	if err != nil {
		have, _ := Providers("")
		return providerError(err, have, lib)
	}
	return nil
}

// memory allocates MaxBatch rows of each tensor, aligned to cache lines and pinned, since
// onnxruntime keeps pointers into it.
func (s *session) memory(specs []nn.TensorSpec) [][]float32 {
	all := make([][]float32, len(specs))
	for i := range specs {
		all[i] = kernel.Aligned(specs[i].Len() * s.config.MaxBatch)
		s.pins.Pin(&all[i][0])
	}
	return all
}

func (s *session) MaxBatch() int        { return s.config.MaxBatch }
func (s *session) Inputs() [][]float32  { return s.inputs }
func (s *session) Outputs() [][]float32 { return s.outputs }

// Run computes the first n rows. On the CPU it allocates nothing after the
// first run with that n.
func (s *session) Run(n int) error {
	if s.closed {
		return ErrClosed
	}
	if n < 1 || n > s.config.MaxBatch {
		return fmt.Errorf("%w: %d rows were asked for, this session takes 1 to %d", ErrBatch, n, s.config.MaxBatch)
	}
	if s.config.FewShapes {
		n = min(s.config.MaxBatch, nn.Shape(n))
	}
	if s.alone {
		oneRun.Lock()
		defer oneRun.Unlock()
	}
	r := s.rows[n]
	if r == nil {
		var err error
		if r, err = s.prepare(n); err != nil {
			return err
		}
		s.rows[n] = r
	}
	var err error
	if r.binding != nil {
		err = s.run.RunWithBinding(r.binding)
	} else {
		err = s.run.Run(r.inputs, r.outputs)
	}
	runtime.KeepAlive(s)
	if err != nil {
		return fmt.Errorf("onnxruntime: %s", strings.TrimPrefix(err.Error(), "Error running network: "))
	}
	return nil
}

// oneRun is held during runs of providers that crash if two of their sessions compute at the same
// time.
var oneRun sync.Mutex

// alone reports whether runs of a provider hold oneRun. Those of WebGPU must
// (github.com/microsoft/onnxruntime/issues/32561); those of plugins do, in case they crash too.
func alone(provider string) bool {
	if provider == "webgpu" {
		return true
	}
	p, err := lookProvider(provider)
	return err == nil && p.offers != nil
}

// prepare makes the tensors of n rows and binds them if s.bind is set.
func (s *session) prepare(n int) (_ *rows, err error) {
	r := &rows{}
	defer func() {
		if err != nil {
			r.destroy()
		}
	}()
	if r.inputs, err = tensors(s.spec.Inputs, s.inputs, n); err != nil {
		return nil, err
	}
	if r.outputs, err = tensors(s.spec.Outputs, s.outputs, n); err != nil {
		return nil, err
	}
	if !s.bind {
		return r, nil
	}
	if r.binding, err = s.run.CreateIoBinding(); err != nil {
		return nil, err
	}
	for i, v := range r.inputs {
		if err = r.binding.BindInput(s.spec.Inputs[i].Name, v); err != nil {
			return nil, err
		}
	}
	for i, v := range r.outputs {
		if err = r.binding.BindOutput(s.spec.Outputs[i].Name, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// tensors makes a tensor of n rows for each of specs, at the beginning of the memory of that tensor.
func tensors(specs []nn.TensorSpec, memory [][]float32, n int) ([]ort.Value, error) {
	var all []ort.Value
	for i := range specs {
		shape := ort.Shape{int64(n)}
		for _, d := range specs[i].Shape {
			shape = append(shape, int64(d))
		}
		t, err := ort.NewTensor(shape, memory[i])
		if err != nil {
			return all, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (r *rows) destroy() {
	if r.binding != nil {
		r.binding.Destroy()
	}
	for _, v := range append(r.inputs, r.outputs...) {
		v.Destroy()
	}
}

// Close frees the session; Inputs and Outputs stay readable. Only the first
// call does anything.
func (s *session) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	runtime.SetFinalizer(s, nil)
	for _, r := range s.rows {
		if r != nil {
			r.destroy()
		}
	}
	s.rows = nil
	err := s.run.Destroy()
	s.pins.Unpin()
	return err
}
