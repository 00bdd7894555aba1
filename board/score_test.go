package board_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

func TestSelfKomi(t *testing.T) {
	for _, c := range []struct {
		rules, moves string
		komi         float32
		drawWins     float64
		want         float32
	}{
		{"tromp-taylor", "", 7.5, 0.9, -7.5},
		{"tromp-taylor", "A1", 7.5, 0.9, 7.5},
		{"tromp-taylor", "A1", 7, 0.75, 7.25},
		{"tromp-taylor", "", 7, 0.75, -7.25},
		{"tromp-taylor", "", 7, 0.5, -7},
		{"aga-button", "A1", 7, 0.75, 7},
		{"aga-button", "A1", 7.5, 0.75, 7.75},
		{"aga-button", "pass", 7.5, 0.5, 7},
		{"japanese", "A1", 6.5, 0.5, 7.5},
		{"japanese", "A1 B1", 6.5, 0.5, -6.5},
	} {
		g := gameOn(t, c.rules, empty5)
		g.SetKomi(c.komi)
		play(t, g, c.moves)
		require.Equal(t, c.want, g.SelfKomi(c.drawWins), "%+v", c)
	}
}

func TestScoreWithDead(t *testing.T) {
	const text = `
		. . X O . .
		. O X O . X
		. . X O . .
		X X X O O O
		. . . X . O
		. . . X X O`
	for _, c := range []struct {
		rules, dead string
		want        float32 // with komi 0.5
	}{
		{"chinese", "B5 F5", 14 - 21 + 0.5},
		{"chinese", "", 9 - 16 + 0.5},
		{"chinese", "B5", 8 - 22 + 0.5},
		{"japanese", "B5 F5", 7 - 13 + 0.5},
		{"japanese", "", 0.5}, // B5 and F5 live, so both corners are in seki
		{"japanese", "B5", 0 - 13 + 0.5},
		{"japanese", "B5 B5 A1 pass", 0 - 13 + 0.5},
	} {
		g := gameOn(t, c.rules, text)
		g.SetKomi(0.5)
		dead := testshared.Points(t, g.Size(), strings.Fields(c.dead)...)
		before := snapshot(g.Board())
		require.Equal(t, c.want, g.ScoreWithDead(dead), "%+v", c)
		require.Equal(t, before, snapshot(g.Board()))
	}

	// Prisoners count, and so do White's handicap bonus and the button.
	g := gameOn(t, `{"scoring":"TERRITORY","tax":"NONE"}`, koShape)
	play(t, g, "C4 E1 pass")
	g.SetKomi(0)
	require.EqualValues(t, -2-1, g.ScoreWithDead(nil), "A5, B4 and a prisoner")
	g = gameOn(t, "aga-button", "XXX..\n.....\n.....")
	play(t, g, "W:pass")
	g.SetKomi(0)
	require.EqualValues(t, -15+2+0.5, g.ScoreWithDead(nil))
}

// TestTaxesWithDead: agreed dead stones are removed before the rules for seki and groups apply;
// open neutral points do not make a seki.
func TestTaxesWithDead(t *testing.T) {
	const groups = `
		. X . X O . .
		X X X X O . O
		X X X O O O .
		O O O O . O O
		X X X O O O .
		X X X X O . O
		. X . X O . .`
	const seki = `
		. X . O . O X
		X X O O O O X
		O O X X X X X
		. O X . . . .
		O O X . . . .
		. O X . . . .`
	const open = `
		. X . . O .
		. X . . O .
		. X X . O .
		. X . O O .
		X X . O . .`
	const koLeft = `
		. . X O . .
		. X . X O .
		. . X O O .
		. . X O . .
		. . X O . .`
	const toFill = `
		X X . . . . .
		O X X X X X X
		. O O X . . .
		O O X X . X X
		. O . X X X X
		O O O O O X .
		O . O . O X X`
	for _, c := range []struct {
		name, rules, text, dead string
		want                    float32 // White minus Black, without komi
	}{
		{"two groups against one", "stone-scoring", groups, "", 5 + 2},
		{"no tax", "chinese", groups, "", 5},
		{"the tax of territory", "ancient-territory", groups, "", 5 + 2},
		{"dead stones", "stone-scoring", groups, "A6 B6 C6 D6 A5 B5 C5 B7 D7", 38 - 11}, // White and Black have one group each
		{"eyes in seki", "japanese", seki, "", 2 - 12},
		{"eyes in seki, counted", "chinese", seki, "", 15 - 26},
		{"eyes in seki, with a tax", "stone-scoring", seki, "", 14 - 25},
		{"no seki where one side is dead", "japanese", seki, "A5 B5 B6", 2 + 6 + 3 - 12},
		{"open borders", "japanese", open, "", 6 - 4},
		{"open borders, with a tax", "stone-scoring", open, "", 12 - 11},
		{"a ko that nobody has closed: both have to connect", "japanese", koLeft, "", 7 - 9},
		{"a point at home that has to be filled", "japanese", toFill, "", 3 - 10},
		{"the same where stones count", "chinese", toFill, "", 18 - 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gameOn(t, c.rules, c.text)
			g.SetKomi(0)
			dead := testshared.Points(t, g.Size(), strings.Fields(c.dead)...)
			require.Equal(t, c.want, g.ScoreWithDead(dead), "%v", colorRows(g.Size(), g.OwnersWithDead(dead)))
		})
	}
}
