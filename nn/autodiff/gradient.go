package autodiff

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// ErrNoGradient marks a graph in which an operator between a weight and the loss has no rule here,
// or no rule for its form.
var ErrNoGradient = errors.New("cannot be differentiated")

// Gradients appends to a copy of m the derivatives of the output loss, a scalar, with respect to
// values of the graph. It returns a builder that continues the copy, and the derivative for each value
// in wrt, in the value's shape; "" if the loss does not depend on the value. Derivatives do not pass
// through the values named in stop.
//
// If kernels is true, the graph is meant for fuse.Training: the derivative of a 3x3 convolution's
// weights is written as one convolution, which onnxruntime would run slowly.
//
// Errors wrap ErrNoGradient, onnx.ErrBuild or the errors of onnx.Extend.
func Gradients(m *onnx.Model, loss string, wrt []string, kernels bool, stop ...string) (*onnx.Builder, []onnx.Value, error) {
	b, err := onnx.Extend(m)
	if err != nil {
		return nil, nil, err
	}
	t := &tape{
		kernels: kernels, b: b.In("grad"), needs: map[string]bool{}, flows: map[string][]onnx.Value{},
		turnedBatch: map[onnx.Value]onnx.Value{}, patched: map[patchKey]onnx.Value{},
	}
	nodes := m.Graph.Nodes
	if len(m.Functions) > 0 {
		return nil, nil, fmt.Errorf("%w: the model defines operators for itself; inline them first", ErrNoGradient)
	}
	t.consts = m.Graph.InitializerMap()
	t.reach(nodes, wrt, stop)
	if !t.needs[loss] {
		return nil, nil, fmt.Errorf("%w: %s does not depend on any weight", ErrNoGradient, loss)
	}
	if n := t.elems(onnx.Value(loss)); n != 1 && b.Err() == nil {
		return nil, nil, fmt.Errorf("%w: the loss %s has %d elements, not one", ErrNoGradient, loss, n)
	}
	t.flows[loss] = []onnx.Value{t.b.Scalar(1)}
	for _, n := range slices.Backward(nodes) {
		if err := t.back(n); err != nil {
			return nil, nil, err
		}
	}
	grads := make([]onnx.Value, len(wrt))
	for i, name := range wrt {
		if g := t.total(name); g != "" {
			grads[i] = t.full(g, t.dims(onnx.Value(name)))
		}
	}
	return b, grads, b.Err()
}

// tape holds a differentiation in progress.
type tape struct {
	b       *onnx.Builder
	kernels bool                    // see Gradients
	needs   map[string]bool         // values that depend on wrt
	flows   map[string][]onnx.Value // contributions to a value's derivative; they may be narrow, see doc.go
	consts  map[string]*onnx.Tensor

	turnedBatch map[onnx.Value]onnx.Value // see batchLast
	patched     map[patchKey]onnx.Value   // see patches
}

// reach marks every value that depends on one of wrt other than through a value in stop.
func (t *tape) reach(nodes []*onnx.Node, wrt, stop []string) {
	for _, name := range wrt {
		t.needs[name] = true
	}
	for _, n := range nodes {
		if !slices.ContainsFunc(n.Inputs, func(in string) bool { return t.needs[in] }) {
			continue
		}
		for _, out := range n.Outputs {
			typ := t.b.Type(onnx.Value(out))
			if out != "" && (typ == onnx.Float || typ == onnx.Undefined) && !slices.Contains(stop, out) {
				t.needs[out] = true
			}
		}
	}
}

// back passes the derivative of a node's outputs on to its inputs.
func (t *tape) back(n *onnx.Node) error {
	s := &step{tape: t, n: n, dys: make([]onnx.Value, len(n.Outputs))}
	live := false
	for i, out := range n.Outputs {
		if out != "" && t.needs[out] {
			s.dys[i] = t.total(out)
			live = live || s.dys[i] != ""
		}
	}
	if !live {
		return nil
	}
	key := n.OpType
	if !n.IsDefault() {
		key = n.Domain + "." + key
	}
	r, ok := rules[key]
	if !ok {
		return fmt.Errorf("%w: there is no rule for operator %s (node %v)", ErrNoGradient, key, n)
	}
	if r(s); s.err != nil {
		return fmt.Errorf("%w: %v: %w", ErrNoGradient, n, s.err)
	}
	if err := t.b.Err(); err != nil {
		return fmt.Errorf("gradient of %v: %w", n, err)
	}
	return nil
}

// total sums the contributions to the derivative of a value; "" without any.
func (t *tape) total(name string) onnx.Value {
	list := t.flows[name]
	if len(list) == 0 {
		return ""
	}
	// Smallest first, so that sums are broadcast late.
	slices.SortStableFunc(list, func(x, y onnx.Value) int { return int(t.elems(x) - t.elems(y)) })
	sum := list[0]
	for _, v := range list[1:] {
		sum = t.b.Add(v, sum)
	}
	t.flows[name] = []onnx.Value{sum}
	return sum
}

// dims returns a value's shape; every shape in a training graph is known.
func (t *tape) dims(v onnx.Value) []int64 {
	d, ok := t.b.Shape(v).Sizes()
	if !ok {
		t.b.Fail("the shape of %s is %v; training graphs need numbers", v, t.b.Shape(v))
	}
	return d
}

func (t *tape) elems(v onnx.Value) int64 {
	n := int64(1)
	for _, d := range t.dims(v) {
		n *= d
	}
	return n
}

// full repeats a narrow derivative along its axes of size 1 to the given dimensions.
func (t *tape) full(v onnx.Value, dims []int64) onnx.Value {
	if slices.Equal(t.dims(v), dims) {
		return v
	}
	return t.b.Op("Expand", nil, v, t.b.Ints(dims...))
}

