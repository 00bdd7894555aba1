package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth bounds the nesting of graphs in attributes.
const maxDepth = 16

// made returns *p, after setting it to a new M if it is nil.
func made[M any](p **M) *M {
	if *p == nil {
		*p = new(M)
	}
	return *p
}

func (c *codec) model(m *Model) {
	c.int(modelIR, &m.IRVersion)
	c.text(modelProducer, &m.Producer)
	c.text(modelProducerVersion, &m.ProducerVersion)
	c.text(modelDomain, &m.Domain)
	if c.out == nil || m.Version != 0 {
		c.int(modelVersion, &m.Version)
	}
	c.text(modelDoc, &m.Doc)
	one(c, modelGraph, costGraph, &m.Graph, c.graph)
	c.opsets(modelOpset, &m.Opset, &m.Opsets)
	named(c, modelMetadata, costEntry, &m.Metadata, c.entry)
	list(c, modelFunctions, costGraph, &m.Functions, c.function)
	c.rest(&m.extra)
}

func (c *codec) opsets(num protowire.Number, def *int64, others *map[string]int64) {
	type opset struct {
		domain  string
		version int64
	}
	var all []opset
	if *def != 0 {
		all = append(all, opset{"", *def})
	}
	for _, domain := range slices.Sorted(maps.Keys(*others)) {
		all = append(all, opset{domain, (*others)[domain]})
	}
	list(c, num, costEntry, &all, func(o *opset) {
		c.str(opsetDomain, &o.domain)
		c.int(opsetVersion, &o.version)
	})
	if c.out != nil {
		return
	}
	versions := map[string]int64{}
	for _, o := range all {
		if o.domain == "ai.onnx" {
			o.domain = ""
		}
		if had, twice := versions[o.domain]; twice && had != o.version {
			c.fail(fmt.Errorf("operator domain %q is imported in versions %d and %d", o.domain, had, o.version))
		}
		versions[o.domain] = o.version
	}
	*def = versions[""]
	delete(versions, "")
	if len(versions) > 0 {
		*others = versions
	}
}

func (c *codec) entry(key, value *string) {
	c.str(entryKey, key)
	c.str(entryValue, value)
}

func (c *codec) graph(p **Graph) {
	g := made(p)
	if c.depth++; c.depth > maxDepth {
		c.fail(fmt.Errorf("graphs are nested more than %d deep", maxDepth))
	}
	list(c, graphNode, costNode, &g.Nodes, c.node)
	c.text(graphName, &g.Name)
	list(c, graphInitializer, costTensor, &g.Initializers, c.tensor)
	c.text(graphDoc, &g.Doc)
	list(c, graphInput, costValue, &g.Inputs, c.value)
	list(c, graphOutput, costValue, &g.Outputs, c.value)
	list(c, graphValue, costValue, &g.Values, c.value)
	if c.out == nil && c.has(graphSparse) {
		c.fail(fmt.Errorf("%w: sparse initializers", ErrUnsupported))
	}
	c.rest(&g.extra)
	c.depth--
}

func (c *codec) node(p **Node) {
	n := made(p)
	c.strs(nodeInput, &n.Inputs)
	c.strs(nodeOutput, &n.Outputs)
	c.text(nodeName, &n.Name)
	c.str(nodeOp, &n.OpType)
	named(c, nodeAttr, costAttr, &n.Attrs, c.attr)
	c.text(nodeDoc, &n.Doc)
	c.text(nodeDomain, &n.Domain)
	c.text(nodeOverload, &n.Overload)
	c.rest(&n.extra)
	if c.out == nil && n.OpType == "" {
		c.fail(errors.New("no operator is named"))
	}
	c.within("node", n)
}

