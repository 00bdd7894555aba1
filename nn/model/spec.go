package model

import (
	"cmp"
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

func kataGoSpec(n *katago.Network, size board.Size) (nn.Spec, error) {
	h := &n.Header
	encoding, err := features.Parse(h.Encoder())
	if err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	p, k := n.Policy.Channels, h.ScoreValues()
	spec := nn.Spec{
		Name: h.Name, Encoding: encoding, Kind: nn.KindKataGo,
		Policy: nn.PolicyLogits, Value: nn.ValueWDL,
		Inputs: []nn.TensorSpec{
			{Name: katago.InputSpatial, Role: nn.RoleSpatial, Shape: []int{h.SpatialInputs, size.H, size.W}},
			{Name: katago.InputGlobal, Role: nn.RoleGlobal, Shape: []int{h.GlobalInputs}},
		},
		Outputs: []nn.TensorSpec{
			{Name: katago.OutputPolicy, Role: nn.RolePolicy, Shape: []int{p, size.H, size.W}},
			{Name: katago.OutputPass, Role: nn.RolePass, Shape: []int{p}},
			{Name: katago.OutputValue, Role: nn.RoleValue, Shape: []int{3}},
			{Name: katago.OutputScoreValue, Role: nn.RoleScoreValue, Shape: []int{k}},
			{Name: katago.OutputOwnership, Role: nn.RoleOwnership, Shape: []int{1, size.H, size.W}},
		},
		KataGo: nn.KataGoPost{
			Version: h.Version, AreaModes: areaModes(h), MetaEncoder: h.MetaEncoder,
			Multipliers: nn.Multipliers{
				ScoreMean: h.Multipliers.ScoreMean, ScoreStdev: h.Multipliers.ScoreStdev, Lead: h.Multipliers.Lead,
				VarTime: h.Multipliers.VarianceTime, STValueError: h.Multipliers.ShorttermValueErr,
				STScoreError: h.Multipliers.ShorttermScoreErr,
			},
		},
	}
	if h.MetaEncoder > 0 {
		spec.Inputs = append(spec.Inputs, nn.TensorSpec{Name: katago.InputMeta, Role: nn.RoleMeta, Shape: []int{katago.MetaInputs}})
	}
	return spec, nil
}

// areaModes are the modes of area scoring that the network was trained with.
func areaModes(h *katago.Header) board.AreaModes {
	return board.AreaModes{PassAliveUnderSuicide: h.PassAliveUnderSuicide, ExcludeTerritoryAdjacentToAtari: h.ExcludeTerritoryAdjacentToAtari}
}

// specOf describes the network in an ONNX file: from the overrides, else its metadata,
// else shapes and operators.
func specOf(m *onnx.Model, o Overrides) (nn.Spec, error) {
	info, err := describe(m)
	if err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	in, size, err := info.boardInput()
	if err != nil {
		return nn.Spec{}, err
	}
	planes := int(in.Shape[1].Size)
	spec := nn.Spec{
		Name: m.Metadata[meta.Name], Sizes: nn.Sizes{Fixed: size},
		Inputs: []nn.TensorSpec{{Name: in.Name, Role: nn.RoleSpatial, Shape: []int{planes, size.H, size.W}}},
	}
	encoder := cmp.Or(o.Encoding, info.Encoder)
	if encoder == "" {
		return nn.Spec{}, fmt.Errorf("%w: it has %d input planes; the encoders make 7 (mini7), 17 (agz17) or 22 (seed22)", ErrAmbiguous, planes)
	}
	if spec.Encoding, err = features.Parse(encoder); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", ErrAmbiguous, err)
	}
	if spec.Encoding.Planes() != planes || spec.Encoding.Globals() != 0 {
		return nn.Spec{}, fmt.Errorf("%w: input %s has %d planes; encoding %s has %d and %d global values",
			ErrFile, in.Name, planes, encoder, spec.Encoding.Planes(), spec.Encoding.Globals())
	}
	if err := info.findHeads(o, &spec, size); err != nil {
		return nn.Spec{}, err
	}
	if spec.Policy, err = nn.ParsePolicyKind(cmp.Or(o.Policy, info.Policy)); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w", ErrAmbiguous, err)
	}
	if spec.Value, err = nn.ParseValueKind(cmp.Or(o.Value, info.Value)); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: %w; say with --value what the value output is", ErrAmbiguous, err)
	}
	return spec, nil
}

