package match

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/match/elo"
)

// summaryOf returns the summary of a match. winners has a letter for each game: a, b, or - if it is unfinished.
func summaryOf(t *testing.T, winners string, openings [][]board.Move) Summary {
	t.Helper()
	twins := Program{Command: "x", Name: "x"}
	p, err := newPlan(Config{A: twins, B: twins, Games: len(winners), Size: board.Square(5), Openings: openings})
	require.NoError(t, err)
	results := map[int]GameResult{}
	for i, w := range winners {
		if w != '-' {
			results[i] = GameResult{Game: i + 1, Winner: string(w), Black: "a", NameA: "x (a)", NameB: "x (b)"}
		}
	}
	return p.summarize(results)
}

// TestEloAndShare: if the Elo difference covers only some of the games, the summary says which, and
// which share of their points program a won.
func TestEloAndShare(t *testing.T) {
	opening := [][]board.Move{{{Color: board.Black, Point: 12}}}
	for _, test := range []struct {
		name     string
		openings [][]board.Move
		winners  string
		want     []string
		estimate elo.Estimate
		unpaired int
	}{
		{"all pairs", opening, "abaa", []string{"(a): 3 won, 75.0 %", "Elo difference: +191"}, elo.OfPairs([5]int{0, 0, 1, 0, 1}), 0},
		{"a game without its partner", opening, "aaabb", []string{"(a): 3 won, 60.0 %", "1 without the game with colours exchanged", "Elo difference of 2 pairs, 75.0 %: +191"}, elo.OfPairs([5]int{0, 0, 1, 0, 1}), 1},
		{"gaps, as parallel games leave them", opening, "a-ab-", []string{"1 without", "Elo difference of 1 pair, 50.0 %: +0"}, elo.OfPairs([5]int{0, 0, 1, 0, 0}), 1},
		{"no pair yet", opening, "a", []string{"1 without", "Elo difference: not known yet"}, elo.OfPairs([5]int{}), 1},
		{"an odd number without openings", nil, "aab", []string{"Elo difference: +120"}, elo.Of(2, 0, 1), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := summaryOf(t, test.winners, test.openings)
			require.Equal(t, test.estimate, s.Estimate)
			require.Equal(t, test.unpaired, s.Unpaired)
			var out strings.Builder
			s.Print(&out)
			for _, want := range test.want {
				require.Contains(t, out.String(), want)
			}
		})
	}
}

// TestEloOfOneSidedMatches: if a program has won every game, its advantage has only a lower bound;
// no infinite number appears in text or JSON.
func TestEloOfOneSidedMatches(t *testing.T) {
	for _, games := range []int{1, 2, 40} {
		for _, winner := range []string{"a", "b"} {
			s := summaryOf(t, strings.Repeat(winner, games), nil)
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
