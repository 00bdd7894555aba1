package onnxref

import (
	"fmt"
	"slices"

	"kosumi/nn/onnx"
)

// shaping lists the operators that move elements and compute none.
func shaping() map[string]kernel {
	return map[string]kernel{
		"Reshape":         reshape,
		"Flatten":         flatten,
		"Transpose":       transpose,
		"Concat":          concat,
		"Split":           split,
		"Squeeze":         squeeze,
		"Unsqueeze":       unsqueeze,
		"Expand":          expand,
		"Tile":            tile,
		"Pad":             pad,
		"Shape":           shape,
		"Size":            func(c *call) ([]*array, error) { return []*array{intArray(nil, int64(c.in[0].len()))}, nil },
		"Constant":        constant,
		"ConstantOfShape": constantOfShape,
		"Range":           rangeOf,
	}
}

// intArray returns int64 elements of the given dimensions.
func intArray(dims []int, list ...int64) *array {
	return &array{typ: onnx.Int64, dims: dims, i: list}
}

// pick returns an array of dims whose elements come from the given places of
// a; a negative place leaves zero.
func pick(a *array, places []int, dims ...int) *array {
	out := alloc(a.typ, dims...)
	for k, j := range places {
		if j >= 0 {
			out.copyFrom(k, a, j)
		}
	}
	return out
}

// steps returns how far one step along each axis moves in an array of dims.
func steps(dims []int) []int {
	out := make([]int, len(dims))
	for k, n := len(dims)-1, 1; k >= 0; k-- {
		out[k] = n
		n *= dims[k]
	}
	return out
}

func reshape(c *call) ([]*array, error) {
	x, target := c.in[0], c.in[1].ints()
	known, free := 1, -1
	for k, d := range target {
		if d == 0 && c.Int("allowzero", 0) == 0 {
			if k >= len(x.dims) {
				return nil, errShape("dimension %d is to be kept of %v", k, x.dims)
			}
			target[k] = x.dims[k]
		}
		if d == -1 {
			free = k
			continue
		}
		known *= target[k]
	}
	if free >= 0 && known > 0 {
		target[free] = x.len() / known
		known *= target[free]
	}
	if known != x.len() {
		return nil, errShape("%v cannot be reshaped to %v", x.dims, target)
	}
	return []*array{clone(x).view(target...)}, nil
}

func flatten(c *call) ([]*array, error) {
	x := c.in[0]
	axis := int(c.Int("axis", 1))
	if axis < 0 {
		axis += len(x.dims)
	}
	if axis < 0 || axis > len(x.dims) {
		return nil, errShape("axis %d of %v", axis, x.dims)
	}
	return []*array{clone(x).view(size(x.dims[:axis]), size(x.dims[axis:]))}, nil
}

func transpose(c *call) ([]*array, error) {
	x := c.in[0]
	perm := c.list("perm", 1)
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
	return []*array{pick(x, walk(dims, strides, 0), dims...)}, nil
}

func concat(c *call) ([]*array, error) {
	axis, err := c.axis(c.Int("axis", 0), len(c.in[0].dims))
	if err != nil {
		return nil, err
	}
	dims := slices.Clone(c.in[0].dims)
	dims[axis] = 0
	for _, a := range c.in {
		if len(a.dims) != len(dims) {
			return nil, errShape("%v beside %v", a.dims, c.in[0].dims)
		}
		dims[axis] += a.dims[axis]
	}
	out := alloc(c.in[0].typ, dims...)
	row := size(dims[axis:])
	start := 0
	for _, a := range c.in {
		part := size(a.dims[axis:])
		if part > 0 && a.len()/part != size(dims[:axis]) {
			return nil, errShape("%v beside %v", a.dims, c.in[0].dims)
		}
		for k := range a.len() {
			out.copyFrom(k/part*row+start+k%part, a, k)
		}
		start += part
	}
	return []*array{out}, nil
}

func split(c *call) ([]*array, error) {
	x := c.in[0]
	axis, err := c.axis(c.Int("axis", 0), len(x.dims))
	if err != nil {
		return nil, err
	}
	sizes := c.list("split", 1)
	if parts := len(c.Outputs); sizes == nil {
		each := (x.dims[axis] + parts - 1) / parts
		for left := x.dims[axis]; len(sizes) < parts; left -= each {
			sizes = append(sizes, max(min(each, left), 0))
		}
	}
	var outs []*array
	start := 0
	for _, n := range sizes {
		if n < 0 || start+n > x.dims[axis] {
			return nil, errShape("split of %v into %v", x.dims, sizes)
		}
		dims := slices.Clone(x.dims)
		dims[axis] = n
		strides := steps(x.dims)
		outs = append(outs, pick(x, walk(dims, strides, start*strides[axis]), dims...))
		start += n
	}
	return outs, nil
}

