package katago

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn/onnx"
	"kosumi/nn/onnx/onnxref"
)

// exact builds a network's exact graph for the board of a position.
func exact(t testing.TB, n *Network, c *goldenCase) *onnx.Model {
	t.Helper()
	m, err := Build(n, Size{c.w, c.h}, Options{Form: FormExact})
	require.NoError(t, err)
	return m
}

func inputs(c *goldenCase) map[string][]float32 {
	return map[string][]float32{InputSpatial: c.spatial, InputGlobal: c.global, InputMeta: c.meta}
}

// interpret evaluates one position by package onnxref, which needs no library.
func interpret(t testing.TB, m *onnx.Model, c *goldenCase) rawOutputs {
	t.Helper()
	out, err := onnxref.RunFloats(m, inputs(c))
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
		for _, o := range []Options{{}, {Form: FormExact}, {Opset: 18}} {
			var d diffs
			for _, c := range cases {
				m, err := Build(n, Size{c.w, c.h}, o)
				require.NoError(t, err)
				d.add(t, interpret(t, m, &c), c.want)
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

// TestInterpretedOwnGraphsMatchKataGo needs only the checkout: KataGo read the networks that this
// package wrote, and these are its results.
func TestInterpretedOwnGraphsMatchKataGo(t *testing.T) {
	for _, c := range ownCases(t) {
		n := ownNetwork(t, c.Network)
		for _, form := range []Form{FormRun, FormExact} {
			m, err := Build(n, Size{c.Width, c.Height}, Options{Form: form})
			require.NoError(t, err)
			g := c.golden()
			c.compare(t, n, interpret(t, m, &g))
		}
	}
}
