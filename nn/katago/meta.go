package katago

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Keys of the metadata that Build writes into an ONNX file. Values are text:
// numbers in decimal, flags as 0 or 1.
const (
	MetaFormat       = "kosumi.format"        // "1"
	MetaKind         = "kosumi.kind"          // "katago"
	MetaEncoderName  = "kosumi.encoder"       // input encoding: "v3" to "v7"
	MetaBoard        = "kosumi.board"         // "19x19": width x height
	MetaPolicy       = "kosumi.policy"        // "logits"
	MetaValue        = "kosumi.value"         // "wdl"
	MetaHeads        = "kosumi.heads"         // outputs, comma-separated
	MetaName         = "kosumi.name"          // the network's own name
	MetaSource       = "kosumi.source"        // file it came from
	MetaSourceSHA256 = "kosumi.source_sha256" // of that file as stored

	MetaKataGoForm         = "kosumi.katago.form" // "run" or "exact"
	MetaKataGoVersion      = "kosumi.katago.version"
	MetaPolicyChannels     = "kosumi.katago.policy_channels"
	MetaScoreValues        = "kosumi.katago.score_values"
	MetaTDScoreMult        = "kosumi.katago.td_score_multiplier"
	MetaScoreMeanMult      = "kosumi.katago.score_mean_multiplier"
	MetaScoreStdevMult     = "kosumi.katago.score_stdev_multiplier"
	MetaLeadMult           = "kosumi.katago.lead_multiplier"
	MetaVarTimeMult        = "kosumi.katago.var_time_multiplier"
	MetaValueErrorMult     = "kosumi.katago.shortterm_value_error_multiplier"
	MetaScoreErrorMult     = "kosumi.katago.shortterm_score_error_multiplier"
	MetaPassAliveUnderSuic = "kosumi.katago.pass_alive_under_suicide"
	MetaMetaEncoder        = "kosumi.katago.meta_encoder"
	// MetaLayout is the KataGo file without its blocks of numbers; FormExact only.
	MetaLayout = "kosumi.katago.layout"
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
