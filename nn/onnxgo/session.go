package onnxgo

import (
	"errors"
	"fmt"
	"sync"

	onnxgo "github.com/owulveryck/onnx-go"
	"github.com/owulveryck/onnx-go/backend/x/gorgonnx"
	// Imported for its newest version, which asks the Go runtime whether objects move. The older version
	// that gorgonia.org/tensor requires refuses to start on recent versions of Go.
	_ "go4.org/unsafe/assume-no-moving-gc"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// Errors of this package. Test with errors.Is.
var (
	// ErrOperator says that a network uses an operator, or a form of one, that
	// this backend cannot run.
	ErrOperator = errors.New("the onnx-go backend cannot run this operator")
	// ErrModel says that a model cannot be read or built.
	ErrModel = errors.New("the onnx-go backend cannot load the model")
	// ErrRun says that the libraries failed while they computed.
	ErrRun = errors.New("the onnx-go backend failed")
	// ErrBatch marks a number of rows outside 1 to MaxBatch.
	ErrBatch = errors.New("bad number of rows")
	// ErrClosed is returned by Run after Close.
	ErrClosed = errors.New("the session is closed")
)

// session is an nn.Backend on one gorgonia machine.
type session struct {
	spec            nn.Spec
	maxBatch        int
	inputs, outputs [][]float32
	graph           *gorgonnx.Graph
	machine         gorgonia.VM
	rowIn           [][]float32 // memory of the machine's input tensors
	model           *onnxgo.Model
	broken          error // why the session is unusable
}

// building guards onnx-go's counter of names, which all graphs share.
var building sync.Mutex

// Open lowers an ONNX model for a batch of one, builds it and runs it once as a test. Errors
// wrap ErrOperator (and name the operator), ErrModel or nn.ErrSpec.
func Open(modelBytes []byte, spec nn.Spec, maxBatch int) (nn.Backend, error) {
	const limit = 1 << 16
	if maxBatch > limit {
		return nil, fmt.Errorf("%w: %d rows a batch, at most %d are possible", ErrBatch, maxBatch, limit)
	}
	file, err := onnx.Read(modelBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	lowered, err := lower(file, &spec)
	if err != nil {
		return nil, err
	}
	data, err := lowered.Marshal()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	maxBatch = max(maxBatch, 1)
	s := &session{spec: spec, maxBatch: maxBatch, rowIn: nn.Memory(spec.Inputs, 1),
		inputs: nn.Memory(spec.Inputs, maxBatch), outputs: nn.Memory(spec.Outputs, maxBatch)}
	if err := s.build(data); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.Run(1); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return s, nil
}

// build makes a machine of the lowered model.
func (s *session) build(data []byte) (err error) {
	building.Lock()
	defer building.Unlock()
	defer caught(&err, ErrModel)
	s.graph = gorgonnx.NewGraph()
	s.model = onnxgo.NewModel(s.graph)
	if err := s.model.UnmarshalBinary(data); err != nil {
		return fmt.Errorf("%w: %w", ErrModel, err)
	}
	if len(s.model.Input) != len(s.spec.Inputs) {
		return fmt.Errorf("%w: onnx-go finds %d inputs, %d were described", ErrModel, len(s.model.Input), len(s.spec.Inputs))
	}
	for i := range s.spec.Inputs {
		shape := append([]int{1}, s.spec.Inputs[i].Shape...)
		t := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(s.rowIn[i]))
		if err := s.model.SetInput(i, t); err != nil {
			return fmt.Errorf("%w: %w", ErrModel, err)
		}
	}
	expr, err := s.graph.GetExprGraph()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrModel, err)
	}
	s.machine = gorgonia.NewTapeMachine(expr)
	s.graph.SetVM(s.machine)
	return nil
}

// caught turns a panic of the libraries into an error.
func caught(err *error, kind error) {
	if thrown := recover(); thrown != nil {
		*err = fmt.Errorf("%w: %v", kind, thrown)
	}
}

func (s *session) MaxBatch() int        { return s.maxBatch }
func (s *session) Inputs() [][]float32  { return s.inputs }
func (s *session) Outputs() [][]float32 { return s.outputs }

// Run computes the first n rows, one after another. After an error of the
// libraries themselves every later call returns the same error.
func (s *session) Run(n int) error {
	if s.broken != nil {
		return s.broken
	}
	if n < 1 || n > s.maxBatch {
		return fmt.Errorf("%w: %d rows were asked for, this session takes 1 to %d", ErrBatch, n, s.maxBatch)
	}
	for i := range n {
		if err := s.row(i); err != nil {
			s.broken = err
			return err
		}
	}
	return nil
}

func (s *session) row(i int) (err error) {
	defer caught(&err, ErrRun)
	for j, in := range s.rowIn {
		copy(in, s.inputs[j][i*len(in):])
	}
	if err := s.graph.Run(); err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	results, err := s.model.GetOutputTensors()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	for j := range s.outputs {
		n := s.spec.Outputs[j].Len()
		if err := copyOut(s.outputs[j][i*n:(i+1)*n], results[j]); err != nil {
			return fmt.Errorf("%w: output %q: %w", ErrRun, s.spec.Outputs[j].Name, err)
		}
	}
	return nil
}

// copyOut copies a result. A tensor of one element may come as a plain number.
func copyOut(dst []float32, t tensor.Tensor) error {
	if t == nil {
		return errors.New("it was never computed")
	}
	switch data := t.Data().(type) {
	case []float32:
		if len(data) != len(dst) {
			return fmt.Errorf("it has %d values, not %d", len(data), len(dst))
		}
		copy(dst, data)
	case float32:
		if len(dst) != 1 {
			return fmt.Errorf("it has one value, not %d", len(dst))
		}
		dst[0] = data
	default:
		return fmt.Errorf("it is %T, not float32", data)
	}
	return nil
}

// Close frees the machine; Inputs and Outputs stay readable. Only the first
// call does anything.
func (s *session) Close() (err error) {
	defer caught(&err, ErrRun)
	if errors.Is(s.broken, ErrClosed) {
		return nil
	}
	s.broken = ErrClosed
	machine := s.machine
	s.graph, s.model, s.machine = nil, nil, nil
	if machine != nil {
		return machine.Close()
	}
	return nil
}
