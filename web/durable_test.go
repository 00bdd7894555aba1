package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/store"
)

// spoil makes every attempt to write a file in a folder fail until the returned function is called.
func spoil(t *testing.T, dir string) (mend func()) {
	t.Helper()
	require.NoError(t, os.Rename(dir, dir+".away"))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	return func() {
		require.NoError(t, os.Remove(dir))
		require.NoError(t, os.Rename(dir+".away", dir))
	}
}

// spoilJournal makes every write of a game's journal fail until the returned function is called.
func spoilJournal(t *testing.T, s *Server, id string) (mend func()) {
	t.Helper()
	g := opened(t, s, id)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.journal.Close()
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		var err error
		g.journal, err = store.OpenJournal(s.folder.Path("games", id, ".jsonl"))
		require.NoError(t, err)
	}
}

// onDisk reads a document's file as the next server will.
func onDisk(t *testing.T, s *Server, id string) *api.Doc {
	t.Helper()
	d, err := store.NewDocuments(s.folder, &s.hub, s.warnings).Open(id)
	require.NoError(t, err)
	return d.State()
}

// TestUnsavedEdit makes every change of a document while nothing can be saved. Each is refused
// and leaves the document as it was, for pages and in memory. The same command succeeds once
// saving works, and then the change is on the disk.
func TestUnsavedEdit(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	id := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9]RU[Japanese]KM[6.5];B[ee];W[cc](;B[gg]C[x])(;B[gc]TR[bb]))"}).ID
	six := 6.0
	for _, op := range []api.TreeOp{
		{Op: "play", Node: 2, Move: "B2"},
		{Op: "play", Node: 0, Line: []string{"E5", "C7", "D7", "D8"}},
		{Op: "note", Node: 3, Note: "a note"},
		{Op: "note", Node: 3},
		{Op: "marks", Node: 4, Marks: []api.Mark{{Kind: "lb", Point: "A1", Label: "x"}}},
		{Op: "promote", Node: 4},
		{Op: "delete", Node: 3},
		{Op: "setup", Node: 4, Black: []string{"A1"}, Turn: "w"},
		{Op: "info", Komi: &six},
		{Op: "info", Rules: "chinese"},
		{Op: "delete", Node: 1},
		{Op: "setup", Node: 0, White: []string{"A2"}},
	} {
		op.Doc = id
		d, err := s.docs.Open(id)
		require.NoError(t, err)
		before, tree := d.State(), marshalled(t, d)
		mend := spoil(t, filepath.Join(s.conf.Folder, "docs"))
		c.post("tree.op", "again "+op.Op+fmt.Sprint(before.Rev), op)
		m := c.read()
		require.Equal(t, "err", m.T, op.Op)
		var e api.Error
		require.NoError(t, json.Unmarshal(m.D, &e))
		require.Equal(t, "not_saved", e.Code, op.Op)
		require.True(t, e.Retry)
		require.Equal(t, before, d.State(), op.Op)
		require.Equal(t, tree, marshalled(t, d), op.Op)
		mend()
		c.post("tree.op", "again "+op.Op+fmt.Sprint(before.Rev), op)
		require.Equal(t, "ok", c.read().T, op.Op)
		require.NotEqual(t, tree, marshalled(t, d), op.Op)
		require.Equal(t, marshalled(t, d), testshared.Read(t, s.folder.Path("docs", id, ".sgf")), "%s is on the disk when it is answered", op.Op)
	}
	mend := spoil(t, filepath.Join(s.conf.Folder, "docs"))
	require.Equal(t, "not_saved", c.refused("doc.new", api.NewDoc{Size: [2]int{9, 9}}).Code)
	mend()
}

func marshalled(t *testing.T, d *store.Document) string {
	t.Helper()
	data, _, err := d.Record()
	require.NoError(t, err)
	return string(data)
}

