package katago

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// ownCase is a position with the output of KataGo v1.17.2 (Eigen, kata-raw-nn 0) for a network
// that this package makes from a seed; see testdata/README.md.
type ownCase struct {
	Network        string    `json:"network"`
	Width          int       `json:"width"`
	Height         int       `json:"height"`
	Moves          []string  `json:"moves"`
	Spatial        [][]int   `json:"spatial"`
	Global         []float32 `json:"global"`
	WhiteWin       float64   `json:"whiteWin"`
	WhiteLead      float64   `json:"whiteLead"`
	WhiteScore     float64   `json:"whiteScore"`
	Policy         []float64 `json:"policy"` // -1: illegal
	WhiteOwnership []float64 `json:"whiteOwnership"`
}

// ownNetwork makes a case's network: "toy8" to "toy17", or a fresh one.
func ownNetwork(t testing.TB, name string) *Network {
	t.Helper()
	if v, ok := strings.CutPrefix(name, "toy"); ok {
		version, err := strconv.Atoi(v)
		require.NoError(t, err)
		return toy(t, version)
	}
	return made(t, name, 11)
}

// compare requires that raw outputs give KataGo's printed values, under area scoring.
func (c *ownCase) compare(t *testing.T, n *Network, out rawOutputs) {
	t.Helper()
	sign := 1.0 // outputs are for the side to move
	if len(c.Moves)%2 == 0 {
		sign = -1
	}
	win := 1 / (1 + math.Exp(out.value[1]-out.value[0]))
	if sign < 0 {
		win = 1 - win
	}
	require.InDelta(t, c.WhiteWin, win, 2e-6)
	require.InDelta(t, c.WhiteLead, sign*out.scoreValue[2]*n.Header.Multipliers.Lead, 1e-3)
	require.InDelta(t, c.WhiteScore, sign*out.scoreValue[0]*n.Header.Multipliers.ScoreMean, 1e-3)
	weights, sum := make([]float64, len(c.Policy)), 0.0
	for p := range weights {
		logit := out.policy[0][p]
		if len(out.policy) > 1 { // kata-raw-nn mixes in a fifth of the optimistic policy
			logit += 0.2 * (out.policy[1][p] - out.policy[0][p])
		}
		if c.Policy[p] >= 0 {
			weights[p] = math.Exp(logit)
			sum += weights[p]
		}
	}
	for p, want := range c.Policy {
		if want >= 0 {
			require.InDelta(t, want, weights[p]/sum, 2e-6, "policy at %d", p)
		}
	}
	for p, want := range c.WhiteOwnership {
		require.InDelta(t, want, sign*math.Tanh(out.ownership[p]), 2e-6, "ownership at %d", p)
	}
}

func TestOwnGraphsMatchKataGo(t *testing.T) {
	var cases []ownCase
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, "testdata/own.json")), &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		n, size := ownNetwork(t, c.Network), Size{c.Width, c.Height}
		for _, form := range []Form{FormRun, FormExact} {
			m := graphOf(t, n, size, form)
			s := openGraph(t, n, size, m, byLibrary)
			c.compare(t, n, s.run(t, []goldenCase{{spatial: planesOf(c.Spatial, c.Width*c.Height), global: c.Global}})[0])
		}
	}
}
