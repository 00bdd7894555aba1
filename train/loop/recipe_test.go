package loop

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	for _, name := range Presets() {
		text, err := Preset(name)
		require.NoError(t, err)
		c, err := ParseRecipe(text)
		require.NoError(t, err, name)
		if name == "tutorial" {
			require.Equal(t, []float64{7}, c.Selfplay.Komi.Usual)
			require.Equal(t, "mini", c.Arch)
			require.Len(t, c.Stages, 1)
			require.Equal(t, "puct", c.At(1e6).Selfplay.Search.Method)
		}
	}
	_, err := Preset("no such")
	require.ErrorIs(t, err, ErrRecipe)
}

func TestConfigFaults(t *testing.T) {
	for text, want := range map[string]string{
		"arhc = 'x'":                            "unknown key arhc",
		"arch = ":                               "bad settings",
		"[start]\ngames_behind = 9":             "start.network",
		"[start]\ndata = ['x']":                 "start.network",
		"arch = 'mini'\n[start]\nnetwork = 'x'": "KataGo",
		"[window]\nmax_rows = 5":                "window",
		"[selfplay.search]\nmethod = 'alpha'":   "method",
		"[[stage]]\ngames = 0\nvisits = 0":      "stage 1",
		"[selfplay.komi]\nusual = [0.3]":        "komi",
		"[[selfplay.boards]]\nwidth = 99":       "boards",
		"[iteration]\nrows = 0":                 "iteration",
		"[train]\nratio = 0.0":                  "ratio",
		"[compute]\nprecision = 'int4'":         "compute.precision",
		"[train]\nrate = 99.0":                  "train.rate is 99, must be above 0 to 1",
		"[train]\nmethod = 'sdg'":               "train.method is \"sdg\", must be one of [sgd adam adamw muon]",
		"[train.losses]\nnosuch = 1.0":          "train.losses.nosuch",
		"arch = 'kb4'":                          "arch: ",
		"[compute]\nprovider = 'warp'":          "compute.provider",
		"[[stage]]\ngames = 0\nrate = 99.0":     "stage 1.rate is 99",
		"[selfplay.ending]\nsoft_visits = 0":    "ending.soft_visits is 0",
		"[selfplay.rows]\npolicy_surprise = 2.": "bad settings",
	} {
		_, err := ParseRecipe([]byte(text))
		require.ErrorIs(t, err, ErrRecipe, text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestNumbersOfRecipes: each number of the default recipe, if far too low or NaN, gives exactly
// one error with its key, however many stages there are.
func TestNumbersOfRecipes(t *testing.T) {
	text, err := Preset("default")
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	number := regexp.MustCompile(`^(\w+) *= *-?[0-9][0-9._e-]*`)
	count := 0
	for i, line := range lines {
		m := number.FindStringSubmatch(line)
		if m == nil || m[1] == "seed" {
			continue
		}
		for _, bad := range []string{"-500", "-500.0", "nan"} {
			changed := slices.Clone(lines)
			changed[i] = m[1] + " = " + bad
			_, err := ParseRecipe([]byte(strings.Join(changed, "\n")))
			require.ErrorIs(t, err, ErrRecipe, changed[i])
			if strings.Contains(err.Error(), "TOML") {
				continue // an integer where a fraction is expected, or the reverse
			}
			require.Contains(t, err.Error(), m[1], changed[i])
			require.Equal(t, 1, strings.Count(err.Error(), m[1]+" is "), err.Error())
			count++
		}
	}
	require.Greater(t, count, 80)
}

// TestWindow compares the formula with the table of KataGo's single-machine loop: at least
// 100,000 rows, taper 50,000, exponent 0.65, growth 0.4.
func TestWindow(t *testing.T) {
	w := Window{MinRows: 100_000, Taper: 50_000, Exponent: 0.65, Growth: 0.4, MaxRows: 10_000_000}
	for made, want := range map[int64]float64{0: 100e3, 100_000: 100e3, 250_000: 145e3, 1_000_000: 278e3, 5_000_000: 679e3, 10_000_000: 1.03e6} {
		require.InEpsilon(t, want, w.Rows(made), 0.01, "%d rows", made)
	}
	w.MaxRows = 300_000
	require.Equal(t, 300_000, w.Rows(5_000_000))
}
