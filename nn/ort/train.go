//go:build cgo

package ort

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// Tensor is a float32 array in memory that graphs read from and write to in
// place. It belongs to the caller, who may share it between graphs and change
// Data between runs.
type Tensor struct {
	Dims []int64
	Data []float32 // row-major, aligned to cache lines, pinned
	pin  runtime.Pinner
	val  *ort.Tensor[float32]
	// For a tensor in a device's memory: the device, the copy there, and which copy was written last.
	device *Device
	there  unsafe.Pointer
	newer  newer
}

// NewTensor makes a tensor of zeros of at least one dimension. The library must
// have been loaded ([Load]).
func NewTensor(dims ...int64) (*Tensor, error) {
	n := int64(1)
	if len(dims) == 0 {
		return nil, fmt.Errorf("%w: a tensor without dimensions", ErrGraph)
	}
	for _, d := range dims {
		if d < 1 || n > (1<<40)/d {
			return nil, fmt.Errorf("%w: a tensor of dimensions %v", ErrGraph, dims)
		}
		n *= d
	}
	t := &Tensor{Dims: slices.Clone(dims), Data: kernel.Aligned(int(n))}
	t.pin.Pin(&t.Data[0])
	var err error
	if t.val, err = ort.NewTensor(ort.Shape(t.Dims), t.Data); err != nil {
		t.pin.Unpin()
		return nil, fmt.Errorf("%w: %v", ErrGraph, err)
	}
	runtime.SetFinalizer(t, func(t *Tensor) { t.Close() })
	return t, nil
}

// Close frees the tensor; Data stays readable. Close its bindings first.
func (t *Tensor) Close() {
	if t.val == nil {
		return
	}
	runtime.SetFinalizer(t, nil)
	t.leave()
	t.val.Destroy()
	t.val = nil
	t.pin.Unpin()
}

// Graph is a session of any ONNX graph of float32 tensors, such as one that takes
// a training step. One caller at a time.
type Graph struct {
	run             *native
	inputs, outputs []onnx.ValueInfo
	bindings        []*Binding
	provider        string
	alone           bool // hold oneRun during each run
	closed          bool
}

// OpenGraph loads the library if need be and makes a session. It ignores MaxBatch of the
// configuration. The session holds its own copy of the model.
func OpenGraph(model []byte, c Config) (*Graph, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	m, err := onnx.Read(model)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	inputs, outputs := m.Graph.Feeds(), m.Graph.Outputs
	run, err := c.open(model, portNames(inputs), portNames(outputs))
	if err != nil {
		return nil, err
	}
	g := &Graph{run: run, inputs: inputs, outputs: outputs, provider: c.Provider, alone: alone(c.Provider)}
	runtime.SetFinalizer(g, func(g *Graph) { _ = g.Close() })
	return g, nil
}

func portNames(ports []onnx.ValueInfo) []string {
	all := make([]string, len(ports))
	for i := range ports {
		all[i] = ports[i].Name
	}
	return all
}

// Binding binds a graph to tensors, so that runs copy nothing on the CPU. It keeps the
// tensors alive.
type Binding struct {
	graph   *Graph
	io      *ort.IoBinding
	tensors []*Tensor // tensors of the inputs, then of the outputs
	device  bool      // one of them is in a device's memory
}

