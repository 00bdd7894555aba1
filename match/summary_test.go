package match

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEloOfOneSidedMatches: whoever has won every game is at least so much stronger,
// and no number is the largest that there is, in words or as JSON.
func TestEloOfOneSidedMatches(t *testing.T) {
	for _, games := range []int{1, 2, 40} {
		for _, winner := range []string{"a", "b"} {
			p, err := newPlan(Config{A: Program{Command: "x"}, B: Program{Command: "y"}, Games: games})
			require.NoError(t, err)
			results := map[int]GameResult{}
			for i := range games {
				results[i] = GameResult{Game: i + 1, Winner: winner, Black: "a"}
			}
			s := p.summarize(results)
			text, err := json.Marshal(s)
			require.NoError(t, err)
			require.NotContains(t, string(text)+s.Text(), "4000")
			var raw map[string]any
			require.NoError(t, json.Unmarshal(text, &raw))
			open, known, word := "elo_high", "elo_low", "above"
			if winner == "b" {
				open, known, word = known, open, "below"
			}
			require.Contains(t, raw, open)
			require.Nil(t, raw[open])
			require.NotNil(t, raw[known])
			require.Contains(t, s.Text(), word)
			require.Less(t, math.Abs(s.Elo), 1000.0)
		}
	}
}
