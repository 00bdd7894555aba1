// Package featurestest reads positions and network outputs that KataGo has
// recorded, for the tests of encoders and post-processing. Only tests import
// it.
package featurestest

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
)

// Params are the settings that a recorded position was encoded with.
type Params struct {
	DrawWins     float64 `json:"drawEquivalentWinsForWhite"`
	Conservative bool    `json:"conservativePassAndIsRoot"`
	PassingHacks bool    `json:"enablePassingHacks"`
	Advantage    float32 `json:"playoutDoublingAdvantage"`
	MaxHistory   int     `json:"maxHistory"`
	Temperature  float32 `json:"nnPolicyTemperature"`
}

// Position is one line of a file of recorded positions.
type Position struct {
	ID            string          `json:"id"`
	Kind          string          `json:"kind"`
	Rules         json.RawMessage `json:"rules"`
	X             int             `json:"x"`
	Y             int             `json:"y"`
	Setup         [][2]string     `json:"setup"`
	InitialPlayer string          `json:"initialPlayer"`
	InitialPhase  int             `json:"initialEncorePhase"`
	Moves         [][2]string     `json:"moves"`
	PreventEncore bool            `json:"preventEncore"`
	BlackFirst    bool            `json:"assumeMultipleStartingBlackMovesAreHandicap"`
	Handicap      *int            `json:"overrideNumHandicapStones"`
	SuicideAlive  bool            `json:"passAliveUnderSuicideRules"`
	Params        *Params         `json:"params"`
	Spatial       [][]int         `json:"spatial"`
	Global        []float32       `json:"global"`

	// Only in files of made-up networks:
	ModelVersion  int    `json:"modelVersion"`
	InputsVersion int    `json:"inputsVersion"`
	Model         string `json:"model"`
	Input         *struct {
		Spatial []float32 `json:"spatial"`
		Global  []float32 `json:"global"`
		Profile string    `json:"metaProfile"`
		Meta    []float32 `json:"meta"`
	} `json:"input"`
	Raw  *Raw  `json:"raw"`
	Post *Post `json:"post"`
}

// Raw holds a network's outputs before post-processing.
type Raw struct {
	Policy     [][]float32 `json:"policy"`
	Value      []float32   `json:"value"`
	ScoreValue []float32   `json:"scoreValue"`
	Ownership  []float32   `json:"ownership"`
}

// Post holds KataGo's post-processed outputs, from White's view.
type Post struct {
	Win          float64   `json:"whiteWin"`
	Loss         float64   `json:"whiteLoss"`
	NoResult     float64   `json:"noResult"`
	ScoreMean    float64   `json:"whiteScoreMean"`
	ScoreMeanSq  float64   `json:"whiteScoreMeanSq"`
	Lead         float64   `json:"whiteLead"`
	VarTime      float64   `json:"varTimeLeft"`
	ErrWinLoss   float64   `json:"shorttermWinlossError"`
	ErrScore     float64   `json:"shorttermScoreError"`
	Policy       []float64 `json:"policy"`
	Optimistic   []float64 `json:"policyOptimism1"`
	Optimistic06 []float64 `json:"policyOptimism0.6"`
	Ownership    []float64 `json:"whiteOwnership"`
}

// Read returns all lines of a gzipped file.
func Read(t testing.TB, path string) []Position {
	t.Helper()
	var all []Position
	for _, p := range testshared.Lines[Position](t, path) {
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

func (p *Position) Size() board.Size { return board.Size{W: p.X, H: p.Y} }

func (p *Position) Game(t testing.TB) *board.Game {
	t.Helper()
	rules, err := board.ParseRules(string(p.Rules))
	require.NoError(t, err)
	g := testshared.Game(t, p.Size(), rules)
	require.NoError(t, p.setUp(g), p.ID)
	for _, m := range p.Moves {
		c, at, err := p.move(m)
		require.NoError(t, err)
		require.NoError(t, g.PlayTolerant(c, at), "%s %v", p.ID, m)
	}
	return g
}

func (p *Position) setUp(g *board.Game) error {
	var stones [3][]board.Point
	for _, s := range p.Setup {
		c, at, err := p.move(s)
		if err != nil {
			return err
		}
		stones[c] = append(stones[c], at)
	}
	first := board.Black
	if p.InitialPlayer == "W" {
		first = board.White
	}
	if err := g.Setup(stones[board.Black], stones[board.White], first); err != nil {
		return err
	}
	if err := g.StartInPhase(p.InitialPhase); err != nil {
		return err
	}
	g.SetOptions(board.GameOptions{PreventEncore: p.PreventEncore,
		StartBlackMovesAreHandicap: p.BlackFirst, AreaModes: board.AreaModes{PassAliveUnderSuicide: p.SuicideAlive}})
	if p.Handicap != nil {
		g.SetHandicapStones(*p.Handicap)
	}
	return nil
}

func (p *Position) move(m [2]string) (board.Color, board.Point, error) {
	c, err := board.ParseColor(m[0])
	if err != nil {
		return 0, 0, err
	}
	at, err := p.Size().ParseVertex(m[1])
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", p.ID, err)
	}
	return c, at, nil
}

// Options returns the encoder's options for the position.
func (p *Position) Options() features.Options {
	if p.Params == nil {
		return features.Options{}
	}
	o := features.Options{
		DrawWinsForWhite:         p.Params.DrawWins,
		ConservativePassRoot:     p.Params.Conservative,
		PassingHacks:             p.Params.PassingHacks,
		HistoryHidden:            p.Params.MaxHistory == 0,
		MaxHistory:               p.Params.MaxHistory,
		PlayoutDoublingAdvantage: p.Params.Advantage,
	}
	if o.DrawWinsForWhite == 0 {
		o.DrawWinsForWhite = -1
	}
	return o
}

// Differences holds the largest difference of each output from KataGo's.
type Differences map[string]float64

// See records the difference of two numbers if it is the largest so far for this output.
func (d Differences) See(output string, want, got float64) {
	d[output] = max(d[output], math.Abs(want-got))
}

// SeeAll calls See for each number of a list.
func (d Differences) SeeAll(output string, want []float64, got []float32) {
	for i, x := range want {
		d.See(output, x, float64(got[i]))
	}
}

// Add compares the outputs for a position, except the score's standard deviation and mean square:
// absolute differences of these say little, since a mean square may be large.
func (d Differences) Add(want *Post, got *nn.Output, toMove board.Color) {
	sign, win, loss := 1.0, got.Win, got.Loss
	if toMove == board.Black {
		sign, win, loss = -1, loss, win
	}
	d.See("win", want.Win, float64(win))
	d.See("loss", want.Loss, float64(loss))
	d.See("noResult", want.NoResult, float64(got.NoResult))
	d.See("scoreMean", want.ScoreMean, sign*float64(got.ScoreMean))
	d.See("lead", want.Lead, sign*float64(got.Lead))
	d.See("varTimeLeft", want.VarTime, float64(got.VarTimeLeft))
	d.See("errWinLoss", want.ErrWinLoss, float64(got.ErrWinLoss))
	d.See("errScore", want.ErrScore, float64(got.ErrScore))
	d.SeeAll("policy", want.Policy, got.Policy[:])
	for i, x := range want.Ownership {
		d.See("ownership", x, sign*float64(got.Ownership[i]))
	}
}
