package search

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// The tests of this file compare each formula of the search with numbers computed by hand from
// its definition, and check that its switch disables it.

func TestFPUByHand(t *testing.T) {
	f := Defaults().FPU
	n := node{utility: 0.3, ownUtility: 0.1}
	// Visited prior 0.25: a = 0.25^2, base = 0.0625*0.3 + 0.9375*0.1 = 0.1125;
	// reduction 0.2*sqrt(0.25) = 0.1.
	const mass, radius = 0.25, 1.4
	require.InDelta(t, 0.0125, f.utility(&n, mass, 1, radius, false, false), 1e-8)
	require.InDelta(t, 0.2125, f.utility(&n, mass, -1, radius, false, false), 1e-8, "Black is shown a move worse for Black")
	require.InDelta(t, 0.0625, f.utility(&n, mass, 1, radius, true, false), 1e-8, "half the reduction at the root")
	require.InDelta(t, 0.1125, f.utility(&n, mass, 1, radius, true, true), 1e-8, "and none under noise")
	f.LossProp = 0.5 // the mean of 0.0125 and -1.4
	require.InDelta(t, -0.69375, f.utility(&n, mass, 1, radius, false, false), 1e-8)
	f = Defaults().FPU
	f.ReductionMax = 0
	require.InDelta(t, 0.1125, f.utility(&n, mass, 1, radius, false, false), 1e-8)
	f.ParentWeightByVisitedPolicy = false
	require.InDelta(t, 0.3, f.utility(&n, mass, 1, radius, false, false), 1e-8, "the node's average")
	f.ParentWeight = 0.25
	require.InDelta(t, 0.25, f.utility(&n, mass, 1, radius, false, false), 1e-8)
	f.Zero = true
	require.Zero(t, f.utility(&n, mass, 1, radius, false, false))
}

