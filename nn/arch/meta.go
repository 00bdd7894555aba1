package arch

import (
	"fmt"
	"strconv"
	"strings"

	"kosumi/nn/onnx/meta"
)

// Names of the inputs and outputs of this package's networks.
const (
	inputPlanes     = "planes"    // [N,planes,H,W]
	outputPolicy    = "policy"    // [N,W*H+1], pass last
	outputValue     = "value"     // [N,1], win minus loss for the side to move, in [-1,1]
	outputScore     = "score"     // [N,1], points for the side to move
	outputOwnership = "ownership" // [N,W*H], in [-1,1], + = side to move
)

// metadata returns the metadata of a network's file.
func metadata(c Config, seed uint64, kind, encoder, policy string, heads ...string) map[string]string {
	return map[string]string{
		meta.Format:  "1",
		meta.Kind:    kind,
		meta.Encoder: encoder,
		meta.Board:   fmt.Sprintf("%dx%d", c.Width, c.Height),
		meta.Policy:  policy,
		meta.Value:   "tanh",
		meta.Heads:   strings.Join(heads, ","),
		meta.Arch:    c.String(),
		meta.Seed:    strconv.FormatUint(seed, 10),
	}
}
