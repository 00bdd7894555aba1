package katago

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

func plainBytes(t testing.TB, n *Network) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, n, Format{}))
	return out.Bytes()
}

// throughFile marshals an ONNX model and reads it again.
func throughFile(t testing.TB, m *onnx.Model) *onnx.Model {
	t.Helper()
	m, err := onnx.Read(nntest.Bytes(t, m))
	require.NoError(t, err)
	return m
}

// TestExactGraphComesBack: converting a KataGo file to ONNX and back gives the same bytes, for
// any board size.
func TestExactGraphComesBack(t *testing.T) {
	check := func(t *testing.T, path string) {
		n := readFile(t, path)
		want := plainBytes(t, n)
		for _, size := range []Size{{9, 9}, {5, 13}} {
			m := graphOf(t, n, size, FormExact)
			back, err := FromONNX(throughFile(t, m))
			require.NoError(t, err, path)
			require.True(t, bytes.Equal(want, plainBytes(t, back)), path)
			require.Equal(t, n.Source.File, back.Source.File)
			require.Equal(t, n.Source.SHA256, back.Source.SHA256)
		}
	}
	for _, path := range syntheticPaths(t) {
		check(t, path)
	}
	withReal(t, func(t *testing.T, name string) { check(t, realPath(t, name)) })
}

func TestTrainedGraphComesBack(t *testing.T) {
	n := made(t, "kb2c16", 1)
	m := graphOf(t, n, Size{7, 7}, FormExact)
	conv := &n.Trunk.Blocks[0].(*Ordinary).Conv1
	const path = "blocks.0.conv1.weight"
	old := m.Graph.Initializer(path)
	require.NotNil(t, old)
	w, err := old.Float32s()
	require.NoError(t, err)
	// output channel 3, input channel 2, row 0, column 1
	w[(3*conv.In+2)*9+1] = 42
	for i, x := range m.Graph.Initializers {
		if x == old {
			m.Graph.Initializers[i] = onnx.NewTensor(path, w, old.Dims...)
		}
	}
	back, err := FromONNX(m)
	require.NoError(t, err)
	conv.Weights[(1*conv.In+2)*conv.Out+3] = 42
	require.True(t, bytes.Equal(plainBytes(t, n), plainBytes(t, back)))
}

func TestFromONNXRefuses(t *testing.T) {
	n := made(t, "kb1c16", 1)
	exact := func() *onnx.Model { return graphOf(t, n, Size{5, 5}, FormExact) }
	run := graphOf(t, n, Size{5, 5}, FormRun)
	without := exact()
	without.Graph.Initializers = without.Graph.Initializers[1:]
	reshaped := exact()
	*reshaped.Graph.Initializer("input.conv.weight") = *onnx.NewTensor("input.conv.weight", make([]float32, 22*16*9), 22, 16, 3, 3)
	short := exact()
	short.Metadata[meta.Layout] = short.Metadata[meta.Layout][:200]
	noLayout := exact()
	delete(noLayout.Metadata, meta.Layout)
	delete(noLayout.Metadata, meta.KataGoForm)
	nan := exact()
	bias := nan.Graph.Initializer("value.b3.bias")
	bias.Raw = []byte{0, 0, 0xc0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		m    *onnx.Model
		want error
	}{
		"run form":          {run, ErrNotExact},
		"no layout":         {noLayout, ErrNotExact},
		"initializer gone":  {without, ErrNotExact},
		"other dimensions":  {reshaped, ErrNotExact},
		"layout cut":        {short, ErrTruncated},
		"weight not finite": {nan, ErrShape},
	} {
		_, err := FromONNX(c.m)
		require.ErrorIs(t, err, c.want, name)
	}
}

func TestMetadata(t *testing.T) {
	const name = "synth-v17-nbt-transformer-spatial-rms"
	path := testshared.Path(t, "golden/katago/synthetic-models/"+name+".bin.gz")
	data := []byte(testshared.Read(t, path))
	n := readFile(t, path)
	m := graphOf(t, n, Size{W: 13, H: 9}, FormRun)
	for key, want := range map[string]string{
		meta.Format: "1", meta.Kind: "katago", meta.Encoder: "v7", meta.Board: "13x9", meta.Policy: "logits", meta.Value: "wdl",
		meta.Heads: "policy,pass,value,score_value,ownership", meta.Name: n.Header.Name,
		meta.Source:       name + ".bin.gz",
		meta.SourceSHA256: fmt.Sprintf("%x", sha256.Sum256(data)),
		meta.KataGoForm:   "run", meta.KataGoVersion: "17", meta.PolicyChannels: "4", meta.ScoreValues: "6",
		meta.ScoreMeanMult: "20.0", meta.ValueErrorMult: "0.25", meta.ScoreErrorMult: "30.0",
		meta.PassAliveSuicide: "0", meta.MetaEncoder: "0",
	} {
		require.Equal(t, want, m.Metadata[key], key)
	}
	require.Empty(t, m.Metadata[meta.Layout])
	shapes := map[string]string{}
	for _, v := range append(m.Graph.Inputs, m.Graph.Outputs...) {
		shapes[v.Name] = v.Shape.String()
	}
	require.Equal(t, map[string]string{
		"spatial": "[N 22 9 13]", "global": "[N 19]", "policy": "[N 4 9 13]", "pass": "[N 4]",
		"value": "[N 3]", "score_value": "[N 6]", "ownership": "[N 1 9 13]",
	}, shapes)
}

func TestBuildRefusesSizes(t *testing.T) {
	n := made(t, "kb1c16", 1)
	for _, s := range []Size{{}, {1, 9}, {9, 1}, {26, 9}, {9, 26}, {-1, -1}} {
		_, err := Build(n, s, FormRun)
		require.ErrorIs(t, err, ErrSize)
	}
	for _, s := range []Size{{2, 2}, {25, 25}, {2, 25}} {
		graphOf(t, n, s, FormRun)
	}
}

// Params counts the numbers in a network's layers.
func (n *Network) Params() (count int64) {
	for _, block := range collected(n).blocks {
		count += int64(len(block.list))
	}
	return count
}
