package onnx

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

func (r *reader) graph(v field, g *Graph) error {
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("graphs are nested more than %d deep", maxDepth)
	}
	defer func() { r.depth-- }()
	err := r.message(v, costGraph, func(v field) error {
		switch v.num {
		case graphNode:
			return r.node(v, &g.Nodes)
		case graphName:
			return r.str(v, &g.Name)
		case graphInitializer:
			t := &Tensor{}
			g.Initializers = append(g.Initializers, t)
			if err := r.tensor(v, t); err != nil {
				return fmt.Errorf("initializer %d: %w", len(g.Initializers)-1, err)
			}
			return nil
		case graphDoc:
			return r.str(v, &g.Doc)
		case graphInput:
			return r.value(v, &g.Inputs)
		case graphOutput:
			return r.value(v, &g.Outputs)
		case graphValue:
			return r.value(v, &g.Values)
		case graphSparse:
			return fmt.Errorf("%w: sparse initializers", ErrUnsupported)
		}
		return r.keep(v, &g.extra)
	})
	if err != nil {
		return fmt.Errorf("graph %q: %w", g.Name, err)
	}
	return nil
}

func (r *reader) node(v field, list *[]*Node) error {
	n := &Node{}
	*list = append(*list, n)
	err := r.message(v, costNode, func(v field) error {
		switch v.num {
		case nodeInput:
			return r.strs(v, &n.Inputs)
		case nodeOutput:
			return r.strs(v, &n.Outputs)
		case nodeName:
			return r.str(v, &n.Name)
		case nodeOp:
			return r.str(v, &n.OpType)
		case nodeAttr:
			return r.attr(v, &n.Attrs)
		case nodeDoc:
			return r.str(v, &n.Doc)
		case nodeDomain:
			return r.str(v, &n.Domain)
		case nodeOverload:
			return r.str(v, &n.Overload)
		}
		return r.keep(v, &n.extra)
	})
	if err != nil {
		return fmt.Errorf("node %d (%s): %w", len(*list)-1, n, err)
	}
	if n.OpType == "" {
		return fmt.Errorf("node %d: no operator is named", len(*list)-1)
	}
	return nil
}

func (r *reader) attr(v field, attrs *map[string]Attr) error {
	var name string
	var a Attr
	var seen AttrType
	err := r.message(v, costAttr, func(v field) error {
		switch v.num {
		case attrName:
			return r.str(v, &name)
		case attrType:
			return enum(v, &a.Kind, "attribute kind")
		case attrRef:
			return r.str(v, &a.Ref)
		}
		kind, err := r.attrValue(v, &a)
		if kind != KindUndefined {
			seen = kind
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("attribute %q: %w", name, err)
	}
	if a.Kind == KindUndefined { // files of the first ONNX versions do not store the kind
		a.Kind = seen
	}
	if _, twice := (*attrs)[name]; twice {
		return fmt.Errorf("attribute %q is given twice", name)
	}
	if *attrs == nil {
		*attrs = map[string]Attr{}
	}
	(*attrs)[name] = a
	return nil
}

// attrValue reads a field that holds an attribute's value and returns the kind of attribute
// that has this field.
func (r *reader) attrValue(v field, a *Attr) (AttrType, error) {
	switch v.num {
	case attrF:
		a.F = math.Float32frombits(uint32(v.n))
		return KindFloat, v.want(protowire.Fixed32Type)
	case attrI:
		return KindInt, v.int(&a.I)
	case attrS:
		return KindString, r.str(v, &a.S)
	case attrT:
		a.T = &Tensor{}
		return KindTensor, r.tensor(v, a.T)
	case attrG:
		a.G = &Graph{}
		return KindGraph, r.graph(v, a.G)
	case attrFloats:
		return KindFloats, r.floats(v, &a.Floats)
	case attrInts:
		return KindInts, r.ints(v, &a.Ints)
	case attrStrings:
		return KindStrings, r.strs(v, &a.Strings)
	case attrTensors:
		t := &Tensor{}
		a.Tensors = append(a.Tensors, t)
		return KindTensors, r.tensor(v, t)
	case attrGraphs:
		g := &Graph{}
		a.Graphs = append(a.Graphs, g)
		return KindGraphs, r.graph(v, g)
	}
	return KindUndefined, r.keep(v, &a.extra)
}

func (r *reader) floats(v field, dst *[]float32) error {
	if v.typ == protowire.Fixed32Type {
		*dst = append(*dst, math.Float32frombits(uint32(v.n)))
		return r.charge(8)
	}
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	for b := v.data; len(b) > 0; b = b[4:] {
		u, n := protowire.ConsumeFixed32(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		*dst = append(*dst, math.Float32frombits(u))
	}
	return r.charge(2 * len(v.data))
}

func (r *reader) value(v field, list *[]ValueInfo) error {
	var val ValueInfo
	err := r.message(v, costValue, func(v field) error {
		switch v.num {
		case valueName:
			return r.str(v, &val.Name)
		case valueType:
			return r.valueType(v, &val)
		case valueDoc:
			return r.str(v, &val.Doc)
		}
		return r.keep(v, &val.extra)
	})
	if err != nil {
		return fmt.Errorf("value %q: %w", val.Name, err)
	}
	*list = append(*list, val)
	return nil
}

// valueType reads a TypeProto: a tensor type into Type and Shape; other types are kept
// unread.
func (r *reader) valueType(v field, val *ValueInfo) error {
	tensor := false
	err := r.message(v, 0, func(v field) error {
		if v.num != typeTensor {
			return nil
		}
		tensor = true
		return r.message(v, 0, func(v field) error {
			switch v.num {
			case typeElem:
				return enum(v, &val.Type, "element type")
			case typeShape:
				val.Shape = Shape{}
				return r.message(v, 0, func(v field) error { return r.dim(v, &val.Shape) })
			}
			return nil
		})
	})
	if err == nil && !tensor && len(v.data) > 0 {
		return r.keep(field{whole: v.data}, &val.opaque)
	}
	return err
}

func (r *reader) dim(v field, s *Shape) error {
	if v.num != shapeDim {
		return nil
	}
	d := UnknownDim
	err := r.message(v, 2*costDim, func(v field) error {
		switch v.num {
		case dimValue:
			if err := v.int(&d.Size); err != nil {
				return err
			}
			d.Size = max(d.Size, -1)
		case dimParam:
			d.Size = -1
			return r.str(v, &d.Param)
		}
		return nil
	})
	*s = append(*s, d)
	return err
}
