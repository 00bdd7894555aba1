package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// specOfFile describes the network in an ONNX file that is for one board size.
func specOfFile(m *onnx.Model, o Overrides) (nn.Spec, error) {
	if m.Metadata[meta.Kind] == nn.KindKataGo.String() {
		return runFormSpec(m)
	}
	// A file in fp16 was written by this program: what it says of its value settles what its shape leaves open.
	if m.Metadata[meta.Precision] != "" {
		o.Value = cmp.Or(o.Value, m.Metadata[meta.Value])
	}
	return specOf(m, o)
}

// runFormSpec describes a KataGo network that was made ready for sessions: from
// its metadata, as katago.Build wrote them.
func runFormSpec(m *onnx.Model) (nn.Spec, error) {
	r := metaReader{values: m.Metadata}
	net := katago.Network{Header: katago.Header{
		Name: m.Metadata[meta.Name], Version: r.whole(meta.KataGoVersion, katago.MinVersion, katago.MaxVersion),
		MetaEncoder: r.whole(meta.MetaEncoder, 0, 1), PassAliveUnderSuicide: r.whole(meta.PassAliveSuicide, 0, 1) == 1,
		ExcludeTerritoryAdjacentToAtari: r.whole(meta.ExcludeTerritory, 0, 1) == 1,
		Multipliers: katago.Multipliers{
			TDScore: r.real(meta.TDScoreMult), ScoreMean: r.real(meta.ScoreMeanMult), ScoreStdev: r.real(meta.ScoreStdevMult),
			Lead: r.real(meta.LeadMult), VarianceTime: r.real(meta.VarTimeMult),
			ShorttermValueErr: r.real(meta.ValueErrorMult), ShorttermScoreErr: r.real(meta.ScoreErrorMult),
		},
	}}
	net.Policy.Channels = r.whole(meta.PolicyChannels, 1, 4)
	size := r.size(meta.Board)
	for _, in := range m.Graph.Feeds() {
		if len(in.Shape) > 1 && in.Shape[1].Known() {
			switch in.Name {
			case katago.InputSpatial:
				net.Header.SpatialInputs = int(in.Shape[1].Size)
			case katago.InputGlobal:
				net.Header.GlobalInputs = int(in.Shape[1].Size)
			}
		}
	}
	if r.err != nil {
		return nn.Spec{}, r.err
	}
	spec, err := kataGoSpec(&net, size)
	if err != nil {
		return nn.Spec{}, err
	}
	spec.Sizes = nn.Sizes{Fixed: size}
	if _, err := nn.NewCodec(spec, size); err != nil {
		return nn.Spec{}, fmt.Errorf("%w: what its metadata say does not fit its graph: %w", ErrFile, err)
	}
	return spec, nil
}

// metaReader reads metadata and keeps the first fault.
type metaReader struct {
	values map[string]string
	err    error
}

func (r *metaReader) fail(key, want string) {
	r.err = cmp.Or(r.err, fmt.Errorf("%w: its metadata say %s=%q, not %s", ErrFile, key, r.values[key], want))
}

func (r *metaReader) whole(key string, least, most int) int {
	n, err := strconv.Atoi(r.values[key])
	if err != nil || n < least || n > most {
		r.fail(key, fmt.Sprintf("a number from %d to %d", least, most))
		return least
	}
	return n
}

func (r *metaReader) real(key string) float64 {
	f, err := strconv.ParseFloat(r.values[key], 64)
	if err != nil || !(f > 0 && f < 1e9) {
		r.fail(key, "a positive number")
		return 1
	}
	return f
}

func (r *metaReader) size(key string) board.Size {
	w, h, _ := strings.Cut(r.values[key], "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	size := board.Size{W: width, H: height}
	if errW != nil || errH != nil || size.Check() != nil {
		r.fail(key, "a board size such as 19x19")
		return board.Square(19)
	}
	return size
}
