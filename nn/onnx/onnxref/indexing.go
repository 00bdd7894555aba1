package onnxref

import (
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// indexing lists the operators that pick elements by place.
func indexing() map[string]kernel {
	return map[string]kernel{
		"Slice":          slice,
		"Gather":         gather,
		"GatherElements": gatherElements,
		"OneHot":         oneHot,
		"CumSum":         cumSum,
		"ArgMax":         func(c *call) ([]*array, error) { return arg(c, func(a, b float64) bool { return a > b }) },
		"ArgMin":         func(c *call) ([]*array, error) { return arg(c, func(a, b float64) bool { return a < b }) },
	}
}

func slice(c *call) ([]*array, error) {
	x := c.in[0]
	starts, ends := c.list("starts", 1), c.list("ends", 2)
	axes, by := c.list("axes", 3), c.list("steps", 4)
	dims, strides, first := slices.Clone(x.dims), steps(x.dims), 0
	for k := range starts {
		a, step := k, 1
		if axes != nil {
			a = axes[k]
		}
		if by != nil {
			step = by[k]
		}
		axis, err := c.axis(int64(a), len(dims))
		if err != nil {
			return nil, err
		}
		if step == 0 {
			return nil, errShape("a slice in steps of 0")
		}
		start, n := cut(x.dims[axis], starts[k], ends[k], step)
		dims[axis] = n
		if n > 0 {
			first += start * strides[axis]
		}
		strides[axis] *= step
	}
	return []*array{pick(x, walk(dims, strides, first), dims...)}, nil
}

// cut counts the entries of start, start+step, ... before end, with places as
// Slice takes them: negative from the end, then held inside the axis.
func cut(n, start, end, step int) (first, entries int) {
	if start < 0 {
		start += n
	}
	if end < 0 && end != math.MinInt {
		end += n
	}
	if step > 0 {
		start, end = min(max(start, 0), n), min(max(end, 0), n)
	} else {
		start, end = min(max(start, 0), n-1), min(max(end, -1), n-1)
	}
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		entries++
	}
	return start, entries
}

func gather(c *call) ([]*array, error) {
	x, idx := c.in[0], c.in[1]
	axis, err := c.axis(c.Int("axis", 0), len(x.dims))
	if err != nil {
		return nil, err
	}
	inner, n := size(x.dims[axis+1:]), x.dims[axis]
	dims := append(append(slices.Clone(x.dims[:axis]), idx.dims...), x.dims[axis+1:]...)
	places := make([]int, 0, size(dims))
	for outer := range size(x.dims[:axis]) {
		for _, at := range idx.ints() {
			if at < 0 {
				at += n
			}
			if at < 0 || at >= n {
				return nil, errShape("index %d of %d", at, n)
			}
			for k := range inner {
				places = append(places, (outer*n+at)*inner+k)
			}
		}
	}
	return []*array{pick(x, places, dims...)}, nil
}

func gatherElements(c *call) ([]*array, error) {
	x, idx := c.in[0], c.in[1]
	axis, err := c.axis(c.Int("axis", 0), len(x.dims))
	if err != nil {
		return nil, err
	}
	from, to := steps(x.dims), steps(idx.dims)
	places := make([]int, idx.len())
	for k := range places {
		for a := range idx.dims {
			at := k / to[a] % idx.dims[a]
			if a == axis {
				if at = int(idx.i[k]); at < 0 {
					at += x.dims[axis]
				}
			}
			if at < 0 || at >= x.dims[a] {
				return nil, errShape("index %d of %d", at, x.dims[a])
			}
			places[k] += at * from[a]
		}
	}
	return []*array{pick(x, places, idx.dims...)}, nil
}

func oneHot(c *call) ([]*array, error) {
	idx, depth, values := c.in[0], int(c.in[1].at(0)), c.in[2]
	axis, err := c.axis(c.Int("axis", -1), len(idx.dims)+1)
	if err != nil {
		return nil, err
	}
	dims := slices.Insert(slices.Clone(idx.dims), axis, depth)
	inner := size(idx.dims[axis:])
	out := alloc(values.typ, dims...)
	for k := range out.len() {
		at := int(idx.at(k/(inner*depth)*inner + k%inner))
		if at < 0 {
			at += depth
		}
		hot := 0
		if k/inner%depth == at {
			hot = 1
		}
		out.copyFrom(k, values, hot)
	}
	return []*array{out}, nil
}

func cumSum(c *call) ([]*array, error) {
	x := c.in[0]
	axis, err := c.axis(int64(c.in[1].at(0)), len(x.dims))
	if err != nil {
		return nil, err
	}
	inner, n := size(x.dims[axis+1:]), x.dims[axis]
	out := alloc(x.typ, x.dims...)
	for lane := range x.len() / max(n, 1) {
		first, sum := lane/inner*inner*n+lane%inner, 0.0
		for i := range n {
			k := i
			if c.Int("reverse", 0) != 0 {
				k = n - 1 - i
			}
			v := x.at(first + k*inner)
			if c.Int("exclusive", 0) != 0 {
				out.set(first+k*inner, sum)
				sum += v
				continue
			}
			sum += v
			out.set(first+k*inner, sum)
		}
	}
	return []*array{out}, nil
}

func arg(c *call, better func(a, b float64) bool) ([]*array, error) {
	x := c.in[0]
	axis, err := c.axis(c.Int("axis", 0), len(x.dims))
	if err != nil {
		return nil, err
	}
	inner, n := size(x.dims[axis+1:]), x.dims[axis]
	dims := slices.Clone(x.dims)
	dims[axis] = 1
	if c.Int("keepdims", 1) == 0 {
		dims = slices.Delete(dims, axis, axis+1)
	}
	out := alloc(onnx.Int64, dims...)
	for lane := range out.i {
		first, best := lane/inner*inner*n+lane%inner, 0
		for i := 1; i < n; i++ {
			a, b := x.at(first+i*inner), x.at(first+best*inner)
			if better(a, b) || a == b && c.Int("select_last_index", 0) != 0 {
				best = i
			}
		}
		out.i[lane] = int64(best)
	}
	return []*array{out}, nil
}
