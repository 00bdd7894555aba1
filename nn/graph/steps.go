package graph

import (
	"slices"

	"kosumi/nn/kernel"
	"kosumi/nn/onnx"
)

// call is a node of the default domain with its inputs, nil if absent, and the dimensions of its
// first result, a float32 tensor.
type call struct {
	*planner
	*onnx.Node
	in  []*value
	out []int
}

// steps lists the operators that the kernels have steps for. A function reports whether
// it took the node: not every form of an operator has steps.
var steps map[string]func(*call) (took bool)

func init() {
	steps = map[string]func(*call) bool{
		"Reshape": view, "Flatten": view, "Squeeze": view, "Unsqueeze": view, "Identity": view, "Dropout": view,
		"Sum": chain(kernel.JoinAdd), "Max": chain(kernel.JoinMax), "Min": chain(kernel.JoinMin),
		"Add": chain(kernel.JoinAdd), "Sub": chain(kernel.JoinSubtract), "Mul": chain(kernel.JoinMultiply), "Div": chain(kernel.JoinDivide),
		"ReduceMean": reduction(kernel.ReduceMean), "ReduceSum": reduction(kernel.ReduceSum), "ReduceMax": reduction(kernel.ReduceMax),
		"GlobalAveragePool": pool(kernel.ReduceMean), "GlobalMaxPool": pool(kernel.ReduceMax),
		"Softmax": softmax(0), "LogSoftmax": softmax(1),
		"Transpose": transpose, "Concat": concat, "Slice": slice, "Split": split, "Expand": expand,
		"MatMul": matMul, "Gemm": gemm,
		"Softplus": softplus, "Sigmoid": sigmoid,
	}
	for name, what := range map[string]int{
		"Relu": int(kernel.ReLU), "Mish": int(kernel.Mish), "Tanh": kernel.MapTanh, "Exp": kernel.MapExp, "Log": kernel.MapLog,
		"Sqrt": kernel.MapSqrt, "Neg": kernel.MapNegate, "Abs": kernel.MapAbsolute,
	} {
		steps[name] = func(c *call) bool { return c.mapTo(what, c.Output(0)) }
	}
}

// block returns the numbers of an input; nil if they are absent or not floats.
func (c *call) block(i int) *block {
	if i >= len(c.in) || c.in[i] == nil {
		return nil
	}
	b, err := c.numbers(c.in[i])
	if err != nil {
		return nil
	}
	return b
}

// view reshapes a value: the same elements in other dimensions.
func view(c *call) bool {
	b := c.block(0)
	if b == nil || b.size != product(c.out) || len(c.Outputs) > 1 && c.Outputs[1] != "" {
		return false
	}
	c.values[c.Output(0)] = &value{dims: c.out, block: b}
	return true
}

// mapTo adds a step that applies a function to the first input.
func (c *call) mapTo(what int, name string) bool {
	x := c.block(0)
	if x == nil || x.size != product(c.out) {
		return false
	}
	w := &work{step: kernel.Step{Kind: kernel.StepMap, What: what}, writes: [2]*block{c.give(name, c.out)}, reads: [3]*block{x}, over: []int{0}}
	w.step.Dims[0] = x.size
	c.step(w)
	c.infer.Give(name, onnx.Float, shapeOf(c.out))
	return true
}

// softplus adds Softplus, or Mish where x*tanh(softplus(x)) follows.
func softplus(c *call) bool {
	if tanh := c.only(c.Output(0)); tanh != nil && tanh.Is("Tanh") {
		if mul := c.times(tanh.Output(0)); mul != nil && c.block(0) != nil {
			c.done[tanh], c.done[mul] = true, true
			return c.mapTo(int(kernel.Mish), mul.Output(0))
		}
	}
	return c.mapTo(kernel.MapSoftplus, c.Output(0))
}

// sigmoid adds Sigmoid, or SiLU where x*sigmoid(x) follows.
func sigmoid(c *call) bool {
	if mul := c.times(c.Output(0)); mul != nil && c.block(0) != nil {
		c.done[mul] = true
		return c.mapTo(int(kernel.SiLU), mul.Output(0))
	}
	return c.mapTo(kernel.MapSigmoid, c.Output(0))
}

// only returns the single node that reads a value; nil if there is none or more than one, or if
// the value is an output of the graph.
func (c *call) only(name string) *onnx.Node {
	if u := c.users[name]; len(u) == 1 && !c.layout.model.Graph.IsOutput(name) {
		return u[0]
	}
	return nil
}

// times returns the node that multiplies the named value by the call's first input; nil if there
// is none, or if another node reads the value too.
func (c *call) times(by string) *onnx.Node {
	mul, x := c.only(by), c.Input(0)
	if mul != nil && mul.Is("Mul") && len(mul.Inputs) == 2 && by != x && (mul.Inputs[0] == x && mul.Inputs[1] == by || mul.Inputs[1] == x && mul.Inputs[0] == by) {
		return mul
	}
	return nil
}

