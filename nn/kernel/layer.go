package kernel

import (
	"errors"
	"fmt"
)

// ErrMissing says that there are no kernels: the program was built without cgo, or the page has no workers.
var ErrMissing = errors.New("the program was built without its kernels, which want cgo")

var errMemory = errors.New("kernel: no memory")

// Shape describes a layer. Boards are [n][h][w][channels], except for the input of a layer of
// planes. With s = conv(x) + bias + residual,
//
//	y = activation(scale*s + shift), and sum = s where it is wanted.
//
// The bias is [Out], or [n][Out]; an absent bias or residual counts as 0. The residual may share
// its memory with the sum.
type Shape struct {
	In, Out, Size int // channels; Size is 1 or 3, for Planes any odd number
	Precision     Precision
	Activation    Activation
	Planes        bool      // the input is [n][in][h][w] and mostly zeros and ones
	Scale, Shift  []float32 // [Out] each; nil: 1 and 0
	Epsilon       float32   // if above 0 (only with Size 1), x is first divided by sqrt(mean(x²) + Epsilon)
}

// values returns how many values a point of the result has.
func (s *Shape) values() int {
	if s.Activation == SwiGLU {
		return s.Out / 2
	}
	return s.Out
}

func (s *Shape) check(weights int) error {
	switch {
	case s.In < 1 || s.Out < 1 || s.Size%2 != 1 || s.Size < 1 || s.Size > 3 && !s.Planes:
		return fmt.Errorf("kernel: no layer of %d to %d channels and size %d", s.In, s.Out, s.Size)
	case s.Activation < Identity || s.Activation > SwiGLU || s.Precision < Float32 || s.Precision > Int16:
		return fmt.Errorf("kernel: no layer has activation %d and precision %d", s.Activation, s.Precision)
	case weights != s.In*s.Out*s.Size*s.Size:
		return fmt.Errorf("kernel: %d weights, want %d", weights, s.In*s.Out*s.Size*s.Size)
	case s.Size != 1 && (s.Epsilon != 0 || s.Activation == SwiGLU) || s.Planes && (s.Epsilon != 0 || s.Activation == SwiGLU):
		return fmt.Errorf("kernel: a norm or SwiGLU is of layers of size 1, not %d", s.Size)
	case s.Activation == SwiGLU && (s.Out%2 != 0 || s.Scale != nil || s.Shift != nil):
		return fmt.Errorf("kernel: SwiGLU needs an even number of outputs, not %d, and no scale", s.Out)
	case s.Scale != nil && len(s.Scale) != s.Out || s.Shift != nil && len(s.Shift) != s.Out:
		return fmt.Errorf("kernel: scale and shift have %d and %d values, want %d", len(s.Scale), len(s.Shift), s.Out)
	}
	return nil
}
