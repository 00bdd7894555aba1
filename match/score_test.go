package match

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

func TestScoring(t *testing.T) {
	with := func(mode string) string {
		return guestCommand("-list", "final_status_list final_score", "-mode", mode)
	}
	opening := [][]board.Move{{
		// Black has the left two columns, White the right two with a black stone inside. Black has 11
		// points to White's 5 as the board stands, and 25 to 0 if White's stones are dead.
		{Color: 1, Point: 1}, {Color: 2, Point: 3}, {Color: 1, Point: 6}, {Color: 2, Point: 8},
		{Color: 1, Point: 11}, {Color: 2, Point: 13}, {Color: 1, Point: 16}, {Color: 2, Point: 18},
		{Color: 1, Point: 21}, {Color: 2, Point: 23}, {Color: 1, Point: 14}, {Color: 2, Point: -1},
	}}
	// White has the right two columns, with three eyes.
	alive := [][]board.Move{append(opening[0][:10:10], []board.Move{{Color: 1, Point: -1}, {Color: 2, Point: 9}, {Color: 1, Point: -1}, {Color: 2, Point: 19}}...)}
	tests := []struct {
		name, a, b, rules, want string
		reason                  Reason
	}{
		{"pass-alive is never dead", with("white-dead"), with("white-dead"), "chinese", "W+0.5", ReasonScore},
		{"pass-alive in territory", with("white-dead"), with("white-dead"), "japanese", "B+1.5", ReasonScore},
		{"agreed dead", with("white-dead"), with("white-dead"), "chinese", "B+24.5", ReasonScore},
		{"disagreed, as it stands", with("white-dead"), with(""), "chinese", "B+5.5", ReasonScore},
		{"one cannot say", with("white-dead"), guestCommand(), "chinese", "B+5.5", ReasonScore},
		{"none dead", with(""), with(""), "chinese", "B+5.5", ReasonScore},
		{"crash at the count", with(""), with("score-crash"), "chinese", "B+5.5", ReasonScore},
		{"territory, agreed", with("white-dead"), with("white-dead"), "japanese", "", ReasonScore},
		{"territory, same score", with("score-1"), with("score-1"), "japanese", "B+1.5", ReasonScore},
		{"territory, scores differ", with("score-1"), with("score-2"), "japanese", "?", ReasonUnscored},
		{"territory, cannot say", guestCommand(), guestCommand(), "japanese", "?", ReasonUnscored},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from := opening
			if strings.HasPrefix(test.name, "pass-alive") {
				from = alive
			}
			result := countGame(t, test.a, test.b, test.rules, from)
			if test.want != "" {
				require.Equal(t, test.want, result.Result)
			}
			require.Equal(t, test.reason, result.Reason)
			if test.name == "crash at the count" {
				require.Len(t, result.Faults, 1)
			}
		})
	}
}

// countGame plays an opening and two passes and lets two real programs count the position.
func countGame(t *testing.T, a, b, rules string, openings [][]board.Move) GameResult {
	t.Helper()
	c, komi := small(a, b), 0.5
	c.Rules, c.Komi, c.Openings = rules, &komi, openings
	p, err := newPlan(c)
	require.NoError(t, err)
	var processes [2]*process
	for s := range processes {
		processes[s] = &process{plan: p, side: side(s), warn: func(side, string) {}}
		defer processes[s].end(quitPatience)
	}
	g, err := board.NewGame(p.Size, p.rules)
	require.NoError(t, err)
	game := &game{plan: p, processes: processes, board: g}
	_, err = game.start(t.Context())
	require.NoError(t, err)
	for _, s := range processes {
		require.NoError(t, s.newGame(t.Context()))
	}
	require.NoError(t, game.playOpening(t.Context()))
	for !g.Ended() {
		m := board.Move{Color: g.ToMove(), Point: board.Pass}
		require.NoError(t, g.Play(m.Color, m.Point))
	}
	require.NoError(t, game.count(t.Context()))
	return game.result
}

func TestParseScore(t *testing.T) {
	for text, want := range map[string]float32{
		"B+3.5": -3.5, "w+0.5 (upper bound)": 0.5, "0": 0, "Draw": 0, " W+12\n": 12,
	} {
		got, ok := parseScore(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "B", "B+", "B+R", "W+NaN", "B+-3", "X+1", "B+1e30", "3.5"} {
		_, ok := parseScore(text)
		require.False(t, ok, text)
	}
}
