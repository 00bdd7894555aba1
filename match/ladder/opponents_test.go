package ladder

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/match"
)

func TestParseDials(t *testing.T) {
	dials, err := ParseDials("-4, 0,2.5")
	require.NoError(t, err)
	require.Equal(t, []float64{-4, 0, 2.5}, dials)
	for _, bad := range []string{"", "1,,2", "1;2", "x"} {
		_, err := ParseDials(bad)
		require.ErrorContains(t, err, "is not a number", bad)
	}
}

func TestAddAnchors(t *testing.T) {
	const gnugo = "/opt/gnu go"
	anchor := func(command, name string, stones int) Anchor {
		known := strings.ReplaceAll(command, strconv.Quote(gnugo), "gnugo")
		return Anchor{Program: match.Program{Command: command, Name: name, KnownAs: known}, Handicap: stones}
	}
	for _, c := range []struct {
		list string
		want []Anchor
		zero float64
	}{
		{"", nil, 0},
		{"10, v16,", []Anchor{
			anchor(`"/opt/gnu go" --mode gtp --level 10 --chinese-rules`, "GNU Go 3.8 level 10", 0),
			anchor("engine gtp --visits 16", "Kosumi at 16 visits", 0)}, 0},
		{"5+3", []Anchor{anchor(`"/opt/gnu go" --mode gtp --level 5 --chinese-rules`, "GNU Go 3.8 level 5 giving 3 stones", 3)}, -109},
		{"v1,1", []Anchor{anchor("engine gtp --visits 1", "Kosumi at 1 visits", 0),
			anchor(`"/opt/gnu go" --mode gtp --level 1 --chinese-rules`, "GNU Go 3.8 level 1", 0)}, 0},
	} {
		conf := Config{Engine: "engine gtp", Size: board.Square(9)}
		require.NoError(t, conf.AddAnchors(c.list, gnugo), c.list)
		require.Equal(t, c.want, conf.Anchors, c.list)
		require.InDelta(t, c.zero, conf.ZeroElo, 1e-9, c.list)
	}
	for bad, complaint := range map[string]string{
		"11": "levels 0 to 10", "-1": "levels 0 to 10", "strong": "levels 0 to 10", "v": "number of visits", "v0": "number of visits",
		"vx": "number of visits", "3+": "handicap stones", "3+1": "handicap stones", "3+99": "handicap stones",
	} {
		conf := Config{Engine: "engine gtp", Size: board.Square(9)}
		require.ErrorContains(t, conf.AddAnchors(bad, gnugo), complaint, bad)
	}
}

// TestUpdate: a new ladder replaces only the one of the same network and size.
func TestUpdate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ladder.json")
	ladder := func(sha string, size int, elo float64) level.Ladder {
		return level.Ladder{Network: "n", SHA256: sha, Size: size,
			Support: []level.Support{{Dial: 0, Elo: elo, Games: 20}, {Dial: 4, Elo: elo - 200, Games: 20}}}
	}
	for _, l := range []level.Ladder{ladder("a", 9, 100), ladder("b", 9, 50), ladder("a", 13, 20), ladder("a", 9, 300)} {
		require.NoError(t, Update(name, l))
	}
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	all, err := level.ParseLadders(data)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.InDelta(t, 300, all[0].Support[0].Elo, 1e-9, "the newest one comes first")

	require.NoError(t, os.WriteFile(name, []byte("torn"), 0o644))
	require.ErrorContains(t, Update(name, ladder("a", 9, 1)), "ladder.json")
	data, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "torn", string(data), "a file that is something else stays")
	require.Error(t, Update(t.TempDir(), ladder("a", 9, 1)))

	var text strings.Builder
	Print(&text, ladder("a", 9, 100))
	require.Equal(t, 2, strings.Count(text.String(), "\n"))
	require.Contains(t, text.String(), "loss:4     -100 Elo")

	text.Reset()
	Show(&text, ladder("a", 9, 100))
	require.Contains(t, text.String(), "| 4 | -100 +-0 | 20 |")
	require.Contains(t, text.String(), "| 10k | 2.0 | 48 | +0 +-0 | extrapolated |")
	require.Contains(t, text.String(), "7k and stronger are not served: the network's strength ends at 8k")

	require.NotContains(t, text.String(), "first line", "no records")
	own := ladder("a", 9, 100)
	own.Support[0].Habits = level.Habits{Sides: 4, Moves: 200, FirstLine: 6, SelfAtaris: 1, Ataris: 7, AtarisLeft: 3, Eyes: 2, EarlyPasses: 1}
	text.Reset()
	Show(&text, own)
	require.Contains(t, text.String(), "| 10k | 4 | 1.5 | 5.0 | 3 of 7 | 2 | 5.0 |")

	own.Anchors = []level.Anchor{{Name: "Kosumi at 1 visits"}}
	text.Reset()
	Print(&text, own)
	Show(&text, own)
	require.Contains(t, text.String(), "| dial | Elo from Kosumi at 1 visits |")
	require.Equal(t, 2, strings.Count(text.String(), "this says nothing of ranks"))
	require.NotContains(t, text.String(), "| 10k |")
}
