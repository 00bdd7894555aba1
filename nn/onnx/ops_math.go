package onnx

// inferUnary is for operators whose result has the type and shape of their first input.
func inferUnary(c *call) { c.give(0, c.at(0).typ, c.shape(0)) }

func inferIdentity(c *call) { c.out[0] = c.at(0) }

func inferCast(c *call) {
	a, ok := c.Attrs["to"]
	if !ok || a.Kind != KindInt {
		c.fail("Cast names no target type")
	}
	c.give(0, DataType(a.I), c.shape(0))
	if to := c.out[0].typ; to == Int64 || to == Int32 {
		c.out[0].vals = c.at(0).vals
	}
}

func inferCastLike(c *call) { c.give(0, c.at(1).typ, c.shape(0)) }

func inferDropout(c *call) {
	c.give(0, c.at(0).typ, c.shape(0))
	c.give(1, Bool, c.shape(0))
}

func inferSoftmax(c *call) {
	typ := c.floats(0)
	if s := c.shape(0); s != nil {
		def := int64(-1)
		if c.opset < 13 {
			def = 1
		}
		c.axis(c.Int("axis", def), len(s))
	}
	c.give(0, typ, c.shape(0))
}

// broadcast joins shapes as numpy does.
func (c *call) broadcast(shapes ...Shape) Shape {
	rank := 0
	for _, s := range shapes {
		if s == nil {
			return nil
		}
		rank = max(rank, len(s))
	}
	out := make(Shape, rank)
	for i := range out {
		out[i] = D(1)
		for _, s := range shapes {
			j := i - rank + len(s)
			if j < 0 {
				continue
			}
			d, ok := broadcastDim(out[i], s[j])
			if !ok {
				c.fail("shapes %v cannot be broadcast together", shapes)
			}
			out[i] = d
		}
	}
	return out
}

// broadcastDim joins two dimensions; ok is false where they certainly differ.
func broadcastDim(a, b Dim) (d Dim, ok bool) {
	switch {
	case a.same(b), b.Known() && b.Size == 1:
		return a, true
	case a.Known() && a.Size == 1:
		return b, true
	case a.Known() && b.Known():
		return Dim{}, false
	case a.Known(): // b must be 1 or equal to a
		return a, true
	case b.Known():
		return b, true
	}
	return UnknownDim, true
}

func (c *call) broadcastInputs(inputs ...int) Shape {
	shapes := make([]Shape, len(inputs))
	for i, in := range inputs {
		shapes[i] = c.shape(in)
	}
	return c.broadcast(shapes...)
}

func (c *call) all() []int {
	list := make([]int, len(c.Inputs))
	for i := range list {
		list[i] = i
	}
	return list
}

func inferArithmetic(c *call) {
	typ := c.sameTypes(c.all()...)
	c.give(0, typ, c.broadcastInputs(c.all()...))
	if len(c.in) == 2 && typ.IsInt() {
		c.out[0].vals = c.zip(0, 1, arithmetic(c.OpType))
	}
}

// arithmetic returns the function by which an operator computes one element from two;
// unknown operands give an unknown element.
func arithmetic(op string) func(a, b elem) elem {
	return func(a, b elem) elem {
		switch {
		case (op == "Mul" || op == "Div") && b == number(1), (op == "Add" || op == "Sub") && b == number(0):
			return a
		case op == "Mul" && a == number(1), op == "Add" && a == number(0):
			return b
		case !a.known || !b.known:
			return elem{}
		}
		switch op {
		case "Add":
			return number(a.n + b.n)
		case "Sub":
			return number(a.n - b.n)
		case "Mul":
			return number(a.n * b.n)
		case "Max":
			return number(max(a.n, b.n))
		case "Min":
			return number(min(a.n, b.n))
		case "Div":
			if b.n != 0 {
				return number(a.n / b.n)
			}
		}
		return elem{}
	}
}

// zip combines the elements of two inputs; a single element is combined with each element of the
// other input.
func (c *call) zip(x, y int, f func(a, b elem) elem) []elem {
	a, b := c.at(x).vals, c.at(y).vals
	if a == nil || b == nil || len(a) != len(b) && len(a) != 1 && len(b) != 1 {
		return nil
	}
	out := make([]elem, max(len(a), len(b)))
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	for i := range out {
		out[i] = f(a[min(i, len(a)-1)], b[min(i, len(b)-1)])
	}
	return out
}

