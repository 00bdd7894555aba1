package nn_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
)

func newCodec(t testing.TB, spec nn.Spec, size board.Size) *nn.Codec {
	t.Helper()
	c, err := nn.NewCodec(spec, size)
	require.NoError(t, err)
	return c
}

// planesSpec describes a KataGo network with V7 inputs.
func planesSpec(t testing.TB, size board.Size) nn.Spec {
	t.Helper()
	s, err := nntest.HashModel(1).Spec(size)
	require.NoError(t, err)
	s.Encoding = features.V7
	s.Inputs = []nn.TensorSpec{
		{Name: "spatial", Role: nn.RoleSpatial, Shape: []int{22, size.H, size.W}},
		{Name: "global", Role: nn.RoleGlobal, Shape: []int{19}},
	}
	return s
}

// twoHeads describes a network with policy and value and no planes.
func twoHeads(size board.Size, policy nn.PolicyKind, value nn.ValueKind) nn.Spec {
	values := 1
	if value == nn.ValueWDL {
		values = 3
	}
	return nn.Spec{Name: "two heads", Encoding: features.None, Kind: nn.KindDualHead, Policy: policy, Value: value,
		Outputs: []nn.TensorSpec{
			{Name: "policy", Role: nn.RolePolicy, Shape: []int{size.Area() + 1}},
			{Name: "value", Role: nn.RoleValue, Shape: []int{values}},
		}}
}

func makeRows(list []nn.TensorSpec, draw func() float32) [][]float32 {
	rows := make([][]float32, len(list))
	for i := range list {
		rows[i] = make([]float32, list[i].Len())
		for j := range rows[i] {
			rows[i][j] = draw()
		}
	}
	return rows
}

// TestSymmetryIsUndone: the planes of a turned board are the turned planes, and turning the
// outputs back gives the same result.
func TestSymmetryIsUndone(t *testing.T) {
	for _, size := range []board.Size{board.Square(7), {W: 5, H: 8}} {
		rng := rand.New(rand.NewPCG(1, 9))
		g := randomGame(t, size, board.Chinese(), 20, 4)
		spec := planesSpec(t, size)
		c := newCodec(t, spec, size)
		s := c.NewScratch()
		q := nn.Query{Game: g, NeedOwnership: true, Optimism: 0.3}
		zero := func() float32 { return 0 }
		plain := makeRows(spec.Inputs, zero)
		require.NoError(t, c.Encode(&q, 0, plain, s))
		raw := makeRows(spec.Outputs, func() float32 { return rng.Float32()*4 - 2 })
		var want nn.Output
		require.True(t, c.Decode(&q, 0, raw, s, &want))
		for k := range int8(8) {
			sym := c.Orientation(k)
			require.Equal(t, size.W == size.H || k < 4, sym == board.Symmetry(k))
			in := makeRows(spec.Inputs, zero)
			require.NoError(t, c.Encode(&q, sym, in, s))
			require.Equal(t, plain[1], in[1])
			turned := makeRows(spec.Outputs, zero)
			copy(turned[1], raw[1])
			copy(turned[2], raw[2])
			copy(turned[3], raw[3])
			area := size.Area()
			for p := range board.Point(area) {
				at := size.SymMap(sym, p)
				for plane := range 22 {
					require.Equal(t, plain[0][plane*area+int(p)], in[0][plane*area+int(at)])
				}
				turned[0][at], turned[0][area+int(at)] = raw[0][p], raw[0][area+int(p)]
				turned[4][at] = raw[4][p]
			}
			var got nn.Output
			require.True(t, c.Decode(&q, sym, turned, s, &got))
			require.Equal(t, int8(sym), got.Symmetry)
			got.Symmetry = 0
			require.Equal(t, want, got)
		}
	}
}

// TestPolicyKindsAgree: the three forms of a policy are equivalent, and temperature has the same
// effect on all.
func TestPolicyKindsAgree(t *testing.T) {
	size := board.Square(5)
	g := randomGame(t, size, board.TrompTaylor(), 8, 1)
	rng := rand.New(rand.NewPCG(2, 2))
	logits := make([]float32, 26)
	sum := 0.0
	for i := range logits {
		logits[i] = rng.Float32()*6 - 3
		sum += math.Exp(float64(logits[i]))
	}
	logs, probs := make([]float32, 26), make([]float32, 26)
	for i, x := range logits {
		logs[i] = x - float32(math.Log(sum))
		probs[i] = float32(math.Exp(float64(x)) / sum)
	}
	for _, temperature := range []float32{0, 1, 1.5, 0.5} {
		q := nn.Query{Game: g, PolicyTemperature: temperature}
		decode := func(kind nn.PolicyKind, policy []float32) (o nn.Output) {
			c := newCodec(t, twoHeads(size, kind, nn.ValueTanh), size)
			require.True(t, c.Decode(&q, 0, [][]float32{policy, {0.5}}, c.NewScratch(), &o))
			requireOutput(t, g, &o)
			return o
		}
		want := decode(nn.PolicyLogits, logits)
		for kind, policy := range map[nn.PolicyKind][]float32{nn.PolicyLogSoftmax: logs, nn.PolicySoftmax: probs} {
			got := decode(kind, policy)
			require.InDeltaSlice(t, want.Policy[:26], got.Policy[:26], 1e-5, "%v at %v", kind, temperature)
		}
		if temperature == 1.5 {
			legal := g.LegalMoves(nil)
			a, b := -1, -1
			for i, ok := range legal {
				if ok && a < 0 {
					a = i
				} else if ok {
					b = i
				}
			}
			require.InDelta(t, (logits[a]-logits[b])/1.5, math.Log(float64(want.Policy[a]/want.Policy[b])), 1e-4)
		}
	}
}

