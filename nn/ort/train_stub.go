//go:build !cgo

package ort

// Tensor is a float32 array that graphs read from and write to in place.
type Tensor struct {
	Dims []int64
	Data []float32
}

func NewTensor(...int64) (*Tensor, error) { return nil, ErrNoCgo }
func (t *Tensor) Close()                  {}

// Graph is a session of any ONNX graph; without cgo there are none.
type Graph struct{}

func OpenGraph([]byte, Config) (*Graph, error) { return nil, ErrNoCgo }

// Binding ties a graph to tensors; without cgo there are none.
type Binding struct{}

func (g *Graph) Bind(_, _ map[string]*Tensor) (*Binding, error) { return nil, ErrNoCgo }
func (b *Binding) Run() error                                   { return ErrNoCgo }
func (g *Graph) Close() error                                   { return nil }

// Device is memory of a provider; without cgo there is none.
type Device struct{}

func HasDevice(string) bool                           { return false }
func OpenDevice(Config) (*Device, error)              { return nil, ErrNoCgo }
func (d *Device) NewTensor(...int64) (*Tensor, error) { return nil, ErrNoCgo }
func (d *Device) Close() error                        { return nil }
func (t *Tensor) Changed()                            {}
func (t *Tensor) Fetch() error                        { return nil }
