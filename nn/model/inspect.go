package model

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// Info describes a network file: from its metadata if Kosumi wrote it, else inferred from
// shapes and operators. Texts are empty if neither source gives them.
type Info struct {
	File       string            `json:"file"`
	Name       string            `json:"name"`
	Format     string            `json:"format"`   // "onnx" or "katago"
	Kind       string            `json:"kind"`     // "dual-head", "seed" or "katago"
	Encoder    string            `json:"encoder"`  // "mini7", "seed22", "v7", ...
	Board      string            `json:"board"`    // "9x9" (width x height), or "any"
	Policy     string            `json:"policy"`   // "logits", "log_softmax" or "softmax"
	Value      string            `json:"value"`    // "tanh" or "wdl"
	Declared   bool              `json:"declared"` // true: by metadata; false: inferred
	Inputs     []string          `json:"inputs"`
	Planes     []string          `json:"planes,omitempty"` // of the encoder, in order
	Outputs    []string          `json:"outputs"`
	Operators  map[string]int    `json:"operators"` // how often each occurs
	Parameters int64             `json:"parameters"`
	MACs       int64             `json:"multiplications"` // of one evaluation; 0 if shapes are unknown
	Metadata   map[string]string `json:"metadata"`

	inputs, outputs []onnx.ValueInfo
	roles           map[string]nn.Role // roles of inputs and outputs
}

