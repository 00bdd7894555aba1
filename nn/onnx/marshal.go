package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrTooLarge says that a model does not fit into one ONNX file, since protobuf allows at most 2
// GiB.
var ErrTooLarge = errors.New("model larger than 2 GiB does not fit into one ONNX file")

// Marshal returns the model as an ONNX file. Equal models give equal bytes:
// attributes and metadata are written in the order of their names. It does not
// check the graph ([Check] does), only that every tensor has the bytes it claims.
func (m *Model) Marshal() ([]byte, error) {
	parts, size, err := m.encode()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out, nil
}

// WriteTo writes what Marshal returns without holding it in memory.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	parts, _, err := m.encode()
	if err != nil {
		return 0, err
	}
	var written int64
	for _, p := range parts {
		n, err := w.Write(p)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("write ONNX file: %w", err)
		}
	}
	return written, nil
}

func (m *Model) encode() (parts [][]byte, size int, err error) {
	if m == nil || m.Graph == nil {
		return nil, 0, fmt.Errorf("%w: no graph", ErrFormat)
	}
	if err := checkTensors(m); err != nil {
		return nil, 0, err
	}
	w := &writer{}
	w.int(modelIR, m.IRVersion)
	w.text(modelProducer, m.Producer)
	w.text(modelProducerVersion, m.ProducerVersion)
	w.text(modelDomain, m.Domain)
	if m.Version != 0 {
		w.int(modelVersion, m.Version)
	}
	w.text(modelDoc, m.Doc)
	w.message(modelGraph, m.Graph.encode)
	encodeOpsets(w, modelOpset, m.Opset, m.Opsets)
	for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
		w.message(modelMetadata, func(w *writer) {
			w.str(entryKey, key)
			w.str(entryValue, m.Metadata[key])
		})
	}
	for _, f := range m.Functions {
		w.message(modelFunctions, f.encode)
	}
	w.share(m.extra)
	if w.len() > maxProtobuf {
		return nil, 0, fmt.Errorf("%w: %d bytes", ErrTooLarge, w.len())
	}
	return w.all(), w.len(), nil
}

func encodeOpsets(w *writer, num protowire.Number, def int64, others map[string]int64) {
	one := func(domain string, version int64) {
		w.message(num, func(w *writer) {
			w.str(opsetDomain, domain)
			w.int(opsetVersion, version)
		})
	}
	if def != 0 {
		one("", def)
	}
	for _, domain := range slices.Sorted(maps.Keys(others)) {
		one(domain, others[domain])
	}
}

func (g *Graph) encode(w *writer) {
	for _, n := range g.Nodes {
		w.message(graphNode, n.encode)
	}
	w.text(graphName, g.Name)
	for _, t := range g.Initializers {
		w.message(graphInitializer, t.encode)
	}
	w.text(graphDoc, g.Doc)
	encodeValues(w, graphInput, g.Inputs)
	encodeValues(w, graphOutput, g.Outputs)
	encodeValues(w, graphValue, g.Values)
	w.share(g.extra)
}

func (n *Node) encode(w *writer) {
	w.strs(nodeInput, n.Inputs)
	w.strs(nodeOutput, n.Outputs)
	w.text(nodeName, n.Name)
	w.str(nodeOp, n.OpType)
	encodeAttrs(w, nodeAttr, n.Attrs)
	w.text(nodeDoc, n.Doc)
	w.text(nodeDomain, n.Domain)
	w.text(nodeOverload, n.Overload)
	w.share(n.extra)
}

func encodeAttrs(w *writer, num protowire.Number, attrs map[string]Attr) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		w.message(num, func(w *writer) {
			w.str(attrName, name)
			attrs[name].encode(w)
		})
	}
}

// encode writes the field that the kind names, also where its value is zero:
// readers look for the field.
func (a Attr) encode(w *writer) {
	if a.Ref == "" {
		a.encodeValue(w)
	}
	w.int(attrType, int64(a.Kind))
	w.text(attrRef, a.Ref)
	w.share(a.extra)
}

