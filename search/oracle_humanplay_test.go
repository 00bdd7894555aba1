package search_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/search"
)

// humanPlay are KataGo's settings for playing like a 5 kyu (gtp_human5k_example.cfg), without
// randomness in the search.
var humanPlay = map[string]string{
	"humanSLChosenMoveProp": "1", "humanSLChosenMoveIgnorePass": "true", "humanSLChosenMovePiklLambda": "100000000",
	"humanSLCpuctExploration": "0.5", "humanSLCpuctPermanent": "0.2",
	"chosenMovePrune": "0", "useLcbForSelection": "false", "useUncertainty": "false", "subtreeValueBiasFactor": "0", "useNoisePruning": "false",
	"staticScoreUtilityFactor": "0.3", "dynamicScoreUtilityFactor": "0",
	"chosenMoveTemperatureEarly": "0.85", "chosenMoveTemperature": "0.70", "chosenMoveTemperatureHalflife": "80", "chosenMoveTemperatureOnlyBelowProb": "0.01",
}

// TestHumanPlayOracle compares the probabilities of moves with KataGo's, which were computed from
// KataGo's searches and agree with the games that it played.
func TestHumanPlayOracle(t *testing.T) {
	testshared.Long(t)
	var positions []record
	data, err := os.ReadFile(testshared.Path(t, "golden/human/positions.json"))
	require.NoError(t, err)
	var named []struct{ Position string }
	require.NoError(t, json.Unmarshal(data, &positions))
	require.NoError(t, json.Unmarshal(data, &named))
	type play struct {
		ID, Position, Profile string
		Overrides             map[string]any
		Expected              map[string]float64
		Temperature           float64
	}
	bySample(t, "human/genmove.jsonl.gz", func(t *testing.T, path string, nets networks) {
		tried := 0
		for _, r := range testshared.Lines[play](t, path) {
			if len(r.Expected) == 0 {
				continue
			}
			tried++
			t.Run(r.ID, func(t *testing.T) {
				settings := maps.Clone(humanPlay)
				visits := int64(40)
				for name, v := range r.Overrides {
					text, _ := json.Marshal(v)
					if name == "maxVisits" {
						require.NoError(t, json.Unmarshal(text, &visits))
					} else if name != "delayMoveScale" {
						settings[name] = string(text)
					}
				}
				p := katagoParams(t, settings)
				p.Human.Profile = r.Profile
				tree, err := search.New(p, nets.with("g170-b6c96-s175395328-d26788732", "synth-human-b3c32"), nil)
				require.NoError(t, err)
				for k := range positions {
					if named[k].Position == r.Position {
						g := positions[k].game(t)
						tree.Reset(g)
					}
				}
				got, err := tree.Search(t.Context(), search.Limits{Visits: visits})
				require.NoError(t, err)
				temperature := p.Choice.TemperatureAt(got.Turn, got.Size)
				require.InDelta(t, r.Temperature, temperature, 1e-9)
				const draws = 40000
				rng, counts := rand.New(rand.NewPCG(1, 2)), map[string]float64{}
				for range draws {
					counts[got.Size.Vertex(got.Choose(temperature, rng))] += 1.0 / draws
				}
				for move, want := range r.Expected {
					require.InDelta(t, want, counts[move], 0.012, move)
				}
			})
		}
		require.NotZero(t, tried)
	})
}
