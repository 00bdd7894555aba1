package selfplay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/train/rows"
)

// writeRecords makes a folder of game records, one a file.
func writeRecords(t testing.TB, records ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range records {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".sgf"), []byte(text), 0o644))
	}
	return dir
}

const (
	lineOf5  = "(;SZ[5];B[cc];W[bb];B[cb];W[bc];B[bd];W[cd];B[dd];W[de];B[];W[])"
	lineOf7  = "(;SZ[7];B[dd];W[ee];B[de];W[ed])"
	setUp    = "(;SZ[7]AB[dd][ee];W[cc];B[bb])"
	tooLarge = "(;SZ[13];B[dd];W[ee];B[de];W[ed])"
	twice    = "(;SZ[7];B[dd];B[ee])"
	noMoves  = "(;SZ[7])"
)

func TestLoadPositions(t *testing.T) {
	dir := writeRecords(t, lineOf5, lineOf7, setUp, tooLarge, twice, noMoves)
	c := small(PUCT)
	c.Positions.Records = []string{"."}
	left, err := c.LoadPositions(dir)
	require.NoError(t, err)
	require.Zero(t, left)
	require.Empty(t, c.Positions.Lines, "no game asks for them")

	c.Positions.Share = 0.5
	left, err = c.LoadPositions(dir)
	require.NoError(t, err)
	require.Equal(t, 4, left)
	require.Len(t, c.Positions.Lines, 2)
	require.NoError(t, c.Validate())
	line := c.Positions.Lines[0]
	require.Equal(t, 8, line.len(), "up to the first pass")
	g, err := line.game(board.Chinese(), 3)
	require.NoError(t, err)
	want := testshared.Diagram(t, `
		. . . . .
		. O X . .
		. . X . .
		. . . . .
		. . . . .`)
	require.Equal(t, want.String(), g.Board().String())

	for _, bad := range [][]string{{writeRecords(t, setUp, tooLarge)}, {filepath.Join(dir, "none")}, {writeRecords(t, "(;SZ[5]")}} {
		c.Positions.Records = bad
		_, err = c.LoadPositions("")
		require.Error(t, err)
	}
}

func TestThinnedLines(t *testing.T) {
	lines := make([]Line, 10)
	for i := range lines {
		lines[i].Width = i
	}
	var kept []int
	for _, l := range thin(lines, 0.3) {
		kept = append(kept, l.Width)
	}
	require.Equal(t, []int{3, 6, 9}, kept)
}

func TestFaultyPositions(t *testing.T) {
	for name, change := range map[string]func(p *Positions){
		"share":      func(p *Positions) { p.Share = 1.5 },
		"no records": func(p *Positions) { p.Share = 0.5 },
		"from":       func(p *Positions) { p.From = 0.9; p.To = 0.3 },
		"off":        func(p *Positions) { p.Lines = []Line{{5, 5, []byte{1, 0, 25, 0}}} },
		"odd":        func(p *Positions) { p.Lines = []Line{{5, 5, []byte{1, 0, 2, 0, 3}}} },
		"board":      func(p *Positions) { p.Lines = []Line{{9, 9, []byte{1, 0, 2, 0}}} },
	} {
		c := small(PUCT)
		change(&c.Positions)
		require.ErrorContains(t, c.Validate(), "positions", name)
	}
}

// TestGamesBeginAtPositions: with a share of 0.5 some games begin at positions of records. After recipe and
// games have been packed and unpacked, the recipe accepts the games; it rejects games from other positions.
func TestGamesBeginAtPositions(t *testing.T) {
	c := small(PUCT)
	c.Positions = Positions{Records: []string{writeRecords(t, lineOf5, lineOf7)}, Share: 0.5, From: 0.2, To: 0.8}
	_, err := c.LoadPositions("")
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	var sent Config
	require.NoError(t, json.Unmarshal(text, &sent))
	require.NoError(t, sent.Validate())

	modes, komi := map[rows.Mode]int{}, map[float32]bool{}
	for id, f := range playNumbers(t, c, 5, exactServer(t, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) {
		modes[f.Game.Mode]++
		data, err := Marshal(f)
		require.NoError(t, err)
		got, err := Unmarshal(data)
		require.NoError(t, err, id)
		require.NoError(t, sent.Verify(got, 5), id)
		if f.Game.Mode != rows.ModeSGF {
			continue
		}
		require.Positive(t, f.Game.FirstTurn)
		require.Less(t, f.Game.FirstTurn, 8)
		komi[f.Game.Start.Rules().Komi] = true

		got.Game.Mode = rows.ModePlain
		require.ErrorIs(t, sent.Verify(got, 5), ErrGame, "it did not begin as drawn")
		other := sent
		other.Positions.Lines = []Line{{6, 5, []byte{1, 0, 2, 0, 3, 0, 4, 0}}}
		again, err := Unmarshal(data)
		require.NoError(t, err)
		require.ErrorIs(t, other.Verify(again, 5), ErrGame, "nor from that position")
	}
	require.GreaterOrEqual(t, modes[rows.ModeSGF], 4)
	require.GreaterOrEqual(t, modes[rows.ModePlain], 4)
	require.Greater(t, len(komi), 1, "komi follows what the network expects")
}
