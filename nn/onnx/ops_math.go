package onnx

import "slices"

func inferUnary(c *call) error {
	c.give(0, c.at(0).typ, c.shape(0))
	return nil
}

// inferFirst is for operators whose result has the type and shape of their first input.
func inferFirst(c *call) error { return inferUnary(c) }

func inferIdentity(c *call) error {
	c.out[0] = c.at(0)
	return nil
}

func inferCast(c *call) error {
	a, ok := c.Attrs["to"]
	if !ok || a.Kind != KindInt {
		return c.errorf("Cast names no target type")
	}
	c.give(0, DataType(a.I), c.shape(0))
	if to := c.out[0].typ; to == Int64 || to == Int32 {
		c.out[0].vals = c.at(0).vals
	}
	return nil
}

func inferCastLike(c *call) error {
	c.give(0, c.at(1).typ, c.shape(0))
	return nil
}

func inferDropout(c *call) error {
	c.give(0, c.at(0).typ, c.shape(0))
	c.give(1, Bool, c.shape(0))
	return nil
}

func inferSoftmax(c *call) error {
	typ, err := c.floats(0)
	if err != nil {
		return err
	}
	if s := c.shape(0); s != nil {
		def := int64(-1)
		if c.opset < 13 {
			def = 1
		}
		if _, err := c.axis(c.Int("axis", def), len(s)); err != nil {
			return err
		}
	}
	c.give(0, typ, c.shape(0))
	return nil
}

// broadcast joins shapes as numpy does.
func (c *call) broadcast(shapes ...Shape) (Shape, error) {
	rank := 0
	for _, s := range shapes {
		if s == nil {
			return nil, nil
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
				return nil, c.errorf("shapes %v cannot be broadcast together", shapes)
			}
			out[i] = d
		}
	}
	return out, nil
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
	case a.Known(): // the other one must be 1 or equal
		return a, true
	case b.Known():
		return b, true
	}
	return UnknownDim, true
}

func (c *call) broadcastInputs(inputs ...int) (Shape, error) {
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

func inferArithmetic(c *call) error {
	typ, err := c.sameTypes(c.all()...)
	if err != nil {
		return err
	}
	s, err := c.broadcastInputs(c.all()...)
	if err != nil {
		return err
	}
	c.give(0, typ, s)
	if len(c.in) == 2 && typ.IsInt() {
		c.out[0].vals = c.zip(0, 1, arithmetic(c.OpType))
	}
	return nil
}

// arithmetic returns how an operator computes one element from two; unknown operands give an
// unknown element.
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

// zip combines the elements of two inputs; a single element is combined with each of the other
// input.
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

func inferPow(c *call) error {
	s, err := c.broadcastInputs(0, 1)
	if err != nil {
		return err
	}
	c.give(0, c.at(0).typ, s)
	return nil
}

func inferCompare(c *call) error {
	if _, err := c.sameTypes(0, 1); err != nil {
		return err
	}
	s, err := c.broadcastInputs(0, 1)
	if err != nil {
		return err
	}
	c.give(0, Bool, s)
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
	return nil
}

func inferWhere(c *call) error {
	typ, err := c.sameTypes(1, 2)
	if err != nil {
		return err
	}
	if t := c.at(0).typ; t != Undefined && t != Bool {
		return c.errorf("the condition of Where is %v instead of bool", t)
	}
	s, err := c.broadcastInputs(0, 1, 2)
	if err != nil {
		return err
	}
	c.give(0, typ, s)
	cond, x, y := c.at(0).vals, c.at(1).vals, c.at(2).vals
	if cond == nil || len(x) != len(cond) || len(y) != len(cond) {
		return nil
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
	return nil
}

func inferGemm(c *call) error {
	typ, err := c.sameTypes(0, 1, 2)
	if err != nil {
		return err
	}
	out := Shape{UnknownDim, UnknownDim}
	inner := [2]Dim{UnknownDim, UnknownDim}
	for i, name := range []string{"transA", "transB"} {
		known, err := c.rank(i, 2, 2)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		// A is [M,K] and B is [K,N], unless transposed.
		outer := i
		if c.Int(name, 0) != 0 {
			outer = 1 - i
		}
		out[i], inner[i] = c.shape(i)[outer], c.shape(i)[1-outer]
	}
	if inner[0].Known() && inner[1].Known() && inner[0] != inner[1] {
		return c.errorf("%v times %v: the inner sizes %v and %v differ", c.shape(0), c.shape(1), inner[0], inner[1])
	}
	if bias := c.shape(2); c.has(2) && bias != nil && out.Known() {
		joined, err := c.broadcast(out, bias)
		if err != nil {
			return err
		}
		if !joined.Same(out) {
			return c.errorf("a bias of shape %v does not fit a result of %v", bias, out)
		}
	}
	c.give(0, typ, out)
	return nil
}

func inferMatMul(c *call) error {
	typ, err := c.sameTypes(0, 1)
	if err != nil {
		return err
	}
	a, b := c.shape(0), c.shape(1)
	if a == nil || b == nil {
		c.give(0, typ, nil)
		return nil
	}
	if len(a) == 0 || len(b) == 0 {
		return c.errorf("MatMul of a scalar")
	}
	if len(a) == 1 {
		a = Shape{D(1), a[0]}
	}
	if len(b) == 1 {
		b = Shape{b[0], D(1)}
	}
	ka, kb := a[len(a)-1], b[len(b)-2]
	if ka.Known() && kb.Known() && ka != kb {
		return c.errorf("%v times %v: the inner sizes %v and %v differ", c.shape(0), c.shape(1), ka, kb)
	}
	out, err := c.broadcast(a[:len(a)-2], b[:len(b)-2])
	if err != nil {
		return err
	}
	out = slices.Clone(out)
	if out == nil {
		out = Shape{}
	}
	if len(c.shape(0)) > 1 {
		out = append(out, a[len(a)-2])
	}
	if len(c.shape(1)) > 1 {
		out = append(out, b[len(b)-1])
	}
	c.give(0, typ, out)
	return nil
}
