package katago

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
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

func TestRealNetworksRoundTripBytes(t *testing.T) {
	for _, name := range realNames {
		t.Run(name, func(t *testing.T) {
			want := unpack(t, realPath(t, name))
			n := readReal(t, name)
			var out bytes.Buffer
			require.NoError(t, WriteFormat(&out, n, Format{}))
			require.True(t, bytes.Equal(want, out.Bytes()), "decompressed bytes differ")
			require.Equal(t, int64(len(want)), n.Source.Bytes)
		})
	}
}
