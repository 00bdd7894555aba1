package arch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// Description says what an ONNX file holds.
type Description struct {
	Name       string // of the graph
	Producer   string // program that wrote the file, with its version
	Opset      int64  // of the default operator domain
	Inputs     []onnx.ValueInfo
	Outputs    []onnx.ValueInfo
	Operators  []OperatorCount // most frequent first
	Parameters int64           // numbers in the weights
	Bytes      int64           // that the weights take
	MACs       int64           // multiplications of one evaluation; 0 where shapes do not tell
	Metadata   map[string]string
	Looks      Looks
}

// OperatorCount is how often an operator occurs.
type OperatorCount struct {
	Operator string // with the domain before it, unless that is the default one
	Count    int
}

// Looks is what a network seems to be: from its metadata where it has any of
// ours, else from shapes and operators. A field is empty where nothing tells.
type Looks struct {
	Declared bool   // the metadata says so
	Kind     string // "dual-head", "seed" or "katago"
	Encoder  string // "mini7", "seed22", "v7", ...
	Board    string // "9x9" (width x height), or "any"
	Policy   string // "logits", "log_softmax" or "softmax"
	Value    string // "tanh" or "wdl"
	Arch     string // name that Parse knows; only from metadata
	Roles    map[string]string
}

// Describe reads what a model is. It fails where the graph is not sound.
func Describe(m *onnx.Model) (Description, error) {
	if err := onnx.Check(m); err != nil {
		return Description{}, err
	}
	d := Description{
		Name: m.Graph.Name, Producer: strings.TrimSpace(m.Producer + " " + m.ProducerVersion), Opset: m.Opset,
		Inputs: m.Graph.Feeds(), Outputs: slices.Clone(m.Graph.Outputs), Metadata: maps.Clone(m.Metadata),
	}
	infos, err := onnx.InferTypes(m)
	if err != nil {
		return Description{}, err
	}
	for i, v := range d.Outputs {
		d.Outputs[i] = infos[v.Name]
	}
	counts := map[string]int{}
	for _, n := range m.Graph.Nodes {
		name := n.OpType
		if !n.IsDefault() {
			name = n.Domain + "." + name
		}
		counts[name]++
	}
	for name, n := range counts {
		d.Operators = append(d.Operators, OperatorCount{name, n})
	}
	slices.SortFunc(d.Operators, func(a, b OperatorCount) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Operator, b.Operator))
	})
	for _, t := range m.Graph.Initializers {
		d.Bytes += int64(len(t.Raw))
		if n, ok := t.Len(); ok && (t.Type.IsFloat() || t.Type.Size() <= 1) {
			d.Parameters += n
		}
	}
	d.MACs = macs(m)
	d.Looks = looks(m, d)
	return d, nil
}

// macs counts the multiplications of convolutions and matrix products for a
// batch of one.
func macs(m *onnx.Model) int64 {
	one := m.Clone()
	if onnx.SetBatch(one, onnx.D(1)) != nil {
		return 0
	}
	shapes, err := onnx.InferShapes(one)
	if err != nil {
		return 0
	}
	var sum int64
	for _, n := range one.Graph.Nodes {
		if !n.Is("Conv", "Gemm", "MatMul") {
			continue
		}
		out, ok := shapes[n.Outputs[0]].Sizes()
		in, ok2 := shapes[n.Inputs[0]].Sizes()
		w, ok3 := shapes[n.Inputs[1]].Sizes()
		if !ok || !ok2 || !ok3 {
			return 0
		}
		each := in[len(in)-1]
		switch {
		case n.Is("Conv"):
			each = total(w[1:])
		case n.Is("Gemm") && n.Int("transA", 0) != 0:
			each = in[0]
		}
		sum += total(out) * each
	}
	return sum
}

func total(sizes []int64) int64 {
	n := int64(1)
	for _, d := range sizes {
		n *= d
	}
	return n
}

