package search

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
)

type functionCase struct {
	ID       string
	Function string
	Input    functionInput
	Output   functionOutput
}

type functionInput struct {
	Mean, Stdev, Center, Scale, SqrtArea, Z            float64
	Children                                           []functionChild
	UtilityScale, Exponent                             float64
	RootPlayer, Player                                 string
	ChildVisits, EdgeVisits                            int32
	ChildWeight, ChildWeightSq, Utility, UtilitySq     float64
	UtilityRadius, Stdevs                              float64
	IsRoot                                             bool
	ParentWeight, ParentUtility, ParentUtilitySq       float64
	OwnNetUtility, VisitedPolicyMass, TotalChildWeight float64
	StdevScale                                         float64
	ScoreMean, WinlossError, ScoreError, ScoreCenter   float64
}

type functionChild struct{ SelfUtility, Weight, Prior float64 }

type functionOutput struct {
	Value, SlopeAtZeroStdev, P              float64
	Weights                                 []float64
	Total                                   float64
	LcbSelf, Radius                         float64
	FpuUtility, StdevFactor, ExploreScaling float64
	Weight                                  float64
}

func (in *functionInput) children() []child {
	var list []child
	for _, c := range in.Children {
		list = append(list, child{weight: c.Weight, utility: c.SelfUtility, prior: max(leastPrior, c.Prior)})
	}
	return list
}

func near(t *testing.T, want, got float64) {
	t.Helper()
	require.InDelta(t, want, got, 1e-9*max(1, math.Abs(want)))
}

func nearWeights(t *testing.T, want []float64, got []child) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		near(t, want[i], got[i].weight)
	}
}

// TestFunctionsOracle compares single formulas with values that KataGo v1.17 computed or that
// follow from its source.
func TestFunctionsOracle(t *testing.T) {
	p := Defaults()
	for _, c := range testshared.Lines[functionCase](t, testshared.Path(t, "golden/search/functions.jsonl.gz")) {
		t.Run(c.ID+" "+c.Function, func(t *testing.T) {
			in, out := &c.Input, &c.Output
			sign := func(player string) float64 {
				if player == "B" {
					return -1
				}
				return 1
			}
			switch c.Function {
			case "scoreValue":
				near(t, out.Value, scoreValue(in.Mean, in.Stdev, in.Center, in.Scale, in.SqrtArea))
				near(t, out.SlopeAtZeroStdev, scoreSlope(in.Mean, in.Center, in.Scale, in.SqrtArea))
			case "t3cdf":
				near(t, out.P, studentCDF(studentTable(), in.Z))
			case "noisePrune":
				list := in.children()
				near(t, out.Total, pruneNoise(list, in.UtilityScale, 1e50))
				nearWeights(t, out.Weights, list)
			case "valueWeight":
				list, total := in.children(), 0.0
				for _, c := range list {
					total += c.weight
				}
				weighByValue(list, total, in.Exponent)
				nearWeights(t, out.Weights, list)
			case "lcb":
				share := float64(in.EdgeVisits) / float64(in.ChildVisits)
				choice := Choice{LCBStdevs: in.Stdevs}
				bound, below := choice.lcb(in.ChildWeight*share, in.ChildWeightSq*share, in.Utility, in.UtilitySq, 0,
					sign(in.RootPlayer), in.UtilityRadius)
				near(t, out.LcbSelf, bound)
				near(t, out.Radius, below)
			case "puct":
				puct := p.PUCT
				puct.UtilityStdevScale = in.StdevScale
				f := puct.stdevFactor(in.ParentWeight, in.ParentUtility, in.ParentUtilitySq)
				near(t, out.StdevFactor, f)
				near(t, out.ExploreScaling, puct.explorationScale(in.TotalChildWeight, f))
				n := node{utility: in.ParentUtility, ownUtility: float32(in.OwnNetUtility)}
				fpu := p.FPU.utility(&n, in.VisitedPolicyMass, sign(in.Player), 1.4, in.IsRoot, false)
				require.InDelta(t, out.FpuUtility, fpu, 1e-7) // the node's own utility is stored as float32
			case "uncertaintyWeight":
				v := valuer{u: p.Utility, b: p.Backup, sqrtArea: in.SqrtArea, center: in.ScoreCenter, scores: true}
				near(t, out.Weight, v.weight(in.ScoreMean, in.WinlossError, in.ScoreError))
			default:
				t.Fatalf("no check for %q", c.Function)
			}
		})
	}
}

