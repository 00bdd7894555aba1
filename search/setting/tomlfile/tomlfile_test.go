package tomlfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/search/setting/tomlfile"
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
	require.NoError(t, tomlfile.Decode([]byte("\ufeffa = 2\r\n"), &into), "as Windows Notepad writes it")
	require.InDelta(t, 2, into.A, 0)
	for text, complaint := range map[string]string{
		"aa = 1\n[part]\nc = 1":    "unknown key aa, part.c",
		"a = 1\n[part]\nb = \"x\"": "line 3",
		"a = 1\na = 2":             "not a valid TOML file",
		"\x00":                     "not a valid TOML file: line 1",
	} {
		require.ErrorContains(t, tomlfile.Decode([]byte(text), &into), complaint, text)
	}
}

func TestDifferences(t *testing.T) {
	type stage struct {
		Games  int      `toml:"games"`
		Visits *int     `toml:"visits"`
		Rate   *float64 `toml:"rate"`
	}
	type part struct{ B int }
	type recipe struct {
		Name   string
		Komi   []float64
		Part   part
		Stages []stage
		Losses map[string]float64
	}
	n, rate := 5, 0.5
	a := recipe{"a", []float64{7, 5.5}, part{1}, []stage{{0, &n, nil}}, map[string]float64{"value": 1}}
	none, err := tomlfile.Differences(a, a)
	require.NoError(t, err)
	require.Empty(t, none)
	b := recipe{"b", []float64{7}, part{2}, []stage{{0, nil, &rate}, {9, nil, nil}}, map[string]float64{"value": 2}}
	list, err := tomlfile.Differences(a, b)
	require.NoError(t, err)
	require.Equal(t, []tomlfile.Difference{
		{"Komi", "[7 5.5]", "[7]"}, {"Losses.value", "1", "2"}, {"Name", `"a"`, `"b"`}, {"Part.B", "1", "2"},
		{"Stages[0].rate", "", "0.5"}, {"Stages[0].visits", "5", ""}, {"Stages[1].games", "", "9"},
	}, list)
	_, err = tomlfile.Differences(a, func() {})
	require.Error(t, err)
}
