package arch

import (
	"fmt"
	"strconv"
	"strings"
)

// Keys of the metadata that our networks carry, so that a file says what it is.
const (
	MetaFormat  = "kosumi.format"  // "1"
	MetaKind    = "kosumi.kind"    // "dual-head", "seed" or "katago"
	MetaEncoder = "kosumi.encoder" // input planes: "mini7", "seed22", "v3" to "v7"
	MetaBoard   = "kosumi.board"   // "9x9" (width x height), or "any"
	MetaPolicy  = "kosumi.policy"  // "logits", "log_softmax" or "softmax"
	MetaValue   = "kosumi.value"   // "tanh" or "wdl"
	MetaHeads   = "kosumi.heads"   // outputs, comma-separated
	MetaArch    = "kosumi.arch"    // what Config.String returns
	MetaSeed    = "kosumi.seed"    // of the first weights, decimal
)

// Names of the inputs and outputs of this package's networks.
const (
	InputPlanes     = "planes"    // [N,planes,H,W]
	OutputPolicy    = "policy"    // [N,W*H+1], pass last
	OutputValue     = "value"     // [N,1], win minus loss for the side to move, in [-1,1]
	OutputScore     = "score"     // [N,1], points for the side to move
	OutputOwnership = "ownership" // [N,W*H], in [-1,1], + = side to move
)

// metadata returns what a network says of itself.
func metadata(c Config, seed uint64, kind, encoder, policy string, heads ...string) map[string]string {
	return map[string]string{
		MetaFormat:  "1",
		MetaKind:    kind,
		MetaEncoder: encoder,
		MetaBoard:   fmt.Sprintf("%dx%d", c.Width, c.Height),
		MetaPolicy:  policy,
		MetaValue:   "tanh",
		MetaHeads:   strings.Join(heads, ","),
		MetaArch:    c.String(),
		MetaSeed:    strconv.FormatUint(seed, 10),
	}
}