// TestScoreUtilityByHand: with no deviation both terms are (2/pi)*atan, which the table meets to
// 1e-4.
func TestScoreUtilityByHand(t *testing.T) {
	won := outcome{winLoss: 1}
	score := func(points float32) *outcome { return &outcome{scoreMean: points, scoreMeanSq: points * points} }
	v := valuer{u: Defaults().Utility, sqrtArea: 9, scores: true}
	require.InDelta(t, 1.4, v.radius(), 1e-12)
	require.InDelta(t, 1, v.of(&won), 1e-4)
	require.InDelta(t, 0.0316230, v.of(score(1)), 1e-4) // 0.1*(2/pi)*atan(1/18) + 0.3*(2/pi)*atan(1/6.75)
	require.InDelta(t, 0.1390119, v.of(score(5)), 1e-4)
	require.InDelta(t, -0.1390119, v.of(score(-5)), 1e-4)
	v.sqrtArea = 19
	require.InDelta(t, 0.1332465, v.of(score(10)), 1e-4)

	// The centre: 80 % of the expected score, at most 0.75*sqrt(area) from it.
	for _, c := range []struct{ length, expected, center float64 }{{9, 10, 8}, {9, 100, 93.25}, {19, -60, -48}} {
		v.sqrtArea = c.length
		v.setCenter(c.expected)
		require.InDelta(t, c.center, v.center, 1e-9)
	}
	v.sqrtArea = 9
	v.setCenter(10) // 0.1*(2/pi)*atan(10/18) + 0.3*(2/pi)*atan((10-8)/6.75)
	require.InDelta(t, 0.1*2/math.Pi*math.Atan(10./18)+0.3*2/math.Pi*math.Atan(2/6.75), v.of(score(10)), 1e-4)

	static, dynamic, none := v, v, v
	static.u.DynamicScoreFactor = 0
	require.InDelta(t, 0.1*2/math.Pi*math.Atan(10./18), static.of(score(10)), 1e-4)
	dynamic.u.StaticScoreFactor = 0
	require.InDelta(t, 0.3*2/math.Pi*math.Atan(2/6.75), dynamic.of(score(10)), 1e-4)
	none.u.StaticScoreFactor, none.u.DynamicScoreFactor = 0, 0
	require.Zero(t, none.of(score(10)))
	require.InDelta(t, 1, none.radius(), 1e-12)
	v.scores = false
	require.Zero(t, v.of(score(10)), "a network without scores")
	v.u.NoResultForWhite = -0.3
	require.InDelta(t, -0.15, v.of(&outcome{noResult: 0.5}), 1e-12)
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

// TestAveragingSwitches: with each kind of weighting off, the node's averages are plain ones.
func TestAveragingSwitches(t *testing.T) {
	weights := func(change func(*Backup)) []float64 {
		p := Plain()
		p.Backup.UseNoisePruning, p.Backup.ValueWeightExponent = true, 0.25
		change(&p.Backup)
		tree := newTree(t, p, &stub{})
		n := node{flags: flagWhite}
		edges := []edge{{weight: 10, utility: 0.5, prior: 0.5}, {weight: 10, utility: 0.2, prior: 0.1}, {}}
		original, total := tree.nodes.weighChildren(&n, edges)
		require.InDelta(t, 20, original, 0)
		sum, out := 0.0, []float64{}
		for _, c := range tree.nodes.children {
			sum += c.weight
			out = append(out, c.weight)
		}
		require.InDelta(t, total, sum, 1e-9)
		require.Len(t, out, 2, "an edge without weight counts for nothing")
		return out
	}
	both := weights(func(*Backup) {})
	pruned := weights(func(b *Backup) { b.ValueWeightExponent = 0 })
	shifted := weights(func(b *Backup) { b.UseNoisePruning = false })
	plain := weights(func(b *Backup) { b.UseNoisePruning, b.ValueWeightExponent = false, 0 })
	require.Equal(t, []float64{10, 10}, plain)
	require.InDelta(t, 4.812012, pruned[1], 1e-6)
	require.Greater(t, shifted[0], 10.0)
	require.NotEqual(t, pruned, both)
	capped := weights(func(b *Backup) { b.ValueWeightExponent, b.NoisePruningCap = 0, 1 })
	require.Equal(t, []float64{10, 9}, capped)
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

// TestBiasPattern: equal surroundings have equal keys even if the rest of the board differs;
// other surroundings, points, last moves, colours, chains in atari and kos have other keys.
func TestBiasPattern(t *testing.T) {
	size := board.Square(9)
	key := func(diagram string, last, p board.Point) biasKey {
		g := diagramGame(t, diagram, board.Black, 7)
		require.NoError(t, g.Play(board.Black, last))
		k, ok := biasPattern(g, g.ToMove(), p)
		require.True(t, ok)
		other, _ := biasPattern(g, g.ToMove().Opponent(), p)
		require.NotEqual(t, k, other)
		return k
	}
	const empty = ".........\n.........\n.........\n.........\n.........\n.........\n.........\n.........\n........."
	far := ".........\n.........\n.........\n.........\n.........\n.........\n.........\n.......X.\n........O"
	near := ".........\n....O....\n.........\n.........\n.........\n.........\n.........\n.........\n........."
	at, last := size.Point(4, 2), size.Point(5, 3)
	require.Equal(t, key(empty, last, at), key(far, last, at))
	require.NotEqual(t, key(empty, last, at), key(near, last, at))
	require.NotEqual(t, key(empty, last, at), key(empty, size.Point(5, 2), at))
	require.NotEqual(t, key(empty, last, at), key(empty, last, size.Point(3, 2)))
	const chain = ".........\n.........\n.........\n..X......\n..OX.....\n.........\n.........\n.........\n........."
	atari := strings.Replace(chain, "..OX", ".XOX", 1)
	require.NotEqual(t, key(chain, last, at), key(atari, last, at))
	const ko = ".........\n.........\n.........\n.........\n.........\n.........\n.XO......\nXO.O.....\n.XO......"
	captured := strings.Replace(ko, "XO.O", "X..O", 1)
	require.NotEqual(t, key(captured, size.Point(2, 7), at), key(ko, size.Point(2, 7), at))
	g := newGame(t, 9)
	_, ok := biasPattern(g, board.Black, at)
	require.False(t, ok, "no move before")
	require.NoError(t, g.Play(board.Black, last))
	_, ok = biasPattern(g, board.White, board.Pass)
	require.False(t, ok, "a pass")
}

// TestLiftByLCB: a bound ahead by 0.1 gives the factor ((0.3+0.1)/(0.3+0.02))^2 = 1.5625.
func TestLiftByLCB(t *testing.T) {
	c := Defaults().Choice
	moves := []candidate{{value: 100, lcb: 0.1, below: 0.3}, {value: 20, lcb: 0.2, below: 0.5}, {value: 14, lcb: 0.9, below: 0.1}}
	c.applyLCB(moves, 100)
	require.InDelta(t, 156.25, moves[1].value, 1e-9)
	require.InDelta(t, 14, moves[2].value, 0, "fewer visits than 15 % of the best")
	require.InDelta(t, 100, moves[0].value, 0)
}

// TestChoiceByHand: the choice counts only the visits that the final values justify.
func TestChoiceByHand(t *testing.T) {
	judged := func(change func(*Choice)) []float64 {
		p := Plain()
		p.Choice.UseLCB = false
		change(&p.Choice)
		tree := newTree(t, p, &stub{})
		// K = 10, White to move. The best move's score is 0.3 + 10*0.5/101; a move of
		// utility 0.1 and prior 0.2 is worth 10*0.2/(score-0.1) - 1 visits.
		x := explorer{sign: 1, scale: 10}
		moves := []candidate{
			{edge: edge{prior: 0.5, visits: 100}, weight: 100, value: 100, utility: 0.3},
			{edge: edge{prior: 0.2, visits: 50}, weight: 50, value: 50, utility: 0.1},
			{edge: edge{prior: 0.1, visits: 3}, weight: 3, value: 3, utility: 0.3},
		}
		for i := range moves {
			m := &moves[i]
			m.score = x.score(m.utility, m.weight, float64(m.edge.prior))
		}
		tree.p.Choice.judge(moves, &x, true)
		return []float64{moves[0].value, moves[1].value, moves[2].value}
	}
	wanted := 10*0.2/(0.3+10*0.5/101-0.1) - 1 // 7.02
	require.Equal(t, []float64{100, math.Ceil(wanted), 3}, judged(func(*Choice) {}))
	require.Equal(t, []float64{100, 50, 3}, judged(func(c *Choice) { c.Reduce = false }))
}

func TestPriorTemperatureByHand(t *testing.T) {
	flattened := func(late, early float64, turns int) []float32 {
		p := Plain()
		p.Root.PolicyTemperature, p.Root.PolicyTemperatureEarly = late, early
		policy := []float32{0.64, 0.32, 0.04, -1}
		p.flatten(policy, turns, 9)
		return policy
	}
	near := func(want []float64, got []float32) {
		t.Helper()
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-6)
		}
	}
	// Square roots 0.8, 0.56569, 0.2, divided by their sum.
	near([]float64{0.5109583, math.Sqrt(0.32) / 1.5656854, 0.1277396, -1}, flattened(2, 2, 0))
	require.Equal(t, []float32{0.64, 0.32, 0.04, -1}, flattened(1, 1, 0))
	// After 9 moves on 9x9 half of the difference between the temperatures 1 and 2 is left: 1.5.
	power := 1 / 1.5
	sum := math.Pow(0.64, power) + math.Pow(0.32, power) + math.Pow(0.04, power)
	near([]float64{math.Pow(0.64, power) / sum, math.Pow(0.32, power) / sum, math.Pow(0.04, power) / sum}, flattened(1, 2, 9))
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
