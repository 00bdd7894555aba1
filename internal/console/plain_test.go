package console_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/console"
)

// TestPlain: errors of Go's library are reported in plain words.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"open a b: no such file or directory\n":                                    "no file a b",
		"config: stat a/b: no such file or directory":                              "config: no file a/b",
		"mkdir a/b: no such file or directory":                                     "a/b: no such file or directory",
		`exec: "gtp": executable file not found in $PATH`:                          "there is no program gtp",
		"listen tcp :80: bind: address already in use":                             "another program listens on port 80: name another port",
		`strconv.Atoi: parsing "x": invalid syntax`:                                `"x" is not a number`,
		"flag needs an argument: 'o' in -o":                                        "-o needs a value",
		"one\n  two":                                                               "one; two",
		"as it was":                                                                "as it was",
		"fork/exec /a/b: no such file or directory":                                "there is no program /a/b",
		"header (\x00\x97\u00e9)":                                                  `header (\x00\x97é)`,
		`a "b" \ c` + "\x1b[31m":                                                   `a "b" \ c\x1b[31m`,
		"1 games, 21 games, 0.1 rows, 1 labels in 1 files":                         "1 game, 21 games, 0.1 rows, 1 label in 1 file",
		"game 1 ends; 1 is a score; 1 different games":                             "game 1 ends; 1 is a score; 1 different game",
		"fault\n" + strings.Repeat("a: a number from 1 to 1000000\n", 30) + "last": "fault" + strings.Repeat("; a: a number from 1 to 1000000", 10) + "; 20 more; last",
	} {
		require.Equal(t, want, console.Plain(text))
	}
}

// TestLog: one line per message, with attributes, and none below the level.
func TestLog(t *testing.T) {
	var out strings.Builder
	log := console.NewLog(&out, slog.LevelInfo).With("a", 1).WithGroup("g")
	log.Debug("not this")
	log.Info("two\nlines", "b", "x")
	log.Warn("careful")
	log.Error("broken")
	require.Equal(t, "two; lines a=1 b=x\nwarning: careful a=1\nerror: broken a=1\n", out.String())
}
