package katago

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func unpack(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return data
}

// TestRoundTripBytes: writing a network in KataGo's binary format gives the bytes that were read.
func TestRoundTripBytes(t *testing.T) {
	check := func(t *testing.T, path string) {
		require.True(t, bytes.Equal(unpack(t, path), plainBytes(t, readFile(t, path))), "%s: decompressed bytes differ", path)
	}
	for _, path := range syntheticPaths(t) {
		if strings.HasSuffix(path, ".bin.gz") {
			check(t, path)
		}
	}
	withReal(t, func(t *testing.T, name string) { check(t, realPath(t, name)) })
}