func TestPassIsCappedByPassingHacks(t *testing.T) {
	size := board.Square(3)
	g := newGame(t, size)
	c := newCodec(t, twoHeads(size, nn.PolicyLogits, nn.ValueTanh), size)
	logits := make([]float32, 10)
	logits[9] = 20
	q := nn.Query{Game: g}
	var out nn.Output
	require.True(t, c.Decode(&q, 0, [][]float32{logits, {0}}, c.NewScratch(), &out))
	require.Greater(t, out.Policy[9], float32(0.999))
	q.Options.PassingHacks = true
	require.True(t, c.Decode(&q, 0, [][]float32{logits, {0}}, c.NewScratch(), &out))
	require.InDelta(t, 0.95, out.Policy[9], 1e-6)
	require.InDelta(t, 0.05/9, out.Policy[0], 1e-6)
}

// TestTanhValue: a tanh value is win minus loss for the side to move, not negated for White.
func TestTanhValue(t *testing.T) {
	size := board.Square(3)
	g := newGame(t, size)
	require.NoError(t, g.Play(board.Black, 4))
	c := newCodec(t, twoHeads(size, nn.PolicyLogits, nn.ValueTanh), size)
	for raw, want := range map[float32]float32{0.5: 0.5, -1: -1, 7: 1, -7: -1} {
		var out nn.Output
		require.True(t, c.Decode(&nn.Query{Game: g}, 0, [][]float32{make([]float32, 10), {raw}}, c.NewScratch(), &out))
		require.Equal(t, want, out.Value())
		require.EqualValues(t, 1, out.Win+out.Loss)
		require.False(t, out.HasScore)
		require.EqualValues(t, -1, out.VarTimeLeft)
	}
}

// TestWDLValue: a game without result is possible only under simple ko and under territory rules.
func TestWDLValue(t *testing.T) {
	size := board.Square(3)
	for name, noResult := range map[string]bool{"tromp-taylor": false, "chinese": true, "japanese": true, "aga": false} {
		rules, err := board.ParseRules(name)
		require.NoError(t, err)
		g := testshared.Game(t, size, rules)
		c := newCodec(t, twoHeads(size, nn.PolicyLogits, nn.ValueWDL), size)
		var out nn.Output
		require.True(t, c.Decode(&nn.Query{Game: g}, 0, [][]float32{make([]float32, 10), {1, 1, 1}}, c.NewScratch(), &out))
		if noResult {
			require.InDelta(t, 1.0/3, out.NoResult, 1e-6, name)
		} else {
			require.Zero(t, out.NoResult, name)
			require.InDelta(t, 0.5, out.Win, 1e-6, name)
		}
	}
}

// seedSpec describes four heads: policy as probabilities, value and ownership after tanh, score
// in points.
func seedSpec(size board.Size) nn.Spec {
	s := twoHeads(size, nn.PolicySoftmax, nn.ValueTanh)
	s.Kind = nn.KindSeed
	s.Outputs = append(s.Outputs,
		nn.TensorSpec{Name: "score", Role: nn.RoleScore, Shape: []int{1}},
		nn.TensorSpec{Name: "ownership", Role: nn.RoleOwnership, Shape: []int{size.Area()}})
	return s
}

