package katago

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// interpret runs one position through the plain interpreter of package onnxref,
// which needs no library.
func interpret(t testing.TB, n *Network, m *onnx.Model, c *goldenCase) rawOutputs {
	t.Helper()
	in := map[string][]float32{InputSpatial: c.spatial, InputGlobal: c.global}
	if n.Header.MetaEncoder > 0 {
		in[InputMeta] = c.meta
	}
	out, err := onnxref.RunFloats(m, in)
	require.NoError(t, err)
	res := rawOutputs{
		value: toFloat64(out[OutputValue]), scoreValue: toFloat64(out[OutputScoreValue]), ownership: toFloat64(out[OutputOwnership]),
	}
	area := c.w * c.h
	for i, pass := range out[OutputPass] {
		res.policy = append(res.policy, append(toFloat64(out[OutputPolicy][i*area:(i+1)*area]), float64(pass)))
	}
	return res
}

func TestInterpretedGraphsMatchKataGo(t *testing.T) {
	check := func(name string, n *Network, cases []goldenCase, limit diffs) {
		for _, o := range []Options{{}, {Form: FormExact}, {PlainMish: true, Opset: 18}} {
			var d diffs
			for _, c := range cases {
				m, err := Build(n, Size{c.w, c.h}, o)
				require.NoError(t, err)
				d.add(t, interpret(t, n, m, &c), c.want)
			}
			t.Logf("%-45s %+v %v", name, o, d)
			require.True(t, d.within(limit), "%s: %v", name, d)
		}
	}
	all := goldenSynthetic(t)
	for _, path := range syntheticPaths(t) {
		n, err := ReadFile(path)
		require.NoError(t, err)
		name := filepath.Base(path)
		check(name, n, all[name], diffs{5e-6, 5e-6, 5e-6, 5e-6})
	}
	withReal(t, func(t *testing.T, name string) {
		var small []goldenCase // the interpreter is slow
		for _, c := range goldenReal(t, name) {
			if c.w*c.h < 25 && len(small) < 4 {
				small = append(small, c)
			}
		}
		check(name, readReal(t, name), small, fp32Limits)
	})
}

func TestInterpretedOwnGraphsMatchKataGo(t *testing.T) {
	for _, c := range ownCases(t) {
		n := ownNetwork(t, c.Network)
		for _, form := range []Form{FormRun, FormExact} {
			m, err := Build(n, Size{c.Width, c.Height}, Options{Form: form})
			require.NoError(t, err)
			g := c.golden()
			c.compare(t, n, interpret(t, n, m, &g))
		}
	}
}

// TestFastMish compares the form of mish that graphs use with its definition,
// over all arguments that matter.
func TestFastMish(t *testing.T) {
	var xs []float32
	for x := -120.0; x <= 120; x += 1.0 / 64 {
		xs = append(xs, float32(x))
	}
	b := onnx.NewBuilder("mish", 17)
	b.Output("y", fastMish(b, b.Input("x", onnx.Float, "N")))
	m, err := b.Model(nil)
	require.NoError(t, err)
	out, err := onnxref.RunFloats(m, map[string][]float32{"x": xs})
	require.NoError(t, err)
	for i, x := range xs {
		want := refActivate(float64(x), Mish)
		require.InDelta(t, want, float64(out["y"][i]), 3e-7*math.Max(1, math.Abs(float64(x))), "mish(%g)", x)
	}
}

// BenchmarkMish is why graphs do not use Softplus: a whole network with either form,
// rows a second of onnxruntime on one thread.
func BenchmarkMish(b *testing.B) {
	n, err := Fresh("kb6c64-mish", 1)
	require.NoError(b, err)
	for _, plain := range []bool{false, true} {
		b.Run(fmt.Sprintf("plain=%v", plain), func(b *testing.B) {
			size := Size{19, 19}
			m, err := Build(n, size, Options{PlainMish: plain})
			require.NoError(b, err)
			s := openGraph(b, n, size, m, byLibrary)
			for b.Loop() {
				require.NoError(b, s.backend.Run(testBatch))
			}
			b.ReportMetric(float64(b.N*testBatch)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
