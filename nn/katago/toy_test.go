package katago

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/kernel"
)

// toy makes a network of a few thousand bytes with many kinds of layers, from version 17 on with attention.
func toy(t testing.TB, version int) *Network {
	t.Helper()
	return toyWith(t, version, 2)
}

// toyWith is toy with the given width of the policy head.
func toyWith(t testing.TB, version, head int) *Network {
	t.Helper()
	a := Arch{Blocks: 1, Channels: 4, Activation: ReLU}
	if version >= 11 {
		a.Activation = Mish
	}
	f := &fresh{arch: a, w: headWidths{pool: 2, head: head, value: 2, hidden: 3}, rng: rand.New(rand.NewPCG(uint64(version), 1)), pools: a.poolBlocks()}
	n := &Network{Header: Header{Name: "toy", Version: version, Multipliers: DefaultMultipliers()}}
	n.Header.SpatialInputs, n.Header.GlobalInputs = inputCounts(version)
	n.Trunk = f.trunk()
	n.Trunk.Conv = f.conv("conv0", 1, n.Header.SpatialInputs, 4, a.Activation, 1)
	n.Trunk.Global = f.matmul("global0", n.Header.GlobalInputs, 4, a.Activation, 1)
	nested := &Nested{Name: "nest", PreNorm: withStatistics(f, "n1", 4), PreAct: f.act("a1"), ConvIn: f.conv("in", 1, 4, 2, a.Activation, 1),
		PostNorm: scaledNorm("n2", 2, 0.5), PostAct: f.act("a2"), ConvOut: f.conv("out", 1, 2, 4, a.Activation, 1)}
	inner := &Ordinary{Name: "ord", PreNorm: plainNorm("n1", 2), PreAct: f.act("a1"), Conv1: f.conv("c1", 3, 2, 2, a.Activation, 1),
		MidNorm: scaledNorm("n2", 2, 2), MidAct: f.act("a2"), Conv2: f.conv("c2", 1, 2, 2, a.Activation, 1)}
	nested.Blocks = []Block{inner}
	n.Trunk.Blocks = append(n.Trunk.Blocks, nested)
	n.Policy, n.Value = f.policyHead(), f.valueHead()
	if version < 15 {
		n.Policy.Channels = policyChannels(version)
		n.Policy.Pass1 = f.matmul("pass", 3*head, n.Policy.Channels, Identity, 1)
		n.Policy.PassBias, n.Policy.Pass2 = Bias{}, MatMul{}
		n.Policy.PassAct = Act{}
	} else if version == 16 {
		n.Policy.Channels = 4
		n.Policy.Pass2 = f.matmul("pass2", head, 4, Identity, 1)
	}
	n.Policy.P2 = f.conv("p2", 1, head, n.Policy.Channels, Identity, 1)
	n.Value.Score = f.matmul("score", 3, scoreValues(version), Identity, 1)
	n.Value.ScoreBias = f.bias("scorebias", scoreValues(version), 3, Identity)
	if version >= 17 {
		n.Trunk.Blocks = append(n.Trunk.Blocks, toyAttention(f, false), toyAttention(f, true), &FeedForward{Name: "ffn", Channels: 4, Hidden: 3, Gated: true,
			Norm: RMSNorm{Name: "norm", Channels: 4, Epsilon: 1e-6, Weights: filled(4, 1.5)}, Lin1: f.matmul("l1", 4, 3, SiLU, 1),
			Gate: f.matmul("gate", 4, 3, SiLU, 1), Lin2: f.matmul("l2", 3, 4, SiLU, 1)})
		n.Trunk.NormKind = 1
		n.Trunk.TipRMS = &TipRMS{Name: "tip", Channels: 4, Epsilon: 1e-6, Spatial: 1, Gamma: filled(4, 1), Beta: filled(4, 0.1)}
	}
	require.NoError(t, n.Check())
	return n
}

func toyAttention(f *fresh, learned bool) *Attention {
	k := &Attention{Name: "att", Heads: 2, KVHeads: 1, QDim: 4, VDim: 3, UseRope: true, Learned: learned,
		Norm: RMSNorm{Name: "norm", Channels: 4, Epsilon: 1e-6, Weights: filled(4, 1.5)},
		Q:    f.matmul("q", 4, 8, Identity, 1), K: f.matmul("k", 4, 4, Identity, 1),
		V: f.matmul("v", 4, 3, Identity, 1), O: f.matmul("o", 6, 4, Identity, 1), Rope: Rope{Name: "rope", Theta: 100}}
	if learned {
		k.Rope = Rope{Name: "rope", KVHeads: 1, Pairs: 2, Freqs: []float32{0.1, 0.2, 0.3, 0.4}}
	}
	return k
}

// withStatistics returns a norm with means and variances, as in a network trained with batch
// norm.
func withStatistics(f *fresh, name string, channels int) Norm {
	n := scaledNorm(name, channels, 1)
	n.Epsilon = 1e-4
	n.Scale, n.Bias, n.Mean = f.weights(channels, 1, Identity, 1), f.weights(channels, 1, Identity, 1), f.weights(channels, 1, Identity, 1)
	for c := range n.Var {
		n.Var[c] = 0.5 + float32(c)
	}
	return n
}

// randomCase makes up a position for a network.
func randomCase(rng *rand.Rand, n *Network, w, h int) goldenCase {
	c := goldenCase{w: w, h: h, spatial: make([]float32, n.Header.SpatialInputs*w*h), global: make([]float32, n.Header.GlobalInputs)}
	for i := range c.spatial {
		c.spatial[i] = float32(rng.IntN(2))
	}
	for i := range c.global {
		c.global[i] = float32(rng.NormFloat64())
	}
	return c
}

// TestToysOfAllVersions writes, reads, converts and restores a network of each version, and
// compares the results of its graph in all three forms with those of package onnxref.
func TestToysOfAllVersions(t *testing.T) {
	best, _ := kernel.Best()
	for version := MinVersion; version <= MaxVersion; version++ {
		n := toy(t, version)
		path := filepath.Join(t.TempDir(), "toy.bin.gz")
		require.NoError(t, WriteFile(path, n))
		back := readFile(t, path)
		require.Equal(t, plainBytes(t, n), plainBytes(t, back))
		rng := rand.New(rand.NewPCG(5, 6))
		var cases []goldenCase
		for range 3 {
			c := randomCase(rng, n, 3, 5)
			c.want = interpret(t, exact(t, n, &c), &c)
			cases = append(cases, c)
		}
		for form, open := range map[Form]opener{FormRun: byLibrary, FormExact: byLibrary, FormKernels: byKernels(best)} {
			d := graphDiffs(t, back, cases, form, open)
			require.True(t, d.within(diffs{5e-5, 5e-5, 5e-5, 5e-5}), "version %d, form %d: %v", version, form, d)
		}
	}
}