// Bind binds every input and output to the tensor of its name. It ignores tensors that the
// graph does not have. An output must not share a tensor with an input: the order of
// reading and writing is not defined.
func (g *Graph) Bind(inputs, outputs map[string]*Tensor) (*Binding, error) {
	if g.closed {
		return nil, ErrClosed
	}
	read := map[*Tensor]bool{}
	for _, p := range g.inputs {
		if err := matchTensor("input", p, inputs[p.Name]); err != nil {
			return nil, err
		}
		read[inputs[p.Name]] = true
	}
	for _, p := range g.outputs {
		if err := matchTensor("output", p, outputs[p.Name]); err != nil {
			return nil, err
		}
		if read[outputs[p.Name]] {
			return nil, fmt.Errorf("%w: output %q is bound to a tensor that is an input", ErrGraph, p.Name)
		}
	}
	io, err := g.run.CreateIoBinding()
	if err != nil {
		return nil, err
	}
	b := &Binding{graph: g, io: io}
	for _, p := range g.inputs {
		b.tensors = append(b.tensors, inputs[p.Name])
	}
	err = b.bindInputs()
	for _, p := range g.outputs {
		t := outputs[p.Name]
		b.tensors = append(b.tensors, t)
		if g.holds(t) {
			err = errors.Join(err, t.bind(io, p.Name, false))
		} else {
			err = errors.Join(err, io.BindOutput(p.Name, t.val))
		}
	}
	for _, t := range b.tensors {
		b.device = b.device || t.there != nil
	}
	if err != nil {
		io.Destroy()
		return nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	g.bindings = append(g.bindings, b)
	return b, nil
}

// bindInputs binds the tensors of the graph's inputs, which come first.
func (b *Binding) bindInputs() (err error) {
	for i, p := range b.graph.inputs {
		t := b.tensors[i]
		if b.graph.holds(t) {
			err = errors.Join(err, t.send(), t.bind(b.io, p.Name, true))
		} else {
			err = errors.Join(err, t.Fetch(), b.io.BindInput(p.Name, t.val))
		}
	}
	return err
}

func (g *Graph) holds(t *Tensor) bool { return t.there != nil && t.device.provider == g.provider }

// matchTensor checks a tensor against what the graph declares.
func matchTensor(what string, p onnx.ValueInfo, t *Tensor) error {
	switch {
	case t == nil:
		return fmt.Errorf("%w: %s %q is not bound", ErrGraph, what, p.Name)
	case t.val == nil:
		return fmt.Errorf("%w: the tensor for %s %q is closed", ErrGraph, what, p.Name)
	case p.Type != onnx.Float && p.Type != onnx.Undefined:
		return fmt.Errorf("%w: %s %q is %v; only float32 can be bound", ErrGraph, what, p.Name, p.Type)
	case p.Shape == nil:
		return nil
	}
	fits := len(p.Shape) == len(t.Dims)
	for i := 0; fits && i < len(p.Shape); i++ {
		fits = !p.Shape[i].Known() || p.Shape[i].Size == t.Dims[i]
	}
	if !fits {
		return fmt.Errorf("%w: %s %q is %v, the tensor is %v", ErrGraph, what, p.Name, p.Shape, t.Dims)
	}
	return nil
}

// Run computes the graph once over the bound tensors. On the CPU it allocates nothing in Go. On
// devices it binds the inputs anew, because onnxruntime copies them when they are bound, not when
// they are used (its issue 5857). Tensors of [Device.NewTensor] are not copied.
func (b *Binding) Run() error {
	if b.graph.closed {
		return ErrClosed
	}
	if b.graph.provider != CPU || b.device {
		if err := b.bindInputs(); err != nil {
			return fmt.Errorf("%w: %w", ErrGraph, err)
		}
	}
	if b.graph.alone {
		oneRun.Lock()
		defer oneRun.Unlock()
	}
	err := b.graph.run.RunWithBinding(b.io)
	runtime.KeepAlive(b)
	if b.device {
		for _, t := range b.tensors[len(b.graph.inputs):] {
			if t.there == nil {
				continue
			}
			t.newer = onDevice
			if !b.graph.holds(t) {
				t.newer = onHost
			}
		}
	}
	if err != nil {
		return fmt.Errorf("onnxruntime: %s", strings.TrimPrefix(err.Error(), "Error running network: "))
	}
	return nil
}

// Close frees the session and its bindings, not the tensors.
func (g *Graph) Close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	runtime.SetFinalizer(g, nil)
	for _, b := range g.bindings {
		b.io.Destroy()
	}
	g.bindings = nil
	return g.run.Destroy()
}
