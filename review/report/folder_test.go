package report

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/review/drill"
	"kosumi/sgf"
)

func TestDrillRecordIsNeverEmpty(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	_, err = f.WriteDrills(&drill.Set{})
	require.NoError(t, err)
	data, err := os.ReadFile(f.Path(drillsName, ".sgf"))
	require.NoError(t, err)
	roots, err := sgf.Parse(data)
	require.NoError(t, err)
	require.Contains(t, roots[0].Text("C"), "There is no problem yet")
}