// reshape returns v with other dimensions, or v itself if they are the same.
func (t *tape) reshape(v onnx.Value, dims []int64) onnx.Value {
	if slices.Equal(t.dims(v), dims) {
		return v
	}
	return t.b.Reshape(v, dims...)
}

// sumTo sums v, the derivative of a result, over the axes along which an operand was broadcast. The
// parameter from has the result's dimensions, to has the operand's. v may be narrow.
func (t *tape) sumTo(v onnx.Value, from, to []int64) onnx.Value {
	have := align(t.dims(v), len(from))
	want := align(to, len(from))
	factor := int64(1)
	var axes []int64
	for i := range from {
		switch {
		case want[i] != 1 || from[i] == 1:
		case have[i] == 1:
			factor *= from[i]
		default:
			axes = append(axes, int64(i))
		}
	}
	if len(axes) > 0 {
		v = t.sumAxes(t.reshape(v, have), axes)
	}
	if factor != 1 {
		v = t.b.Mul(v, t.b.Scalar(float64(factor)))
	}
	// v now has as many elements as the operand, or is narrow.
	left := t.dims(v)
	if len(left) > len(to) {
		v = t.reshape(v, left[len(left)-len(to):])
	}
	return v
}

// align puts ones before dims until it has n elements.
func align(dims []int64, n int) []int64 {
	return append(slices.Repeat([]int64{1}, n-len(dims)), dims...)
}

// sumAxes sums v over axes, which then have size 1. Runtimes do this fast if the axes are adjacent, or
// are all but a block in the middle; otherwise sumAxes sums one block of adjacent axes at a time.
func (t *tape) sumAxes(v onnx.Value, axes []int64) onnx.Value {
	dims := t.dims(v)
	type group struct {
		sum  bool
		size int64
		axes []int64
	}
	var groups []group
	for i, d := range dims {
		sum := slices.Contains(axes, int64(i))
		if d == 1 && len(groups) > 0 {
			sum = groups[len(groups)-1].sum
		}
		if len(groups) == 0 || groups[len(groups)-1].sum != sum {
			groups = append(groups, group{sum: sum, size: 1})
		}
		g := &groups[len(groups)-1]
		g.size *= d
		if slices.Contains(axes, int64(i)) {
			g.axes = append(g.axes, int64(i))
		}
	}
	sums := 0
	for _, g := range groups {
		if g.sum {
			sums++
		}
	}
	if sums > 1 && len(groups) > 3 {
		for _, g := range slices.Backward(groups) {
			if g.sum {
				rest := slices.DeleteFunc(slices.Clone(axes), func(a int64) bool { return slices.Contains(g.axes, a) })
				return t.sumAxes(t.b.ReduceSum(v, true, g.axes...), rest)
			}
		}
	}
	return t.b.ReduceSum(v, true, axes...)
}

// rule passes s.dys on to the inputs of s.n, or sets s.err.
type rule func(s *step)

// step is one node in the reverse pass.
type step struct {
	*tape
	n   *onnx.Node
	dys []onnx.Value // derivative of each output, may be narrow; "" if the loss does not depend on it
	err error
}

// fail records as s.err that an operator is used in a form that has no rule.
func (s *step) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

func (s *step) x(i int) onnx.Value { return onnx.Value(s.n.Input(i)) }
func (s *step) y(i int) onnx.Value { return onnx.Value(s.n.Output(i)) }

// dy returns the derivative of the first output, which may be narrow.
func (s *step) dy() onnx.Value { return s.dys[0] }

// fullDy returns the derivative of the first output in that output's shape.
func (s *step) fullDy() onnx.Value { return s.full(s.dys[0], s.dims(s.y(0))) }

// wants reports whether the derivative of input i is needed.
func (s *step) wants(i int) bool { return s.n.Input(i) != "" && s.needs[s.n.Input(i)] }

// add contributes v, which may be narrow, to the derivative of input i.
func (s *step) add(i int, v onnx.Value) {
	name := s.n.Input(i)
	s.flows[name] = append(s.flows[name], v)
}

// addSum contributes v, a derivative in the output's shape, to input i, summed over the axes of its broadcast.
func (s *step) addSum(i int, v onnx.Value) {
	s.add(i, s.sumTo(v, s.dims(s.y(0)), s.dims(s.x(i))))
}

// constInts returns a copy of input i if that is a constant list of integers; else it fails.
func (s *step) constInts(i int) []int64 {
	c := s.consts[s.n.Input(i)]
	if c == nil {
		s.fail("input %d (%s) is not constant", i, s.n.Input(i))
		return nil
	}
	list, err := c.Int64s()
	if err != nil {
		s.fail("%w", err)
	}
	return list
}

// axes returns the axes of a node, from the attribute or from input i, counted from the
// front; all axes if neither is given.
func (s *step) axes(i int) []int64 {
	rank := int64(len(s.dims(s.x(0))))
	axes, ok := s.n.Ints("axes")
	if axes = slices.Clone(axes); !ok && s.n.Input(i) != "" {
		axes = s.constInts(i)
	}
	if len(axes) == 0 && s.n.Int("noop_with_empty_axes", 0) == 0 {
		for a := range rank {
			axes = append(axes, a)
		}
	}
	for j, a := range axes {
		if a < 0 {
			axes[j] += rank
		}
	}
	return axes
}

// axis returns the axis of input 0 that an attribute names, counted from the front.
func (s *step) axis(name string, def int64) int64 {
	a := s.n.Int(name, def)
	if a < 0 {
		a += int64(len(s.dims(s.x(0))))
	}
	return a
}
