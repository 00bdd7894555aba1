package review

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// What changes hands is said of the region that costs most, in the words that fit
// most of its points.
func TestReasonsSayWhatChangesHands(t *testing.T) {
	size := board.Square(9)
	for _, c := range []struct {
		best, did float64 // White's ownership of the upper left corner, of the three points in the lower right one
		want      string
	}{
		{0.9, -0.8, " 9 points of the upper left corner turn from White's to Black's."},
		{0.9, 0.1, " 9 points of the upper left corner are no longer White's for sure."},
		{0.1, -0.9, " 9 open points of the upper left corner become Black's."},
		{0.2, 0.1, ""},
	} {
		k := &mistake{size: size, mover: board.White, bestOwn: make([]float64, 81), did: make([]float64, 81)}
		for y := range 3 {
			for x := range 3 {
				k.bestOwn[size.Point(x, y)], k.did[size.Point(x, y)] = c.best, c.did
			}
			k.bestOwn[size.Point(8, 6+y)] = 0.15
		}
		k.findParts()
		require.Equal(t, c.want, k.turned())
	}
}
