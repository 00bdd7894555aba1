package quant

import (
	"errors"
	"fmt"
	"math"

	"kosumi/nn/onnx"
)

// gram holds the second moments of what a convolution's weights are multiplied
// by: the patches of its input, one number for each weight of an output channel,
// and last the number 1, whose moments are the means.
type gram struct {
	n       int // weights of an output channel
	moments []float64
	samples float64
}

// maxGramFloats bounds the numbers that one row gives for the convolutions that
// are measured together.
const maxGramFloats = 8 << 20

// gramGroups cuts the convolutions into groups that are measured together.
func gramGroups(selected []*conv) [][]*conv {
	var groups [][]*conv
	room := 0
	for _, c := range selected {
		n := c.inputs*c.kernel + 1
		if room < n*n || len(groups) == 0 {
			groups = append(groups, nil)
			room = maxGramFloats
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], c)
		room -= n * n
	}
	return groups
}

// grams measures a group of convolutions over the calibration rows.
func (g *graph) grams(run Runner, group []*conv) (map[*conv]*gram, error) {
	m := g.m.Clone()
	m.Graph.Outputs = nil
	var taps []Tap
	all := map[*conv]*gram{}
	for _, c := range group {
		name, err := g.appendGram(m, c)
		if err != nil {
			return nil, err
		}
		n := c.inputs*c.kernel + 1
		taps = append(taps, Tap{Name: name, Shape: []int{n, n}})
		m.Graph.Outputs = append(m.Graph.Outputs, onnx.ValueInfo{Name: name, Type: onnx.Float, Shape: onnx.Shape{onnx.Sym("N"), onnx.D(int64(n)), onnx.D(int64(n))}})
		all[c] = &gram{n: n - 1, moments: make([]float64, n*n)}
	}
	feeds := append([]onnx.ValueInfo(nil), m.Graph.Inputs...)
	onnx.RemoveUnused(m.Graph)
	m.Graph.Inputs = feeds
	err := run.Run(Pass{Stage: "round weights", Model: m, Taps: taps, See: func(tap, rows int, data []float32) error {
		if rows <= 0 {
			return fmt.Errorf("%w: a batch of %d rows", ErrCalibration, rows)
		}
		if tap == 0 && enoughSamples(all) {
			return errEnough
		}
		a := all[group[tap]]
		per := len(a.moments)
		for r := range rows {
			for i, x := range data[r*per : (r+1)*per] {
				a.moments[i] += float64(x)
			}
		}
		return nil
	}})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	for c, a := range all {
		a.samples = a.moments[len(a.moments)-1]
		if !(a.samples > 0) || math.IsInf(a.samples, 0) {
			return nil, fmt.Errorf("%w: no samples of layer %q", ErrCalibration, c.node.Outputs[0])
		}
		a.reorder(c)
	}
	return all, nil
}

// samplesPerWeight is how many patches, as a multiple of the weights of an output
// channel, are enough. Twice and four times as many gave no better networks.
const samplesPerWeight = 6

// errEnough ends a run early.
var errEnough = errors.New("enough samples")

func enoughSamples(all map[*conv]*gram) bool {
	for _, a := range all {
		if a.moments[len(a.moments)-1] < samplesPerWeight*float64(a.n) {
			return false
		}
	}
	return true
}

// appendGram adds nodes that multiply the patches of a convolution's input with
// each other: [N,n,n], the patches ordered kernel place first, then channel.
func (g *graph) appendGram(m *onnx.Model, c *conv) (string, error) {
	if c.tokens {
		return appendTokenGram(m, c), nil
	}
	out := g.row(c.node.Outputs[0])
	dims := g.consts[c.node.Inputs[1]].Dims
	pads, ok := c.node.Ints("pads")
	if !ok {
		pads = []int64{0, 0, 0, 0}
	}
	strides, dilations := intsOr(c.node, "strides", 1, 1), intsOr(c.node, "dilations", 1, 1)
	names := onnx.NewNames(m.Graph)
	base := names.New(c.node.Outputs[0] + ".patches")
	node := func(op string, attrs onnx.Attrs, inputs ...string) string {
		name := names.New(base)
		m.Graph.Nodes = append(m.Graph.Nodes, &onnx.Node{OpType: op, Inputs: inputs, Outputs: []string{name}, Attrs: attrs})
		return name
	}
	ints := func(v ...int64) string {
		t := onnx.NewTensor(names.New(base+".ints"), v, int64(len(v)))
		m.Graph.Initializers = append(m.Graph.Initializers, t)
		return t.Name
	}
	if m.Opset < 11 {
		return "", fmt.Errorf("%w: opset %d is older than 11", ErrGraph, m.Opset)
	}
	padded := c.in
	if pads[0]|pads[1]|pads[2]|pads[3] != 0 {
		padded = node("Pad", nil, c.in, ints(0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]))
	}
	h, w := int64(out[1]), int64(out[2])
	var parts []string
	for y := range dims[2] {
		for x := range dims[3] {
			top, left := y*dilations[0], x*dilations[1]
			parts = append(parts, node("Slice", nil, padded, ints(top, left),
				ints(top+(h-1)*strides[0]+1, left+(w-1)*strides[1]+1), ints(2, 3), ints(strides...)))
		}
	}
	ones := parts[0]
	ones = node("Slice", nil, ones, ints(0), ints(1), ints(1))
	zero := onnx.NewScalar(names.New(base+".zero"), float32(0))
	one := onnx.NewScalar(names.New(base+".one"), float32(1))
	m.Graph.Initializers = append(m.Graph.Initializers, zero, one)
	ones = node("Add", nil, node("Mul", nil, ones, zero.Name), one.Name)
	all := node("Concat", onnx.Attrs{"axis": onnx.AttrInt(1)}, append(parts, ones)...)
	flat := node("Reshape", nil, all, ints(0, int64(c.inputs*c.kernel)+1, h*w))
	return node("MatMul", nil, flat, node("Transpose", onnx.Attrs{"perm": onnx.AttrInts(0, 2, 1)}, flat)), nil
}

func intsOr(n *onnx.Node, name string, def ...int64) []int64 {
	if v, ok := n.Ints(name); ok {
		return v
	}
	return def
}

// reorder brings the moments from the order of patches (kernel place, channel)
// into the order of weights (channel, kernel place).
func (a *gram) reorder(c *conv) {
	n := a.n + 1
	at := make([]int, n)
	for i := range c.inputs {
		for k := range c.kernel {
			at[i*c.kernel+k] = k*c.inputs + i
		}
	}
	at[a.n] = a.n
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = a.moments[at[i]*n+at[j]]
		}
	}
	a.moments = out
}

// mean returns the mean of each patch number.
func (a *gram) mean() []float64 {
	out := make([]float64, a.n)
	for i := range out {
		out[i] = a.moments[i*(a.n+1)+a.n] / a.samples
	}
	return out
}

// covariance returns the covariance matrix of the patch numbers, with a little
// added to its diagonal, since calibration rows are few.
func (a *gram) covariance(mean []float64) []float32 {
	out := make([]float32, a.n*a.n)
	trace := 0.0
	for i := range a.n {
		trace += a.moments[i*(a.n+1)+i]/a.samples - mean[i]*mean[i]
	}
	damp := math.Max(0.01*trace/float64(a.n), 1e-12)
	for i := range a.n {
		for j := range a.n {
			out[i*a.n+j] = float32(a.moments[i*(a.n+1)+j]/a.samples - mean[i]*mean[j])
		}
		out[i*a.n+i] += float32(damp)
	}
	return out
}