// attr reads or writes the fields of an attribute. The field that Kind names is written even if it
// is zero, since readers look for it.
func (c *codec) attr(name *string, a *Attr) {
	c.str(attrName, name)
	var seen AttrType
	for num := protowire.Number(attrF); num <= attrGraphs; num++ {
		kind := AttrType(num - attrF + 1)
		if c.out != nil && (a.Kind != kind || a.Ref != "") || c.out == nil && !c.has(num) {
			continue
		}
		seen = kind
		switch kind {
		case KindFloat:
			c.float(num, &a.F)
		case KindInt:
			c.int(num, &a.I)
		case KindString:
			c.str(num, &a.S)
		case KindTensor:
			one(c, num, costTensor, &a.T, c.tensor)
		case KindGraph:
			one(c, num, costGraph, &a.G, c.graph)
		case KindFloats:
			c.floats(num, &a.Floats)
		case KindInts:
			c.ints(num, &a.Ints)
		case KindStrings:
			c.strs(num, &a.Strings)
		case KindTensors:
			list(c, num, costTensor, &a.Tensors, c.tensor)
		case KindGraphs:
			list(c, num, costGraph, &a.Graphs, c.graph)
		}
	}
	enum(c, attrType, &a.Kind, "attribute kind")
	c.text(attrRef, &a.Ref)
	c.rest(&a.extra)
	if a.Kind == KindUndefined { // files of the first ONNX versions do not store the kind
		a.Kind = seen
	}
	c.within("attribute", *name)
}

func (c *codec) value(v *ValueInfo) {
	c.str(valueName, &v.Name)
	if c.out != nil && v.opaque != nil {
		c.out.bytes(valueType, v.opaque)
	} else if c.out == nil || v.Type != Undefined || v.Shape != nil {
		c.messages(valueType, 0, 1, func(int) { c.valueType(v) })
	}
	c.text(valueDoc, &v.Doc)
	c.rest(&v.extra)
	c.within("value", v.Name)
}

// valueType reads or writes the type of a tensor. The bytes of other types are kept as they are.
func (c *codec) valueType(v *ValueInfo) {
	if c.out == nil && !c.has(typeTensor) {
		v.opaque = append(v.opaque, c.in...)
		c.charge(2 * len(c.in))
		return
	}
	c.messages(typeTensor, 0, 1, func(int) {
		enum(c, typeElem, &v.Type, "element type")
		if c.out != nil && v.Shape == nil {
			return
		}
		c.messages(typeShape, 0, 1, func(int) {
			if c.out == nil {
				v.Shape = Shape{}
			}
			list(c, shapeDim, 2*costDim, (*[]Dim)(&v.Shape), c.dim)
		})
	})
}

func (c *codec) dim(d *Dim) {
	if c.out == nil {
		*d = UnknownDim
	}
	if c.out == nil || d.Known() {
		c.int(dimValue, &d.Size)
	}
	if c.text(dimParam, &d.Param); c.out == nil && (d.Size < 0 || d.Param != "") {
		d.Size = -1
	}
}

func (c *codec) function(p **Function) {
	f := made(p)
	c.str(funcName, &f.Name)
	c.strs(funcInput, &f.Inputs)
	c.strs(funcOutput, &f.Outputs)
	c.strs(funcAttr, &f.Attributes)
	list(c, funcNode, costNode, &f.Nodes, c.node)
	c.text(funcDoc, &f.Doc)
	c.opsets(funcOpset, &f.Opset, &f.Opsets)
	c.text(funcDomain, &f.Domain)
	named(c, funcDefault, costAttr, &f.Defaults, c.attr)
	list(c, funcValue, costValue, &f.Values, c.value)
	c.text(funcOverload, &f.Overload)
	c.rest(&f.extra)
	c.within("function", f.Name)
}

func (c *codec) tensor(p **Tensor) {
	t := made(p)
	c.ints(tensorDims, &t.Dims)
	enum(c, tensorType, &t.Type, "element type")
	c.strs(tensorStrings, &t.Strings)
	c.text(tensorName, &t.Name)
	if c.out == nil {
		c.elements(t)
	} else if len(t.Raw) > 0 {
		c.out.bytes(tensorRaw, t.Raw)
	}
	c.text(tensorDoc, &t.Doc)
	c.rest(&t.extra)
	c.within("tensor", t.Name)
	if c.err == nil {
		c.err = t.Check()
	}
}
