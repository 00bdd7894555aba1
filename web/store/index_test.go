package store

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// journalOf writes the journal of a game with random steps, and returns the game after the last step.
func journalOf(t *testing.T, f *Folder, n int, rng *rand.Rand) *Game {
	t.Helper()
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.Local).Add(time.Duration(n) * time.Hour)
	rules := board.Chinese()
	h := Header{V: 1, ID: NewID(), Created: began, Size: [2]int{5 + 2*rng.IntN(3), 7}, Rules: rules.JSON(), Komi: 7, Colour: []string{"b", "w"}[rng.IntN(2)],
		Seat: api.Seat{Level: []string{"", "12k", "3d"}[rng.IntN(3)], Auto: n%2 == 0}, Teach: []string{"", "usual"}[n/2%2], Clock: api.Clock{Kind: "none"}}
	g, err := NewGame(h)
	require.NoError(t, err)
	line, err := sealed(h)
	require.NoError(t, err)
	text := line
	step := func(e Step) {
		e.Rev, e.At = g.Rev+1, began
		line, err := sealed(e)
		require.NoError(t, err)
		require.NoError(t, g.Apply(&e))
		text = append(text, line...)
	}
	for range rng.IntN(40) {
		switch moves := legal(g.Board); {
		case g.Phase == Counting:
			step(Step{K: "playon"})
		case rng.IntN(6) == 0 && g.CanUndo() > 0:
			step(Step{K: "undo", N: g.CanUndo()})
		case rng.IntN(9) == 0:
			step(Step{K: "help", N: 1})
		case rng.IntN(12) == 0:
			step(Step{K: "teach", Why: []string{"", "strict"}[rng.IntN(2)]})
		case g.CanRedo() && rng.IntN(2) == 0:
			step(Step{K: "redo", M: g.Undone[len(g.Undone)-1].M})
		default:
			step(Step{K: "move", M: g.Size().Vertex(moves[rng.IntN(len(moves))])})
		}
	}
	if k := rng.IntN(5); k > 0 {
		step(Step{K: "over", Result: []string{"", "B+3.5", "W+R", "0", "Void"}[k]})
	}
	require.NoError(t, os.WriteFile(f.Path("games", h.ID, ".jsonl"), text, 0o600))
	return g
}

func legal(g *board.Game) (all []board.Point) {
	for i, ok := range g.LegalMoves(nil)[:g.Size().Area()] {
		if ok {
			all = append(all, board.Point(i))
		}
	}
	return append(all, board.Pass)
}

// TestIndex compares the index of random games with the games themselves.
func TestIndex(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 1))
	games := map[string]*Game{}
	var tally api.Tally
	for n := range 120 {
		g := journalOf(t, f, n, rng)
		games[g.Head.ID] = g
		switch mine := strings.ToUpper(g.Head.Colour) + "+"; {
		case g.Result == "" || g.Result == "Void":
			if g.Board.NumMoves() > 0 {
				tally.Open++
			}
		case g.Result == "0":
			tally.Drawn++
		case g.Result[:2] == mine:
			tally.Won++
		default:
			tally.Lost++
		}
	}
	x := NewIndex(f)
	var last int64 = 1 << 40
	seen := 0
	for from := 0; ; from += 50 {
		page, err := x.Find(&api.AskGames{From: from})
		require.NoError(t, err)
		require.Equal(t, []int{120, 120}, []int{page.Total, page.All})
		for _, k := range page.Games {
			g := games[k.Game]
			require.Equal(t, []any{g.Board.NumMoves(), g.Result, g.Rev, g.Head.Size, g.Head.Colour, g.Counts()}, []any{k.Moves, k.Result, k.Rev, k.Size, k.Colour, k.Counts})
			require.LessOrEqual(t, k.Began, last, "newest first")
			last = k.Began
			seen++
		}
		if len(page.Games) == 0 {
			break
		}
	}
	require.Equal(t, 120, seen)
	all, sizes, err := x.Tallies()
	require.NoError(t, err)
	require.Equal(t, tally, all)
	require.Len(t, sizes, 3)

	for _, search := range []struct {
		text string
		of   func(*Game) bool
	}{
		{"12k", func(g *Game) bool { return g.Head.Seat.Level == "12k" }},
		{"FULL 5×7", func(g *Game) bool { return g.Head.Seat.Level == "" && g.Head.Size[0] == 5 }},
		{"2026-01-02", func(g *Game) bool { return g.Head.Created.Day() == 2 }},
		{"won white", func(g *Game) bool { return g.Head.Colour == "w" && g.Result == "W+R" }},
		{"nobody", func(g *Game) bool { return false }},
	} {
		want := 0
		for _, g := range games {
			if search.of(g) {
				want++
			}
		}
		found, err := x.Find(&api.AskGames{Text: search.text, Most: 500})
		require.NoError(t, err)
		require.Equal(t, want, found.Total, search.text)
		require.Len(t, found.Games, want)
	}
	_, err = x.Find(&api.AskGames{From: -1})
	require.Error(t, err)

	// Changed, deleted and damaged files are noticed.
	var id string
	for id = range games {
		break
	}
	require.NoError(t, os.Remove(f.Path("games", id, ".jsonl")))
	require.NoError(t, os.WriteFile(f.Path("games", NewID(), ".jsonl"), []byte("?\n"), 0o600))
	now, err := x.Find(&api.AskGames{})
	require.NoError(t, err)
	require.Equal(t, 119, now.All)
	require.Len(t, now.Unread, 1)
	exports(t, f, x, games)
}

// exports requires that a backup contains every record.
func exports(t *testing.T, f *Folder, x *Index, games map[string]*Game) {
	t.Helper()
	for id, g := range games {
		if _, err := os.Stat(f.Path("games", id, ".jsonl")); err == nil {
			data := fmt.Sprintf("(;SZ[9]C[%s])", g.Head.ID)
			require.NoError(t, os.WriteFile(f.Path("games", id, ".sgf"), []byte(data), 0o600))
		}
	}
	var out bytes.Buffer
	require.NoError(t, WriteBackup(&out, Manifest{}, x.Saved(nil)))
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	names, journals := map[string]bool{}, 0
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, ".jsonl") {
			journals++
		}
		if !strings.HasSuffix(e.Name, ".sgf") {
			continue // skip journals and the manifest
		}
		r, err := e.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Contains(t, string(data), "SZ[9]")
		names[e.Name] = true
	}
	require.Len(t, names, 119, "no name twice")
	require.Equal(t, 120, journals, "also a damaged one")
}
