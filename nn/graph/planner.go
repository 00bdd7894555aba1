package graph

import (
	"fmt"
	"slices"

	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// value is a tensor of the graph: numbers in a block, a constant, or both.
type value struct {
	dims   []int
	block  *block
	tensor *onnx.Tensor
	fixed  bool // a constant; it may have a block too
}

func shapeOf(dims []int) onnx.Shape {
	s := make(onnx.Shape, len(dims))
	for i, d := range dims {
		s[i] = onnx.D(int64(d))
	}
	return s
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// planner makes the steps of one plan.
type planner struct {
	*plan
	layout *layout
	rows   int
	infer  *onnx.Inference
	values map[string]*value
	users  map[string][]*onnx.Node
	done   map[*onnx.Node]bool // nodes fused into an earlier one
}

func (p *planner) build() error {
	g := p.layout.model.Graph
	p.plan.layout = p.layout
	for _, t := range g.Initializers {
		p.values[t.Name] = &value{dims: sizes(t.Dims), tensor: t, fixed: true}
	}
	for i := range p.layout.spec.Inputs {
		s := &p.layout.spec.Inputs[i]
		v := &value{dims: append([]int{p.rows}, s.Shape...), block: &block{size: p.rows * s.Len(), place: inInput, at: i}}
		p.values[s.Name] = v
		p.infer.Give(s.Name, onnx.Float, shapeOf(v.dims))
	}
	for _, n := range g.Nodes {
		if p.done[n] {
			continue
		}
		if err := p.node(n); err != nil {
			return fmt.Errorf("%w: node %s: %w", ErrModel, n, err)
		}
	}
	return p.outputs()
}

func sizes(dims []int64) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = int(d)
	}
	return out
}

// outputs assigns the memory of the graph's outputs.
func (p *planner) outputs() error {
	for i := range p.layout.spec.Outputs {
		s := &p.layout.spec.Outputs[i]
		v := p.values[s.Name]
		if v == nil {
			return fmt.Errorf("%w: output %q is never computed", ErrModel, s.Name)
		}
		if want := append([]int{p.rows}, s.Shape...); !slices.Equal(v.dims, want) || v.block == nil && !v.fixed {
			return fmt.Errorf("%w: output %q is %v in the network; %v was expected", nn.ErrSpec, s.Name, v.dims, want)
		}
		if b := v.block; b != nil && b.place == inArena {
			b.place, b.at = inOutput, i
			continue
		}
		from, err := p.numbers(v)
		if err != nil {
			return err
		}
		p.move(&block{size: from.size, place: inOutput, at: i}, 0, from, 0, []int{from.size}, []int{1}, []int{1})
	}
	return nil
}

// node adds the steps of a node.
func (p *planner) node(n *onnx.Node) error {
	in := make([]*value, len(n.Inputs))
	for i, name := range n.Inputs {
		if in[i] = p.values[name]; in[i] == nil && name != "" {
			return fmt.Errorf("input %q is never computed", name)
		}
	}
	if n.Domain == onnx.KernelDomain {
		return p.kernelNode(n, in)
	}
	if !n.IsDefault() || !onnx.Known(n) {
		return fmt.Errorf("%w: %s of domain %q", ErrOperator, n.OpType, n.Domain)
	}
	if err := p.infer.Node(n); err != nil {
		return err
	}
	if p.known(n) {
		return nil
	}
	c := &call{planner: p, Node: n, in: in}
	if dims, ok := p.shapeOf(n.Output(0)); ok {
		c.out = dims
		if step := steps[n.OpType]; step != nil && step(c) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrOperator, n.OpType)
}

// shapeOf returns the dimensions of a float32 value; ok is false for all other values.
func (p *planner) shapeOf(name string) (dims []int, ok bool) {
	typ, shape := p.infer.Value(name)
	list, known := shape.Sizes()
	if typ != onnx.Float || !known {
		return nil, false
	}
	n := 1
	for _, d := range list {
		if d < 1 || d > mostMemory || n > mostMemory/int(d) {
			return nil, false
		}
		n *= int(d)
	}
	return sizes(list), true
}

// known makes constants of a node's results if shape inference has computed all of them; else it
// adds none and reports false.
func (p *planner) known(n *onnx.Node) bool {
	if slices.ContainsFunc(n.Outputs, func(name string) bool { return name != "" && p.infer.Constant(name) == nil }) {
		return false
	}
	for _, name := range n.Outputs {
		if t := p.infer.Constant(name); name != "" {
			p.values[name] = &value{dims: sizes(t.Dims), tensor: t, fixed: true}
		}
	}
	return true
}

// numbers returns the block of a float32 value.
func (p *planner) numbers(v *value) (*block, error) {
	if v.block != nil {
		return v.block, nil
	}
	if v.tensor == nil || v.tensor.Type != onnx.Float {
		return nil, fmt.Errorf("%w: float32 is needed", onnx.ErrShape)
	}
	list, err := v.tensor.Float32s()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: a tensor of nothing", onnx.ErrShape)
	}
	v.block = p.layout.constant(list)
	return v.block, nil
}

// give adds a value with a new block, which it returns.
func (p *planner) give(name string, dims []int) *block {
	b := &block{size: product(dims)}
	p.values[name] = &value{dims: dims, block: b}
	return b
}

func (p *planner) step(w *work) { p.work = append(p.work, w) }

// move adds a copy along axes, the outermost first: to[toAt+i·a] = from[fromAt+i·b] for all i below
// dims. It reports false if there are more axes than the kernels allow.
func (p *planner) move(to *block, toAt int, from *block, fromAt int, dims, a, b []int) bool {
	dims, strides := merged(dims, a, b)
	if len(dims) > kernel.StepAxes {
		return false
	}
	w := &work{step: kernel.Step{Kind: kernel.StepMove}, writes: [2]*block{to}, reads: [3]*block{from}, toAt: toAt, fromAt: fromAt}
	along(&w.step, dims, strides)
	p.step(w)
	return true
}
