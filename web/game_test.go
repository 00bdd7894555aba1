package web

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/store"
)

func small(colour string) api.NewGame {
	return api.NewGame{Size: [2]int{5, 5}, Rules: "chinese", Colour: colour, Seat: api.Seat{Visits: 4}}
}

// begin starts a game and watches it.
func begin(c *client, n api.NewGame) *api.GameState {
	c.t.Helper()
	return c.settled(c.game(ask[api.ID](c, "game.new", n).ID))
}

// game watches a game and returns its state.
func (c *client) game(id string) *api.GameState {
	c.t.Helper()
	g := ask[api.GameState](c, "watch", api.Watch{What: "game:" + id})
	return &g
}

// opened returns a game as the server holds it.
func opened(t *testing.T, s *Server, id string) *game {
	t.Helper()
	g, err := s.games.Open(id)
	require.NoError(t, err)
	return g
}

// settled waits until the engine is idle and the player is to move, or the game is not in play.
func (c *client) settled(g *api.GameState) *api.GameState {
	c.t.Helper()
	rest := func(s *api.GameState) bool {
		return s.Game == g.Game && s.Rev >= g.Rev && !s.Thinking && (s.Count == nil || !s.Count.Judging) &&
			(s.Phase != store.Play || s.ToMove == s.Colour)
	}
	if rest(g) {
		return g
	}
	return until(c, "game.state", rest)
}

// do sends a command about a game, requires that it is accepted, and waits for the engine.
func (c *client) do(g *api.GameState, typ string, d any) *api.GameState {
	c.t.Helper()
	c.ask(typ, d, nil)
	return c.settled(c.game(g.Game))
}

func (c *client) play(g *api.GameState, move string) *api.GameState {
	c.t.Helper()
	return c.do(g, "game.play", api.Play{Game: g.Game, Rev: g.Rev, Move: move})
}

