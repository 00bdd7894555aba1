package model_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

const fixtures = "../../testdata/onnx"

func open(t *testing.T, path string, o model.Overrides) (*model.Model, error) {
	t.Helper()
	return model.Open(path, model.Config{Provider: model.OnnxGo, Overrides: o})
}

func TestForeignNetworksAreUnderstood(t *testing.T) {
	for file, want := range map[string]struct {
		encoding features.Encoding
		kind     nn.Kind
		policy   nn.PolicyKind
	}{
		"pytorch-dualhead-9x9.onnx":        {features.Mini7, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-dualhead-9x9-plain.onnx":  {features.Mini7, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-dualhead-9x9-bn.onnx":     {features.Mini7, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-dualhead-9x9-dynamo.onnx": {features.Mini7, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-dualhead-9x9-latest.onnx": {features.Mini7, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-agz-9x9.onnx":             {features.AGZ17, nn.KindDualHead, nn.PolicyLogSoftmax},
		"pytorch-seed-9x9.onnx":            {features.Seed22, nn.KindSeed, nn.PolicySoftmax},
	} {
		t.Run(file, func(t *testing.T) {
			m, err := open(t, filepath.Join(fixtures, file), model.Overrides{})
			require.NoError(t, err)
			spec, err := m.Spec(board.Square(9))
			require.NoError(t, err)
			require.Equal(t, want.encoding, spec.Encoding)
			require.Equal(t, want.kind, spec.Kind)
			require.Equal(t, want.policy, spec.Policy)
			require.Equal(t, nn.ValueTanh, spec.Value)
			_, err = nn.NewCodec(spec, board.Square(9))
			require.NoError(t, err)
			for _, size := range []board.Size{board.Square(19), {W: 9, H: 8}, board.Square(1), board.Square(26)} {
				require.ErrorIs(t, m.Serves(size), nn.ErrSize)
			}
		})
	}
}

func TestFilesThatAreNoNetworks(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile(filepath.Join(fixtures, "pytorch-dualhead-9x9.onnx"))
	require.NoError(t, err)
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o644))
		return path
	}
	for name, path := range map[string]string{
		"a folder":               dir,
		"empty":                  write("empty.onnx", nil),
		"text":                   write("text.onnx", []byte("hello, I am no network")),
		"cut off":                write("cut.onnx", good[:len(good)/2]),
		"gzip by another name":   write("gzip.onnx", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0}),
		"no gzip":                write("plain.bin.gz", good),
		"empty KataGo":           write("empty.bin.gz", nil),
		"KataGo text of nothing": write("nothing.txt", []byte("x 8 22 19")),
		"weights elsewhere":      filepath.Join(fixtures, "pytorch-dualhead-9x9-external.onnx"),
		"an input that is gone":  changed(t, "pytorch-dualhead-9x9.onnx", func(m *onnx.Model) { m.Graph.Nodes[0].Inputs[0] = "gone" }),
	} {
		_, err := open(t, path, model.Overrides{})
		require.ErrorIs(t, err, model.ErrFile, name)
	}
}

// dualHead writes a small network with the given planes, whose value output value makes, and returns its path.
func dualHead(t *testing.T, planes int, meta map[string]string, value func(*onnx.Builder, onnx.Value) onnx.Value) string {
	t.Helper()
	b := onnx.NewBuilder("made", 17)
	x := b.Flatten(b.Input("x", onnx.Float, "N", planes, 5, 5))
	in := planes * 25
	weights := func(name string, out int) onnx.Value {
		return b.Tensor(onnx.NewTensor(name, make([]float32, in*out), int64(in), int64(out)))
	}
	b.Output("p", b.MatMul(x, weights("wp", 26)))
	b.Output("v", value(b, b.MatMul(x, weights("wv", 1))))
	m, err := b.Model(meta)
	require.NoError(t, err)
	return written(t, m)
}

// written writes a graph to a temporary file and returns its path.
func written(t *testing.T, m *onnx.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.onnx")
	require.NoError(t, os.WriteFile(path, nntest.Bytes(t, m), 0o600))
	return path
}

func tanh(b *onnx.Builder, v onnx.Value) onnx.Value { return b.Tanh(v) }

func bare(_ *onnx.Builder, v onnx.Value) onnx.Value { return v }

func TestWhatIsAmbiguousIsAskedFor(t *testing.T) {
	odd := dualHead(t, 12, nil, tanh)
	_, err := open(t, odd, model.Overrides{})
	require.ErrorIs(t, err, model.ErrAmbiguous)
	require.ErrorContains(t, err, "12 input planes; the encoders make 7 (mini7), 17 (agz17) or 22 (seed22)")
	_, err = open(t, odd, model.Overrides{Encoding: "mini7"})
	require.ErrorIs(t, err, model.ErrFile, "the planes contradict the encoder")

	noTanh := dualHead(t, 7, nil, bare)
	_, err = open(t, noTanh, model.Overrides{})
	require.ErrorIs(t, err, model.ErrAmbiguous)
	require.ErrorContains(t, err, "--value")
	m, err := open(t, noTanh, model.Overrides{Value: "tanh"})
	require.NoError(t, err)
	spec, err := m.Spec(board.Square(5))
	require.NoError(t, err)
	require.Equal(t, nn.KindDualHead, spec.Kind)
	require.Equal(t, nn.PolicyLogits, spec.Policy)

	later := dualHead(t, 7, map[string]string{meta.Format: "2"}, tanh)
	_, err = open(t, later, model.Overrides{})
	require.ErrorIs(t, err, model.ErrFile)
	for _, o := range []model.Overrides{{Encoding: "v99"}, {Policy: "odds"}, {Value: "points"}} {
		_, err = open(t, dualHead(t, 7, nil, tanh), o)
		require.ErrorIs(t, err, model.ErrAmbiguous)
	}
}

func TestChoicesThatDoNotWorkAreErrors(t *testing.T) {
	file := filepath.Join(fixtures, "pytorch-dualhead-9x9.onnx")
	for _, c := range []model.Config{
		{Provider: "abacus"}, {Provider: "cpu", Library: file}, {Provider: "auto", Library: file},
	} {
		_, err := model.Open(file, c)
		require.ErrorIs(t, err, model.ErrProvider)
	}
	_, err := model.Open(file, model.Config{Precision: "int3"})
	require.ErrorIs(t, err, model.ErrPrecision)
}

// TestEverySize: the built-in network serves any board size, and so does an ONNX file in
// katago.FormExact, whatever size its graph is for.
func TestEverySize(t *testing.T) {
	net, err := katago.Fresh("kb2c16", 3)
	require.NoError(t, err)
	m, err := katago.Build(net, katago.Size{W: 9, H: 9}, katago.FormExact)
	require.NoError(t, err)
	for _, path := range []string{"", written(t, m)} {
		opened, err := open(t, path, model.Overrides{})
		require.NoError(t, err)
		for _, size := range []board.Size{board.Square(board.MinSize), board.Square(9), {W: 2, H: board.MaxSize}, board.Square(board.MaxSize)} {
			require.NoError(t, opened.Serves(size))
		}
	}
}

// TestMissingFile: the error says in plain words what is missing, since GTP clients show it.
func TestMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no.onnx")
	_, err := model.Open(path, model.Config{})
	require.EqualError(t, err, "no file "+path)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
