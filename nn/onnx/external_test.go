package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tensorBeside returns a model with one tensor of two floats stored in another file; place has
// the keys and values of its location.
func tensorBeside(place ...string) []byte {
	fields := []any{tensorDims, 2, tensorType, 1}
	for i := 0; i < len(place); i += 2 {
		fields = append(fields, tensorExternal, msg(1, place[i], 2, place[i+1]))
	}
	return tensorFile(append(fields, tensorLocation, 1)...)
}

func TestReadBeside(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "w.data"), []byte("....\x00\x00\x80?\x00\x00\x00@"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..", "outside.data"), make([]byte, 8), 0o600))
	for name, place := range map[string][]string{
		"offset and length": {"location", "w.data", "offset", "4", "length", "8"},
		"to the end":        {"location", "w.data", "offset", "4"},
	} {
		m, beside, err := ReadBeside(tensorBeside(place...), dir)
		require.NoError(t, err, name)
		require.Len(t, beside, 1)
		values, err := m.Graph.Initializers[0].Float32s()
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2}, values, name)
	}
	for want, place := range map[string][]string{
		"gone.data":                              {"location", "gone.data"},
		`"../outside.data" is not in its folder`: {"location", "../outside.data"},
		`"/etc/passwd" is not in its folder`:     {"location", "/etc/passwd"},
		`"" is not in its folder`:                {"offset", "4"},
		"too few":                                {"location", "w.data", "offset", "8", "length", "8"},
		`offset "-1"`:                            {"location", "w.data", "offset", "-1", "length", "8"},
		`length "x"`:                             {"location", "w.data", "length", "x"},
		"bytes":                                  {"location", "w.data", "length", "4"},
	} {
		_, _, err := ReadBeside(tensorBeside(place...), dir)
		require.Error(t, err, want)
		require.Contains(t, err.Error(), want)
		require.False(t, strings.Contains(err.Error(), "strconv"), err)
	}
}
