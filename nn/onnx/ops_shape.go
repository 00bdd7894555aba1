package onnx

import (
	"maps"
	"math"
	"slices"
)

// monomial is a product of numbers and symbols: how many elements a shape has.
type monomial struct {
	n    int64
	syms map[string]int
}

// count multiplies dimensions; ok is false where one is unknown or the product overflows.
func count(s Shape) (m monomial, ok bool) {
	m = monomial{n: 1, syms: map[string]int{}}
	for _, d := range s {
		switch {
		case d.Param != "":
			m.syms[d.Param]++
		case d.Size < 0:
			return m, false
		default:
			if m.n, ok = product([]int64{m.n, d.Size}); !ok {
				return m, false
			}
		}
	}
	return m, true
}

// over divides one product by another: the result is a dimension if a number or a single symbol
// is left, else unknown; ok is false if the division is certainly not exact.
func (m monomial) over(k monomial) (d Dim, ok bool) {
	rest := maps.Clone(m.syms)
	for sym, n := range k.syms {
		rest[sym] -= n
	}
	maps.DeleteFunc(rest, func(_ string, n int) bool { return n == 0 })
	if k.n == 0 {
		return UnknownDim, true
	}
	if len(rest) == 0 {
		if m.n%k.n != 0 {
			return Dim{}, false
		}
		return D(m.n / k.n), true
	}
	if len(rest) == 1 && m.n == k.n {
		for sym, n := range rest {
			if n == 1 {
				return Sym(sym), true
			}
		}
	}
	return UnknownDim, true
}

func inferReshape(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	target := c.at(1).vals
	if t := c.at(1).typ; t != Undefined && t != Int64 {
		c.fail("the shape %q is %v instead of int64", c.Input(1), t)
	}
	if target == nil {
		c.give(0, typ, c.rankFrom(1))
		return
	}
	out := make(Shape, len(target))
	free := -1
	for i, e := range target {
		out[i] = e.dim()
		switch {
		case e.known && e.n == -1:
			if free >= 0 {
				c.fail("two dimensions of -1")
			}
			free = i
		case e.known && e.n < 0:
			c.fail("dimension %d", e.n)
		case e.known && e.n == 0 && c.Int("allowzero", 0) == 0:
			if x != nil && i >= len(x) {
				c.fail("dimension %d is to be kept of %v", i, x)
			}
			out[i] = UnknownDim
			if x != nil {
				out[i] = x[i]
			}
		}
	}
	c.solve(x, out, free)
	c.give(0, typ, out)
	if len(out) <= 1 {
		c.out[0].vals = c.at(0).vals
	}
}

// solve uses the number of elements of x to find the one unknown dimension of out, and refuses an
// out that cannot have that number.
func (c *call) solve(x, out Shape, free int) {
	if x == nil {
		return
	}
	have, ok := count(x)
	if !ok {
		return
	}
	unknown := -1
	rest := Shape{}
	for i, d := range out {
		if d != UnknownDim && i != free {
			rest = append(rest, d)
			continue
		}
		if unknown >= 0 {
			return
		}
		unknown = i
	}
	want, ok := count(rest)
	if !ok {
		c.fail("dimensions %v are too large", out)
	}
	d, ok := have.over(want)
	if !ok || unknown < 0 && d.Known() && d.Size != 1 {
		c.fail("%v cannot be reshaped to %v", x, out)
	}
	if unknown >= 0 {
		out[unknown] = d
	}
}

// rankFrom returns the shape that the vector in input i holds, with unknown dimensions for unknown
// elements; nil if their number is unknown.
func (c *call) rankFrom(i int) Shape {
	if vals := c.at(i).vals; vals != nil {
		out := make(Shape, len(vals))
		for j, e := range vals {
			out[j] = e.dim()
		}
		return out
	}
	s := c.shape(i)
	if len(s) != 1 || !s[0].Known() || s[0].Size > maxVals {
		return nil
	}
	return slices.Repeat(Shape{UnknownDim}, int(s[0].Size))
}

func inferFlatten(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	out := Shape{UnknownDim, UnknownDim}
	if x != nil {
		axis := c.Int("axis", 1)
		if axis < -int64(len(x)) || axis > int64(len(x)) {
			c.fail("axis %d of %d", axis, len(x))
		}
		if axis < 0 {
			axis += int64(len(x))
		}
		for i, part := range []Shape{x[:axis], x[axis:]} {
			if m, ok := count(part); ok {
				out[i], _ = m.over(monomial{n: 1})
			}
		}
	}
	c.give(0, typ, out)
}

