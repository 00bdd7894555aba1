package web

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
)

// played plays a game with many kinds of steps, if free is set with two free handicap stones, and
// returns its ID, journal, record and state.
func played(t *testing.T, s *Server, c *client, free bool) (id string, journal, sgfFile []byte, st *api.GameState) {
	t.Helper()
	n := small("b")
	n.Clock = api.Clock{Kind: "fischer", Main: 600, Bonus: 5}
	if free {
		n.Size, n.Handicap, n.Free = [2]int{9, 9}, 2, true
	}
	g := begin(c, n)
	if free {
		g = c.play(c.play(g, "C3"), "G7")
	}
	g = c.play(g, "B2")
	g = c.do(g, "game.undo", api.GameCommand{Game: g.Game, Rev: g.Rev})
	g = c.play(g, "B2")
	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	path := func(ending string) string { return s.folder.Path("games", g.Game, ending) }
	return g.Game, []byte(testshared.Read(t, path(".jsonl"))), []byte(testshared.Read(t, path(".sgf"))), g
}

// put writes the files of a game under a new ID.
func put(t *testing.T, s *Server, journal, sgfFile []byte) string {
	t.Helper()
	id := store.NewID()
	require.NoError(t, os.WriteFile(s.folder.Path("games", id, ".jsonl"), journal, 0o600))
	if sgfFile != nil {
		require.NoError(t, os.WriteFile(s.folder.Path("games", id, ".sgf"), sgfFile, 0o600))
	}
	return id
}

// TestDamagedByte changes single bytes of a journal: the game keeps every move, if necessary from
// the game record, and says that it was restored; the damaged file is kept.
func TestDamagedByte(t *testing.T) {
	t.Parallel()
	var log testshared.Log
	s := serveWith(t, "", Config{Folder: t.TempDir(), Page: bare, Log: slog.New(slog.NewTextHandler(&log, nil))})
	c := join(t, s)
	seed := testshared.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, free := range []bool{false, true} {
		_, journal, sgfFile, want := played(t, s, c, free)
		for range 150 {
			at := r.IntN(len(journal))
			data := bytes.Clone(journal)
			if data[at] = byte(r.IntN(256)); data[at] == journal[at] {
				continue
			}
			id := put(t, s, data, sgfFile)
			g, err := s.games.read(id)
			require.NoError(t, err, "byte %d is %q in place of %q", at, data[at], journal[at])
			st := g.state()
			g.journal.Close()
			require.Equal(t, want.Moves, st.Moves, "byte %d is %q", at, data[at])
			require.Equal(t, want.Stones, st.Stones)
			require.Equal(t, want.Result, st.Result)
			require.Equal(t, want.Komi, st.Komi)
			require.Equal(t, want.Rules, st.Rules)
			require.ElementsMatch(t, want.Setup, st.Setup)
			require.Equal(t, want.Colour, st.Colour)
			if st.Restored == "" { // the damage changed nothing
				continue
			}
			require.Equal(t, store.RestoredAll, st.Restored)
			require.Equal(t, string(data), testshared.Read(t, s.folder.Path("games", id, ".jsonl.damaged")))
			require.Contains(t, log.String(), id)
			again, err := s.games.read(id)
			require.NoError(t, err)
			again.journal.Close()
			require.Equal(t, st.Moves, again.state().Moves)
			require.Equal(t, st.Restored, again.state().Restored, "it goes on saying so")
		}
	}
}

// TestDamage damages the files of games in other ways: as much as possible is restored, and a
// game of which nothing can be read is listed and left as it is.
func TestDamage(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	_, journal, sgfFile, want := played(t, s, c, false)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	line := func(n int, text string) []byte {
		all := bytes.Clone(journal[:0])
		for i, l := range lines {
			if i == n {
				l = []byte(text)
			}
			all = append(all, l...)
		}
		return all
	}
	old := func() []byte { // lines without checksums, as in old journals
		var all []byte
		for _, l := range lines[:len(lines)-1] {
			all = append(all, l[:bytes.LastIndex(l, []byte(`,"sum":`))]...)
			all = append(all, "}\n"...)
		}
		return all
	}()
	for _, tc := range []struct {
		name             string
		journal, sgfFile []byte
		moves            int
		restored         string
	}{
		{"whole", journal, sgfFile, len(want.Moves), ""},
		{"whole, alone", journal, nil, len(want.Moves), ""},
		{"old", old, sgfFile, len(want.Moves), ""},
		{"old, another step", bytes.Replace(old, []byte(`"undo"`), []byte(`"unde"`), 1), sgfFile, len(want.Moves), store.RestoredAll},
		{"a line alone", line(2, "{]\n"), nil, 1, store.RestoredPart},
		{"no header", line(0, "x"), sgfFile, len(want.Moves), store.RestoredAll},
		{"empty", nil, sgfFile, len(want.Moves), store.RestoredAll},
		{"zeros", make([]byte, len(journal)), sgfFile, len(want.Moves), store.RestoredAll},
		{"the last line's end", append(bytes.Clone(journal[:len(journal)-1]), 'x'), sgfFile, len(want.Moves), store.RestoredAll},
		{"a record that is behind", line(len(lines)-2, "\n"), []byte("(;GM[1]SZ[5]PB[You]PW[Kosumi])"), len(want.Moves), store.RestoredPart},
		{"a record that is none", line(2, "?\n"), []byte("%PDF"), 1, store.RestoredPart},
		{"a record of another board", line(2, "?\n"), []byte("(;GM[1]SZ[9];B[ii])"), 1, store.RestoredPart},
		{"both", []byte("x\n"), []byte("x"), -1, ""},
		{"no record", nil, nil, -1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id := put(t, s, tc.journal, tc.sgfFile)
			list := ask[api.Games](c, "watch", api.Watch{What: "games"})
			if tc.moves < 0 {
				require.Equal(t, "not_found", c.refused("watch", api.Watch{What: "game:" + id}).Code)
				require.Contains(t, list.Unread[0].File+list.Unread[len(list.Unread)-1].File, id)
				require.NotEmpty(t, list.Unread[0].Why)
				require.Equal(t, string(tc.journal), testshared.Read(t, s.folder.Path("games", id, ".jsonl")), "it is left as it is")
				return
			}
			st := ask[api.GameState](c, "watch", api.Watch{What: "game:" + id})
			require.Equal(t, tc.restored, st.Restored)
			require.Len(t, st.Moves, tc.moves)
			require.FileExists(t, s.folder.Path("games", id, ".sgf"))
			c.ask("game.delete", api.GameCommand{Game: id, Rev: st.Rev}, nil)
			require.NoFileExists(t, s.folder.Path("games", id, ".jsonl.damaged"))
		})
	}
}

// TestDamagedDocument: a document and a review that cannot be read are named in the lists.
func TestDamagedDocument(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	id := ask[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{9, 9}}).ID
	bad := store.NewID()
	require.NoError(t, os.WriteFile(s.folder.Path("docs", bad, ".sgf"), []byte("%PDF"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(s.conf.Reviews, "mine.json"), []byte("{"), 0o600))
	docs := ask[api.Docs](c, "watch", api.Watch{What: "docs"})
	require.Len(t, docs.Docs, 1)
	require.Equal(t, id, docs.Docs[0].Doc)
	require.Len(t, docs.Unread, 1)
	require.Contains(t, docs.Unread[0].File, bad)
	all := ask[api.Reviews](c, "watch", api.Watch{What: "reviews"})
	require.Len(t, all.Unread, 1)
	require.Contains(t, all.Unread[0].File, "mine.json")
}
