package store

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// TestOddMoves has a document say which of its moves the rules do not allow.
func TestOddMoves(t *testing.T) {
	const ko = "(;SZ[5];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B["
	for record, want := range map[string]string{
		ko + "cb])":                "Move 9, C4, is not allowed by the rules: ",
		ko + "ee];W[ed];B[cb])":    "",
		"(;SZ[5];B[cc];W[cc])":     "Move 2, C3, cannot be played: ",
		"(;SZ[5];B[cc];B[bb])":     "",
		"(;SZ[5]AB[aa][ba];W[ee])": "",
	} {
		d, err := parseDocument("d", []byte(record))
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, d.warn, record)
		}
		require.Contains(t, d.warn, want, record)
	}
}

// TestDocumentOfAnyRecord: a document has the moves that a review of the record has, and
// says what was mended.
func TestDocumentOfAnyRecord(t *testing.T) {
	for text, want := range map[string]struct {
		moves int
		warn  string
	}{
		"(;SZ[9];B[aa]W[bb]B[cc])":           {3, ""},
		"(;SZ[9]HA[3]KM[0.5];W[ee];B[dd])":   {2, "placed on the star points"},
		"(;CA[big5]SZ[9]PB[周俊勳];B[ee];W[cc]": {2, "the file ends before the game does"},
		"(;SZ[9]KM[700]RU[日本];B[ee];W[cc])":  {2, "means 7 points"},
	} {
		roots, err := sgf.Parse([]byte(text))
		require.NoError(t, err)
		d, err := newDocument("d", roots[0])
		require.NoError(t, err)
		g, handicap, err := d.game(d.nodes[d.lastOfMainLine()])
		require.NoError(t, err)
		require.Equal(t, want.moves, g.NumMoves(), text)
		require.Contains(t, d.warn, want.warn, text)
		if strings.Contains(text, "HA[3]") {
			require.Equal(t, 3, handicap)
			require.Equal(t, 4, g.Board().Stones(board.Black))
		}
	}
}

// TestKomiOfADocument: komi is read as it is for reviews and GTP, units and all.
func TestKomiOfADocument(t *testing.T) {
	for text, want := range map[string]float32{
		"KM[6.5]": 6.5, "KM[6,5]": 6.5, "KM[375]": 7.5, "KM[0]": 0, "KM[0]AP[GNU Go:3.8]AP[foxwq]": 7.5, "KM[900]": 7.5, "": 7.5,
	} {
		roots, err := sgf.Parse([]byte("(;GM[1]SZ[19]RU[Chinese]" + text + ";B[pd])"))
		require.NoError(t, err)
		d, err := newDocument("d", roots[0])
		require.NoError(t, err)
		require.Equal(t, want, d.rules.Komi, text)
	}
}

// TestHandicapByMovesOfADocument: stones that Black plays before White's first move are
// handicap stones, whether White passes between them or Black plays them in a row, and
// White's bonus follows.
func TestHandicapByMovesOfADocument(t *testing.T) {
	for moves, bonus := range map[string]float32{
		";B[cc];B[gg];B[cg];W[ee]":             3,
		";B[cc];W[];B[gg];W[];B[cg];W[ee]":     3,
		";B[cc];W[tt];B[gg];W[ee]":             2,
		";B[cc];W[gg];B[cg];W[];B[ee];W[];B[]": 0,
		";B[cc];W[ee]":                         0,
	} {
		roots, err := sgf.Parse([]byte("(;GM[1]SZ[9]RU[Chinese]KM[0.5]" + moves + ")"))
		require.NoError(t, err)
		d, err := newDocument("d", roots[0])
		require.NoError(t, err)
		g, _, err := d.game(d.nodes[d.lastOfMainLine()])
		require.NoError(t, err)
		require.Equal(t, bonus, g.HandicapBonusScore(), moves)
		require.Equal(t, strings.Count(moves, ";"), g.NumMoves(), moves)
	}
}

// TestRelease: what nobody watches is let go, and comes back at the same place of the
// same tree; what was changed stays, since pages know its nodes by their IDs.
func TestRelease(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	ds := NewDocuments(f, new(wire.Hub), wire.NewWarnings(slog.New(slog.DiscardHandler)))
	id, err := ds.Import([]byte("(;GM[1]SZ[9]PB[A]PW[B];B[ee];W[cc])"))
	require.NoError(t, err)
	d, err := ds.Open(id)
	require.NoError(t, err)
	released := func(watched map[string]bool) bool {
		now := time.Now()
		ds.Release(now, watched)
		ds.Release(now.Add(2*wire.AloneFor), watched)
		ds.mu.Lock()
		defer ds.mu.Unlock()
		return ds.open[id] == nil
	}
	_, err = ds.Edit(&api.TreeOp{Doc: id, Op: "goto", Node: 2})
	require.NoError(t, err)
	require.False(t, released(map[string]bool{"doc:" + id: true}))
	require.True(t, released(nil))
	for range 2 { // the card is known the second time
		list, err := ds.List()
		require.NoError(t, err)
		require.Equal(t, []api.DocCard{d.card()}, list.Docs)
	}
	require.Empty(t, ds.open, "a list opens nothing")
	again, err := ds.Open(id)
	require.NoError(t, err)
	require.NotSame(t, d, again)
	require.Equal(t, 2, again.at)
	require.Equal(t, d.State().Nodes, again.State().Nodes)
	_, err = ds.Edit(&api.TreeOp{Doc: id, Op: "note", Node: 2, Note: "new"})
	require.NoError(t, err)
	require.False(t, released(nil))
	require.NoError(t, ds.Delete(&api.ID{ID: id}))
	_, err = ds.Open(id)
	require.Error(t, err)
}
