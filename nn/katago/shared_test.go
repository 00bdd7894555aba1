package katago

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/onnx"
)

// The three real networks in the reference data.
var realNames = []string{
	"g170-b6c96-s175395328-d26788732",
	"b7c96h3tfrs-test5-cnorm",
	"b7c96h6kv3qk32v16tflrs-fson-bnh",
}

// withReal runs a check on each real network, if present; the random ones are in testdata.
func withReal(t *testing.T, check func(t *testing.T, name string)) {
	t.Helper()
	if _, ok := testshared.Beyond(t, "models/katago"); !ok {
		return
	}
	for _, name := range realNames {
		t.Run(name, func(t *testing.T) { check(t, name) })
	}
}

func realPath(t testing.TB, name string) string {
	return testshared.Path(t, "models/katago/"+name+".bin.gz")
}

func readReal(t testing.TB, name string) *Network {
	t.Helper()
	return readFile(t, realPath(t, name))
}

func readFile(t testing.TB, path string) *Network {
	t.Helper()
	n, err := ReadFile(path)
	require.NoError(t, err, path)
	return n
}

func graphOf(t testing.TB, n *Network, size Size, form Form) *onnx.Model {
	t.Helper()
	m, err := Build(n, size, form)
	require.NoError(t, err)
	return m
}

// syntheticPaths lists the reference data's 18 random networks.
func syntheticPaths(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(testshared.Path(t, "golden/katago/synthetic-models"), "*.gz"))
	require.NoError(t, err)
	require.Len(t, paths, 18)
	return paths
}