func (a Attr) encodeValue(w *writer) {
	switch a.Kind {
	case KindFloat:
		w.float(attrF, a.F)
	case KindInt:
		w.int(attrI, a.I)
	case KindString:
		w.str(attrS, a.S)
	case KindTensor:
		if a.T != nil {
			w.message(attrT, a.T.encode)
		}
	case KindGraph:
		if a.G != nil {
			w.message(attrG, a.G.encode)
		}
	case KindFloats:
		for _, f := range a.Floats {
			w.float(attrFloats, f)
		}
	case KindInts:
		w.ints(attrInts, a.Ints)
	case KindStrings:
		w.strs(attrStrings, a.Strings)
	case KindTensors:
		for _, t := range a.Tensors {
			w.message(attrTensors, t.encode)
		}
	case KindGraphs:
		for _, g := range a.Graphs {
			w.message(attrGraphs, g.encode)
		}
	}
}

func (t *Tensor) encode(w *writer) {
	w.ints(tensorDims, t.Dims)
	w.int(tensorType, int64(t.Type))
	w.strs(tensorStrings, t.Strings)
	w.text(tensorName, t.Name)
	if len(t.Raw) > 0 {
		w.bytes(tensorRaw, t.Raw)
	}
	w.text(tensorDoc, t.Doc)
	w.share(t.extra)
}

func encodeValues(w *writer, num protowire.Number, list []ValueInfo) {
	for i := range list {
		w.message(num, list[i].encode)
	}
}

func (v *ValueInfo) encode(w *writer) {
	w.str(valueName, v.Name)
	switch {
	case v.opaque != nil:
		w.bytes(valueType, v.opaque)
	case v.Type != Undefined || v.Shape != nil:
		w.message(valueType, func(w *writer) {
			w.message(typeTensor, v.encodeTensorType)
		})
	}
	w.text(valueDoc, v.Doc)
	w.share(v.extra)
}

func (v *ValueInfo) encodeTensorType(w *writer) {
	w.int(typeElem, int64(v.Type))
	if v.Shape == nil {
		return
	}
	w.message(typeShape, func(w *writer) {
		for _, d := range v.Shape {
			w.message(shapeDim, func(w *writer) {
				switch {
				case d.Param != "":
					w.str(dimParam, d.Param)
				case d.Size >= 0:
					w.int(dimValue, d.Size)
				}
			})
		}
	})
}

func (f *Function) encode(w *writer) {
	w.str(funcName, f.Name)
	w.strs(funcInput, f.Inputs)
	w.strs(funcOutput, f.Outputs)
	w.strs(funcAttr, f.Attributes)
	for _, n := range f.Nodes {
		w.message(funcNode, n.encode)
	}
	w.text(funcDoc, f.Doc)
	encodeOpsets(w, funcOpset, f.Opset, f.Opsets)
	w.text(funcDomain, f.Domain)
	encodeAttrs(w, funcDefault, f.Defaults)
	encodeValues(w, funcValue, f.Values)
	w.text(funcOverload, f.Overload)
	w.share(f.extra)
}

// checkTensors reports the first tensor anywhere in a model whose bytes do not
// fit its dimensions.
func checkTensors(m *Model) error {
	var graph func(g *Graph) error
	attrs := func(list map[string]Attr) error {
		for _, a := range list {
			for _, t := range append(slices.Clip(a.Tensors), a.T) {
				if t == nil {
					continue
				}
				if err := t.Check(); err != nil {
					return err
				}
			}
			for _, g := range append(slices.Clip(a.Graphs), a.G) {
				if g == nil {
					continue
				}
				if err := graph(g); err != nil {
					return err
				}
			}
		}
		return nil
	}
	graph = func(g *Graph) error {
		for _, t := range g.Initializers {
			if err := t.Check(); err != nil {
				return err
			}
		}
		for _, n := range g.Nodes {
			if err := attrs(n.Attrs); err != nil {
				return fmt.Errorf("%s: %w", n, err)
			}
		}
		return nil
	}
	return graph(m.Graph)
}
