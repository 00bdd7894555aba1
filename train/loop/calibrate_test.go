package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestCalibrationFindsRareSizes: positions of a size that one game of fifty has
// are found among the files of the others, and a size of too few games has none.
func TestCalibrationFindsRareSizes(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "selfplay", "net", "sgfs")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	record := func(size int) string {
		return fmt.Sprintf("(;FF[4]GM[1]SZ[%d]KM[7]RU[Chinese];B[aa];W[bb];B[cc];W[dd];B[ee];W[ff];B[gg])\n", size)
	}
	for i := range 20 {
		games := strings.Repeat(record(9), 49) + record(7)
		if i == 19 {
			games += record(8)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%016x.sgfs", i)), []byte(games), 0o644))
	}
	for size, want := range map[int]int{9: calibrationPositions, 7: calibrationPositions, 8: 0, 19: 0} {
		list := Calibration(dir, board.Size{W: size, H: size})
		require.Len(t, list, want, "%dx%d", size, size)
		for _, g := range list {
			require.Equal(t, size, g.Size().W)
		}
	}
}
