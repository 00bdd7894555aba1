package store

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// TestOddMoves: a document lists those of its moves that the rules do not allow.
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

func documentOf(t *testing.T, record string) *Document {
	t.Helper()
	roots, err := sgf.Parse([]byte(record))
	require.NoError(t, err)
	d, err := newDocument("d", roots[0])
	require.NoError(t, err)
	return d
}

// TestDocumentOfAnyRecord: a document has the same moves as a review of the record, and lists the
// repaired faults.
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
		d := documentOf(t, text)
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

// TestKomiOfADocument: komi is read as in reviews and GTP, with units and other notations.
func TestKomiOfADocument(t *testing.T) {
	for text, want := range map[string]float32{
		"KM[6.5]": 6.5, "KM[6,5]": 6.5, "KM[375]": 7.5, "KM[0]": 0, "KM[0]AP[GNU Go:3.8]AP[foxwq]": 7.5, "KM[900]": 7.5, "": 7.5,
	} {
		d := documentOf(t, "(;GM[1]SZ[19]RU[Chinese]"+text+";B[pd])")
		require.Equal(t, want, d.rules.Komi, text)
	}
}

// TestHandicapByMovesOfADocument: stones that Black plays before White's first move are handicap
// stones, whether White passes between them or Black plays them in a row; they determine White's
// bonus.
func TestHandicapByMovesOfADocument(t *testing.T) {
	for moves, bonus := range map[string]float32{
		";B[cc];B[gg];B[cg];W[ee]":             3,
		";B[cc];W[];B[gg];W[];B[cg];W[ee]":     3,
		";B[cc];W[tt];B[gg];W[ee]":             2,
		";B[cc];W[gg];B[cg];W[];B[ee];W[];B[]": 0,
		";B[cc];W[ee]":                         0,
	} {
		d := documentOf(t, "(;GM[1]SZ[9]RU[Chinese]KM[0.5]"+moves+")")
		g, _, err := d.game(d.nodes[d.lastOfMainLine()])
		require.NoError(t, err)
		require.Equal(t, bonus, g.HandicapBonusScore(), moves)
		require.Equal(t, strings.Count(moves, ";"), g.NumMoves(), moves)
	}
}

// TestRelease: an unwatched document is closed. Opened again, it has the same tree and current
// node. An edited document stays open, since pages know its nodes by their IDs.
func TestRelease(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	ds := NewDocuments(f, new(wire.Hub), wire.NewWarnings(slog.New(slog.DiscardHandler)))
	made, err := ds.Import([]byte("(;GM[1]SZ[9]PB[A]PW[B];B[ee];W[cc])"))
	require.NoError(t, err)
	id := made.ID
	d, err := ds.Open(id)
	require.NoError(t, err)
	info, err := os.Stat(f.Path("docs", id, ".sgf"))
	require.NoError(t, err)
	require.Equal(t, info.ModTime(), d.changed, "the file's, else its card could change when it is released")
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
	for range 2 { // the second list comes from the cache
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

// TestTwin opens records while a document exists: a record that the document contains opens the
// document, even if people have added moves and changed notes; any other becomes a new document.
func TestTwin(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	ds := NewDocuments(f, new(wire.Hub), wire.NewWarnings(slog.New(slog.DiscardHandler)))
	const record = "(;SZ[9]KM[7]PB[A]PW[B];B[ee];W[cc]C[good];B[gg])"
	a, err := ds.Import([]byte(record))
	require.NoError(t, err)
	require.False(t, a.Known)
	id := a.ID
	_, err = ds.Edit(&api.TreeOp{Doc: id, Op: "play", Node: 1, Line: []string{"G7"}})
	require.NoError(t, err)
	_, err = ds.Edit(&api.TreeOp{Doc: id, Op: "note", Node: 2, Note: "my own words"})
	require.NoError(t, err)
	for _, c := range []struct {
		name, record string
		same         bool
	}{
		{"the same bytes", record, true},
		{"another program's", "(;GM[1]FF[4]AP[X]SZ[9]KM[7]PB[A]PW[B]\n;B[ee]\n;W[cc]C[good]\n;B[gg])", true},
		{"without the comment", "(;SZ[9]KM[7]PB[A]PW[B];B[ee];W[cc];B[gg])", true},
		{"its beginning", "(;SZ[9]KM[7]PB[A]PW[B];B[ee];W[cc])", true},
		{"with the variation", "(;SZ[9]KM[7]PB[A]PW[B];B[ee](;W[cc];B[gg])(;W[gc]))", true},
		{"a comment that is not there", "(;SZ[9]KM[7]PB[A]PW[B];B[ee]C[why];W[cc];B[gg])", false},
		{"another move", "(;SZ[9]KM[7]PB[A]PW[B];B[ee];W[cc];B[hh])", false},
		{"other players", "(;SZ[9]KM[7]PB[A]PW[C];B[ee];W[cc];B[gg])", false},
		{"another komi", "(;SZ[9]KM[6]PB[A]PW[B];B[ee];W[cc];B[gg])", false},
		{"another size", "(;SZ[13]KM[7]PB[A]PW[B];B[ee];W[cc];B[gg])", false},
		{"a handicap", "(;SZ[9]KM[7]PB[A]PW[B]AB[aa];B[ee];W[cc];B[gg])", false},
		{"an empty board", "(;SZ[9]KM[7]PB[A]PW[B])", false},
	} {
		got, err := ds.Import([]byte(c.record))
		require.NoError(t, err, c.name)
		require.Equal(t, c.same, got.Known, c.name)
		require.Equal(t, c.same, got.ID == id, c.name)
		if !c.same {
			require.NoError(t, ds.Delete(&api.ID{ID: got.ID}))
		}
	}
	d, err := ds.Open(id)
	require.NoError(t, err)
	data, _, err := d.Record()
	require.NoError(t, err)
	require.Contains(t, string(data), "my own words")

	// The record of a game with more moves extends the game's document, also after a restart.
	game := func(moves string) api.ID {
		roots, err := sgf.Parse([]byte("(;SZ[9]KM[7]PB[You]PW[Kosumi]" + moves + ")"))
		require.NoError(t, err)
		a, err := ds.New(&api.NewDoc{}, roots[0])
		require.NoError(t, err)
		return a
	}
	first := game(";B[ee];W[cc]")
	require.False(t, first.Known)
	ds = NewDocuments(f, new(wire.Hub), wire.NewWarnings(slog.New(slog.DiscardHandler)))
	require.Equal(t, api.ID{ID: first.ID, Known: true}, game(";B[ee];W[cc];B[gg];W[gc]"))
	d, err = ds.Open(first.ID)
	require.NoError(t, err)
	require.Equal(t, 4, d.State().At)
	require.Equal(t, "G7", d.State().Nodes[4].Move)
	require.False(t, game(";B[cc];W[ee]").Known)
}
