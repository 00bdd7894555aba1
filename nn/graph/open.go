package graph

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// Errors of this package. Test with errors.Is.
var (
	// ErrModel marks a graph that cannot be run.
	ErrModel = errors.New("the kernels cannot run the model")
	// ErrOperator marks a graph with an operator without a kernel.
	ErrOperator = errors.New("the kernels cannot run this operator")
	// ErrBatch marks a number of rows outside 1 to MaxBatch.
	ErrBatch = errors.New("bad number of rows")
	// ErrClosed is returned by Run after Close.
	ErrClosed = errors.New("the session is closed")
)

// Config of a session. The zero value is one row at a time.
type Config struct {
	ISA      kernel.ISA // instruction set, which the processor must have
	MaxBatch int        // maximum number of rows of a Run; 0 means 1
	// Together is how many rows are computed at a time; 0 chooses it by the board size.
	Together int
}

const (
	mostRows   = 1 << 16
	mostMemory = 1 << 33 // numbers in a session's memory: 32 GiB
	line       = 16      // numbers in a cache line
)

// session is an nn.Backend.
type session struct {
	maxBatch        int
	programs        []int // the kernels' program for each number of rows; entry 0 is unused
	inputs, outputs [][]float32
	kernels         *kernel.Session // nil after Close
	passes          []kernel.Pass
}

// Open makes a session of a model, fused or not, for the inputs and outputs that spec
// describes, and runs it once as a test. The session does not keep the model.
// Errors wrap nn.ErrSpec, nn.ErrLost, [ErrBatch], [ErrOperator] or [ErrModel], or are those of package kernel.
func Open(m *onnx.Model, spec nn.Spec, c Config) (nn.Backend, error) {
	if c.MaxBatch > mostRows {
		return nil, fmt.Errorf("%w: %d rows a batch, at most %d are possible", ErrBatch, c.MaxBatch, mostRows)
	}
	c.MaxBatch = max(c.MaxBatch, 1)
	fixed, err := fit(m, &spec)
	if err != nil {
		return nil, err
	}
	together := min(cmp.Or(c.Together, rowsTogether(&spec)), c.MaxBatch)
	if fixed {
		together = 1
	}
	l := newLayout(m, &spec, c.MaxBatch)
	s := &session{maxBatch: c.MaxBatch}
	for rows := 1; rows <= together; rows++ {
		if err := l.add(rows); err != nil {
			return nil, err
		}
	}
	// A session that nobody closes frees its layers when it is collected.
	runtime.SetFinalizer(s, func(s *session) { _ = s.Close() })
	if err := s.build(l, c.ISA); err != nil {
		s.Close()
		return nil, lost(err)
	}
	if err := s.Run(1); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return s, nil
}

// Check reports whether the kernels can run a model, fused or not. Errors are those of [Open];
// [ErrOperator] names the first operator without a kernel.
func Check(m *onnx.Model, spec nn.Spec) error {
	if _, err := fit(m, &spec); err != nil {
		return err
	}
	return newLayout(m, &spec, 1).add(1)
}

// fit compares the model with its description. fixed says that the model takes exactly one row.
func fit(m *onnx.Model, spec *nn.Spec) (fixed bool, err error) {
	rows, err := onnx.Fit(m.Graph, spec.Inputs, spec.Outputs)
	if err == nil && rows > 1 {
		err = fmt.Errorf("the network takes exactly %d rows a run; one, or any number, is needed", rows)
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", nn.ErrSpec, err)
	}
	return rows == 1, nil
}

// rowsTogether returns how many rows to compute at a time; boards of fewer points allow more.
func rowsTogether(spec *nn.Spec) int {
	area := 1
	for i := range spec.Inputs {
		if s := spec.Inputs[i].Shape; len(s) == 3 {
			area = s[1] * s[2]
		}
	}
	const points = 8 * 81
	return min(max(points/area, 1), 16)
}

// build allocates the memory, packs the weights and makes the programs.
func (s *session) build(l *layout, isa kernel.ISA) (err error) {
	memory := l.settle()
	if memory.Size > mostMemory {
		return fmt.Errorf("%w: it would take %d GiB for a session", ErrModel, memory.Size>>28)
	}
	if s.kernels, err = kernel.NewSession(isa, memory); err != nil {
		return err
	}
	s.inputs, s.outputs = s.kernels.Inputs(), s.kernels.Outputs()
	layers := map[*onnx.Node]*kernel.Layer{}
	for n, layer := range l.layers {
		weights, err := layer.weights()
		if err == nil {
			layers[n], err = s.kernels.Layer(layer.shape, weights)
		}
		if err != nil {
			return fmt.Errorf("%w: node %s: %w", ErrModel, n, err)
		}
	}
	s.programs = make([]int, len(l.plans)+1)
	for i, p := range l.plans {
		if s.programs[i+1], err = p.compile(s.kernels, layers); err != nil {
			return fmt.Errorf("%w: %w", ErrModel, err)
		}
	}
	return nil
}

func (s *session) MaxBatch() int        { return s.maxBatch }
func (s *session) Inputs() [][]float32  { return s.inputs }
func (s *session) Outputs() [][]float32 { return s.outputs }

// Run computes the first n rows.
func (s *session) Run(n int) error {
	if s.kernels == nil {
		return ErrClosed
	}
	if n < 1 || n > s.maxBatch {
		return fmt.Errorf("%w: %d rows were asked for, this session takes 1 to %d", ErrBatch, n, s.maxBatch)
	}
	s.passes = s.passes[:0]
	together := len(s.programs) - 1
	for first := 0; first < n; first += together {
		s.passes = append(s.passes, kernel.Pass{Program: s.programs[min(together, n-first)], First: first})
	}
	err := s.kernels.Run(n, s.passes)
	runtime.KeepAlive(s)
	return lost(err)
}

// lost adds [nn.ErrLost] if a web worker has ended, so that another worker gets its queries.
func lost(err error) error {
	if errors.Is(err, kernel.ErrStopped) {
		return fmt.Errorf("%w: %w", nn.ErrLost, err)
	}
	return err
}

// Close frees the session; Inputs and Outputs stay readable. Only the first call does
// anything.
func (s *session) Close() error {
	if s.kernels == nil {
		return nil
	}
	runtime.SetFinalizer(s, nil)
	s.kernels.Close()
	s.kernels = nil
	return nil
}
