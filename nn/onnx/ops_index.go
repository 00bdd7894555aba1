package onnx

import (
	"fmt"
	"math"
	"slices"
)

// axes returns the axes of Squeeze, Unsqueeze or a reduction: an attribute in
// older opsets, input i in newer ones. given is false if the node has none,
// known is false if they are a value that is not constant.
func (c *call) axes(i int) (axes []int64, given, known bool) {
	if list, ok := c.Ints("axes"); ok {
		return list, true, true
	}
	if !c.has(i) {
		return nil, false, true
	}
	list, ok := c.list(i)
	return list, true, ok
}

// mark turns a list of axes into a set, indexed by axis.
func (c *call) mark(axes []int64, rank int) []bool {
	set := make([]bool, rank)
	for _, a := range axes {
		i := c.axis(a, rank)
		if set[i] {
			c.fail("axis %d is given twice", a)
		}
		set[i] = true
	}
	return set
}

func inferSqueeze(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	axes, given, known := c.axes(1)
	if x == nil || !known || !given && !x.Known() {
		return
	}
	set := c.mark(axes, len(x))
	out := Shape{}
	for i, d := range x {
		switch {
		case !given && d.Size == 1:
		case !set[i]:
			out = append(out, d)
		case d.Known() && d.Size != 1:
			c.fail("axis %d of %v is to be dropped and is not 1", i, x)
		}
	}
	c.give(0, typ, out)
	c.out[0].vals = c.at(0).vals
}

func inferUnsqueeze(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	axes, given, known := c.axes(1)
	if !given {
		c.fail("Unsqueeze has no axes")
	}
	if x == nil || !known {
		return
	}
	set := c.mark(axes, len(x)+len(axes))
	out := make(Shape, 0, len(set))
	for i, rest := 0, x; i < len(set); i++ {
		if set[i] {
			out = append(out, D(1))
			continue
		}
		out, rest = append(out, rest[0]), rest[1:]
	}
	c.give(0, typ, out)
	if len(out) <= 1 {
		c.out[0].vals = c.at(0).vals
	}
}

func inferReduce(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	axes, given, known := c.axes(1)
	keep := c.Int("keepdims", 1) != 0
	if x == nil || !known {
		if x != nil && keep {
			c.give(0, typ, slices.Repeat(Shape{UnknownDim}, len(x)))
		}
		return
	}
	set := c.mark(axes, len(x))
	everything := (!given || len(axes) == 0) && c.Int("noop_with_empty_axes", 0) == 0
	out := Shape{}
	for i, d := range x {
		switch {
		case !set[i] && !everything:
			out = append(out, d)
		case keep:
			out = append(out, D(1))
		}
	}
	c.give(0, typ, out)
}

func inferArg(c *call) {
	x := c.shape(0)
	if x == nil {
		c.give(0, Int64, nil)
		return
	}
	axis := c.axis(c.Int("axis", 0), len(x))
	out := slices.Clone(x)
	out[axis] = D(1)
	if c.Int("keepdims", 1) == 0 {
		out = slices.Delete(out, axis, axis+1)
	}
	c.give(0, Int64, out)
}

func inferGather(c *call) {
	typ, x, idx := c.at(0).typ, c.shape(0), c.shape(1)
	if x == nil || idx == nil {
		return
	}
	axis := c.axis(c.Int("axis", 0), len(x))
	c.give(0, typ, append(append(append(Shape{}, x[:axis]...), idx...), x[axis+1:]...))
	picks, known := c.list(1)
	if !known {
		return
	}
	for _, p := range picks {
		if d := x[axis]; d.Known() && (p < -d.Size || p >= d.Size) {
			c.fail("index %d of axis %d, which has %v entries", p, axis, d)
		}
	}
	if vals := c.at(0).vals; vals != nil && len(x) == 1 && len(idx) <= 1 {
		out := make([]elem, len(picks))
		for i, p := range picks {
			if p < 0 {
				p += int64(len(vals))
			}
			out[i] = vals[p]
		}
		c.out[0].vals = out
	}
}

// span returns the first index and the number of the entries that a slice takes from an axis of
// size n.
func span(n, start, end, step int64) (first, entries int64) {
	low, high := int64(0), n // bounds of start and end
	if step < 0 {
		low, high = -1, n-1
	}
	clamp := func(i int64) int64 {
		if i < 0 {
			i = max(i, -n-1) + n
		}
		return min(max(i, low), high)
	}
	start, end = clamp(start), clamp(end)
	switch {
	case step > 0 && end > start:
		return start, (end-start-1)/step + 1
	case step < 0 && start > end:
		return start, (end-start+1)/step + 1
	}
	return start, 0
}

