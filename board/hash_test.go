package board_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestHashTellsStatesApart: games that differ in rules, komi, an option or the board's shape have
// different hashes.
func TestHashTellsStatesApart(t *testing.T) {
	seen := map[board.Hash]string{}
	add := func(name string, g *board.Game) {
		other, ok := seen[g.Hash()]
		require.False(t, ok, "%s has the hash of %s", name, other)
		seen[g.Hash()] = name
	}
	for name, change := range map[string]func(g *board.Game){
		"base":       func(*board.Game) {},
		"komi":       func(g *board.Game) { g.SetKomi(6.5) },
		"prevention": func(g *board.Game) { g.SetOptions(board.GameOptions{PreventEncore: true}) },
		"transposed": func(g *board.Game) { require.NoError(t, g.SetupBoard(diagram(t, ".....\n....."), board.Black)) },
		"other way":  func(g *board.Game) { require.NoError(t, g.SetupBoard(diagram(t, "..\n..\n..\n..\n.."), board.Black)) },
	} {
		g := gameOn(t, "tromp-taylor", koShape)
		change(g)
		add(name, g)
	}
	for _, rules := range []string{
		"chinese", "chinese-ogs", "japanese", "aga", "aga-button", "new-zealand", "stone-scoring", "ancient-territory",
		`{"ko":"SPIGHT"}`, `{"tax":"SEKI"}`, `{"suicide":false}`, `{"whiteHandicapBonus":"N"}`, `{"friendlyPassOk":true}`,
	} {
		g := gameOn(t, rules, koShape)
		g.SetKomi(7.5)
		add(rules, g)
	}
}

// TestHashTellsBans: a game in which superko bans a point has another hash than a new game that
// starts from the same position.
func TestHashTellsBans(t *testing.T) {
	check := func(g *board.Game, v string) {
		p := at(t, g.Size(), v)
		require.True(t, g.SuperkoBanned(p))
		require.ErrorIs(t, g.Legal(g.ToMove(), p), board.ErrSuperko)
		free := clone(g)
		free.Restart(g.ToMove())
		require.False(t, free.SuperkoBanned(p))
		require.NotEqual(t, free.Hash(), g.Hash())
	}
	g := gameOn(t, "tromp-taylor", koShape)
	play(t, g, "C4")
	g.SetToMove(board.Black) // forgets the simple ko point
	g.SetToMove(board.White)
	check(g, "B4")
	g = gameOn(t, "tromp-taylor", twoSpaces)
	play(t, g, "A5")
	g.SetToMove(board.Black)
	check(g, "B5") // a suicide
	g = gameOn(t, "japanese", koShape)
	require.NoError(t, g.StartInPhase(1))
	play(t, g, "C4 B4 pass B4 C4")
	g.SetToMove(board.Black)
	check(g, "C4")
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
