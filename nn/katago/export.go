package katago

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// FromONNX restores the network from a graph that Build made in FormExact, with the current
// initializers: those of the KataGo file bit for bit, or trained further. The graph may be for
// any board size. Initializers are looked up by name; nodes are ignored. The network's Source is
// read from the metadata.
//
// Errors: ErrNotExact if the model is not such a graph or lacks initializers, ErrTruncated if its
// metadata is cut short, and those of Network.Check.
func FromONNX(m *onnx.Model) (*Network, error) {
	layout := m.Metadata[meta.Layout]
	switch {
	case layout == "" && m.Metadata[meta.KataGoForm] == FormRun.String():
		return nil, fmt.Errorf("%w: it was built to run, with norms folded into weights; "+
			"convert the .bin.gz again or take the exact graph", ErrNotExact)
	case layout == "":
		return nil, fmt.Errorf("%w: metadata %s is missing", ErrNotExact, meta.Layout)
	case len(layout) > 1<<24:
		return nil, fmt.Errorf("%w: metadata %s has %d bytes", ErrNotExact, meta.Layout, len(layout))
	}
	src := newSource(strings.NewReader(layout+"\n"), int64(len(layout)))
	in := &initializers{source: src, byName: m.Graph.InitializerMap()}
	n := new(Network)
	w := walker{m: in, reading: true}
	if w.network(n); w.err != nil {
		return nil, fmt.Errorf("katago network from onnx: %w", w.err)
	}
	if err := src.finish(); err != nil {
		return nil, fmt.Errorf("katago network from onnx: %w", err)
	}
	if err := n.Check(); err != nil {
		return nil, fmt.Errorf("katago network from onnx: %w", err)
	}
	n.Source = Source{File: m.Metadata[meta.Source], SHA256: m.Metadata[meta.SourceSHA256]}
	return n, nil
}

// initializers is the medium that reads tokens from the layout in a graph's metadata, and numbers
// from the graph's initializers.
type initializers struct {
	*source
	byName map[string]*onnx.Tensor
}

func (in *initializers) floats(path string, n int64, dims []int, v *[]float32) error {
	t := in.byName[path]
	if t == nil {
		return in.missing(path, n, v)
	}
	if have, ok := t.Len(); !ok || have != n {
		return fmt.Errorf("%w: initializer %s has dimensions %v, should have %d numbers", ErrNotExact, path, t.Dims, n)
	}
	if len(dims) == 4 {
		return convFrom(t, dims, v)
	}
	var err error
	*v, err = t.Float32s()
	return err
}

// missing supplies a norm's mean of 0 or variance of 1 if the graph has no initializer for them.
func (in *initializers) missing(path string, n int64, v *[]float32) error {
	x := float32(0)
	switch {
	case strings.HasSuffix(path, ".mean"):
	case strings.HasSuffix(path, ".var"):
		x = 1
	default:
		return fmt.Errorf("%w: initializer %s is missing", ErrNotExact, path)
	}
	if n > maxChannels {
		return fmt.Errorf("%w: a norm of %d channels", ErrNotExact, n)
	}
	*v = filled(int(n), x)
	return nil
}

// convFrom transposes [out,in,y,x] back to [y,x,in,out].
func convFrom(t *onnx.Tensor, dims []int, v *[]float32) error {
	ky, kx, in, out := dims[0], dims[1], dims[2], dims[3]
	want := []int{out, in, ky, kx}
	for i, d := range t.Dims {
		if len(t.Dims) != 4 || d != int64(want[i]) {
			return fmt.Errorf("%w: initializer %s has dimensions %v, should have %v", ErrNotExact, t.Name, t.Dims, want)
		}
	}
	raw := t.Raw
	if t.Type != onnx.Float {
		f, err := t.Float32s()
		if err != nil {
			return err
		}
		raw = onnx.NewTensor("", f).Raw
	} else if err := t.Check(); err != nil {
		return err
	}
	w := make([]float32, len(raw)/4)
	kernel := ky * kx
	const tile = 32
	for first := 0; first < out; first += tile {
		last := min(first+tile, out)
		for i := range in {
			for k := range kernel {
				row := w[(k*in+i)*out:][:out]
				for o := first; o < last; o++ {
					row[o] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*((o*in+i)*kernel+k):]))
				}
			}
		}
	}
	*v = w
	return nil
}
