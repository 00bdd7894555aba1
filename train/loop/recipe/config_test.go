package recipe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	for _, name := range Presets() {
		text, err := Preset(name)
		require.NoError(t, err)
		c, err := Parse(text)
		require.NoError(t, err, name)
		if name == "tutorial" {
			require.Equal(t, []float64{7}, c.Selfplay.Komi.Usual)
			require.Equal(t, "mini", c.Arch)
			require.Len(t, c.Stages, 1)
			require.Equal(t, "puct", c.At(1e6).Selfplay.Search.Method)
		}
	}
	_, err := Preset("no such")
	require.ErrorIs(t, err, ErrConfig)
}

func TestConfigFaults(t *testing.T) {
	for text, want := range map[string]string{
		"arhc = 'x'":                            "unknown key arhc",
		"arch = ":                               "bad settings",
		"[start]\ngames_behind = -1":            "games_behind",
		"[start]\ngames_behind = 9":             "start.network",
		"[start]\ndata = ['x']":                 "start.network",
		"arch = 'mini'\n[start]\nnetwork = 'x'": "KataGo",
		"[train]\nbatch = 0":                    "train.batch",
		"[window]\nmax_rows = 5":                "window",
		"[selfplay.search]\nmethod = 'alpha'":   "method",
		"[[stage]]\ngames = 0\nvisits = 0":      "stage 1",
		"[keep]\nnetworks = 0":                  "keep",
		"[selfplay]\nparallel = 0":              "parallel",
		"[selfplay.komi]\nusual = [0.3]":        "komi",
		"[[selfplay.boards]]\nwidth = 99":       "boards",
		"[iteration]\nrows = 0":                 "iteration",
		"[gate]\nmin_score = 2.0":               "gate",
		"[bootstrap]\nrows_share = -1.0":        "bootstrap",
		"[train]\nratio = 0.0":                  "ratio",
		"[compute]\nbatch = -1":                 "compute",
		"[compute]\nprecision = 'int4'":         "compute.precision",
		"[selfplay.rules]\nko_simple = -1.0":    "ko rules",
		"[selfplay.rows]\npolicy_surprise = 2.": "bad settings",
	} {
		_, err := Parse([]byte(text))
		require.ErrorIs(t, err, ErrConfig, text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestWindow holds the formula against the table of KataGo's single-machine
// loop: least 100,000 rows, taper 50,000, exponent 0.65, growth 0.4.
func TestWindow(t *testing.T) {
	w := Window{MinRows: 100_000, Taper: 50_000, Exponent: 0.65, Growth: 0.4, MaxRows: 10_000_000}
	for made, want := range map[int64]float64{0: 100e3, 100_000: 100e3, 250_000: 145e3, 1_000_000: 278e3, 5_000_000: 679e3, 10_000_000: 1.03e6} {
		require.InEpsilon(t, want, w.Rows(made), 0.01, "%d rows", made)
	}
	w.MaxRows = 300_000
	require.Equal(t, 300_000, w.Rows(5_000_000))
}
