package fresh_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, file, kind, board string
		katago                  bool
	}{
		{"mini-b1c4", "mini.onnx", "dual-head", "5x7", false},
		{"b1c8", "seed.onnx", "seed", "5x7", false},
		{"kb1c16", "kata.onnx", "katago", "5x7", true},
	} {
		a, err := fresh.Parse(c.name)
		require.NoError(t, err)
		require.Equal(t, c.katago, a.KataGo())
		path := filepath.Join(dir, c.file)
		require.NoError(t, a.On(5, 7).Write(path, 3))
		data := []byte(testshared.Read(t, path))
		m, err := onnx.Read(data)
		require.NoError(t, err)
		require.Equal(t, c.kind, m.Metadata[meta.Kind])
		require.Equal(t, c.board, m.Metadata[meta.Board])
		require.NoError(t, a.On(5, 7).Write(path+"2.onnx", 3))
		again := []byte(testshared.Read(t, path+"2.onnx"))
		require.Equal(t, data, again, "a seed gives one file")
	}
	a, err := fresh.Parse("kb1c16")
	require.NoError(t, err)
	path := filepath.Join(dir, "net"+fresh.Ending("kb1c16"))
	require.NoError(t, a.Write(path, 1))
	_, err = katago.ReadFile(path)
	require.NoError(t, err)
	a, err = fresh.Parse("mini")
	require.NoError(t, err)
	require.ErrorContains(t, a.Write(filepath.Join(dir, "mini.bin.gz"), 1), "written as .onnx")
	require.Equal(t, ".onnx", fresh.Ending("mini"))
}

func TestParseRefuses(t *testing.T) {
	for name, complaint := range map[string]string{
		"": "kbNcM", "resnet": "known are mini", "kb": "kb<blocks>", "kb0c4": "", "b0c0": "", "kb6c96x": "kb<blocks>",
		"mini-b0c8": "0 blocks, between 1 and 120 are possible",
	} {
		_, err := fresh.Parse(name)
		require.Error(t, err, name)
		require.ErrorContains(t, err, complaint)
	}
	_, err := fresh.Parse("mini-b0c8")
	require.NotContains(t, err.Error(), "kbNcM", "the name is known")
	require.Len(t, fresh.Kinds(), 4)
}
