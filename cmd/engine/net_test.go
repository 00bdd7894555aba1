package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/model"
)

// TestNetInfoNamesThePlanes: net info lists the input planes in order, for people and as JSON,
// and says whether the file itself names them.
func TestNetInfoNamesThePlanes(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "mini.onnx")
	exits(t, exitDone, nil, "", "net", "new", "--arch", "mini", "--boardsize", "9", "-o", own)
	katago := filepath.Join(dir, "kb1c16.bin.gz")
	exits(t, exitDone, nil, "", "net", "new", "--arch", "kb1c16", "-o", katago)
	for path, want := range map[string]struct {
		planes int
		said   string
	}{
		"":  {22, "kosumi.bin.gz: "}, // the built-in network
		own: {7, "planes of mini7 (as the file says):\n     0 own stones\n"},
		"../../testdata/onnx/pytorch-dualhead-9x9.onnx": {7, "planes of mini7 (taken for them by their number, the file does not say):\n     0 own stones\n     1 opponent's stones\n     2 empty points\n     3 last move\n"},
		"../../testdata/onnx/pytorch-agz-9x9.onnx":      {17, "     0 own stones now\n     1 opponent's stones now\n     2 own stones 1 move ago\n"},
		"../../testdata/onnx/pytorch-seed-9x9.onnx":     {22, "    20 komi / 15\n    21 Black to move\n"},
		katago: {22, "    17 moves that catch in a ladder\n"},
	} {
		out := exits(t, exitDone, nil, "", "net", "info", path)
		require.Contains(t, out.stdout, want.said)
		out = invoke(t, nil, "", "net", "info", "--json", path)
		var info model.Info
		require.NoError(t, json.Unmarshal([]byte(out.stdout), &info))
		require.Len(t, info.Planes, want.planes)
	}
}
