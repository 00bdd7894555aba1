package features_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// profileRecord is KataGo's result for a profile's name: inputs, nothing, or an error.
type profileRecord struct {
	ID, Profile, NextPlayer, Error string
	BoardArea                      int
	Meta                           []float32
	Unset                          bool
}

// TestProfilesOracle: every input of every recorded profile, and every refusal, equals KataGo's.
func TestProfilesOracle(t *testing.T) {
	tried := 0
	for _, r := range testshared.Lines[profileRecord](t, testshared.Path(t, "golden/human/profiles.jsonl.gz")) {
		tried++
		m, set, err := features.ParseProfile(r.Profile)
		if r.Error != "" {
			require.EqualError(t, err, r.Error, r.ID)
			continue
		}
		require.NoError(t, err, "%s: %q", r.ID, r.Profile)
		require.Equal(t, !r.Unset, set, "%s: %q", r.ID, r.Profile)
		if r.Unset {
			continue
		}
		toMove := board.Black
		if r.NextPlayer == "W" {
			toMove = board.White
		}
		meta := make([]float32, features.MetaSize)
		features.EncodeMeta(meta, &m, toMove, board.Size{W: r.BoardArea, H: 1})
		require.InDeltaSlice(t, r.Meta, meta, 1e-6, "%s: %q", r.ID, r.Profile)
	}
	require.NotZero(t, tried)
}

// profiles returns all names of profiles in their shortest form.
func profiles() []string {
	var names []string
	var ranks []string
	for k := 20; k > 0; k-- {
		ranks = append(ranks, fmt.Sprintf("%dk", k))
	}
	for d := 1; d <= 9; d++ {
		ranks = append(ranks, fmt.Sprintf("%dd", d))
	}
	for _, kind := range []string{"rank_", "preaz_"} {
		for _, b := range ranks {
			names = append(names, kind+b)
			for _, w := range ranks {
				names = append(names, kind+b+"_"+w)
			}
		}
	}
	for year := 1800; year <= 2023; year++ {
		names = append(names, fmt.Sprintf("proyear_%d", year))
	}
	return names
}

func TestParseProfile(t *testing.T) {
	known := map[string]bool{}
	rows := map[features.Meta]bool{}
	for _, name := range profiles() {
		known[name] = true
		m, set, err := features.ParseProfile(name)
		require.NoError(t, err, name)
		require.True(t, set, name)
		rows[m] = true
	}
	require.Len(t, rows, 2*29*29+224, "one row a pair of ranks and a year")
	for name := range known {
		if strings.HasPrefix(name, "proyear") || strings.Count(name, "_") == 2 {
			continue
		}
		for i := range name { // a name with a letter removed or in upper case, or a space added, is no profile
			for _, wrong := range []string{name[:i] + name[i+1:], name[:i] + strings.ToUpper(name[i:i+1]) + name[i+1:], name[:i] + " " + name[i:]} {
				if !known[wrong] {
					_, _, err := features.ParseProfile(wrong)
					require.EqualError(t, err, "Unknown human SL network profile: "+wrong)
				}
			}
		}
	}
}

// FuzzEncodeMeta: the inputs are finite for any profile.
func FuzzEncodeMeta(f *testing.F) {
	f.Add(5, uint8(3), uint8(2), 1200.0, 30.0, 5, 18000, uint8(2), true)
	f.Fuzz(func(t *testing.T, rank int, rated, tc uint8, main, period float64, periods, days int, source uint8, flag bool) {
		p := features.Player{Human: flag, Rank: rank}
		m := features.Meta{Black: p, White: p, Rated: rated, Time: tc, MainSeconds: main,
			PeriodSeconds: period, Periods: periods, Days: days, Source: source}
		dst := make([]float32, features.MetaSize)
		features.EncodeMeta(dst, &m, board.White, board.Square(9))
		for i, x := range dst {
			require.False(t, x != x || x > 100 || x < -100, "%d: %v", i, x)
		}
	})
}