// boardInput returns the one input of a dual-head network and its board.
func (info *Info) boardInput() (onnx.ValueInfo, board.Size, error) {
	if len(info.inputs) != 1 {
		return onnx.ValueInfo{}, board.Size{}, fmt.Errorf("%w: it has %d inputs (%s); a dual-head network has one, [N, planes, height, width]",
			ErrAmbiguous, len(info.inputs), strings.Join(info.Inputs, ", "))
	}
	in := info.inputs[0]
	if role, ok := info.roles[in.Name]; !ok || role != nn.RoleSpatial {
		return in, board.Size{}, fmt.Errorf("%w: input %s has shape %s; a dual-head network has [N, planes, height, width] with known sizes",
			ErrAmbiguous, in.Name, in.Shape)
	}
	if in.Type != onnx.Float {
		return in, board.Size{}, fmt.Errorf("%w: input %s is of type %s, not float32", ErrFile, in.Name, in.Type)
	}
	size := board.Size{W: int(in.Shape[3].Size), H: int(in.Shape[2].Size)}
	if err := size.Check(); err != nil {
		return in, size, fmt.Errorf("%w: input %s: %w", ErrFile, in.Name, err)
	}
	return in, size, nil
}

// findHeads assigns roles to the outputs. A single number not made by Tanh is inferred to be a
// score; but if there is no value output and the overrides name the value's form, it is the
// value.
func (info *Info) findHeads(o Overrides, spec *nn.Spec, size board.Size) error {
	var seen [nn.RoleOwnership + 1]bool
	for _, out := range info.outputs {
		role, known := info.roles[out.Name]
		if !known || seen[role] {
			return fmt.Errorf("%w: output %s of shape %s is neither policy [N,%d], value [N,1], score [N,1] nor ownership [N,%d]",
				ErrAmbiguous, out.Name, out.Shape, size.Area()+1, size.Area())
		}
		seen[role] = true
		row, _ := rowShape(out.Shape)
		spec.Outputs = append(spec.Outputs, nn.TensorSpec{Name: out.Name, Role: role, Shape: row})
	}
	if seen[nn.RoleScore] && !seen[nn.RoleValue] && o.Value != "" {
		for i := range spec.Outputs {
			if spec.Outputs[i].Role == nn.RoleScore {
				spec.Outputs[i].Role = nn.RoleValue
			}
		}
		seen[nn.RoleScore], seen[nn.RoleValue] = false, true
	}
	if !seen[nn.RolePolicy] || !seen[nn.RoleValue] {
		return fmt.Errorf("%w: it needs a policy output [N,%d] and a value output [N,1] in [-1,1]; say with --value what the value is where no Tanh makes it",
			ErrAmbiguous, size.Area()+1)
	}
	spec.Kind = nn.KindDualHead
	if seen[nn.RoleScore] || seen[nn.RoleOwnership] {
		spec.Kind = nn.KindSeed
	}
	return nil
}

func rowShape(s onnx.Shape) ([]int, bool) {
	if len(s) < 2 {
		return nil, false
	}
	row := make([]int, 0, len(s)-1)
	for _, d := range s[1:] {
		if !d.Known() {
			return nil, false
		}
		row = append(row, int(d.Size))
	}
	return row, true
}

// checkFormat refuses files that a later version of Kosumi wrote.
func checkFormat(m *onnx.Model) error {
	if text, ok := m.Metadata[meta.Format]; ok && text != "1" {
		return fmt.Errorf("%w: it says format %q; this program knows format 1", ErrFile, text)
	}
	return nil
}