func TestFourHeads(t *testing.T) {
	size := board.Square(2)
	g := newGame(t, size)
	spec := seedSpec(size)
	rows := [][]float32{{0.1, 0.2, 0.3, 0.3, 0.1}, {-0.25}, {6.5}, {1, -1, 0.5, -2}}
	q := nn.Query{Game: g, NeedOwnership: true}
	var out nn.Output
	c := newCodec(t, spec, size)
	require.True(t, c.Decode(&q, 0, rows, c.NewScratch(), &out))
	require.InDeltaSlice(t, []float32{0.1, 0.2, 0.3, 0.3, 0.1}, out.Policy[:5], 1e-6)
	require.InDelta(t, -0.25, out.Value(), 1e-6)
	require.True(t, out.HasScore && out.HasOwnership)
	require.EqualValues(t, 6.5, out.Lead)
	require.EqualValues(t, 6.5*6.5, out.ScoreMeanSq)
	require.Equal(t, []float32{1, -1, 0.5, -1}, out.Ownership[:4], "limited to its range")
	q.NeedOwnership = false
	require.True(t, c.Decode(&q, 0, rows, c.NewScratch(), &out))
	require.False(t, out.HasOwnership)
}

func TestBrokenNumbersAreReplaced(t *testing.T) {
	size := board.Square(5)
	g := randomGame(t, size, board.Chinese(), 6, 3)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	spec := planesSpec(t, size)
	for _, bad := range []float32{nan, inf, -inf} {
		for tensor := range spec.Outputs {
			c := newCodec(t, spec, size)
			rows := makeRows(spec.Outputs, func() float32 { return 0.25 })
			for i := range rows[tensor] {
				rows[tensor][i] = bad
			}
			q := nn.Query{Game: g, NeedOwnership: true}
			var out nn.Output
			// A policy may be -Inf for all points or for the pass, and infinite ownership saturates.
			fine := bad != bad == false && (tensor == 4 || bad < 0 && tensor < 2)
			require.Equal(t, fine, c.Decode(&q, 0, rows, c.NewScratch(), &out), "%v in %d", bad, tensor)
			requireOutput(t, g, &out)
			requireFinite(t, size, &out)
		}
	}
	// NaN for illegal moves is harmless.
	c := newCodec(t, spec, size)
	rows := makeRows(spec.Outputs, func() float32 { return 0.25 })
	for i, ok := range g.LegalMoves(nil) {
		if !ok {
			rows[0][i] = nan
		}
	}
	var out nn.Output
	require.True(t, c.Decode(&nn.Query{Game: g}, 0, rows, c.NewScratch(), &out))
}

func requireFinite(t testing.TB, size board.Size, o *nn.Output) {
	t.Helper()
	for _, x := range []float32{o.ScoreMean, o.ScoreMeanSq, o.ScoreStdev, o.Lead, o.VarTimeLeft, o.ErrScore, o.ErrWinLoss} {
		require.False(t, math.IsNaN(float64(x)) || math.IsInf(float64(x), 0))
	}
	if o.HasOwnership {
		for _, x := range o.Ownership[:size.Area()] {
			require.True(t, x >= -1 && x <= 1)
		}
	}
}

// FuzzDecode: any bits that a network returns give probabilities that sum to 1.
func FuzzDecode(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte{0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x7f})
	f.Add(uint64(2), uint8(4), []byte{0xff, 0xff, 0x7f, 0x7f})
	f.Add(uint64(3), uint8(9), []byte{})
	size := board.Square(4)
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, raw []byte) {
		rng := rand.New(rand.NewPCG(seed, 7))
		draw := func() float32 {
			switch {
			case len(raw) >= 4 && rng.IntN(2) == 0:
				x := math.Float32frombits(binary.LittleEndian.Uint32(raw))
				raw = raw[4:]
				return x
			case rng.IntN(8) == 0:
				return math.Float32frombits(rng.Uint32())
			}
			return rng.Float32()*8 - 4
		}
		specs := []nn.Spec{planesSpec(t, size), seedSpec(size), twoHeads(size, nn.PolicyLogits, nn.ValueTanh),
			twoHeads(size, nn.PolicyLogSoftmax, nn.ValueWDL), twoHeads(size, nn.PolicySoftmax, nn.ValueTanh)}
		spec := specs[int(kind)%len(specs)]
		c := newCodec(t, spec, size)
		g := randomGame(t, size, board.Japanese(), int(seed%20), seed)
		q := nn.Query{Game: g, NeedOwnership: true, Optimism: draw(), PolicyTemperature: max(0, draw())}
		q.Options.PassingHacks = kind&64 != 0
		if q.PolicyTemperature != q.PolicyTemperature {
			q.PolicyTemperature = 0
		}
		var out nn.Output
		c.Decode(&q, board.Symmetry(kind&7), makeRows(spec.Outputs, draw), c.NewScratch(), &out)
		requireOutput(t, g, &out)
		requireFinite(t, size, &out)
	})
}