// TestGame plays a game that contains every kind of step, and reads it back.
func TestGame(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	c := join(t, s)
	g := begin(c, small("b"))
	require.Equal(t, "b", g.ToMove)
	require.Equal(t, 7.5, g.Komi)
	require.Equal(t, strings.Repeat("1", 25), g.Legal)

	g = c.play(g, "C3")
	require.Len(t, g.Moves, 2)
	require.Equal(t, "C3", g.Moves[0])
	for _, tc := range []struct{ move, code, why string }{{"C3", "illegal", "occupied"}, {"F1", "illegal", "board"}, {"I1", "illegal", "board"}, {"", "illegal", "board"}} {
		e := c.refused("game.play", api.Play{Game: g.Game, Rev: g.Rev, Move: tc.move})
		require.Equal(t, tc.code, e.Code, tc.move)
		require.Equal(t, []string{tc.why}, e.Args, tc.move)
	}
	require.Equal(t, "stale", c.refused("game.play", api.Play{Game: g.Game, Rev: g.Rev - 1, Move: "B2"}).Code)

	e := ask[api.Estimate](c, "game.estimate", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.NotEmpty(t, e.Ownership)
	for stage := 1; stage <= 3; stage++ {
		h := ask[api.Hint](c, "game.hint", api.AskHint{Game: g.Game, Rev: g.Rev, Stage: stage})
		g.Rev = h.Rev
		require.Equal(t, stage == 1, len(h.Region) > 0)
		require.Equal(t, stage == 3, len(h.Line) > 0)
	}
	before := g.Stones
	g = c.do(g, "game.undo", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, strings.Repeat(".", 25), g.Stones)
	require.True(t, g.CanRedo)
	g = c.do(g, "game.redo", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, before, g.Stones)

	// To the end of the game: the player passes until the engine passes too.
	for i := 0; g.Phase == store.Play && i < 60; i++ {
		g = c.play(g, "pass")
	}
	if g.Phase == store.Over { // the engine may resign
		require.NotEmpty(t, g.Result)
		return
	}
	require.Equal(t, store.Counting, g.Phase)
	white := strings.IndexByte(g.Stones, 'w')
	require.GreaterOrEqual(t, white, 0)
	stone := board.Square(5).Vertex(board.Point(white))
	was := g.Count.Score
	g = c.do(g, "game.score", api.Score{Game: g.Game, Rev: g.Rev, Toggle: stone})
	require.NotEqual(t, was, g.Count.Score)
	require.NotEmpty(t, g.Count.Differs)
	g = c.do(g, "game.score", api.Score{Game: g.Game, Rev: g.Rev, Ask: true})
	require.Equal(t, was, g.Count.Score)
	g = c.do(g, "game.score", api.Score{Game: g.Game, Rev: g.Rev, Accept: true})
	require.Equal(t, store.Over, g.Phase)
	require.Equal(t, sgf.ScoreResult(-was), g.Result)
	require.False(t, g.ByPlayer)

	roots, err := sgf.Parse([]byte(testshared.Read(t, s.folder.Path("games", g.Game, ".sgf"))))
	require.NoError(t, err)
	rec, err := sgf.RecordOf(roots[0])
	require.NoError(t, err)
	require.Equal(t, g.Result, rec.Result)
	require.Len(t, rec.Moves(), len(g.Moves))

	// The game read from its file is the same.
	s.games.forget(g.Game)
	again := opened(t, s, g.Game)
	st := again.state()
	require.Equal(t, g.Stones, st.Stones)
	require.Equal(t, g.Moves, st.Moves)
	require.Equal(t, g.Result, st.Result)
	require.Equal(t, 3, st.Hints)
}

// TestCommandTwice sends a command again after the answer got lost: it is performed once.
func TestCommandTwice(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	g := begin(c, small("b"))
	move := api.Play{Game: g.Game, Rev: g.Rev, Move: "C3"}
	for range 2 {
		c.post("game.play", "same", move)
		m := c.read()
		for m.Re != "same" {
			m = c.read()
		}
		require.Equal(t, "ok", m.T)
	}
	now := c.settled(c.game(g.Game))
	require.Len(t, now.Moves, 2)
	require.Equal(t, "C3", now.Moves[0])
}

// TestCrash cuts a journal at every byte: the game then has the steps of all whole lines, and no other.
func TestCrash(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	c := join(t, s)
	g := begin(c, small("b"))
	for _, m := range []string{"C3", "B2"} {
		if g.Legal[boardPoint(t, m)] == '1' {
			g = c.play(g, m)
		}
	}
	whole := []byte(testshared.Read(t, s.folder.Path("games", g.Game, ".jsonl")))
	head := strings.IndexByte(string(whole), '\n') + 1
	for cut := head; cut <= len(whole); cut++ {
		id := store.NewID()
		path := s.folder.Path("games", id, ".jsonl")
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		read, err := s.games.read(id)
		require.NoError(t, err, "cut at %d", cut)
		require.Equal(t, strings.Count(string(whole[head:cut]), "\n"), read.rec.Rev)
		require.NoError(t, read.journal.Append(store.Step{Rev: read.rec.Rev + 1, K: "over", Result: "B+R"}))
		read.journal.Close()
		require.True(t, strings.HasSuffix(testshared.Read(t, path), "}\n"), "cut at %d", cut)
		again, err := s.games.read(id)
		require.NoError(t, err)
		require.Equal(t, store.Over, again.rec.Phase, "cut at %d", cut)
		require.Empty(t, again.rec.Restored, "cut at %d", cut)
		again.journal.Close()
	}
}

// TestWake opens a game whose journal ends with the player's move, as if the server had ended while
// the engine was thinking: the engine answers the move.
func TestWake(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	g := c.play(begin(c, small("b")), "C3")
	require.Len(t, g.Moves, 2)
	lines := strings.SplitAfter(testshared.Read(t, s.folder.Path("games", g.Game, ".jsonl")), "\n")
	id := store.NewID()
	require.NoError(t, os.WriteFile(s.folder.Path("games", id, ".jsonl"), []byte(lines[0]+lines[1]), 0o600))
	require.Len(t, c.settled(c.game(id)).Moves, 2)
}

func boardPoint(t *testing.T, v string) board.Point {
	p, err := board.Square(5).ParseVertex(v)
	require.NoError(t, err)
	return p
}

func TestAgreements(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	bad := func(change func(*api.NewGame)) api.NewGame {
		n := small("b")
		change(&n)
		return n
	}
	huge := 1000.0
	for name, n := range map[string]api.NewGame{
		"size 1":         bad(func(n *api.NewGame) { n.Size = [2]int{1, 5} }),
		"size 26":        bad(func(n *api.NewGame) { n.Size = [2]int{26, 26} }),
		"rules":          bad(func(n *api.NewGame) { n.Rules = "house" }),
		"komi":           bad(func(n *api.NewGame) { n.Komi = &huge }),
		"handicap 1":     bad(func(n *api.NewGame) { n.Handicap = 1 }),
		"handicap 9":     bad(func(n *api.NewGame) { n.Handicap = 9 }),
		"colour":         bad(func(n *api.NewGame) { n.Colour = "red" }),
		"clock":          bad(func(n *api.NewGame) { n.Clock = api.Clock{Kind: "hourglass"} }),
		"no time at all": bad(func(n *api.NewGame) { n.Clock = api.Clock{Kind: "absolute"} }),
		"visits":         bad(func(n *api.NewGame) { n.Seat.Visits = -1 }),
		"level":          bad(func(n *api.NewGame) { n.Seat.Level = "40k" }),
	} {
		require.Equal(t, "bad_request", c.refused("game.new", n).Code, name)
	}
	g := begin(c, api.NewGame{Size: [2]int{9, 7}, Rules: "japanese", Handicap: 4, Colour: "b", Seat: api.Seat{Visits: 2}})
	require.Len(t, g.Setup, 4)
	require.Equal(t, 0.5, g.Komi)
	require.Len(t, g.Moves, 1, "White began")
	g = begin(c, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Handicap: 3, Free: true, Colour: "b", Seat: api.Seat{Visits: 2}})
	require.Equal(t, store.Place, g.Phase)
	for _, m := range []string{"C3", "G7", "E5"} {
		g = c.play(g, m)
	}
	require.Equal(t, store.Play, g.Phase)
	require.Len(t, g.Setup, 3)
	g = begin(c, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Handicap: 2, Free: true, Colour: "w", Seat: api.Seat{Visits: 2}})
	require.Equal(t, store.Play, g.Phase, "the engine has placed its stones")
	require.Equal(t, "w", g.ToMove)
	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, "B+R", g.Result)
	require.Equal(t, "illegal", c.refused("game.play", api.Play{Game: g.Game, Rev: g.Rev, Move: "A1"}).Code)
	c.ask("game.delete", api.GameCommand{Game: g.Game, Rev: g.Rev}, nil)
	require.Equal(t, "not_found", c.refused("watch", api.Watch{What: "game:" + store.NewID()}).Code)
}

