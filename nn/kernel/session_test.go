//go:build cgo || js

package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func some(t testing.TB) ISA {
	all := Available()
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// convolution returns a session with one layer, of 32 channels on a 9x9 board, and a step that runs the layer.
func convolution(t *testing.T, rows int, weights []float32) (*Session, Step) {
	const area = 81 * 32
	l := Layout{Size: 2 * rows * area, Rows: rows, Inputs: []Operand{{Row: area, There: true}}, Outputs: []Operand{{At: rows * area, Row: area, There: true}}}
	s, err := NewSession(some(t), l)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	layer, err := s.Layer(Shape{In: 32, Out: 32, Size: 3}, weights)
	require.NoError(t, err)
	return s, Step{Kind: StepLayer, N: 1, H: 9, W: 9, Layer: layer, From: [3]Operand{l.Inputs[0]}, To: [2]Operand{l.Outputs[0]}}
}

// TestWeightsAreShared: sessions with equal weights share one copy, which exists until the last
// of them is closed.
func TestWeightsAreShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	weights, x := normal(rng, 32*32*9, 1), normal(rng, 81*32, 1)
	var sessions []*Session
	for range 4 {
		s, step := convolution(t, 1, weights)
		_, err := s.Program([]Step{step}, 0)
		require.NoError(t, err)
		copy(s.Inputs()[0], x)
		require.NoError(t, s.Run(1, []Pass{{}}))
		sessions = append(sessions, s)
	}
	want := append([]float32(nil), sessions[0].Outputs()[0]...)
	for len(sessions) > 1 {
		sessions[0].Close()
		sessions = sessions[1:]
		for _, s := range sessions {
			require.Equal(t, want, s.Outputs()[0])
			clear(s.Outputs()[0])
			require.NoError(t, s.Run(1, []Pass{{}}))
		}
	}
	sessions[0].Close()
	sessions[0].Close()
}

// TestRows: a batch of five rows, computed by programs of one and of two rows, equals each row
// alone.
func TestRows(t *testing.T) {
	const area = 81 * 32
	rng := rand.New(rand.NewPCG(6, 0))
	weights := normal(rng, 32*32*9, 1)
	s, step := convolution(t, 5, weights)
	for n := 1; n <= 2; n++ {
		step.N = n
		program, err := s.Program([]Step{step}, 5-n)
		require.NoError(t, err)
		require.Equal(t, n-1, program)
	}
	x := normal(rng, 5*area, 1)
	copy(s.Inputs()[0], x)
	require.NoError(t, s.Run(5, []Pass{{1, 3}, {0, 0}, {1, 1}}))
	got := append([]float32(nil), s.Outputs()[0]...)
	one, step := convolution(t, 1, weights)
	_, err := one.Program([]Step{step}, 0)
	require.NoError(t, err)
	for row := range 5 {
		copy(one.Inputs()[0], x[row*area:][:area])
		require.NoError(t, one.Run(1, []Pass{{}}))
		require.Equal(t, one.Outputs()[0], got[row*area:][:area], "row %d", row)
	}
	for _, bad := range []struct {
		rows int
		pass Pass
	}{{0, Pass{}}, {6, Pass{}}, {5, Pass{2, 0}}, {5, Pass{-1, 0}}, {5, Pass{0, 5}}, {5, Pass{1, 4}}, {5, Pass{0, -1}}} {
		require.Error(t, s.Run(bad.rows, []Pass{bad.pass}), bad)
	}
}

func TestBadLayers(t *testing.T) {
	s, _ := convolution(t, 1, make([]float32, 32*32*9))
	for _, shape := range []Shape{{In: 1, Out: 1, Size: 2}, {In: 0, Out: 1, Size: 3}, {In: 1, Out: 2, Size: 3}, {In: 1, Out: 1, Size: 5},
		{In: 1, Out: 1, Size: 3, Scale: []float32{1, 2}}, {In: 1, Out: 1, Size: 3, Epsilon: 1}, {In: 3, Out: 3, Size: 1, Activation: SwiGLU}} {
		_, err := s.Layer(shape, make([]float32, 9))
		require.Error(t, err, shape)
	}
}

// TestBadSteps: a step with a missing operand or an address outside the memory is refused.
func TestBadSteps(t *testing.T) {
	const size = 2 * 2 * 81 * 32
	s, layer := convolution(t, 2, make([]float32, 32*32*9))
	at := func(at, row int) Operand { return Operand{At: at, Row: row, There: true} }
	attention := Step{Kind: StepAttention, N: 1, H: 2, Attention: Attention{Heads: 1, KVHeads: 1, QDim: 4, VDim: 4},
		From: [3]Operand{at(0, 0)}, To: [2]Operand{at(24, 0)}}
	for _, good := range []Step{layer, attention} {
		_, err := s.Program([]Step{good}, 1)
		require.NoError(t, err)
	}
	for name, c := range map[string]struct {
		step   Step
		change func(*Step)
	}{
		"no layer":            {layer, func(s *Step) { s.Layer = nil }},
		"no boards":           {layer, func(s *Step) { s.N = 0 }},
		"three boards":        {layer, func(s *Step) { s.N = 3 }},
		"a larger board":      {layer, func(s *Step) { s.H = 18 }},
		"nothing read":        {layer, func(s *Step) { s.From[0].There = false }},
		"nothing written":     {layer, func(s *Step) { s.To[0].There = false }},
		"before the memory":   {layer, func(s *Step) { s.From[0].At = -1 }},
		"behind the memory":   {layer, func(s *Step) { s.To[0].At++ }},
		"a bias behind it":    {layer, func(s *Step) { s.From[1] = at(size-31, 0) }},
		"a longer row":        {layer, func(s *Step) { s.To[0].Row++ }},
		"a row backwards":     {layer, func(s *Step) { s.To[0].Row = -1 }},
		"no heads":            {attention, func(s *Step) { s.Attention = Attention{} }},
		"two heads of three":  {attention, func(s *Step) { s.Attention.Heads, s.Attention.KVHeads = 3, 2 }},
		"no tokens":           {attention, func(s *Step) { s.H = 0 }},
		"queries behind it":   {attention, func(s *Step) { s.From[0].At = size - 23 }},
		"cosines alone":       {attention, func(s *Step) { s.From[1] = at(0, 0) }},
		"sines behind it":     {attention, func(s *Step) { s.From[1], s.From[2] = at(0, 0), at(size-3, 0) }},
		"an axis of nothing":  {Step{Kind: StepMove, From: layer.From, To: layer.To}, func(*Step) {}},
		"a join with nothing": {Step{Kind: StepJoin, Dims: [StepAxes]int{1, 1, 1, 1, 1, 1}, From: layer.From, To: layer.To}, func(*Step) {}},
		"an unknown kind":     {Step{Kind: 9, From: layer.From, To: layer.To}, func(*Step) {}},
	} {
		step := c.step
		c.change(&step)
		_, err := s.Program([]Step{step}, 1)
		require.Error(t, err, name)
	}
	_, err := s.Program([]Step{layer}, -1)
	require.Error(t, err)
	for _, l := range []Layout{{}, {Size: 10}, {Size: 10, Rows: 1, Constants: make([]float32, 2), ConstantsAt: 9},
		{Size: 10, Rows: 3, Inputs: []Operand{{Row: 4}}}, {Size: 10, Rows: 1, Outputs: []Operand{{At: 9, Row: 2}}}} {
		_, err := NewSession(some(t), l)
		require.Error(t, err)
	}
}
