package gtp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search/setting"
)

// typed runs lines typed at a terminal and returns the output.
func typed(t *testing.T, look Terminal, lines ...string) string {
	f := newFake()
	f.params = append(f.params, setting.Param{Name: "level", Value: "off"})
	require.NoError(t, f.NewGame(board.Square(9)))
	return talk(t, f, Options{Terminal: &look}, strings.Join(lines, "\n")+"\n")
}

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		has   []string
		not   []string
	}{
		{"help", []string{"help"}, []string{"undo", "hint", "kata-set-rules japanese", "help all"}, []string{"?"}},
		{"help of a command", []string{"help genmove", "help level", "help all", "help undo"}, []string{"= undo: takes the last move back; an answer", "= genmove COLOR: chooses a move", "level 10k: plays like a person", "lz-analyze"}, nil},
		{"help of nothing", []string{"help genmvoe"}, []string{`? there is no command "genmvoe"`}, nil},
		{"a vertex is a move and gets an answer", []string{"e5"}, []string{"Move 2 was white", "Black to move, komi"}, []string{"?"}},
		{"colours may be left out", []string{"play e5", "genmove", "play pass"}, []string{"Move 1 was black E5", "Move 2 was white", "Move 3 was black pass"}, []string{"?"}},
		{"words of other programs", []string{"size 13", "board", "new", "exit", "name"}, []string{"13 . ."}, []string{"?", "Kosumi"}},
		{"a wrong argument", []string{"komi x"}, []string{"? syntax error\n\nUsage: komi KOMI: points that White gets"}, nil},
		{"save without a file", []string{"save"}, []string{"? unknown command\n\nprintsgf FILE saves the game, for example: printsgf game.sgf"}, nil},
		{"an unknown command", []string{"genmvoe b"}, []string{"? unknown command\n\nDid you mean genmove?"}, nil},
		{"nothing like it", []string{"xyzzyxyzzy"}, []string{"? unknown command\n\nhelp lists the commands"}, nil},
		{"an occupied point", []string{"play b e5", "e5"}, []string{"? illegal move\n\n", "occupied", "Usage: D4: plays there"}, []string{"turn"}},
		{"off the board", []string{"play b t19"}, []string{"Usage: play COLOR VERTEX"}, nil},
		{"undo", []string{"play e5", "undo"}, []string{"Move 1 was black E5", "Black to move"}, []string{"?"}},
		{"undo of an answered move", []string{"e5", "undo"}, []string{"Move 2 was white", "\nBlack to move, komi 7.5"}, []string{"?", "Move 1"}},
		{"undo of a game before", []string{"e5", "new", "play e5", "play d5", "undo"}, []string{"Move 1 was black E5. White to move"}, nil},
		{"nothing to undo", []string{"undo"}, []string{"? cannot undo", "Usage: undo: takes the last move back"}, nil},
		{"a colour before the point", []string{"b e5", "White d5"}, []string{"Move 1 was black E5", "Move 2 was white D5"}, []string{"?"}},
		{"sides of a rectangle", []string{"boardsize 9x13"}, []string{"13 . ."}, []string{"?"}},
		{"no such size", []string{"boardsize x"}, []string{"? syntax error\n\nUsage: boardsize SIZE [HEIGHT]"}, nil},
		{"one letter", []string{"b"}, []string{"? unknown command\n\nhelp lists"}, nil},
		{"the engine resigns", []string{"komi -200", "e5", "d5"}, []string{"= resign: black wins", "? illegal move\n\nthe engine has resigned", "Move 1 was black E5"}, []string{"D5. "}},
		{"going on after that", []string{"komi -200", "e5", "undo", "komi 7", "d5"}, []string{"= resign: black wins", "Move 2 was white"}, []string{"?"}},
		{"resigning", []string{"resign"}, []string{"? unknown command", "clear_board begins a new game"}, nil},
		{"hint", []string{"hint"}, []string{"black would win"}, []string{"?", "Move 1"}},
		{"hint and score agree", []string{"hint", "score"}, []string{"black would win 50 % of such games, -7.5 points", "white is ahead: wins 50 % of such games, +7.5 points"}, []string{"?"}},
		{"nobody is ahead", []string{"komi 0", "score"}, []string{"= the game is even; the result would be 0"}, []string{"?", "ahead"}},
		{"score", []string{"score"}, []string{"is ahead", "the result would be"}, []string{"?"}},
		{"score of a game that is over", []string{"play pass", "play pass", "score"}, []string{"= the game is over: W+7.5"}, []string{"?", "ahead"}},
		{"unknown rules", []string{"rules japan"}, []string{"Usage: kata-set-rules japanese: other rules, such as chinese"}, []string{"komi stays"}},
		{"level", []string{"level 5k", "level"}, []string{"= 5k"}, []string{"?"}},
		{"no level", []string{"kata-set-param level", "level"}, []string{"= off"}, []string{"?"}},
		{"handicap changes komi and says so", []string{"fixed_handicap 2"}, []string{"komi is 0.5 now", "White to move, komi 0.5"}, []string{"?"}},
		{"komi of the next even game", []string{"komi 5.5", "handicap 2", "new"}, []string{"komi is 0.5 now", "komi is 5.5 now", "\nBlack to move, komi 5.5"}, []string{"?"}},
		{"komi as it was said last", []string{"handicap 2", "komi 3.5", "new"}, []string{"\nBlack to move, komi 3.5"}, []string{"?", "7.5 now"}},
		{"rules change komi and say so", []string{"kata-set-rules japanese", "kata-set-rules chinese"}, []string{"komi is 6.5 now", "komi is 7.5 now"}, []string{"?"}},
		{"comments are no mistakes", []string{"# hello"}, nil, []string{"?", "Usage"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := typed(t, Terminal{}, tc.lines...)
			for _, want := range tc.has {
				require.Contains(t, out, want)
			}
			for _, bad := range tc.not {
				require.NotContains(t, out, bad)
			}
		})
	}
}

func TestTerminalRemarksOnceForASize(t *testing.T) {
	look := Terminal{Remark: func(s board.Size) string {
		if s == board.Square(9) {
			return ""
		}
		return "learnt 9x9"
	}}
	require.Equal(t, 1, strings.Count(typed(t, look, "boardsize 13", "play d4", "clear_board", "boardsize 9"), "learnt 9x9"))
}

func TestTerminalColours(t *testing.T) {
	out := typed(t, Terminal{Colour: true}, "play b e5", "play w c3")
	require.Contains(t, out, blackColour+"●")
	require.Contains(t, out, whiteColour+"◉", "the last move")
	for _, line := range strings.Split(out, "\n") {
		require.LessOrEqual(t, strings.Count(line, woodColour), strings.Count(line, noColour), "no colour runs on: %q", line)
	}
}

// TestPipesAreAsTheyWere requires that programs on a pipe see none of the terminal's features.
func TestPipesAreAsTheyWere(t *testing.T) {
	require.Equal(t, "? unknown command\n\n? unknown command\n\n? syntax error\n\n? syntax error\n\n? syntax error\n\n= D4 Q16\n\n",
		talk(t, newFake(), Options{}, "help\ne5\ngenmove\nplay e5\nkomi x\nfixed_handicap 2\n"))
}

func TestUnknownRuleIsNamed(t *testing.T) {
	require.Contains(t, typed(t, Terminal{}, "kata-set-rule foo bar"), "Unknown rules option: foo")
}
