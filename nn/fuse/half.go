package fuse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// ErrNoHalf says that no node of a graph can be computed in 16-bit floats.
var ErrNoHalf = errors.New("no node of the graph can be computed in 16-bit floats")

// largestHalf is the largest finite 16-bit float.
const largestHalf = 65504

// Half returns the float32 graph m in 16-bit floats, with 32-bit inputs and
// outputs. Nodes that add up many numbers or leave the range of 16 bits, such as
// means and squares, stay in 32 bits. m is not changed.
//
// GPUs compute faster in 16-bit floats; CPUs do not.
func Half(m *onnx.Model) (*onnx.Model, error) {
	out := m.Clone()
	if err := onnx.Simplify(out); err != nil {
		return nil, fmt.Errorf("fp16: %w", err)
	}
	types, err := onnx.InferTypes(out)
	if err != nil {
		return nil, fmt.Errorf("fp16: %w", err)
	}
	h := halver{
		graph: out.Graph, types: types, half: map[string]bool{}, cast: map[string]string{}, names: onnx.NewNames(out.Graph),
		producers: out.Graph.Producers(), consts: out.Graph.InitializerMap(),
	}
	for _, n := range out.Graph.Nodes {
		h.node(n)
	}
	if h.count == 0 {
		return nil, ErrNoHalf
	}
	for _, o := range out.Graph.Outputs {
		if h.half[o.Name] {
			h.outputInFull(o.Name)
		}
	}
	out.Graph.Nodes, out.Graph.Values = h.nodes, nil
	onnx.RemoveUnused(out.Graph)
	if err := onnx.Check(out); err != nil {
		return nil, fmt.Errorf("fp16: %w", err)
	}
	return out, nil
}

// halver rewrites a graph node by node.
type halver struct {
	graph     *onnx.Graph
	producers map[string]*onnx.Node
	consts    map[string]*onnx.Tensor
	types     map[string]onnx.ValueInfo
	half      map[string]bool   // values in 16 bits
	cast      map[string]string // value -> its name in the other width, if it was cast
	nodes     []*onnx.Node
	names     *onnx.Names
	count     int // number of nodes in 16 bits
}

// halves reports whether a node is computed in 16 bits.
func (h *halver) halves(n *onnx.Node) bool {
	switch {
	case n.Is("Mul") && n.Inputs[0] == n.Input(1): // x*x
		return false
	case n.Is("Conv") && n.Int("group", 1) != 1: // wrong on ARM64 in onnxruntime 1.30
		return false
	case n.Is("Conv", "MatMul", "Gemm"):
	case n.Is("Add", "Sub", "Mul", "Div", "Max", "Min", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Neg", "Abs", "Softmax",
		"Concat", "Reshape", "Flatten", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Expand", "GlobalMaxPool", "Identity"):
		// a node whose input is in 32 bits stays in 32 bits
		if slices.ContainsFunc(n.Inputs, func(in string) bool {
			return h.float(in) && h.consts[in] == nil && h.producers[in] != nil && !h.half[in]
		}) {
			return false
		}
	default:
		return false
	}
	return h.float(n.Outputs[0]) && !slices.ContainsFunc(n.Inputs, func(in string) bool {
		return h.consts[in] != nil && h.float(in) && !fitsHalf(h.consts[in])
	})
}

func (h *halver) float(name string) bool { return name != "" && h.types[name].Type == onnx.Float }

func fitsHalf(t *onnx.Tensor) bool {
	v, err := t.Float32s()
	return err == nil && !slices.ContainsFunc(v, func(x float32) bool { return math.Abs(float64(x)) > largestHalf })
}

func (h *halver) node(n *onnx.Node) {
	half := h.halves(n)
	if half {
		h.count++
	}
	c := n.Clone()
	for i, in := range n.Inputs {
		if h.float(in) {
			c.Inputs[i] = h.get(in, half)
		}
	}
	for _, out := range n.Outputs {
		h.half[out] = half
	}
	h.nodes = append(h.nodes, c)
}

// get returns the name of a value in 16 bits if half is true, or else in 32 bits.
func (h *halver) get(name string, half bool) string {
	if h.half[name] == half {
		return name
	}
	if v, ok := h.cast[name]; ok {
		return v
	}
	var v string
	if t := h.consts[name]; t != nil {
		data, _ := t.Float32s() // cannot fail, since fitsHalf has read the data
		c := onnx.NewFloat16(h.names.New(name+".half"), data, t.Dims...)
		h.graph.Initializers = append(h.graph.Initializers, c)
		v = c.Name
	} else {
		v = h.convert(name, name+map[bool]string{true: ".half", false: ".full"}[half], half)
	}
	h.cast[name] = v
	return v
}

func (h *halver) convert(from, base string, half bool) string {
	to := onnx.Float
	if half {
		to = onnx.Float16
	}
	v := h.names.New(base)
	h.nodes = append(h.nodes, &onnx.Node{OpType: "Cast", Inputs: []string{from}, Outputs: []string{v}, Attrs: onnx.Attrs{"to": onnx.AttrInt(int64(to))}})
	return v
}

// outputInFull makes a 32-bit output of the graph from a 16-bit one, under the same name.
func (h *halver) outputInFull(name string) {
	inner := h.names.New(name + ".inner")
	for _, n := range h.nodes {
		for i := range n.Inputs {
			if n.Inputs[i] == name {
				n.Inputs[i] = inner
			}
		}
		for i := range n.Outputs {
			if n.Outputs[i] == name {
				n.Outputs[i] = inner
			}
		}
	}
	h.nodes = append(h.nodes, &onnx.Node{OpType: "Cast", Inputs: []string{inner}, Outputs: []string{name}, Attrs: onnx.Attrs{"to": onnx.AttrInt(int64(onnx.Float))}})
}
