package katago

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"kosumi/nn/onnx/meta"
)

// Encoder names the input encoding of the network: "v3" to "v7".
func (h *Header) Encoder() string {
	switch {
	case h.Version <= 4:
		return "v3"
	case h.Version <= 7:
		return "v" + strconv.Itoa(h.Version-1)
	}
	return "v7"
}

// ScoreValues is the number of score values that the network puts out.
func (h *Header) ScoreValues() int { return scoreValues(h.Version) }

func metadata(n *Network, size Size, form Form) (map[string]string, error) {
	h, mult := &n.Header, &n.Header.Multipliers
	heads := []string{OutputPolicy, OutputPass, OutputValue, OutputScoreValue, OutputOwnership}
	out := map[string]string{
		meta.Format:  "1",
		meta.Kind:    "katago",
		meta.Encoder: h.Encoder(),
		meta.Board:   fmt.Sprintf("%dx%d", size.W, size.H),
		meta.Policy:  "logits",
		meta.Value:   "wdl",
		meta.Heads:   strings.Join(heads, ","),
		meta.Name:    h.Name,

		meta.KataGoForm:       form.String(),
		meta.KataGoVersion:    strconv.Itoa(h.Version),
		meta.PolicyChannels:   strconv.Itoa(n.Policy.Channels),
		meta.ScoreValues:      strconv.Itoa(h.ScoreValues()),
		meta.TDScoreMult:      formatReal(mult.TDScore),
		meta.ScoreMeanMult:    formatReal(mult.ScoreMean),
		meta.ScoreStdevMult:   formatReal(mult.ScoreStdev),
		meta.LeadMult:         formatReal(mult.Lead),
		meta.VarTimeMult:      formatReal(mult.VarianceTime),
		meta.ValueErrorMult:   formatReal(mult.ShorttermValueErr),
		meta.ScoreErrorMult:   formatReal(mult.ShorttermScoreErr),
		meta.PassAliveSuicide: flag(h.PassAliveUnderSuicide),
		meta.ExcludeTerritory: flag(h.ExcludeTerritoryAdjacentToAtari),
		meta.MetaEncoder:      strconv.Itoa(h.MetaEncoder),
	}
	if n.Source.File != "" {
		out[meta.Source] = n.Source.File
	}
	if n.Source.SHA256 != "" {
		out[meta.SourceSHA256] = n.Source.SHA256
	}
	if form == FormExact {
		layout, err := layoutOf(n)
		if err != nil {
			return nil, err
		}
		out[meta.Layout] = layout
	}
	return out, nil
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// layoutOf returns the text of the network's file, without the blocks of numbers.
func layoutOf(n *Network) (string, error) {
	var text bytes.Buffer
	out := &sink{bw: bufio.NewWriter(&text), bare: true}
	w := walker{m: out}
	if w.network(n); w.err != nil {
		return "", w.err
	}
	out.bw.Flush()
	return text.String(), nil
}
