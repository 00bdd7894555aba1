package katago

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"kosumi/nn/onnx/meta"
)

// Keys of the metadata that Build writes into an ONNX file.
const (
	MetaFormat       = meta.Format
	MetaKind         = meta.Kind
	MetaEncoderName  = meta.Encoder
	MetaBoard        = meta.Board
	MetaPolicy       = meta.Policy
	MetaValue        = meta.Value
	MetaHeads        = meta.Heads
	MetaName         = meta.Name
	MetaSource       = meta.Source
	MetaSourceSHA256 = meta.SourceSHA256

	MetaKataGoForm         = meta.KataGoForm
	MetaKataGoVersion      = meta.KataGoVersion
	MetaPolicyChannels     = meta.PolicyChannels
	MetaScoreValues        = meta.ScoreValues
	MetaTDScoreMult        = meta.TDScoreMult
	MetaScoreMeanMult      = meta.ScoreMeanMult
	MetaScoreStdevMult     = meta.ScoreStdevMult
	MetaLeadMult           = meta.LeadMult
	MetaVarTimeMult        = meta.VarTimeMult
	MetaValueErrorMult     = meta.ValueErrorMult
	MetaScoreErrorMult     = meta.ScoreErrorMult
	MetaPassAliveUnderSuic = meta.PassAliveSuicide
	MetaMetaEncoder        = meta.MetaEncoder
	MetaLayout             = meta.Layout
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
	meta := map[string]string{
		MetaFormat:      "1",
		MetaKind:        "katago",
		MetaEncoderName: h.Encoder(),
		MetaBoard:       fmt.Sprintf("%dx%d", size.W, size.H),
		MetaPolicy:      "logits",
		MetaValue:       "wdl",
		MetaHeads:       strings.Join(heads, ","),
		MetaName:        h.Name,

		MetaKataGoForm:         form.String(),
		MetaKataGoVersion:      strconv.Itoa(h.Version),
		MetaPolicyChannels:     strconv.Itoa(n.Policy.Channels),
		MetaScoreValues:        strconv.Itoa(h.ScoreValues()),
		MetaTDScoreMult:        formatReal(mult.TDScore),
		MetaScoreMeanMult:      formatReal(mult.ScoreMean),
		MetaScoreStdevMult:     formatReal(mult.ScoreStdev),
		MetaLeadMult:           formatReal(mult.Lead),
		MetaVarTimeMult:        formatReal(mult.VarianceTime),
		MetaValueErrorMult:     formatReal(mult.ShorttermValueErr),
		MetaScoreErrorMult:     formatReal(mult.ShorttermScoreErr),
		MetaPassAliveUnderSuic: "0",
		MetaMetaEncoder:        strconv.Itoa(h.MetaEncoder),
	}
	if h.PassAliveUnderSuicide {
		meta[MetaPassAliveUnderSuic] = "1"
	}
	if n.Source.File != "" {
		meta[MetaSource] = n.Source.File
	}
	if n.Source.SHA256 != "" {
		meta[MetaSourceSHA256] = n.Source.SHA256
	}
	if form == FormExact {
		layout, err := layoutOf(n)
		if err != nil {
			return nil, err
		}
		meta[MetaLayout] = layout
	}
	return meta, nil
}

// layoutOf writes the network's tokens without the blocks of numbers.
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
