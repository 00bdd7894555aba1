package kernel

import "fmt"

// Operand is the place of a tensor in a program's memory, counted in numbers. In a tensor with
// rows, such as a batch's input or output, each row lies Row numbers after the one before; in
// others Row is 0. The zero value is an absent operand.
type Operand struct {
	At, Row int
	There   bool
}

// StepKind is the operation of a step. The numbers are those of kernel.h.
type StepKind int

// The kinds of steps, with the operands that they read and write.
const (
	StepLayer     StepKind = iota // reads x, bias, residual; writes y, sum: see [Shape]
	StepAttention                 // reads x, cosines, sines; writes y: see [Attention]
	StepMap                       // reads x; writes y: a function of each of Dims[0] numbers
	StepJoin                      // reads a, b; writes y: a function of two numbers, along strides
	StepReduce                    // reads x; writes y: a reduction of the second of the axes Dims[:3]
	StepSoftmax                   // reads x; writes y: a softmax over the second of the axes Dims[:2]
	StepMove                      // reads x; writes y: a copy along strides
)

// Functions of a StepMap, in addition to those of [Activation].
const (
	MapSigmoid = 16 + iota
	MapTanh
	MapSoftplus
	MapExp
	MapLog
	MapSqrt
	MapNegate
	MapAbsolute
)

// Functions of a StepJoin.
const (
	JoinAdd = iota
	JoinSubtract
	JoinMultiply
	JoinDivide
	JoinMax
	JoinMin
)

// Results of a StepReduce.
const (
	ReduceMean = iota
	ReduceSum
	ReduceMax
)

// StepAxes is the number of axes in a StepJoin or StepMove. Unused axes come first and have size 1; the
// used ones follow, the outermost first.
const StepAxes = 6

// Step is one step of a program.
type Step struct {
	Kind      StepKind
	What      int // number of the function; for a softmax, 1 means its logarithm
	To        [2]Operand
	From      [3]Operand
	Dims      [StepAxes]int
	Strides   [3][StepAxes]int // strides of the output and of each input
	N, H, W   int              // for layers; for attention, N boards of H tokens each
	ByBoard   bool             // a layer's bias has the shape [N][Out]
	Layer     *Layer
	Attention Attention
}

// extents returns how many numbers each operand spans, outputs first; an error if an operand
// does not fit the step.
func (s *Step) extents() (sizes [5]int, err error) {
	ok := true
	switch s.Kind {
	case StepLayer:
		if s.Layer == nil || s.N < 1 || s.H < 1 || s.W < 1 {
			return sizes, fmt.Errorf("kernel: a step has no layer")
		}
		l, area := &s.Layer.shape, s.N*s.H*s.W
		out := area * l.values()
		sizes = [5]int{out, out, area * l.In, l.Out, out}
		if s.ByBoard {
			sizes[3] *= s.N
		}
		ok = s.From[0].There && (s.To[0].There || s.To[1].There)
		if l.Activation == SwiGLU {
			ok = ok && s.To[0].There && !s.To[1].There && !s.From[1].There && !s.From[2].There
		}
	case StepAttention:
		a := &s.Attention
		if err := a.checkHeads(s.N, s.H); err != nil {
			return sizes, err
		}
		points, turns := s.N*s.H, s.H*a.KVHeads*(a.QDim/2)
		sizes = [5]int{points * a.Heads * a.VDim, 0, points * a.row(), turns, turns}
		ok = s.To[0].There && s.From[0].There && s.From[1].There == s.From[2].There && (a.QDim%2 == 0 || !s.From[1].There)
	case StepMap:
		sizes = [5]int{s.Dims[0], 0, s.Dims[0]}
	case StepReduce:
		sizes = [5]int{s.Dims[0] * s.Dims[2], 0, s.Dims[0] * s.Dims[1] * s.Dims[2]}
	case StepSoftmax:
		sizes = [5]int{s.Dims[0] * s.Dims[1], 0, s.Dims[0] * s.Dims[1]}
	case StepJoin, StepMove:
		for o := range 3 {
			size := 1
			for k, d := range s.Dims {
				ok = ok && d > 0 && s.Strides[o][k] >= 0
				size += (d - 1) * s.Strides[o][k]
			}
			sizes[[3]int{0, 2, 3}[o]] = size
		}
	default:
		ok = false
	}
	if s.Kind != StepLayer && s.Kind != StepAttention {
		ok = ok && sizes[0] > 0 && sizes[2] > 0 && s.To[0].There && s.From[0].There && s.From[1].There == (s.Kind == StepJoin)
	}
	if !ok {
		return sizes, fmt.Errorf("kernel: a step of kind %d does not fit together", s.Kind)
	}
	return sizes, nil
}

// check returns an error if an operand of the step lies outside a memory of size numbers when the
// program starts at any row from 0 to last.
func (s *Step) check(size, last int) error {
	sizes, err := s.extents()
	if err != nil {
		return err
	}
	for i, o := range []Operand{s.To[0], s.To[1], s.From[0], s.From[1], s.From[2]} {
		if o.There && (o.At < 0 || o.Row < 0 || o.At+o.Row*last+sizes[i] > size) {
			return fmt.Errorf("kernel: a step of kind %d leaves its memory", s.Kind)
		}
	}
	return nil
}
