package onnx

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// fixtures returns the readable ONNX files of testdata/onnx.
func fixtures(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/onnx/*.onnx")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "external") })
	require.Len(t, files, 7)
	return files
}

func readFixture(t testing.TB, file string) *Model {
	t.Helper()
	data := testshared.ReadFile(t, file)
	m, err := Read(data)
	require.NoError(t, err)
	return m
}

func TestForeignFilesSurviveARoundTrip(t *testing.T) {
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := readFixture(t, file)
			out, err := m.Marshal()
			require.NoError(t, err)
			again, err := Read(out)
			require.NoError(t, err)
			require.Equal(t, m, again)
			out2, err := again.Marshal()
			require.NoError(t, err)
			require.Equal(t, out, out2)
		})
	}
}