// TestAcknowledgedIsOnDisk lets many pages change one document while saving sometimes fails:
// whenever a command is answered ok, its change is in the file.
func TestAcknowledgedIsOnDisk(t *testing.T) {
	s := serve(t, t.TempDir())
	first := join(t, s)
	id := ask[api.ID](first, "doc.new", api.NewDoc{Size: [2]int{19, 19}}).ID
	seed := testshared.Seed(t)
	stop := make(chan struct{})
	var disk, pages sync.WaitGroup
	disk.Go(func() {
		r := rand.New(rand.NewPCG(seed, 0))
		docs := filepath.Join(s.conf.Folder, "docs")
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(r.IntN(40_000)) * time.Microsecond):
			}
			os.Rename(docs, docs+".away")
			time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
			os.Rename(docs+".away", docs)
		}
	})
	read := func() string {
		for {
			for _, docs := range []string{"docs", "docs.away"} {
				if data, err := os.ReadFile(filepath.Join(s.conf.Folder, docs, id+".sgf")); err == nil {
					return string(data)
				}
			}
		}
	}
	const all, each = 4, 15
	refused := make([]int, all)
	for k := range all {
		c := join(t, s)
		pages.Go(func() {
			for i := range each {
				move, at := string("ABCDEFGHJKLMNOPQRST"[i])+fmt.Sprint(1+k), "B["+string("abcdefghijklmnopqrs"[i])+string("abcdefghijklmnopqrs"[18-k])+"]"
				for c.request("tree.op", api.TreeOp{Doc: id, Op: "play", Node: 0, Move: move, C: "b"}).T != "ok" {
					refused[k]++
					time.Sleep(20 * time.Millisecond)
				}
				if !strings.Contains(read(), at) {
					t.Errorf("page %d: %s was acknowledged and is not on the disk", k, move)
				}
			}
		})
	}
	pages.Wait()
	close(stop)
	disk.Wait()
	t.Logf("refused: %v", refused)
	require.Len(t, onDisk(t, s, id).Nodes, 1+all*each)
}

// TestUnsavedGame plays on while parts of a game cannot be saved: the player's move is refused;
// the engine's move and the game record are tried again, and pages are told until all is written.
func TestUnsavedGame(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Clock = api.Clock{Kind: "absolute", Main: 600}
	st := c.play(begin(c, n), "C3")
	g := opened(t, s, st.Game)
	before := g.state()
	mend := spoilJournal(t, s, st.Game)
	e := c.refused("game.play", api.Play{Game: st.Game, Rev: st.Rev, Move: "pass"})
	require.Equal(t, "not_saved", e.Code)
	after := g.state()
	require.Equal(t, before.Moves, after.Moves)
	require.Equal(t, before.Rev, after.Rev)
	require.False(t, after.Clocks[0].Running, "nobody pays for a full disk")
	mend()
	// A failed step of the engine, here a resignation, is retried.
	g.mu.Lock()
	g.journal.Close()
	g.tryStep(g.resign)
	require.NotNil(t, g.pending.step)
	g.advance()
	g.mu.Unlock()
	until(c, "game.state", func(s *api.GameState) bool {
		return s.Unsaved != nil && s.Unsaved.Code == "not_saved" && s.Phase == store.Play
	})
	mend()
	over := until(c, "game.state", func(s *api.GameState) bool { return s.Phase == store.Over && s.Unsaved == nil })
	require.Equal(t, "W+R", over.Result)
	require.Empty(t, over.Trouble)

	// A failed write of the SGF record is retried.
	st = begin(c, small("b"))
	dir := filepath.Join(s.conf.Folder, "games")
	mend = spoil(t, dir)
	c.ask("game.resign", api.GameCommand{Game: st.Game, Rev: st.Rev}, nil)
	until(c, "game.state", func(g *api.GameState) bool { return g.Game == st.Game && g.Phase == store.Over && g.Unsaved != nil })
	mend()
	until(c, "game.state", func(g *api.GameState) bool { return g.Game == st.Game && g.Unsaved == nil })
	require.Contains(t, testshared.Read(t, s.folder.Path("games", st.Game, ".sgf")), "RE[W+R]")

	// A record that is missing because the program ended too early is written when the game is opened.
	require.NoError(t, os.Remove(s.folder.Path("games", st.Game, ".sgf")))
	s.games.forget(st.Game)
	opened(t, s, st.Game)
	require.FileExists(t, s.folder.Path("games", st.Game, ".sgf"))
}

