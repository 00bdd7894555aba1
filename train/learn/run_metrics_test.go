package learn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetricsAreCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), MetricsFile)
	m, err := openMetrics(path, 0)
	require.NoError(t, err)
	for step := range 5 {
		require.NoError(t, m.write("step", Counters{Steps: int64(step)}, &Result{Rows: 1, Loss: 1}, 0))
	}
	require.NoError(t, m.f.Close())
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"kind":"st`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	before, err := os.Stat(path)
	require.NoError(t, err)
	m, err = openMetrics(path, 3)
	require.NoError(t, err)
	require.NoError(t, m.write("validation", Counters{Steps: 3}, &Result{Rows: 1, Loss: 1}, 0))
	require.NoError(t, m.f.Close())
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "no other file that a kill could leave")
	lines, err := ReadMetrics(path)
	require.NoError(t, err)
	require.Len(t, lines, 5)
	require.NoError(t, os.WriteFile(path, []byte(`{"kind":"step"}`+"\nno\n{}\n"), 0o644))
	_, err = ReadMetrics(path)
	require.ErrorContains(t, err, "line 2")
	for _, other := range []string{"mine", "{}\n", "mine\n"} {
		require.NoError(t, os.WriteFile(path, []byte(other), 0o644))
		_, err = openMetrics(path, 0)
		require.ErrorContains(t, err, "line 1 is not one of metrics: take that line out, or move the file away")
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, other, string(left), "another file stays")
	}
}