func looks(m *onnx.Model, d Description) Looks {
	l := guess(m, d)
	if m.Metadata[meta.Format] == "" {
		return l
	}
	l.Declared = true
	l.Arch = m.Metadata[meta.Arch]
	for key, dst := range map[string]*string{meta.Kind: &l.Kind, meta.Encoder: &l.Encoder, meta.Board: &l.Board, meta.Policy: &l.Policy, meta.Value: &l.Value} {
		if v := m.Metadata[key]; v != "" {
			*dst = v
		}
	}
	return l
}

// guess tells from shapes and operators what a network is.
func guess(m *onnx.Model, d Description) Looks {
	l := Looks{Roles: map[string]string{}}
	var planes, width, height int64
	global := int64(0)
	for _, v := range d.Inputs {
		switch s := v.Shape; {
		case len(s) == 4 && s[1].Known() && s[2].Known() && s[3].Known():
			planes, height, width = s[1].Size, s[2].Size, s[3].Size
			l.Roles[v.Name] = "spatial"
		case len(s) == 2 && s[1].Known():
			global = s[1].Size
			l.Roles[v.Name] = "global"
		}
	}
	if width == 0 {
		return l
	}
	l.Board = fmt.Sprintf("%dx%d", width, height)
	switch {
	case planes == MiniPlanes && global == 0:
		l.Encoder = "mini7"
	case planes == 17 && global == 0:
		l.Encoder = "agz17"
	case planes == SeedPlanes && global == 0:
		l.Encoder = "seed22"
	case planes == 22 && global == 19:
		l.Encoder = "v7"
	}
	last := finalOperators(m)
	area := width * height
	for _, v := range d.Outputs {
		role := role(v.Shape, area, last[v.Name])
		if role == "" {
			continue
		}
		l.Roles[v.Name] = role
		if role == "policy" {
			l.Policy = map[string]string{"LogSoftmax": "log_softmax", "Softmax": "softmax"}[last[v.Name]]
			if l.Policy == "" {
				l.Policy = "logits"
			}
		}
	}
	l.Kind, l.Value = kind(l.Roles, d.Outputs, l.Encoder)
	return l
}

// role tells what an output is, from its shape and the operator that made it.
func role(s onnx.Shape, area int64, made string) string {
	elems := int64(1)
	for _, d := range s[min(1, len(s)):] {
		if !d.Known() {
			return ""
		}
		elems *= d.Size
	}
	switch {
	case len(s) < 2:
		return ""
	case elems == area+1:
		return "policy"
	case elems == area:
		return "ownership"
	case elems == 3:
		return "value"
	case elems == 1 && made == "Tanh":
		return "value"
	case elems == 1:
		return "score"
	}
	return ""
}

// kind tells the family of a network from what its outputs are.
func kind(roles map[string]string, outputs []onnx.ValueInfo, encoder string) (kind, value string) {
	count := map[string]int{}
	for _, v := range outputs {
		r := roles[v.Name]
		count[r]++
		if r == "value" && len(v.Shape) > 1 {
			value = "tanh"
			if v.Shape[1] == onnx.D(3) {
				value = "wdl"
			}
		}
	}
	switch {
	case encoder == "v7":
		kind = "katago"
	case len(outputs) == 2 && count["policy"] == 1 && count["value"] == 1:
		kind = "dual-head"
	case len(outputs) == 4 && count["policy"] == 1 && count["value"] == 1 && count["score"] == 1 && count["ownership"] == 1:
		kind = "seed"
	}
	return kind, value
}

// finalOperators returns the operator that made each output, seen through those
// that only move elements.
func finalOperators(m *onnx.Model) map[string]string {
	if len(m.Functions) > 0 {
		m = m.Clone()
		if onnx.InlineFunctions(m) != nil {
			return nil
		}
	}
	producers := m.Graph.Producers()
	last := map[string]string{}
	for _, v := range m.Graph.Outputs {
		n := producers[v.Name]
		for n != nil && n.Is("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast") {
			n = producers[n.Inputs[0]]
		}
		if n != nil {
			last[v.Name] = n.OpType
		}
	}
	return last
}
