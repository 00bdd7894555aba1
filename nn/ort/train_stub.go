//go:build !cgo

package ort

// Tensor is a float32 array that graphs read from and write to in place.
type Tensor struct {
	Dims []int64
	Data []float32
}

// NewTensor returns ErrNoCgo.
func NewTensor(...int64) (*Tensor, error) { return nil, ErrNoCgo }

// Close does nothing.
func (t *Tensor) Close() {}

// Graph is a session of any ONNX graph; without cgo there are none.
type Graph struct{}

// OpenGraph returns ErrNoCgo.
func OpenGraph([]byte, Config) (*Graph, error) { return nil, ErrNoCgo }

// Inputs returns nothing.
func (g *Graph) Inputs() []string { return nil }

// Outputs returns nothing.
func (g *Graph) Outputs() []string { return nil }

// Binding ties a graph to tensors; without cgo there are none.
type Binding struct{}

// Bind returns ErrNoCgo.
func (g *Graph) Bind(_, _ map[string]*Tensor) (*Binding, error) { return nil, ErrNoCgo }

// Run returns ErrNoCgo.
func (b *Binding) Run() error { return ErrNoCgo }

// Close does nothing.
func (g *Graph) Close() error { return nil }

// Device is memory of a provider; without cgo there is none.
type Device struct{}

// HasDevice reports false.
func HasDevice(string) bool { return false }

// OpenDevice returns ErrNoCgo.
func OpenDevice(Config) (*Device, error) { return nil, ErrNoCgo }

// NewTensor returns ErrNoCgo.
func (d *Device) NewTensor(...int64) (*Tensor, error) { return nil, ErrNoCgo }

// Close does nothing.
func (d *Device) Close() error { return nil }

// Changed does nothing.
func (t *Tensor) Changed() {}

// Fetch does nothing.
func (t *Tensor) Fetch() error { return nil }