func TestMetaNetworksNeedAProfile(t *testing.T) {
	m := &hooked{Model: nntest.HashModel(1), spec: func(s *nn.Spec) {
		s.KataGo.MetaEncoder = 1
		s.Inputs = append(s.Inputs, nn.TensorSpec{Name: "meta", Role: nn.RoleMeta, Shape: []int{features.MetaSize}})
	}}
	size := board.Square(5)
	spec, err := m.Spec(size)
	require.NoError(t, err)
	c := newCodec(t, spec, size)
	rows := makeRows(spec.Inputs, func() float32 { return 0 })
	q := nn.Query{Game: newGame(t, size)}
	err = c.Encode(&q, 0, rows, c.NewScratch())
	require.ErrorIs(t, err, nn.ErrQuery)
	require.Equal(t, &nn.ProfileError{Network: "hash-1"}, err)
	require.ErrorContains(t, err, "--set humanSLProfile=rank_5k")
	profile, _, err := features.ParseProfile("rank_1d")
	require.NoError(t, err)
	q.Meta = &profile
	require.NoError(t, c.Encode(&q, 0, rows, c.NewScratch()))
	require.EqualValues(t, 1, rows[1][0], "a human plays")
}

func TestAverageOverSymmetries(t *testing.T) {
	size := board.Square(5)
	g := randomGame(t, size, board.Japanese(), 7, 2)
	s := newServer(t, nntest.HashModel(1), nn.ServerConfig{CacheBytes: 1 << 22})
	q := &nn.Query{Game: g, NeedOwnership: true}
	var one, mean nn.Output
	require.NoError(t, s.Evaluate(t.Context(), q, &one))
	turned := make([]nn.Output, 8)
	for i := range turned {
		q.Symmetry, q.SkipCache = int8(i), true
		require.NoError(t, s.Evaluate(t.Context(), q, &turned[i]))
	}
	nn.Average(&mean, turned, size)
	require.InDeltaSlice(t, one.Policy[:26], mean.Policy[:26], 1e-6, "orientation does not matter to this model")
	require.InDelta(t, one.ScoreStdev, mean.ScoreStdev, 1e-3)

	a, b := one, one
	a.Win, a.Loss, a.ScoreMean, a.ScoreMeanSq, a.Ownership[3] = 1, 0, 2, 5, 1
	b.Win, b.Loss, b.ScoreMean, b.ScoreMeanSq, b.Ownership[3] = 0, 1, 4, 19, 0
	nn.Average(&mean, []nn.Output{a, b}, size)
	require.EqualValues(t, 0.5, mean.Win)
	require.EqualValues(t, 3, mean.ScoreMean)
	require.InDelta(t, math.Sqrt(12-9), mean.ScoreStdev, 1e-6)
	require.EqualValues(t, 0.5, mean.Ownership[3])
	for i, ok := range g.LegalMoves(nil) {
		require.Equal(t, !ok, mean.Policy[i] == -1, i)
	}
}

func TestNamesOfKinds(t *testing.T) {
	for name, want := range map[string]nn.PolicyKind{nn.PolicyLogits.String(): nn.PolicyLogits, "Log-Softmax": nn.PolicyLogSoftmax, "softmax": nn.PolicySoftmax} {
		k, err := nn.ParsePolicyKind(name)
		require.NoError(t, err)
		require.Equal(t, want, k)
	}
	_, err := nn.ParseValueKind("unknown(9)")
	require.ErrorContains(t, err, "tanh, wdl")
	require.Equal(t, "any", nn.Sizes{}.String())
	require.Equal(t, "9x13", nn.Sizes{Fixed: board.Size{W: 9, H: 13}}.String())
	require.Equal(t, "unknown(9)", fmt.Sprint(nn.Kind(9)))
}

// TestModesOfANetwork: a network's planes show areas by the modes of its training, whatever
// the game's modes are, unless the query sets the modes.
func TestModesOfANetwork(t *testing.T) {
	b := testshared.Diagram(t, "X.XO.\nXXXO.\nOOOO.")
	g := testshared.GameOn(t, b, board.Rules{Scoring: board.ScoringTerritory})
	require.NoError(t, g.StartInPhase(2))
	for _, trained := range []bool{false, true} {
		spec := planesSpec(t, b.Size())
		spec.KataGo.ExcludeTerritoryAdjacentToAtari = trained
		c := newCodec(t, spec, b.Size())
		for _, ofGame := range []bool{false, true} {
			g.ContinueWith(board.GameOptions{AreaModes: board.AreaModes{ExcludeTerritoryAdjacentToAtari: ofGame}})
			for m, excluded := range map[features.Mode]bool{features.Auto: trained, features.Off: false, features.On: true} {
				q := nn.Query{Game: g}
				q.Options.Areas.ExcludeTerritoryAdjacentToAtari = m
				rows := makeRows(spec.Inputs, func() float32 { return 7 })
				require.NoError(t, c.Encode(&q, 0, rows, c.NewScratch()))
				require.Equal(t, excluded, rows[0][18*15+1] == 0, "trained %v, game %v, query %v", trained, ofGame, m)
			}
		}
	}
}
