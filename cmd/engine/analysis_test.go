package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/conform"
	"kosumi/nn/katago"
)

// analyse starts the engine for analysis.
func analyse(flags ...string) conform.Open[*conform.Analysis] {
	return func(t testing.TB, args ...string) *conform.Analysis {
		p := start(t, nil, slices.Concat([]string{"analysis"}, frugal, flags, args)...)
		return conform.NewAnalysis(t, p.in, p.out, p.wait)
	}
}

// TestAnalysisConformance runs the conformance items of the JSON protocol, with a trained network
// that serves every board and has every output.
func TestAnalysisConformance(t *testing.T) {
	needLibrary(t)
	conform.RunAnalysis(t, analyse("--model", realNetwork(t)))
}

// TestLaunchLines starts the engine by the command lines of real clients.
func TestLaunchLines(t *testing.T) {
	needLibrary(t)
	model := realNetwork(t)
	known, err := katago.ReadFile(model)
	require.NoError(t, err)
	config := writeFile(t, "analysis.cfg", "logDir = logs\nnumAnalysisThreads = 2\n")
	for name, args := range map[string][]string{
		"KaTrain": {"analysis", "-model", model, "-human-model", model, "-config", config, "-override-config", "homeDataDir=/tmp"},
		"Ogatak":  {"analysis", "-config", config, "-model", model, "-quit-without-waiting"},
		"script":  {"analysis", "-analysis-threads", "2", "--model=" + model},
	} {
		p := start(t, nil, append(args, frugal...)...)
		s := conform.NewAnalysis(t, p.in, p.out, p.wait)
		p.says(t, "ready to begin handling requests")
		s.Alive()
		s.Send(`{"id":"m","action":"query_models"}`)
		var models []struct {
			Name, InternalName string
			Version            int
			MaxBatchSize       int
			UsesHumanSLProfile *bool
			UsingFP16          *string
		}
		text, err := json.Marshal(s.Answer().Raw["models"])
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &models))
		require.Len(t, models, 1+strings.Count(strings.Join(args, " "), "-human-model"))
		require.Equal(t, known.Header.Name, models[0].InternalName)
		require.Equal(t, known.Header.Version, models[0].Version)
		require.Equal(t, 4, models[0].MaxBatchSize)
		s.Send(strings.Split(analysisCommand().Example, "'")[1])
		s.Result("a", 1)
		require.False(t, *models[0].UsesHumanSLProfile)
		require.Equal(t, "false", *models[0].UsingFP16)
		require.NoError(t, p.in.Close())
		require.Zero(t, p.ends(t), name)
		require.NotContains(t, p.stderr.String(), "xception", "clients take the word for a crash")
	}
	for _, args := range [][]string{
		{"gtp", "-model", model, "-config", config, "-override-config", "maxVisits=5"},
		{"-model", model},
	} {
		done := exits(t, exitDone, nil, "name\nquit\n", append(args, frugal...)...)
		require.Equal(t, "= Kosumi\n\n= \n\n", done.stdout)
	}
}