// TestUnsavedLevel: if the rating cannot be written after a game that counts for it, pages show an
// error, and the rating is written later.
func TestUnsavedLevel(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Seat = api.Seat{Level: engines.Auto}
	st := begin(c, n)
	for range 4 {
		for i, ok := range st.Legal {
			if ok == '1' && st.Phase == store.Play {
				st = c.play(st, board5(i))
				break
			}
		}
	}
	if st.Phase != store.Play || len(st.Moves) < 8 {
		t.Fatalf("the game ended too soon: %v", st)
	}
	require.NoError(t, os.Mkdir(s.conf.Engine.LevelFile, 0o700)) // blocks the file's name
	c.ask("game.resign", api.GameCommand{Game: st.Game, Rev: st.Rev}, nil)
	until(c, "game.state", func(g *api.GameState) bool { return g.Phase == store.Over && g.Unsaved != nil && g.Fit == nil })
	require.NoError(t, os.Remove(s.conf.Engine.LevelFile))
	until(c, "game.state", func(g *api.GameState) bool { return g.Unsaved == nil && g.Fit != nil })
	require.FileExists(t, s.conf.Engine.LevelFile)
}

func board5(i int) string { return string("ABCDE"[i%5]) + fmt.Sprint(5-i/5) }

// TestUnsavedReview reviews a game while nothing can be written: the review waits, says why, and
// is complete once writing works.
func TestUnsavedReview(t *testing.T) {
	needHandout(t)
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir)
	c := join(t, s)
	c.ask("watch", api.Watch{What: "reviews"}, nil)
	mend := spoil(t, filepath.Join(dir, "reviews", "searches"))
	id := upload(t, s, "?to=review", map[string]string{"a.sgf": "(;SZ[5]KM[7.5]RU[Chinese];B[cc];W[bb])"})[0].ID
	until(c, "reviews.state", func(r *api.Reviews) bool {
		return len(r.Reviews) == 1 && r.Reviews[0].Unsaved != nil && r.Reviews[0].State == reviews.Waiting
	})
	mend()
	until(c, "reviews.state", func(r *api.Reviews) bool { return r.Reviews[0].State == reviews.Done })
	require.FileExists(t, filepath.Join(dir, "reviews", id+".html"))

	mend = spoil(t, filepath.Join(dir, "reviews", "records"))
	a := upload(t, s, "?to=review", map[string]string{"b.sgf": "(;SZ[5];B[cc])"})[0]
	require.Empty(t, a.ID)
	require.Contains(t, a.Error, "not saved")
	mend()
}

// TestDrillIsWrittenDown answers a problem: the answer is on the disk once the verdict arrives, and a
// changed grade replaces the grade there.
func TestDrillIsWrittenDown(t *testing.T) {
	t.Parallel()
	dir := searched(t)
	s := serve(t, dir)
	c := join(t, s)
	upload(t, s, "?to=review", map[string]string{"a.sgf": spoiltNine})
	require.Eventually(t, func() bool { return ask[api.Drill](c, "drill.next", api.NextDrill{}).Problem != nil }, browsertest.Patience, 200*time.Millisecond)
	p := ask[api.Drill](c, "drill.next", api.NextDrill{}).Problem
	written := func() []drill.Attempt {
		log, err := drill.OpenLog(filepath.Join(dir, "reviews", "drills-answers.jsonl"))
		require.NoError(t, err)
		defer log.Close()
		return log.Attempts
	}
	c.ask("drill.answer", api.DrillAnswer{ID: p.ID, Seconds: 3}, nil)
	require.Len(t, written(), 1)
	require.Equal(t, drill.AgainGrade, written()[0].Grade)
	for _, g := range []drill.Grade{drill.EasyGrade, drill.HardGrade} {
		c.ask("drill.grade", api.GradeDrill{ID: p.ID, Grade: int(g)}, nil)
		require.Len(t, written(), 1)
		require.Equal(t, g, written()[0].Grade)
	}
	c.ask("drill.next", api.NextDrill{}, nil)
	require.Equal(t, "stale", c.refused("drill.grade", api.GradeDrill{ID: p.ID, Grade: 1}).Code)
}