// TestScoresBeyondTheTable: scores and deviations outside the table have the values at its edge.
func TestScoresBeyondTheTable(t *testing.T) {
	require.Zero(t, scoreValue(0, 0, 0, 2, 19))
	require.InDelta(t, 1, scoreValue(1e9, 0, 0, 2, 19), 0.03)
	require.InDelta(t, -1, scoreValue(-1e9, 1e9, 0, 2, 19), 1.01)
}

// TestTerminalOutcomes checks the winner, the value of draws, and the score's deviation when a
// draw counts half.
func TestTerminalOutcomes(t *testing.T) {
	v := valuer{u: Defaults().Utility}
	require.Equal(t, outcome{winLoss: 1, scoreMean: 2.5, scoreMeanSq: 6.25, lead: 2.5}, v.terminal(2.5, false))
	require.Equal(t, outcome{winLoss: -1, scoreMean: -2.5, scoreMeanSq: 6.25, lead: -2.5}, v.terminal(-2.5, false))
	draw := v.terminal(0, true)
	require.Equal(t, outcome{winLoss: 0, scoreMean: 0, scoreMeanSq: 0.25}, draw)
	v.u.DrawEquivalentWinsForWhite = 0.7
	draw = v.terminal(0, true)
	require.InDelta(t, 0.4, draw.winLoss, 1e-6)
	require.InDelta(t, 0.2, draw.scoreMean, 1e-6)
	require.InDelta(t, 0.25, draw.scoreMeanSq, 1e-6)
	won := v.terminal(3, true)
	require.InDelta(t, 3.2, won.scoreMean, 1e-6)
	require.InDelta(t, 2.5*2.5+0.7*(3.5*3.5-2.5*2.5), won.scoreMeanSq, 1e-5)
}

// TestPriorOrder: the likeliest moves come first, equal ones in board order with the pass last;
// the pass is never cut off.
func TestPriorOrder(t *testing.T) {
	for _, n := range []int{1, 5, 16, 24, 25, 40, 82, 362, 626} {
		for kind := range 4 {
			keys := make([]uint64, n)
			for i := range keys {
				x := float32(scramble(uint64(i))>>40) / (1 << 24)
				prior := [...]float32{x, float32(int(x*5)) / 5, x * x * x * x * x * x * x * x, 0.01}[kind]
				keys[i] = priorKey(prior, i)
			}
			want := slices.Clone(keys)
			sortFalling(want)
			for i := 1; i < n; i++ {
				a, b := want[i-1], want[i]
				require.True(t, keyPrior(a) > keyPrior(b) || keyPrior(a) == keyPrior(b) && keyIndex(a) < keyIndex(b))
			}
			for _, keep := range []int{32, 64, 626} {
				got := slices.Clone(keys)
				kept, sorted := rankKeys(got, keep, n-1)
				if n <= keep*4/3 {
					require.Equal(t, n, kept)
				} else {
					require.Equal(t, keep, kept)
				}
				require.Equal(t, want[0], got[0])
				require.True(t, slices.ContainsFunc(got[:kept], func(k uint64) bool { return keyIndex(k) == n-1 }))
				require.Subset(t, want[:min(n, kept+1)], dropKey(got[:kept], n-1))
				require.Equal(t, sorted, kept <= 2)
				require.Equal(t, sortedKeys(got[:kept]), inOrderOfEdges(got[:kept]))
			}
		}
	}
}

func sortedKeys(keys []uint64) []uint64 {
	keys = slices.Clone(keys)
	sortFalling(keys)
	return keys
}

// inOrderOfEdges returns keys in the order in which a node makes edges for them.
func inOrderOfEdges(keys []uint64) (order []uint64) {
	var a arena
	a.reset()
	size := board.Square(25)
	block := make([]uint32, blockWords(len(keys)))
	packPriors(block, keys, size)
	i := a.newNode()
	a.storePriors(i, block, len(keys))
	n := a.node(i)
	for k := range keys {
		p, prior := a.priorAt(n, k)
		order = append(order, priorKey(prior, size.Index(p)))
		n.edgeCount++
		a.raiseNext(n)
	}
	return order
}

func dropKey(keys []uint64, index int) []uint64 {
	return slices.DeleteFunc(slices.Clone(keys), func(k uint64) bool { return keyIndex(k) == index })
}