// TestLoseOnTime: a player who makes no move loses when the flag falls.
func TestLoseOnTime(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Clock = api.Clock{Kind: "absolute", Main: 1}
	g := begin(c, n)
	require.True(t, g.Clocks[0].Running)
	over := until(c, "game.state", func(s *api.GameState) bool { return s.Phase == store.Over })
	require.Equal(t, "W+T", over.Result)
	require.Zero(t, over.Clocks[0].Main)
}

// TestResignedClock: the clock of a resigned game shows the time at the resignation.
func TestResignedClock(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Clock = api.Clock{Kind: "absolute", Main: 600}
	st := begin(c, n)
	g := opened(t, s, st.Game)
	g.mu.Lock()
	g.ran = g.ran.Add(-100 * time.Second)
	g.mu.Unlock()
	st = c.do(st, "game.resign", api.GameCommand{Game: st.Game, Rev: st.Rev})
	require.Equal(t, "W+R", st.Result)
	hasLeft(t, st.Clocks[0], false, 500, 0)
}

// TestSlept: a game is paused after the machine has slept, and its clock counts the time before the
// sleep, but not the sleep.
func TestSlept(t *testing.T) {
	now := time.Now()
	for ago, want := range map[time.Duration]bool{500 * time.Millisecond: false, 10 * time.Second: false, time.Minute: true} {
		require.Equal(t, want, slept(now.Add(-ago), now), ago)
	}
	s := serve(t, t.TempDir())
	n := small("b")
	n.Clock = api.Clock{Kind: "absolute", Main: 600}
	c := join(t, s)
	st := begin(c, n)
	g := opened(t, s, st.Game)
	g.mu.Lock()
	g.ran = g.ran.Add(-100 * time.Second) // 40 seconds of thought, then 60 of sleep
	g.mu.Unlock()
	g.leaveIdle(time.Now(), true, time.Minute)
	old := st
	st = g.state()
	require.Equal(t, "sleep", st.Paused)
	require.InDelta(t, 560_000, st.Clocks[0].Main, 20_000)

	// A move that was sent before the pause is made once, and the game continues.
	require.Less(t, old.Rev, st.Rev)
	st = c.play(old, "C3")
	require.Empty(t, st.Paused)
	require.Len(t, st.Moves, 2)
	require.Equal(t, "stale", c.refused("game.play", api.Play{Game: old.Game, Rev: old.Rev, Move: "B2"}).Code)
}