// Inspect reads a KataGo or ONNX file without running the network, or a built-in network by name. A
// KataGo network is described by its graph for 19x19.
func Inspect(path string) (*Info, error) {
	path, data, err := readAny(path)
	if err != nil {
		return nil, err
	}
	var m *onnx.Model
	isONNX := strings.EqualFold(filepath.Ext(path), ".onnx")
	if isONNX {
		m, _, err = onnx.ReadBeside(data, filepath.Dir(path))
	} else {
		net, bad := katago.Read(bytes.NewReader(data), path)
		if bad != nil {
			return nil, bad
		}
		m, err = katago.Build(net, katago.Size{W: 19, H: 19}, katago.FormRun)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info, err := describe(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if info.File = path; !isONNX {
		info.Format, info.Board = "katago", "any"
	}
	delete(info.Metadata, meta.Layout) // long and of no use to people
	return info, nil
}

// describe returns the Info of a graph. It fails if the graph is not valid.
func describe(m *onnx.Model) (*Info, error) {
	if err := onnx.Check(m); err != nil {
		return nil, err
	}
	types, err := onnx.InferTypes(m)
	if err != nil {
		return nil, err
	}
	info := &Info{
		Name: cmp.Or(m.Metadata[meta.Name], m.Graph.Name), Format: "onnx", Operators: map[string]int{}, MACs: macs(m),
		Metadata: maps.Clone(m.Metadata), inputs: m.Graph.Feeds(), roles: map[string]nn.Role{},
	}
	for _, v := range info.inputs {
		info.Inputs = append(info.Inputs, v.Name+" "+v.Shape.String())
	}
	for _, v := range m.Graph.Outputs {
		v = types[v.Name]
		info.outputs = append(info.outputs, v)
		info.Outputs = append(info.Outputs, v.Name+" "+v.Shape.String())
	}
	for _, n := range m.Graph.Nodes {
		name := n.OpType
		if !n.IsDefault() {
			name = n.Domain + "." + name
		}
		info.Operators[name]++
	}
	for _, t := range m.Graph.Initializers {
		if n, ok := t.Len(); ok && (t.Type.IsFloat() || t.Type.Size() <= 1) {
			info.Parameters += n
		}
	}
	info.infer(m)
	if m.Metadata[meta.Format] != "" {
		info.Declared = true
		for key, to := range map[string]*string{
			meta.Kind: &info.Kind, meta.Encoder: &info.Encoder, meta.Board: &info.Board, meta.Policy: &info.Policy, meta.Value: &info.Value,
		} {
			*to = cmp.Or(m.Metadata[key], *to)
		}
	}
	if e, err := features.Parse(info.Encoder); err == nil {
		info.Planes = e.PlaneNames()
	}
	return info, nil
}

// infer fills in the fields that follow from shapes and operators.
func (info *Info) infer(m *onnx.Model) {
	var planes, global, width, height int64
	for _, v := range info.inputs {
		switch s := v.Shape; {
		case len(s) == 4 && s[1].Known() && s[2].Known() && s[3].Known():
			planes, height, width = s[1].Size, s[2].Size, s[3].Size
			info.roles[v.Name] = nn.RoleSpatial
		case len(s) == 2 && s[1].Known():
			global = s[1].Size
			info.roles[v.Name] = nn.RoleGlobal
		}
	}
	if width == 0 {
		return
	}
	info.Board = fmt.Sprintf("%dx%d", width, height)
	for _, e := range []features.Encoding{features.Mini7, features.AGZ17, features.Seed22, features.V7} {
		if int64(e.Planes()) == planes && int64(e.Globals()) == global {
			info.Encoder = e.String()
		}
	}
	heads, made := map[nn.Role]bool{}, finalOperators(m)
	for _, v := range info.outputs {
		role, ok := outputRole(v.Shape, width*height, made[v.Name])
		if !ok {
			continue
		}
		info.roles[v.Name], heads[role] = role, true
		switch role {
		case nn.RolePolicy:
			info.Policy = cmp.Or(map[string]string{"LogSoftmax": "log_softmax", "Softmax": "softmax"}[made[v.Name]], "logits")
		case nn.RoleValue:
			if info.Value = "tanh"; v.Shape[1] == onnx.D(3) {
				info.Value = "wdl"
			}
		}
	}
	switch n := len(info.outputs); {
	case info.Encoder == features.V7.String():
		info.Kind = nn.KindKataGo.String()
	case n == 2 && heads[nn.RolePolicy] && heads[nn.RoleValue]:
		info.Kind = nn.KindDualHead.String()
	case n == 4 && len(heads) == 4:
		info.Kind = nn.KindSeed.String()
	}
}

// outputRole returns the role of an output, from its shape and the operator that made it.
func outputRole(s onnx.Shape, area int64, made string) (role nn.Role, ok bool) {
	row, ok := rowShape(s)
	if !ok {
		return 0, false
	}
	switch size := int64((&nn.TensorSpec{Shape: row}).Len()); {
	case size == area+1:
		return nn.RolePolicy, true
	case size == area:
		return nn.RoleOwnership, true
	case size == 3, size == 1 && made == "Tanh":
		return nn.RoleValue, true
	case size == 1:
		return nn.RoleScore, true
	}
	return 0, false
}

// finalOperators returns the operator that made each output, leaving out those that only
// move elements.
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

// macs counts the multiplications of convolutions and matrix products in a batch of one;
// 0 if shapes are unknown.
func macs(m *onnx.Model) (sum int64) {
	one := m.Clone()
	if onnx.SetBatch(one, onnx.D(1)) != nil {
		return 0
	}
	shapes, err := onnx.InferShapes(one)
	if err != nil {
		return 0
	}
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
			each = product(w[1:])
		case n.Is("Gemm") && n.Int("transA", 0) != 0:
			each = in[0]
		}
		sum += product(out) * each
	}
	return sum
}

func product(sizes []int64) int64 {
	n := int64(1)
	for _, d := range sizes {
		n *= d
	}
	return n
}

// readAny reads a network file, or the built-in network by name.
func readAny(path string) (name string, data []byte, err error) {
	if path == models.Name {
		data, err = models.Data()
		return models.File, data, err
	}
	data, err = file.Read(path, maxFile)
	return path, data, err
}

// ReadKataGo reads a KataGo network from a file in KataGo's format or an ONNX file, or the built-in
// one by name.
func ReadKataGo(path string) (*katago.Network, error) {
	if path == models.Name {
		s, err := readBuiltIn()
		return s.net, err
	}
	if !strings.EqualFold(filepath.Ext(path), ".onnx") {
		return katago.ReadFile(path)
	}
	data, err := file.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	m, err := onnx.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	net, err := katago.FromONNX(m)
	if err != nil {
		return nil, fmt.Errorf("%s is no ONNX file that engine convert or engine train made of KataGo's format, and others cannot go there: %w", path, err)
	}
	return net, nil
}
