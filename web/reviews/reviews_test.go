package reviews

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
)

// TestReviewRemark: a review says where its network judges a board that it did not learn.
func TestReviewRemark(t *testing.T) {
	rs := &Reviews{conf: Config{Engines: &engines.Engines{Backend: weakNetwork{}}}}
	for size, notes := range map[string]int{"9": 0, "19": 1} {
		roots, err := sgf.Parse([]byte("(;GM[1]SZ[" + size + "]KM[7]RU[Chinese];B[cc])"))
		require.NoError(t, err)
		g, err := review.Load(roots[0], board.Chinese())
		require.NoError(t, err)
		with := rs.remarked(g)
		require.Len(t, with.Notes, notes)
		if notes > 0 {
			require.Contains(t, with.Notes[0], "knows 9x9 best: on 19x19")
		}
		require.Empty(t, g.Notes)
	}
}

// weakNetwork knows 9x9 well and no other board.
type weakNetwork struct{ engines.Backend }

func (weakNetwork) Networks() []api.Network {
	return []api.Network{{Name: "other", Weak: "5x5"}, {Name: "built in", InUse: true, Weak: "9x9"}}
}
