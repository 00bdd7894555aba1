//go:build cgo || js

package kernel

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Call holds a layer's operands; a nil one is absent. Residual and Sum may be the same slice.
type Call struct {
	N, H, W           int
	X, Bias, Residual []float32
	Y, Sum            []float32
}

type AttentionCall struct {
	N, Tokens         int
	X, Cosines, Sines []float32
	Y                 []float32
}

func layerStep(isa ISA, s *Shape, weights []float32, c Call) *step {
	return &step{isa: isa, shape: s, weights: weights, reads: [3][]float32{c.X, c.Bias, c.Residual}, writes: [2][]float32{c.Y, c.Sum},
		Step: Step{Kind: StepLayer, N: c.N, H: c.H, W: c.W, ByBoard: c.Bias != nil && len(c.Bias) != s.Out}}
}

// runLayer packs the weights and runs a layer once.
func runLayer(t *testing.T, isa ISA, s Shape, weights []float32, c Call) {
	t.Helper()
	require.NoError(t, layerStep(isa, &s, weights, c).run())
}

func (a Attention) Run(isa ISA, c AttentionCall) error {
	s := step{isa: isa, reads: [3][]float32{c.X, c.Cosines, c.Sines}, writes: [2][]float32{c.Y},
		Step: Step{Kind: StepAttention, N: c.N, H: c.Tokens, Attention: a}}
	return s.run()
}

// step is a program of one step with slices as operands.
type step struct {
	Step
	isa     ISA
	shape   *Shape // of a layer
	weights []float32
	reads   [3][]float32
	writes  [2][]float32

	layout  Layout
	outputs [][]float32
}

// place gives each operand a place in a session's memory. A slice that is used twice gets one place.
func (s *step) place() {
	s.layout = Layout{Rows: 1, Size: 1}
	at := map[*float32]Operand{}
	put := func(v []float32) Operand {
		o, there := at[unsafe.SliceData(v)]
		if v == nil || there {
			return o
		}
		o = Operand{At: s.layout.Size, Row: len(v), There: true}
		at[unsafe.SliceData(v)] = o
		s.layout.Size += len(v)
		return o
	}
	for i, v := range s.reads {
		if s.From[i] = put(v); v != nil {
			s.layout.Inputs = append(s.layout.Inputs, s.From[i])
		}
	}
	for i, v := range s.writes {
		if s.To[i] = put(v); v != nil {
			s.layout.Outputs = append(s.layout.Outputs, s.To[i])
			s.outputs = append(s.outputs, v)
		}
	}
}

// session makes a session for the step; the caller closes it.
func (s *step) session() (session *Session, err error) {
	s.place()
	if session, err = NewSession(s.isa, s.layout); err != nil {
		return nil, err
	}
	if s.shape != nil {
		s.Layer, err = session.Layer(*s.shape, s.weights)
	}
	if err == nil && s.reads[0] != nil {
		_, err = session.Program([]Step{s.Step}, 0)
	}
	if err != nil {
		session.Close()
		return nil, err
	}
	i := 0
	for _, v := range s.reads {
		if v != nil {
			copy(session.Inputs()[i], v)
			i++
		}
	}
	return session, nil
}

var once = []Pass{{}}

func (s *step) run() error {
	session, err := s.session()
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.Run(1, once); err != nil {
		return err
	}
	for i, v := range s.outputs {
		copy(v, session.Outputs()[i])
	}
	return nil
}

func loop(b *testing.B, s *step) {
	session, err := s.session()
	require.NoError(b, err)
	defer session.Close()
	for b.Loop() {
		if err := session.Run(1, once); err != nil {
			b.Fatal(err)
		}
	}
}