func squeeze(c *call) ([]*array, error) {
	x := c.in[0]
	axes := c.list("axes", 1)
	drop := make([]bool, len(x.dims))
	for _, a := range axes {
		k, err := c.axis(int64(a), len(x.dims))
		if err != nil {
			return nil, err
		}
		if x.dims[k] != 1 {
			return nil, errShape("axis %d of %v is not 1", k, x.dims)
		}
		drop[k] = true
	}
	dims := []int{}
	for k, d := range x.dims {
		if !drop[k] && (axes != nil || d != 1) {
			dims = append(dims, d)
		}
	}
	return []*array{clone(x).view(dims...)}, nil
}

func unsqueeze(c *call) ([]*array, error) {
	x := c.in[0]
	axes := c.list("axes", 1)
	dims := make([]int, len(x.dims)+len(axes))
	for _, a := range axes {
		k, err := c.axis(int64(a), len(dims))
		if err != nil {
			return nil, err
		}
		dims[k] = -1
	}
	rest := x.dims
	for k, d := range dims {
		if d == -1 {
			dims[k] = 1
			continue
		}
		if len(rest) == 0 {
			return nil, errShape("axes %v of %v", axes, x.dims)
		}
		dims[k], rest = rest[0], rest[1:]
	}
	return []*array{clone(x).view(dims...)}, nil
}

func expand(c *call) ([]*array, error) {
	dims, err := broadcast(c.in[0].dims, c.in[1].ints())
	if err != nil {
		return nil, err
	}
	return []*array{pick(c.in[0], spread(c.in[0].dims, dims), dims...)}, nil
}

func tile(c *call) ([]*array, error) {
	x, times := c.in[0], c.in[1].ints()
	dims := slices.Clone(x.dims)
	for k := range dims {
		dims[k] *= times[k]
	}
	from, to := steps(x.dims), steps(dims)
	places := make([]int, size(dims))
	for k := range places {
		for axis := range dims {
			places[k] += k / to[axis] % dims[axis] % x.dims[axis] * from[axis]
		}
	}
	return []*array{pick(x, places, dims...)}, nil
}

func pad(c *call) ([]*array, error) {
	x, pads := c.in[0], c.list("pads", 1)
	if mode := c.Str("mode", "constant"); mode != "constant" || c.arg(3) != nil {
		return nil, fmt.Errorf("%w: Pad with mode %q or axes", onnx.ErrUnsupported, mode)
	}
	fill := float64(c.Float("value", 0))
	if v := c.arg(2); v != nil {
		fill = v.at(0)
	}
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
	out := pick(x, places, dims...)
	for k, j := range places {
		if j < 0 {
			out.set(k, fill)
		}
	}
	return []*array{out}, nil
}

func shape(c *call) ([]*array, error) {
	rank := int64(len(c.in[0].dims))
	from, to := c.Int("start", 0), c.Int("end", rank)
	if from < 0 {
		from += rank
	}
	if to < 0 {
		to += rank
	}
	from = min(max(from, 0), rank)
	to = max(min(max(to, 0), rank), from)
	list := []int64{}
	for _, d := range c.in[0].dims[from:to] {
		list = append(list, int64(d))
	}
	return []*array{intArray([]int{len(list)}, list...)}, nil
}

func constant(c *call) ([]*array, error) {
	t, err := onnx.ConstantTensor(c.Node)
	if err != nil {
		return nil, err
	}
	a, err := load(t)
	return []*array{a}, err
}

func constantOfShape(c *call) ([]*array, error) {
	typ, fill := onnx.Float, &array{typ: onnx.Float, f: []float64{0}}
	if a, ok := c.Attrs["value"]; ok && a.T != nil {
		v, err := load(a.T)
		if err != nil {
			return nil, err
		}
		typ, fill = v.typ, v
	}
	out := alloc(typ, c.in[0].ints()...)
	for k := range out.len() {
		out.copyFrom(k, fill, 0)
	}
	return []*array{out}, nil
}

func rangeOf(c *call) ([]*array, error) {
	start, limit, delta := c.in[0].at(0), c.in[1].at(0), c.in[2].at(0)
	if delta == 0 {
		return nil, errShape("a range in steps of 0")
	}
	n := 0
	for v := start; delta > 0 && v < limit || delta < 0 && v > limit; v += delta {
		n++
	}
	out := alloc(c.in[0].typ, n)
	for k := range n {
		out.set(k, start+float64(k)*delta)
	}
	return []*array{out}, nil
}
