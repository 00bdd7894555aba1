package onnxref

import (
	"slices"

	"kosumi/nn/onnx"
)

func reshape(c *call) *array {
	x, target := c.in[0], c.in[1].ints()
	known, free := 1, -1
	for k, d := range target {
		if d == 0 && c.Int("allowzero", 0) == 0 {
			target[k] = x.dims[k]
		}
		if d == -1 {
			free = k
			continue
		}
		known *= target[k]
	}
	if free >= 0 {
		target[free] = len(x.v) / known
	}
	return x.view(target...)
}

func flatten(c *call) *array {
	x := c.in[0]
	axis := c.axis(1, len(x.dims))
	return x.view(size(x.dims[:axis]), size(x.dims[axis:]))
}

func transpose(c *call) *array {
	x, perm := c.in[0], c.list("perm", 1)
	if perm == nil {
		for k := range x.dims {
			perm = append([]int{k}, perm...)
		}
	}
	from := steps(x.dims)
	dims, strides := make([]int, len(perm)), make([]int, len(perm))
	for k, p := range perm {
		dims[k], strides[k] = x.dims[p], from[p]
	}
	return pick(x, walk(dims, strides, 0), dims...)
}

func concat(c *call) *array {
	axis := c.axis(0, len(c.in[0].dims))
	dims := slices.Clone(c.in[0].dims)
	dims[axis] = 0
	for _, a := range c.in {
		dims[axis] += a.dims[axis]
	}
	out := alloc(c.in[0].typ, dims...)
	row, start := size(dims[axis:]), 0
	for _, a := range c.in {
		part := size(a.dims[axis:])
		for k, v := range a.v {
			out.v[k/part*row+start+k%part] = v
		}
		start += part
	}
	return out
}

func split(c *call) (outs []*array) {
	x := c.in[0]
	axis := c.axis(0, len(x.dims))
	sizes := c.list("split", 1)
	if parts := len(c.Outputs); sizes == nil {
		each := (x.dims[axis] + parts - 1) / parts
		for left := x.dims[axis]; len(sizes) < parts; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	start, strides := 0, steps(x.dims)
	for _, n := range sizes {
		dims := slices.Clone(x.dims)
		dims[axis] = n
		outs = append(outs, pick(x, walk(dims, strides, start*strides[axis]), dims...))
		start += n
	}
	return outs
}

func squeeze(c *call) *array {
	x, axes := c.in[0], c.list("axes", 1)
	dims := []int{}
	for k, d := range x.dims {
		if axes == nil && d != 1 || axes != nil && !slices.Contains(axes, k) && !slices.Contains(axes, k-len(x.dims)) {
			dims = append(dims, d)
		}
	}
	return x.view(dims...)
}

func unsqueeze(c *call) *array {
	x, axes := c.in[0], c.list("axes", 1)
	dims := make([]int, len(x.dims)+len(axes))
	for _, a := range axes {
		dims[front(a, len(dims))] = 1
	}
	rest := x.dims
	for k := range dims {
		if dims[k] == 0 {
			dims[k], rest = rest[0], rest[1:]
		}
	}
	return x.view(dims...)
}

func expand(c *call) *array {
	dims := broadcast(c.in[0].dims, c.in[1].ints())
	return pick(c.in[0], spread(c.in[0].dims, dims), dims...)
}

// pad adds zeros around x, or cuts where a pad is negative.
func pad(c *call) *array {
	x, pads := c.in[0], c.list("pads", 1)
	dims := slices.Clone(x.dims)
	for k := range dims {
		dims[k] += pads[k] + pads[k+len(dims)]
	}
	from, to := steps(x.dims), steps(dims)
	places := make([]int, size(dims))
	for k := range places {
		for axis := range dims {
			at := k/to[axis]%dims[axis] - pads[axis]
			if at < 0 || at >= x.dims[axis] {
				places[k] = -1
				break
			}
			places[k] += at * from[axis]
		}
	}
	return pick(x, places, dims...)
}

func shape(c *call) *array {
	x := c.in[0]
	part := x.dims[c.Int("start", 0):c.Int("end", int64(len(x.dims)))]
	return &array{onnx.Int64, []int{len(part)}, cast[float64](part)}
}

func constant(c *call) *array {
	t, err := onnx.ConstantTensor(c.Node)
	if err == nil {
		var a *array
		if a, err = load(t); err == nil {
			return a
		}
	}
	panic(err) // cannot happen, since onnx.Check has read the tensor
}

func slice(c *call) *array {
	x := c.in[0]
	starts, ends := c.list("starts", 1), c.list("ends", 2)
	axes, by := c.list("axes", 3), c.list("steps", 4)
	dims, strides, first := slices.Clone(x.dims), steps(x.dims), 0
	for k := range starts {
		axis, step := k, 1
		if axes != nil {
			axis = front(axes[k], len(dims))
		}
		if by != nil {
			step = by[k]
		}
		n := x.dims[axis]
		start, end := front(starts[k], n), front(ends[k], n)
		if step > 0 {
			start, end = min(max(start, 0), n), min(max(end, 0), n)
		} else {
			start, end = min(max(start, 0), n-1), min(max(end, -1), n-1)
		}
		dims[axis] = 0
		for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
			dims[axis]++
		}
		first += start * strides[axis]
		strides[axis] *= step
	}
	return pick(x, walk(dims, strides, first), dims...)
}

func gather(c *call) *array {
	x, idx := c.in[0], c.in[1]
	axis := c.axis(0, len(x.dims))
	inner, n := size(x.dims[axis+1:]), x.dims[axis]
	dims := slices.Concat(x.dims[:axis], idx.dims, x.dims[axis+1:])
	places := make([]int, 0, size(dims))
	for outer := range size(x.dims[:axis]) {
		for _, at := range idx.ints() {
			for k := range inner {
				places = append(places, (outer*n+front(at, n))*inner+k)
			}
		}
	}
	return pick(x, places, dims...)
}