func inferTranspose(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	perm, ok := c.Ints("perm")
	if x == nil {
		return
	}
	if !ok {
		out := slices.Clone(x)
		slices.Reverse(out)
		c.give(0, typ, out)
		return
	}
	if len(perm) != len(x) {
		c.fail("perm %v of a value of shape %v", perm, x)
	}
	out, seen := make(Shape, len(x)), make([]bool, len(x))
	for i, p := range perm {
		if p < 0 || p >= int64(len(x)) || seen[p] {
			c.fail("perm %v is not a permutation of %d axes", perm, len(x))
		}
		seen[p], out[i] = true, x[p]
	}
	c.give(0, typ, out)
}

func inferConcat(c *call) {
	typ := c.sameTypes(c.all()...)
	a, ok := c.Attrs["axis"]
	if !ok || a.Kind != KindInt {
		c.fail("Concat has no axis")
	}
	for _, v := range c.in {
		if v.shape == nil {
			c.give(0, typ, nil)
			return
		}
	}
	out := slices.Clone(c.shape(0))
	axis := c.axis(a.I, len(out))
	sum, known := int64(0), true
	for i, v := range c.in {
		if len(v.shape) != len(out) {
			c.fail("input %d (%q) is %v, the first is %v", i, c.Input(i), v.shape, c.shape(0))
		}
		for j, d := range v.shape {
			switch {
			case j == axis:
				known = known && d.Known() && d.Size <= math.MaxInt64-sum
				if known {
					sum += d.Size
				}
			case d.Known() && out[j].Known() && d != out[j]:
				c.fail("input %d (%q) is %v, the first is %v", i, c.Input(i), v.shape, c.shape(0))
			case !out[j].Known() && d != UnknownDim:
				out[j] = d
			}
		}
	}
	if len(c.in) > 1 {
		out[axis] = UnknownDim
		if known {
			out[axis] = D(sum)
		}
	}
	c.give(0, typ, out)
	c.out[0].vals = c.joinVals()
}

// joinVals concatenates the elements of all inputs.
func (c *call) joinVals() []elem {
	vals := []elem{}
	for _, v := range c.in {
		switch {
		case v.vals != nil:
			vals = append(vals, v.vals...)
		case v.typ == Int64 && len(v.shape) == 1 && v.shape[0].Known() && v.shape[0].Size <= maxVals:
			vals = append(vals, make([]elem, v.shape[0].Size)...)
		default:
			return nil
		}
		if len(vals) > maxVals {
			return nil
		}
	}
	return vals
}

func inferSplit(c *call) {
	typ, x := c.at(0).typ, c.shape(0)
	sizes, known := c.Ints("split")
	if c.has(1) {
		sizes, known = c.list(1)
	}
	if x == nil {
		for i := range c.out {
			c.give(i, typ, nil)
		}
		return
	}
	axis := c.axis(c.Int("axis", 0), len(x))
	if known && len(sizes) != len(c.out) {
		c.fail("%d sizes %v for %d outputs", len(sizes), sizes, len(c.out))
	}
	for i := range c.out {
		s := slices.Clone(x)
		s[axis] = UnknownDim
		parts := int64(len(c.out))
		switch {
		case known:
			s[axis] = D(sizes[i])
		case c.has(1):
		case x[axis].Known() && (x[axis].Size+parts-1)/parts*(parts-1) <= x[axis].Size:
			each := (x[axis].Size + parts - 1) / parts
			s[axis] = D(min(each, x[axis].Size-int64(i)*each))
		}
		c.give(i, typ, s)
	}
}

func inferShape(c *call) {
	x := c.shape(0)
	if x == nil {
		c.give(0, Int64, Shape{UnknownDim})
		return
	}
	rank := int64(len(x))
	from, to := c.Int("start", 0), c.Int("end", rank)
	if from < 0 {
		from += rank
	}
	if to < 0 {
		to += rank
	}
	from = min(max(from, 0), rank)
	to = max(min(max(to, 0), rank), from)
	vals := make([]elem, 0, to-from)
	for _, d := range x[from:to] {
		vals = append(vals, elemOf(d))
	}
	c.out[0] = info{typ: Int64, shape: ShapeOf(to - from), vals: vals}
}
