package tomlfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/setting/tomlfile"
)

func TestDecode(t *testing.T) {
	type part struct{ B int }
	var into struct {
		A    float64
		Part part
	}
	require.NoError(t, tomlfile.Decode([]byte("a = 1.5\n[part]\nb = 3\n"), &into))
	require.InDelta(t, 1.5, into.A, 0)
	require.Equal(t, 3, into.Part.B)
	for text, complaint := range map[string]string{
		"aa = 1\n[part]\nc = 1":    "unknown key aa, part.c",
		"a = 1\n[part]\nb = \"x\"": "line 3",
		"a = 1\na = 2":             "not a valid TOML file",
		"\x00":                     "not a valid TOML file: line 1",
	} {
		require.ErrorContains(t, tomlfile.Decode([]byte(text), &into), complaint, text)
	}
}
