//go:build !cgo && !js

package kernel

import "unsafe"

func available() []ISA { return nil }

// Table returns nil: the kernels are written in C.
func Table() unsafe.Pointer { return nil }

// Session is a memory and programs that work in it; there is none here.
type Session struct{}

// Layer is a convolution whose weights are packed; there is none here.
type Layer struct{ shape Shape }

// NewSession returns [ErrMissing].
func NewSession(ISA, Layout) (*Session, error) { return nil, ErrMissing }

// Load returns [ErrMissing].
func (*Session) Load(int, int) ([]float32, error) { return nil, ErrMissing }

// Store returns [ErrMissing].
func (*Session) Store(int, []float32) error { return ErrMissing }

// Inputs returns nil.
func (*Session) Inputs() [][]float32 { return nil }

// Outputs returns nil.
func (*Session) Outputs() [][]float32 { return nil }

// Layer returns [ErrMissing].
func (*Session) Layer(Shape, []float32) (*Layer, error) { return nil, ErrMissing }

// Program returns [ErrMissing].
func (*Session) Program([]Step, int) (int, error) { return 0, ErrMissing }

// Run returns [ErrMissing].
func (*Session) Run(int, []Pass) error { return ErrMissing }

// Close does nothing.
func (*Session) Close() {}
