package drill

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/review"
	"kosumi/sgf"
)

func TestDrillRecordIsNeverEmpty(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	_, err = f.WriteDrills(&Set{})
	require.NoError(t, err)
	data, err := os.ReadFile(f.Path(review.DrillsName, ".sgf"))
	require.NoError(t, err)
	roots, err := sgf.Parse(data)
	require.NoError(t, err)
	require.Contains(t, roots[0].Text("C"), "There is no problem yet")
}