// sliceArgs returns starts, ends, axes and steps of a Slice; ok is false where
// they are not constant.
func (c *call) sliceArgs(rank int) (args [4][]int64, ok bool) {
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		list, given := c.Ints(name)
		if c.has(i + 1) {
			if list, given = c.list(i + 1); !given {
				return args, false
			}
		}
		switch {
		case given:
		case i < 2:
			c.fail("Slice has no %s", name)
		case name == "axes":
			for a := range args[0] {
				list = append(list, int64(a))
			}
		default:
			list = slices.Repeat([]int64{1}, len(args[0]))
		}
		args[i] = list
		if len(list) != len(args[0]) || len(list) > rank {
			c.fail("%d %s for %d starts of %d axes", len(list), name, len(args[0]), rank)
		}
	}
	return args, true
}

func inferSlice(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	if x == nil {
		return
	}
	args, known := c.sliceArgs(len(x))
	if !known {
		c.give(0, typ, slices.Repeat(Shape{UnknownDim}, len(x)))
		return
	}
	c.mark(args[2], len(x))
	out := slices.Clone(x)
	for i, a := range args[2] {
		axis := c.axis(a, len(x))
		start, end, step := args[0][i], args[1][i], args[3][i]
		switch d := x[axis]; {
		case step == 0 || step == math.MinInt64:
			c.fail("step %d", step)
		case d.Known():
			_, n := span(d.Size, start, end, step)
			out[axis] = D(n)
		case start == 0 && step == 1 && end >= math.MaxInt32:
		default:
			out[axis] = UnknownDim
		}
	}
	c.give(0, typ, out)
	if vals := c.at(0).vals; vals != nil && len(x) == 1 && len(args[0]) == 1 {
		first, n := span(int64(len(vals)), args[0][0], args[1][0], args[3][0])
		picked := make([]elem, n)
		for i := range picked {
			picked[i] = vals[first+int64(i)*args[3][0]]
		}
		c.out[0].vals = picked
	}
}

func inferExpand(c *call) {
	if target := c.rankFrom(1); target != nil {
		c.give(0, c.at(0).typ, c.broadcast(c.shape(0), target))
	}
}

func inferPad(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	pads, known := c.Ints("pads")
	if c.has(1) {
		pads, known = c.list(1)
	}
	if x == nil {
		return
	}
	if !known || c.has(3) {
		c.give(0, typ, slices.Repeat(Shape{UnknownDim}, len(x)))
		return
	}
	if len(pads) != 2*len(x) {
		c.fail("pads %v of a value of shape %v", pads, x)
	}
	out := slices.Clone(x)
	for i := range out {
		before, after := pads[i], pads[i+len(x)]
		if max(before, after) > 1<<31 || min(before, after) < -1<<31 {
			c.fail("pads %v", pads)
		}
		switch d := x[i]; {
		case before == 0 && after == 0:
		case d.Known() && d.Size < 1<<62:
			if out[i] = D(d.Size + before + after); out[i].Size < 0 {
				c.fail("pads %v of a value of shape %v", pads, x)
			}
		default:
			out[i] = UnknownDim
		}
	}
	c.give(0, typ, out)
}

func inferConstant(c *call) {
	t, err := ConstantTensor(c.Node)
	if err != nil {
		panic(fault{err})
	}
	c.out[0] = tensorInfo(t)
}

// ConstantTensor returns the value of a Constant node, whichever attribute
// holds it.
func ConstantTensor(n *Node) (*Tensor, error) {
	for name, a := range n.Attrs {
		switch {
		case name == "value" && a.Kind == KindTensor && a.T != nil:
			return a.T, a.T.Check()
		case name == "value_float" && a.Kind == KindFloat:
			return NewScalar("", a.F), nil
		case name == "value_floats" && a.Kind == KindFloats:
			return NewTensor("", a.Floats, int64(len(a.Floats))), nil
		case name == "value_int" && a.Kind == KindInt:
			return NewScalar("", a.I), nil
		case name == "value_ints" && a.Kind == KindInts:
			return NewTensor("", a.Ints, int64(len(a.Ints))), nil
		case name == "value_string" && a.Kind == KindString:
			return &Tensor{Type: String, Strings: []string{a.S}}, nil
		case name == "value_strings" && a.Kind == KindStrings:
			return &Tensor{Type: String, Dims: []int64{int64(len(a.Strings))}, Strings: a.Strings}, nil
		}
	}
	return nil, fmt.Errorf("%w: %s has no value that is known here", ErrGraph, n)
}

func inferConstantOfShape(c *call) {
	typ, fill := Float, elem{}
	if a, ok := c.Attrs["value"]; ok && a.T != nil {
		typ = a.T.Type
		if v := tensorInfo(a.T).vals; len(v) == 1 {
			fill = v[0]
		}
	}
	out := c.rankFrom(0)
	c.give(0, typ, out)
	if n, ok := out.Sizes(); ok && len(n) == 1 && n[0] <= maxVals && fill.known {
		c.out[0].vals = slices.Repeat([]elem{fill}, int(n[0]))
	}
}