func inferPow(c *call) { c.give(0, c.at(0).typ, c.broadcastInputs(0, 1)) }

func inferCompare(c *call) {
	c.sameTypes(0, 1)
	c.give(0, Bool, c.broadcastInputs(0, 1))
	if c.OpType == "Equal" {
		c.out[0].vals = c.zip(0, 1, func(a, b elem) elem {
			switch {
			case a.known && b.known && a.n == b.n, a.sym != "" && a.sym == b.sym:
				return number(1)
			case a.known && b.known, a.sym != "" && b.known && b.n < 0, b.sym != "" && a.known && a.n < 0:
				return number(0) // a size is never negative
			}
			return elem{}
		})
	}
}

func inferWhere(c *call) {
	typ := c.sameTypes(1, 2)
	if t := c.at(0).typ; t != Undefined && t != Bool {
		c.fail("the condition of Where is %v instead of bool", t)
	}
	c.give(0, typ, c.broadcastInputs(0, 1, 2))
	cond, x, y := c.at(0).vals, c.at(1).vals, c.at(2).vals
	if cond == nil || len(x) != len(cond) || len(y) != len(cond) {
		return
	}
	vals := make([]elem, len(cond))
	for i, v := range cond {
		switch {
		case !v.known:
		case v.n != 0:
			vals[i] = x[i]
		default:
			vals[i] = y[i]
		}
	}
	c.out[0].vals = vals
}

func inferGemm(c *call) {
	typ := c.sameTypes(0, 1, 2)
	out := Shape{UnknownDim, UnknownDim}
	inner := [2]Dim{UnknownDim, UnknownDim}
	for i, name := range []string{"transA", "transB"} {
		s := c.shape(i)
		if s == nil {
			continue
		}
		if len(s) != 2 {
			c.fail("input %d (%q) is %v, 2 dimensions are needed", i, c.Input(i), s)
		}
		// A is [M,K] and B is [K,N], unless transposed.
		outer := i
		if c.Int(name, 0) != 0 {
			outer = 1 - i
		}
		out[i], inner[i] = s[outer], s[1-outer]
	}
	if inner[0].Known() && inner[1].Known() && inner[0] != inner[1] {
		c.fail("%v times %v: the inner sizes %v and %v differ", c.shape(0), c.shape(1), inner[0], inner[1])
	}
	if bias := c.shape(2); c.has(2) && bias != nil && out.Known() {
		if !c.broadcast(out, bias).Same(out) {
			c.fail("a bias of shape %v does not fit a result of %v", bias, out)
		}
	}
	c.give(0, typ, out)
}

func inferMatMul(c *call) {
	typ := c.sameTypes(0, 1)
	a, b := c.shape(0), c.shape(1)
	if a == nil || b == nil {
		return
	}
	if len(a) == 0 || len(b) == 0 {
		c.fail("MatMul of a scalar")
	}
	if len(a) == 1 {
		a = Shape{D(1), a[0]}
	}
	if len(b) == 1 {
		b = Shape{b[0], D(1)}
	}
	ka, kb := a[len(a)-1], b[len(b)-2]
	if ka.Known() && kb.Known() && ka != kb {
		c.fail("%v times %v: the inner sizes %v and %v differ", c.shape(0), c.shape(1), ka, kb)
	}
	out := c.broadcast(a[:len(a)-2], b[:len(b)-2])
	if len(c.shape(0)) > 1 {
		out = append(out, a[len(a)-2])
	}
	if len(c.shape(1)) > 1 {
		out = append(out, b[len(b)-1])
	}
	c.give(0, typ, out)
}

// inferAttention is the rule of Attention in [KernelDomain]: tokens [N,S,...] become [N,S,heads*v_dim].
func inferAttention(c *call) {
	typ, x := c.floats(0), c.shape(0)
	heads, dim := c.Int("heads", 0), c.Int("v_dim", 0)
	if x != nil && len(x) != 3 || min(heads, dim) < 1 || max(heads, dim) > 1<<16 {
		c.fail("attention of %d heads of %d values over %v", heads, dim, x)
	}
	if x != nil {
		c.give(0, typ, Shape{x[0], x[1], D(heads * dim)})
	}
}
