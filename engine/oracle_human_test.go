package engine_test

import (
	"encoding/json"
	"flag"
	"log/slog"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/search/thinking"
)

// humanRaw is KataGo's evaluation for a profile.
type humanRaw struct {
	ID, Command, Position, NextPlayer string
	Profile                           string
	Models                            []string
	Output                            struct {
		WhiteWin, WhiteLoss, NoResult, WhiteScore, WhiteScoreSq, WhiteLead,
		WhiteScoreSelfplay, WhiteScoreSelfplaySq,
		ShorttermWinlossError, ShorttermScoreError float64
		Policy, WhiteOwnership []float32
	}
}

type humanPosition struct {
	Position               string
	BoardXSize, BoardYSize int
	Rules                  json.RawMessage
	Komi                   float32
	InitialStones, Moves   [][2]string
	InitialPlayer          string
}

var humanPrecision = flag.String("engine.precision", "fp32", "number format of the oracle's human-like networks; beside fp32, differences are reported only")

func openHuman(t *testing.T, name string) *nn.Server {
	t.Helper()
	m, err := model.Open(testshared.Path(t, "golden/human/models/"+name+".bin.gz"), model.Config{Provider: "cpu", Precision: *humanPrecision})
	if err != nil {
		testshared.Absent(t, "no library to run KataGo's networks with: %v", err)
	}
	s, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (p *humanPosition) setUp(t *testing.T, e *engine.Engine) {
	t.Helper()
	size := board.Size{W: p.BoardXSize, H: p.BoardYSize}
	move := func(m [2]string) (board.Color, board.Point) {
		c, err := board.ParseColor(m[0])
		require.NoError(t, err)
		v, err := size.ParseVertex(m[1])
		require.NoError(t, err)
		return c, v
	}
	rules, err := board.ParseRules(string(p.Rules))
	require.NoError(t, err)
	rules.Komi = p.Komi
	require.NoError(t, e.NewGame(size))
	require.NoError(t, e.SetRules(rules))
	require.NoError(t, e.SetKomi(p.Komi))
	var stones [board.White + 1][]board.Point
	for _, s := range p.InitialStones {
		c, v := move(s)
		stones[c] = append(stones[c], v)
	}
	first, err := board.ParseColor(p.InitialPlayer)
	require.NoError(t, err)
	if len(p.InitialStones) > 0 {
		if len(stones[board.White]) == 0 {
			require.NoError(t, e.SetHandicap(stones[board.Black]))
		} else {
			require.NoError(t, e.Setup(stones[board.Black], stones[board.White], first))
		}
	}
	for _, m := range p.Moves {
		c, v := move(m)
		require.NoError(t, e.Play(c, v))
	}
}

func (r *humanRaw) check(t *testing.T, raw *thinking.Evaluation) {
	t.Helper()
	want := &r.Output
	score, square := want.WhiteScore, want.WhiteScoreSq
	if len(r.Models) == 1 {
		score, square = want.WhiteScoreSelfplay, want.WhiteScoreSelfplaySq
		require.InDelta(t, want.WhiteLead, raw.Lead, 2e-3)
	}
	require.InDelta(t, want.WhiteWin, raw.Win, 1e-4)
	require.InDelta(t, want.WhiteLoss, raw.Loss, 1e-4)
	require.InDelta(t, want.NoResult, raw.NoResult, 1e-4)
	require.InDelta(t, score, raw.ScoreMean, 2e-3)
	require.InDelta(t, square, raw.ScoreMeanSq, 5e-2)
	require.InDelta(t, want.ShorttermWinlossError, raw.ErrWinLoss, 2e-3)
	require.InDelta(t, want.ShorttermScoreError, raw.ErrScore, 2e-3)
	require.Len(t, raw.Policy, len(want.Policy))
	for i, p := range want.Policy {
		if p < 0 {
			require.Negative(t, raw.Policy[i], "move %d", i)
			continue
		}
		require.InDelta(t, p, raw.Policy[i], 1e-4, "move %d", i)
	}
	require.InDeltaSlice(t, want.WhiteOwnership, raw.Ownership, 1e-4)
}

// TestRawHumanOracle compares evaluations of human SL networks with KataGo's, for every profile,
// orientation and colour, loaded next to a main network and as the main network. It compares a
// sample, or everything with KOSUMI_ORACLE=all.
func TestRawHumanOracle(t *testing.T) {
	var positions []humanPosition
	data, err := os.ReadFile(testshared.Path(t, "golden/human/positions.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &positions))
	nets := map[string]*nn.Server{}
	for _, name := range []string{"synth-human-b3c32", "synth-nometa-b3c32"} {
		nets[name] = openHuman(t, name)
	}
	worst, winrate, tried := 0.0, 0.0, 0
	for i, r := range testshared.Lines[humanRaw](t, testshared.Path(t, "golden/human/raw.jsonl.gz")) {
		if os.Getenv("KOSUMI_ORACLE") != "all" && i%11 != 0 && !strings.Contains(r.Command, " b ") {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			human := nets[r.Models[len(r.Models)-1]]
			net := nntest.WithHumans{Server: human}
			if len(r.Models) == 2 {
				net.People = human
			}
			conf := engine.Defaults()
			conf.Search.Human.Profile = r.Profile
			e, err := engine.New(conf, net, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			defer e.Close()
			for k := range positions {
				if positions[k].Position == r.Position {
					positions[k].setUp(t, e)
				}
			}
			words := strings.Fields(r.Command)
			color := e.Game().ToMove()
			if len(words) > 2 && len(r.Models) == 2 {
				color, err = board.ParseColor(words[1])
				require.NoError(t, err)
				words = words[1:]
			}
			raw, err := e.Evaluate(t.Context(), thinking.EvaluationRequest{Color: color, Symmetry: int(words[1][0] - '0'), Human: len(r.Models) == 2, Optimism: 1})
			require.NoError(t, err)
			if *humanPrecision == "fp32" {
				r.check(t, raw)
			}
			winrate += math.Abs(r.Output.WhiteWin-float64(raw.Win)) / 2
			winrate += math.Abs(r.Output.WhiteLoss-float64(raw.Loss)) / 2
			for k, p := range r.Output.Policy {
				worst = max(worst, math.Abs(float64(p-raw.Policy[k])))
			}
		})
		tried++
	}
	t.Logf("%d evaluations, largest difference of a probability %.2g, mean difference in winrate %.2g", tried, worst, winrate/float64(tried))
}
