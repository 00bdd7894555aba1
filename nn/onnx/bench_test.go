package onnx

import (
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// large returns a network of 100 MB: 40 convolutions of 256 channels.
func large(b *testing.B) *Model {
	b.Helper()
	g := NewBuilder("large", 17)
	x := g.Input("x", Float, "N", 256, 19, 19)
	const n = 256 * 256 * 9
	for i := range 40 {
		w := g.Floats("w"+strconv.Itoa(i), make([]float32, n), 256, 256, 3, 3)
		vec := g.Floats("v"+strconv.Itoa(i), make([]float32, 256), 256)
		x = g.Relu(g.BatchNorm(g.Conv(x, w, vec), vec, vec, vec, vec, 1e-5))
	}
	g.Output("y", x)
	m, err := g.Model(nil)
	require.NoError(b, err)
	return m
}

func BenchmarkLarge(b *testing.B) {
	m := large(b)
	data, err := m.Marshal()
	require.NoError(b, err)
	run := func(name string, bytes int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(bytes))
			for b.Loop() {
				require.NoError(b, f())
			}
		})
	}
	run("Read", len(data), func() error { _, err := Read(data); return err })
	run("Marshal", len(data), func() error { _, err := m.Marshal(); return err })
	run("WriteTo", len(data), func() error { _, err := m.WriteTo(io.Discard); return err })
	run("Check", 0, func() error { return Check(m) })
	run("FoldBatchNorm", len(data), func() error { FoldBatchNorm(m.Clone()); return nil })
}
