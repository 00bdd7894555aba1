//go:build !cgo && !js

package kernel

import "unsafe"

func available() []ISA { return nil }

// Table returns nil: the kernels are written in C, which this build leaves out.
func Table() unsafe.Pointer { return nil }

// Session is a block of memory with layers and programs. Without the kernels it cannot be made.
type Session struct{}

// Layer is a convolution with packed weights. Without the kernels it cannot be made.
type Layer struct{ shape Shape }

func NewSession(ISA, Layout) (*Session, error)          { return nil, ErrMissing }
func (*Session) Inputs() [][]float32                    { return nil }
func (*Session) Outputs() [][]float32                   { return nil }
func (*Session) Layer(Shape, []float32) (*Layer, error) { return nil, ErrMissing }
func (*Session) Program([]Step, int) (int, error)       { return 0, ErrMissing }
func (*Session) Run(int, []Pass) error                  { return ErrMissing }
func (*Session) Close()                                 {}
