package tomlfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/search/setting"
	"kosumi/search/setting/tomlfile"
)

// oven is a struct with a setting of each kind.
type oven struct {
	Heat  int
	Fan   bool
	Bread string
	Crust float64
	Light string
}

var ovenTable = setting.Table[oven]{
	setting.Of(setting.Info{Name: "heat", Low: 0, High: 300, Source: "the baker", Doc: "degrees"}, func(o *oven) *int { return &o.Heat }),
	setting.Of(setting.Info{Name: "fan", Source: "the baker", Doc: "whether air moves"}, func(o *oven) *bool { return &o.Fan }),
	setting.Of(setting.Info{Name: "bread", Source: "the customer", Doc: "a `KIND` of bread, " + strings.Repeat("long ", 20)}, func(o *oven) *string { return &o.Bread }),
	setting.Of(setting.Info{Name: "light", Words: []string{"auto", "false", "true"}, Source: "the baker", Doc: "whether it is on"}, func(o *oven) *string { return &o.Light }),
	setting.Of(setting.Info{Name: "crust", Section: "late", KataGo: "crustFactor", High: 1, Source: "tests", Doc: "how brown"}, func(o *oven) *float64 { return &o.Crust }),
}

// TestValues: values of each kind and section are read, and unknown keys are refused.
func TestValues(t *testing.T) {
	got, err := tomlfile.Values(ovenTable, []byte("heat = 200\nfan = true\nbread = 'rye'\n[late]\ncrust = 0.5\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"heat": "200", "fan": "true", "bread": "rye", "crust": "0.5"}, got)
	got, err = tomlfile.Values(ovenTable, []byte("light = false"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"light": "false"}, got, "a word that TOML has a value for needs no quotes")
	for text, fault := range map[string]string{
		"heta = 1":            "unknown setting heta, did you mean heat?",
		"[early]\ncrust = 1":  "unknown section [early]\ncrust in [early]: write crust in [late]",
		"crust = 1":           "crust before the first section: write crust in [late]",
		"[late]\nheat = 1":    "heat in [late]: write heat before the first section",
		"[late]\nheta = 1":    "in [late]: unknown setting heta, did you mean heat?",
		"crustFactor = 1":     "write crust in [late]",
		"heat = 1.5":          "heat must be an integer from 0 to 300",
		"heat = '1'":          "heat must be an integer",
		"fan = 1":             "fan must be true or false",
		"bread = 1\ncr = [1]": "bread must be a text in quotes",
		"heat":                "TOML",
	} {
		_, err := tomlfile.Values(ovenTable, []byte(text))
		require.ErrorContains(t, err, fault, text)
	}
}

// TestWriteComment requires short lines and a value that can be read back.
func TestWriteComment(t *testing.T) {
	var b strings.Builder
	for i := range ovenTable {
		tomlfile.WriteComment(&b, &ovenTable[i], &oven{Heat: 220, Bread: `"r"`, Crust: 0.25})
	}
	text := b.String()
	require.Contains(t, text, "# degrees (0 to 300; the baker)\n#heat = 220\n")
	require.Contains(t, text, "# whether air moves (the baker)\n#fan = false\n")
	require.Contains(t, text, "in KataGo's files crustFactor")
	require.Contains(t, text, `#bread = "\"r\""`)
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(line), 93)
	}
}
