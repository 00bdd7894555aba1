package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine/analysis"
	"kosumi/internal/testshared"
	"kosumi/search"
	"kosumi/search/setting/tomlfile"
)

func exampleConfig() string {
	var b bytes.Buffer
	writeConfig(&b)
	return b.String()
}

// TestExampleConfig: the example file has every key once, at the engine's real default.
func TestExampleConfig(t *testing.T) {
	text := exampleConfig()
	require.Equal(t, text, testshared.Read(t, "../../kosumi.example.toml"), "the file is not what engine config prints: engine config > kosumi.example.toml")

	untouched, err := tomlfile.Values(table, []byte(text))
	require.NoError(t, err)
	require.Empty(t, untouched)

	set := regexp.MustCompile(`(?m)^#([A-Za-z-]+ = )`).ReplaceAllString(text, "$1")
	values, err := tomlfile.Values(table, []byte(set))
	require.NoError(t, err)
	require.Len(t, values, len(table))
	s := defaultSettings()
	require.NoError(t, table.Apply(&s, values, table.Set))
	require.NoError(t, s.check())
	plain := defaultSettings()
	require.NoError(t, plain.check())
	s.stderr, plain.stderr = nil, nil
	require.Equal(t, plain, s)

	keys := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^#([A-Za-z-]+) = `).FindAllStringSubmatch(text, -1) {
		keys[m[1]]++
	}
	for _, row := range table {
		require.Equal(t, 1, keys[row.Name], row.Name)
	}
	for _, line := range strings.Split(text, "\n") {
		require.LessOrEqual(t, len(line), 100, line)
	}
}

// TestPresetsLeaveAnalysisAlone: no preset changes the parameters that distinguish analysis from
// play.
func TestPresetsLeaveAnalysisAlone(t *testing.T) {
	for _, preset := range search.Presets {
		s := defaultSettings()
		base := analysis.Defaults().Search
		s.searchFrom(base)
		require.NoError(t, table.Set(&s, "preset", preset))
		p := s.params()
		require.Equal(t, preset, s.Preset)
		require.InDelta(t, base.Root.WideNoise, p.Root.WideNoise, 0, preset)
		require.Equal(t, base.Pass.IgnorePreRootHistory, p.Pass.IgnorePreRootHistory, preset)
		require.Equal(t, base.AntiMirror, p.AntiMirror, preset)
	}
}

// TestTechniques: the settings that switch a technique off are valid, and change the search.
func TestTechniques(t *testing.T) {
	for _, o := range techniques {
		s, err := loaded(t, "--set", o.off)
		require.NoError(t, err, o.name)
		plain, err := loaded(t)
		require.NoError(t, err)
		require.NotEqual(t, plain.params(), s.params(), o.name)
	}
}

// TestSearchSettings: the file overrides the preset, and --set overrides the file.
func TestSearchSettings(t *testing.T) {
	file := writeFile(t, "engine.toml", "preset = \"tutorial\"\n[search]\ncpuctExploration = 2\nuseGraphSearch = true\nlcbStdevs = 4.5\n")
	s, err := loaded(t, "--config", file, "--set", "cpuctExploration=3, fpuReductionMax=0.5", "--set", "rootNoiseEnabled=true")
	require.NoError(t, err)
	c := s.engineConfig()
	p := c.Search
	require.True(t, p.FPU.Zero, "of the preset")
	require.True(t, p.Graph.Use, "of the file")
	require.InDelta(t, 4.5, p.Choice.LCBStdevs, 0)
	require.InDelta(t, 3, p.PUCT.Exploration, 0, "of the flag, over the file")
	require.InDelta(t, 0.5, p.FPU.ReductionMax, 0)
	require.True(t, p.Root.NoiseEnabled)
}