// chain adds an operator of any number of inputs as joins of two at a time.
func chain(what int) func(*call) bool {
	return func(c *call) bool {
		for i := range c.in {
			if c.block(i) == nil {
				return false
			}
		}
		if len(c.in) == 1 {
			return view(c)
		}
		a, dims := c.block(0), c.in[0].dims
		for i, v := range c.in[1:] {
			out := broadcast(dims, v.dims)
			if i+2 == len(c.in) {
				out = c.out
			}
			to := &block{size: product(out)}
			if !c.join(what, to, out, a, dims, c.block(i+1), v.dims) {
				return false
			}
			a, dims = to, out
		}
		c.values[c.Output(0)] = &value{dims: c.out, block: a}
		return true
	}
}

// broadcast returns the broadcast dimensions of two tensors; inference has checked that they fit.
func broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, d := range b {
		out[len(a)-len(b)+i] = max(out[len(a)-len(b)+i], d)
	}
	return out
}

// join adds a step that applies a function to two tensors.
func (p *planner) join(what int, to *block, out []int, a *block, aDims []int, b *block, bDims []int) bool {
	dims, strides := merged(out, contiguous(out), spread(aDims, out), spread(bDims, out))
	if len(dims) > kernel.StepAxes {
		return false
	}
	w := &work{step: kernel.Step{Kind: kernel.StepJoin, What: what}, writes: [2]*block{to}, reads: [3]*block{a, b}, over: []int{0, 1}}
	along(&w.step, dims, strides)
	p.step(w)
	return true
}

// contiguous returns the strides of a tensor without gaps.
func contiguous(dims []int) []int {
	out, n := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = n
		n *= dims[i]
	}
	return out
}

// spread returns the strides that broadcast a tensor to larger dimensions: 0 along axes of
// one element.
func spread(dims, out []int) []int {
	own, strides := contiguous(dims), make([]int, len(out))
	for i, d := range dims {
		if d != 1 {
			strides[len(out)-len(dims)+i] = own[i]
		}
	}
	return strides
}

// merged joins axes that are contiguous in all tensors and drops axes of one element.
func merged(dims []int, strides ...[]int) ([]int, [][]int) {
	var out []int
	steps := make([][]int, len(strides))
	for i, d := range dims {
		if d == 1 {
			continue
		}
		last := len(out) - 1
		goesOn := last >= 0
		for k := range strides {
			goesOn = goesOn && steps[k][last] == strides[k][i]*d
		}
		if goesOn {
			out[last] *= d
		} else {
			out = append(out, d)
			last++
			for k := range strides {
				steps[k] = append(steps[k], 0)
			}
		}
		for k := range strides {
			steps[k][last] = strides[k][i]
		}
	}
	if len(out) == 0 {
		out = []int{1}
		for k := range steps {
			steps[k] = []int{1}
		}
	}
	return out, steps
}

// along sets the axes of a step.
func along(s *kernel.Step, dims []int, strides [][]int) {
	for k := range s.Dims {
		s.Dims[k] = 1
	}
	front := kernel.StepAxes - len(dims)
	copy(s.Dims[front:], dims)
	for o, list := range strides {
		copy(s.Strides[o][front:], list)
	}
}

// reduction takes the mean, sum or maximum along neighbouring axes.
func reduction(what int) func(*call) bool {
	return func(c *call) bool {
		x := c.block(0)
		if x == nil {
			return false
		}
		list, _ := c.Ints("axes")
		axes, rank := sizes(list), len(c.in[0].dims)
		if len(c.in) > 1 && c.in[1] != nil {
			if axes = c.ints(1); axes == nil {
				return false
			}
		}
		gone := make([]bool, rank)
		for i := range gone {
			gone[i] = slices.Contains(axes, i) || slices.Contains(axes, i-rank) || len(axes) == 0 && c.Int("noop_with_empty_axes", 0) == 0
		}
		return c.reduce(what, x, c.in[0].dims, gone)
	}
}

// pool reduces all axes after the channels.
func pool(what int) func(*call) bool {
	return func(c *call) bool {
		x := c.block(0)
		if x == nil || len(c.in[0].dims) < 3 {
			return false
		}
		spatial := len(c.in[0].dims) - 2
		return c.reduce(what, x, c.in[0].dims, append([]bool{false, false}, slices.Repeat([]bool{true}, spatial)...))
	}
}

func (c *call) reduce(what int, x *block, dims []int, gone []bool) bool {
	first, last := slices.Index(gone, true), -1
	sides := [3]int{1, 1, 1}
	for i, g := range gone {
		if g {
			last = i
		}
	}
	if first < 0 {
		return view(c)
	}
	for i, d := range dims {
		side := 1
		if i < first {
			side = 0
		} else if i > last {
			side = 2
		} else if !gone[i] && d != 1 {
			return false
		}
		sides[side] *= d
	}
	w := &work{step: kernel.Step{Kind: kernel.StepReduce, What: what}, writes: [2]*block{c.give(c.Output(0), c.out)}, reads: [3]*block{x}}
	copy(w.step.Dims[:], sides[:])
	c.step(w)
	return true
}

