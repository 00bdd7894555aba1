package console_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/console"
)

// TestPlain requires the words of people for errors of Go's library.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"open a b: no such file or directory\n":           "a b: no such file or directory",
		`exec: "gtp": executable file not found in $PATH`: "there is no program gtp",
		"listen tcp :80: bind: address already in use":    "something listens on this port already: name another",
		`strconv.Atoi: parsing "x": invalid syntax`:       `"x" is not a number`,
		"flag needs an argument: 'o' in -o":               "-o needs a value",
		"one\n  two":                                      "one; two",
		"as it was":                                       "as it was",
	} {
		require.Equal(t, want, console.Plain(text))
	}
}

// TestLog requires one line a message, with marks and without what is below the level.
func TestLog(t *testing.T) {
	var out strings.Builder
	log := console.NewLog(&out, slog.LevelInfo).With("a", 1).WithGroup("g")
	log.Debug("not this")
	log.Info("two\nlines", "b", "x")
	log.Warn("careful")
	log.Error("broken")
	require.Equal(t, "two; lines a=1 b=x\nwarning: careful a=1\nerror: broken a=1\n", out.String())
}
