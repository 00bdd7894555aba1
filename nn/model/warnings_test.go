package model_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/nn/model"
)

// warnings opens a network and returns the lines shown to the user.
func warnings(t *testing.T, path string, o model.Overrides) []string {
	t.Helper()
	var log bytes.Buffer
	m, err := model.Open(path, model.Config{Provider: model.OnnxGo, Overrides: o, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	return strings.FieldsFunc(log.String(), func(r rune) bool { return r == '\n' })
}

// TestAreaModes: a network's area modes are read from a KataGo file and from an ONNX file, and
// neither causes a warning.
func TestAreaModes(t *testing.T) {
	for i := range 4 {
		modes := board.AreaModes{PassAliveUnderSuicide: i&1 != 0, ExcludeTerritoryAdjacentToAtari: i&2 != 0}
		net, err := katago.Fresh("kb1c16", 1)
		require.NoError(t, err)
		net.Header.PassAliveUnderSuicide, net.Header.ExcludeTerritoryAdjacentToAtari = modes.PassAliveUnderSuicide, modes.ExcludeTerritoryAdjacentToAtari
		file := filepath.Join(t.TempDir(), "net.bin.gz")
		require.NoError(t, katago.WriteFile(file, net))
		exact, err := katago.Build(net, katago.Size{W: 9, H: 9}, katago.FormExact)
		require.NoError(t, err)
		for _, path := range []string{file, written(t, exact)} {
			require.Empty(t, warnings(t, path, model.Overrides{}), path)
			m, err := open(t, path, model.Overrides{})
			require.NoError(t, err)
			spec, err := m.Spec(board.Square(9))
			require.NoError(t, err)
			require.Equal(t, modes, spec.KataGo.AreaModes, path)
			require.Equal(t, modes, m.Describe().Areas, path)
		}
	}
}

// TestPlanesInAnUnknownOrder: a foreign network's encoding is guessed from the number of planes,
// with a warning; a file or user that names the encoding is trusted.
func TestPlanesInAnUnknownOrder(t *testing.T) {
	for file, e := range map[string]features.Encoding{"pytorch-dualhead-9x9.onnx": features.Mini7, "pytorch-agz-9x9.onnx": features.AGZ17, "pytorch-seed-9x9.onnx": features.Seed22} {
		path := filepath.Join(fixtures, file)
		lines := warnings(t, path, model.Overrides{})
		require.Len(t, lines, 1)
		for _, part := range append(e.PlaneNames(), "does not name its", "--encoder "+e.String(), file) {
			require.Contains(t, lines[0], part)
		}
		require.Empty(t, warnings(t, path, model.Overrides{Encoding: e.String()}))
	}
	a, err := fresh.Parse("mini")
	require.NoError(t, err)
	own := filepath.Join(t.TempDir(), "mini.onnx")
	require.NoError(t, a.On(9, 9).Write(own, 1))
	require.Empty(t, warnings(t, own, model.Overrides{}))
}