// softmax runs over the attribute's axis, after which all axes must have size 1. Before opset 13 it runs
// over that axis and all later ones.
func softmax(logarithm int) func(*call) bool {
	return func(c *call) bool {
		x := c.block(0)
		rank := len(c.out)
		old := c.layout.model.Opset < 13
		axis := c.axis(map[bool]int64{true: 1, false: -1}[old], rank)
		if x == nil || axis < 0 || axis >= rank || !old && product(c.out[axis+1:]) != 1 {
			return false
		}
		w := &work{step: kernel.Step{Kind: kernel.StepSoftmax, What: logarithm}, writes: [2]*block{c.give(c.Output(0), c.out)}, reads: [3]*block{x}, over: []int{0}}
		w.step.Dims[0], w.step.Dims[1] = product(c.out[:axis]), product(c.out[axis:])
		c.step(w)
		return true
	}
}

func transpose(c *call) bool {
	x := c.block(0)
	if x == nil {
		return false
	}
	rank := len(c.out)
	perm, ok := c.Ints("perm")
	own, from := contiguous(c.in[0].dims), make([]int, rank)
	for i := range from {
		at := rank - 1 - i
		if ok {
			at = int(perm[i])
		}
		from[i] = own[at]
	}
	return c.copyTo(x, 0, from)
}

// copyTo makes the result a copy of elements of x, which start at offset at; from holds their strides in x.
func (c *call) copyTo(x *block, at int, from []int) bool {
	to := &block{size: product(c.out)}
	if !c.move(to, 0, x, at, c.out, contiguous(c.out), from) {
		return false
	}
	c.values[c.Output(0)] = &value{dims: c.out, block: to}
	return true
}

func concat(c *call) bool {
	axis := c.axis(0, len(c.out))
	for i := range c.in {
		if c.block(i) == nil {
			return false
		}
	}
	to, strides := c.give(c.Output(0), c.out), contiguous(c.out)
	at := 0
	for i, v := range c.in {
		inner := product(v.dims[axis:])
		c.move(to, at, c.block(i), 0, []int{product(v.dims[:axis]), inner}, []int{c.out[axis] * strides[axis], 1}, []int{inner, 1})
		at += inner
	}
	return true
}

// axis returns the attribute "axis", or def without it, counted from the front.
func (c *call) axis(def int64, rank int) int {
	axis := int(c.Int("axis", def))
	if axis < 0 {
		axis += rank
	}
	return axis
}

// ints returns the integers of a constant input; nil where it is left out or not known.
func (c *call) ints(i int) []int {
	if i >= len(c.in) || c.in[i] == nil || !c.in[i].fixed {
		return nil
	}
	list, err := c.in[i].tensor.Int64s()
	if err != nil {
		return nil
	}
	return sizes(list)
}

func slice(c *call) bool {
	x, starts, ends := c.block(0), c.ints(1), c.ints(2)
	if x == nil || len(c.in) < 3 || starts == nil || len(starts) != len(ends) {
		return false
	}
	dims := c.in[0].dims
	axes, by := c.ints(3), c.ints(4)
	if len(c.in) > 3 && c.in[3] != nil && len(axes) != len(starts) || len(c.in) > 4 && c.in[4] != nil && len(by) != len(starts) {
		return false
	}
	from, at := contiguous(dims), 0
	own := slices.Clone(from)
	for i, start := range starts {
		axis, step := i, 1
		if axes != nil {
			axis = axes[i]
		}
		if by != nil {
			step = by[i]
		}
		if axis < 0 {
			axis += len(dims)
		}
		if axis < 0 || axis >= len(dims) || step < 1 {
			return false
		}
		if start < 0 {
			start += dims[axis]
		}
		at += min(max(start, 0), dims[axis]) * own[axis]
		from[axis] *= step
	}
	return c.copyTo(x, at, from)
}

func split(c *call) bool {
	x := c.block(0)
	if x == nil {
		return false
	}
	dims := c.in[0].dims
	axis := c.axis(0, len(dims))
	strides, at := contiguous(dims), 0
	for _, name := range c.Outputs {
		part, ok := c.shapeOf(name)
		if !ok || len(part) != len(dims) {
			return false
		}
		to := c.give(name, part)
		inner := part[axis] * strides[axis]
		c.move(to, 0, x, at, []int{product(dims[:axis]), inner}, []int{inner, 1}, []int{dims[axis] * strides[axis], 1})
		at += inner
	}
	return true
}

func expand(c *call) bool {
	x := c.block(0)
	if x == nil {
		return false
	}
	return c.copyTo(x, 0, spread(c.in[0].dims, c.out))
}
