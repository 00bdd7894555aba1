package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestHashTellsStatesApart changes one thing at a time; the hash must change.
func TestHashTellsStatesApart(t *testing.T) {
	seen := map[board.Hash]string{}
	add := func(name string, g *board.Game) {
		other, ok := seen[g.Hash()]
		require.False(t, ok, "%s has the hash of %s", name, other)
		seen[g.Hash()] = name
	}
	base := func() *board.Game { return gameOn(t, "tromp-taylor", koShape) }
	add("base", base())
	for name, change := range map[string]func(g *board.Game){
		"side to move": func(g *board.Game) { g.SetToMove(board.White) },
		"komi":         func(g *board.Game) { g.SetKomi(6.5) },
		"a stone":      func(g *board.Game) { play(t, g, "E1") },
		"a pass":       func(g *board.Game) { play(t, g, "pass") },
		"two passes":   func(g *board.Game) { play(t, g, "pass pass") },
		"ko":           func(g *board.Game) { play(t, g, "C4") },
		"ko forgotten": func(g *board.Game) { play(t, g, "C4"); g.SetToMove(board.Black); g.SetToMove(board.White) },
		"prevention":   func(g *board.Game) { g.SetOptions(board.GameOptions{PreventEncore: true}) },
		"transposed":   func(g *board.Game) { require.NoError(t, g.SetupBoard(diagram(t, ".....\n....."), board.Black)) },
		"other way":    func(g *board.Game) { require.NoError(t, g.SetupBoard(diagram(t, "..\n..\n..\n..\n.."), board.Black)) },
	} {
		g := base()
		change(g)
		add(name, g)
	}
	for _, rules := range []string{
		"chinese", "chinese-ogs", "japanese", "aga", "aga-button", "new-zealand", "stone-scoring", "ancient-territory", "ing",
		`{"ko":"SPIGHT"}`, `{"tax":"SEKI"}`, `{"suicide":false}`, `{"whiteHandicapBonus":"N"}`, `{"friendlyPassOk":true}`,
	} {
		g := gameOn(t, rules, koShape)
		g.SetKomi(7.5)
		if rules != "ing" { // "ing" equals the rules before it, Tromp-Taylor with friendly passes
			add(rules, g)
		}
	}
	require.NotContains(t, seen, board.Hash{})
	for phase := 1; phase <= 2; phase++ {
		g := gameOn(t, "japanese", koShape)
		require.NoError(t, g.StartInPhase(phase))
		add("a later phase", g)
		play(t, g, "C4")
		add("a blocked stone", g)
	}
	// Same stones and side to move, but C4 is banned by ko.
	g := gameOn(t, "japanese", koShape)
	require.NoError(t, g.StartInPhase(1))
	play(t, g, "C4 B4 pass B4 C4 pass")
	p := at(t, g.Size(), "C4")
	require.True(t, g.SuperkoBanned(p))
	require.ErrorIs(t, g.Legal(board.Black, p), board.ErrSuperko)
	add("after a ko", g)
	play(t, g, "pass")
	require.False(t, g.SuperkoBanned(p))
}

func TestGraphHash(t *testing.T) {
	prev := board.Hash{Hi: 1, Lo: 2}
	for _, c := range []struct {
		name, text, moves string
		path              bool // the hash depends on the move order
	}{
		{"start", empty5, "", false},
		{"open board", empty5, "A1", false},
		{"pass", empty5, "A1 pass", true},
		{"ko", koShape, "C4", true},
		{"closed ko", ". X O . O\nX O . O O\n. X O O O\nX X X X X\n. X . X .", "C4", true},
		{"suicide", ". . O . .\nO O O . .\n. . . . .", "A3 pass B3", true},
		{"a small chain in a small region", "..O..\n..O..\nOOO..\n.....", "A4", true},
		{"a larger region", "...O..\n...O..\n...O..\n...O..\nOOOO..\n......", "A6", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gameOn(t, "new-zealand", c.text)
			play(t, g, c.moves)
			require.Equal(t, c.path, g.GraphHash(prev) != g.Hash())
			require.Equal(t, c.path, g.GraphHash(prev) != g.GraphHash(board.Hash{}))
			require.Equal(t, g.GraphHash(prev), g.GraphHash(prev))
		})
	}
}
