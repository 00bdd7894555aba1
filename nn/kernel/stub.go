//go:build !cgo

package kernel

import "unsafe"

const compiled = false

// Table returns nil: the kernels are written in C.
func Table() unsafe.Pointer { return nil }

// Layer is a convolution whose weights are packed; there is none here.
type Layer struct{ shape Shape }

// New returns [ErrMissing].
func New(ISA, Shape, []float32) (*Layer, error) { return nil, ErrMissing }

// Close does nothing.
func (*Layer) Close() {}

// Scratch is memory that programs work in; there is none here.
type Scratch struct{}

// NewScratch returns [ErrMissing].
func NewScratch() (*Scratch, error) { return nil, ErrMissing }

// Close does nothing.
func (*Scratch) Close() {}

// Program is a list of steps; there is none here.
type Program struct{}

// NewProgram returns [ErrMissing].
func NewProgram(ISA, []Step, int, int) (*Program, error) { return nil, ErrMissing }

// Run returns [ErrMissing].
func (*Program) Run([]float32, int, *Scratch) error { return ErrMissing }

// Close does nothing.
func (*Program) Close() {}
