package search

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// The tests of this file compare formulas of the search with numbers computed by hand. They test
// what neither KataGo's recorded searches nor its functions (TestFunctionsOracle) cover.

// TestFPUByHand: at a root with noise, if visited moves have 0.25 of the prior, an unvisited move has utility
// 0.0625*0.3 + 0.9375*0.1: a mixture of the node's average and its own evaluation, with no reduction.
func TestFPUByHand(t *testing.T) {
	f := Defaults().FPU
	require.InDelta(t, 0.1125, f.utility(&node{utility: 0.3, ownUtility: 0.1}, 0.25, 1, 1.4, true, true), 1e-8)
}

// TestUtilityByHand: if the network predicts no scores, only results count. A game without result has the
// configured utility.
func TestUtilityByHand(t *testing.T) {
	v := valuer{u: Defaults().Utility, sqrtArea: 9}
	require.InDelta(t, 1, v.radius(), 1e-12)
	require.Zero(t, v.of(&outcome{scoreMean: 10, scoreMeanSq: 100}))
	v.u.NoResultForWhite = -0.3
	require.InDelta(t, -0.15, v.of(&outcome{noResult: 0.5}), 1e-12)
}

// TestNoisePruningCap: at most the cap is taken from a move that turned out worse than its prior
// justifies.
func TestNoisePruningCap(t *testing.T) {
	children := []child{{weight: 10, utility: 0.5, prior: 0.5}, {weight: 10, utility: 0.2, prior: 0.1}}
	require.InDelta(t, 19, pruneNoise(children, 0.15, 1), 1e-9)
}

func TestUncertaintyByHand(t *testing.T) {
	v := valuer{u: Defaults().Utility, b: Defaults().Backup, sqrtArea: 9, scores: true}
	require.Equal(t, 1.0, v.weight(0, -1, -1), "a network that does not know its error")
	require.Equal(t, 8.0, v.terminalWeight(true))
	require.Equal(t, 1.0, v.terminalWeight(false))
	v.b.UncertaintyExponent = 2
	require.InDelta(t, 0.25/(0.04+0.25/8), v.weight(0, 0.2, 0), 1e-9)
	v.b.UseUncertainty = false
	require.Equal(t, 1.0, v.weight(0, 0.2, 2))
	require.Equal(t, 1.0, v.terminalWeight(true))
}

func TestBiasByHand(t *testing.T) {
	b := biasTable{p: Defaults().Bias}
	b.reset()
	key := biasKey{Hi: 1, Lo: 2}
	var first, second node
	first.ownUtility, second.ownUtility = 0.125, 0.125
	b.attach(&first, key)
	b.attach(&second, key)
	require.Equal(t, first.bias.entry, second.bias.entry)
	require.Zero(t, b.correction(&first), "nothing known yet")
	// Children of weight 16 average 0.425, 0.3 above the network: the correction is
	// 0.45*0.3, whatever the weight.
	require.InDelta(t, 0.135, b.update(&first, 16, 16*0.425, 16), 1e-6)
	// Another node, weight 4, differs by -0.2: weights are 16^0.85 = 10.556 and 4^0.85 = 3.249.
	want := 0.45 * (0.3*10.556063 - 0.2*3.249010) / (10.556063 + 3.249010)
	require.InDelta(t, want, b.update(&second, 4, 4*-0.075, 4), 1e-6)
	require.InDelta(t, want, b.correction(&first), 1e-6, "shared by the pattern")
	// An update of a node replaces its earlier contribution.
	b.update(&first, 16, 16*0.125, 16)
	require.InDelta(t, 0.45*(-0.2*3.249010)/(10.556063+3.249010), b.correction(&first), 1e-6)
	b.update(&first, 16, 16*0.425, 16)
	// When the node is dropped, a fifth of its contribution stays.
	b.release(&first)
	require.InDelta(t, 0.45*(0.2*0.3*10.556063-0.2*3.249010)/(0.2*10.556063+3.249010), b.correction(&second), 1e-6)
	require.Zero(t, first.bias.entry)
	b.p.Factor = 0
	require.Zero(t, b.correction(&second))
}

// TestBiasPattern: a ko changes the key of a pattern. A pass and the first move of a game have no
// pattern.
func TestBiasPattern(t *testing.T) {
	size := board.Square(9)
	key := func(diagram string) biasKey {
		g := diagramGame(t, diagram, board.Black, 7)
		require.NoError(t, g.Play(board.Black, size.Point(2, 7)))
		k, ok := biasPattern(g, board.White, size.Point(4, 2))
		require.True(t, ok)
		return k
	}
	const ko = ".........\n.........\n.........\n.........\n.........\n.........\n.XO......\nXO.O.....\n.XO......"
	require.NotEqual(t, key(ko), key(strings.Replace(ko, "XO.O", "X..O", 1)))
	_, ok := biasPattern(newGame(t, 9), board.Black, 40)
	require.False(t, ok)
	_, ok = biasPattern(newGame(t, 9, 41), board.White, board.Pass)
	require.False(t, ok)
}

func TestWideNoiseByHand(t *testing.T) {
	p := Plain()
	p.Root.WideNoise = 0.04
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	sum, raised := 0.0, 0
	for range n {
		prior, u := p.Root.widen(0.2, 0.1, -1, rng)
		require.InDelta(t, math.Pow(0.2, 1/1.16), prior, 1e-12)
		sum += 0.1 - u // Black's view
		if u < 0.1 {
			raised++
		}
		require.LessOrEqual(t, u, 0.1)
	}
	require.InDelta(t, 0.5, float64(raised)/n, 0.02)
	require.InDelta(t, 0.5*0.04*math.Sqrt(2/math.Pi), sum/n, 0.001) // mean of |N(0,1)| is sqrt(2/pi)
	p.Root.WideNoise = 0
	prior, u := p.Root.widen(0.2, 0.1, -1, rng)
	require.Equal(t, []float64{0.2, 0.1}, []float64{prior, u})
}
