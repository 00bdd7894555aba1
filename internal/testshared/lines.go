package testshared

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"iter"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines yields the JSON values of a gzipped file, numbered from 0.
func Lines[T any](t testing.TB, path string) iter.Seq2[int, T] {
	t.Helper()
	return func(yield func(int, T) bool) {
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		z, err := gzip.NewReader(f)
		require.NoError(t, err)
		for i, dec := 0, json.NewDecoder(bufio.NewReader(z)); dec.More(); i++ {
			var one T
			require.NoError(t, dec.Decode(&one), "%s, value %d", path, i)
			if !yield(i, one) {
				return
			}
		}
	}
}
