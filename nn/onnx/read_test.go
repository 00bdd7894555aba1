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

func parsed(t testing.TB, data []byte) *Model {
	t.Helper()
	m, err := Read(data)
	require.NoError(t, err)
	return m
}

func written(t testing.TB, m *Model) []byte {
	t.Helper()
	data, err := m.Marshal()
	require.NoError(t, err)
	return data
}

// throughFile writes a model, reads it back and requires that the model read gives the same bytes again.
func throughFile(t testing.TB, m *Model) (data []byte, again *Model) {
	t.Helper()
	data = written(t, m)
	again = parsed(t, data)
	require.Equal(t, data, written(t, again))
	return data, again
}

func readFixture(t testing.TB, file string) *Model {
	t.Helper()
	return parsed(t, []byte(testshared.Read(t, file)))
}

func TestForeignFilesSurviveARoundTrip(t *testing.T) {
	for _, file := range fixtures(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := readFixture(t, file)
			_, again := throughFile(t, m)
			require.Equal(t, m, again)
		})
	}
}
