package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/engine/level"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
)

// TestLevels plays at an offered level; other levels are refused.
func TestLevels(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	offered := s.welcome()
	require.Contains(t, offered.Features, "levels")
	require.NotEmpty(t, offered.Levels)
	require.Less(t, offered.Levels[0].Rank, -14, "beginners find an opponent")
	c := join(t, s)
	for _, bad := range []string{"31k", "AUTO", "12K", "loss:3", "10d"} {
		n := small("b")
		n.Seat = api.Seat{Level: bad}
		require.Equal(t, "bad_request", c.refused("game.new", n).Code, bad)
	}
	n := api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: "15k"}}
	g := begin(c, n)
	require.Equal(t, "15k", g.Seat.Level)
	g = c.play(g, "E5")
	require.Len(t, g.Moves, 2)
	live := opened(t, s, g.Game)
	live.mu.Lock()
	e, now := live.takeEngine(), live.rec.Board.Clone()
	live.mu.Unlock()
	require.NoError(t, e.With(now, 0, func(e *engine.Engine) error {
		require.Equal(t, "15k", e.Config().Level, "the engine plays at it")
		return nil
	}))

	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Equal(t, store.Over, g.Phase)
	data := testshared.Read(t, s.folder.Path("games", g.Game, ".sgf"))
	_, err := sgf.Parse([]byte(data))
	require.NoError(t, err)
	require.Contains(t, data, "WR[15k]")
}

// TestFit plays at the adaptive level: a win makes the next game harder; a very short game does not
// count.
func TestFit(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Seat = api.Seat{Level: engines.Auto}
	require.Empty(t, s.games.levels.Fits())
	g := begin(c, n)
	require.True(t, g.Seat.Auto)
	first, err := level.ParseRank(g.Seat.Level)
	require.NoError(t, err)
	g = c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	require.Nil(t, g.Fit)
	require.Equal(t, "short", g.Counts)
	require.Empty(t, s.games.levels.Fits())

	state := wonGame(t, s, begin(c, n))
	require.NotNil(t, state.Fit)
	require.Equal(t, "yes", state.Counts)
	require.Equal(t, "5x5", state.Fit.Size)
	require.Equal(t, 1.0, state.Fit.Games)
	after := *state.Fit
	after.Next = "" // the method Fits leaves the field Next empty
	require.Equal(t, []api.Fit{after}, s.games.levels.Fits())

	require.Empty(t, state.Fit.Was)
	g = begin(c, n)
	require.Equal(t, g.Seat.Level, state.Fit.Next)
	second, err := level.ParseRank(g.Seat.Level)
	require.NoError(t, err)
	require.Greater(t, second, first)

	// The result and the moves of a game with help do not count.
	before := s.games.levels.Fits()
	for _, tc := range []struct {
		why    string
		step   store.Step
		helped []int
	}{{"hint", store.Step{K: "help", N: 1}, []int{8}}, {"undo", store.Step{K: "undo", N: 2}, []int{6}}, {"teach", store.Step{K: "teach", Why: "usual"}, []int{8}}} {
		state := wonGame(t, s, begin(c, n), tc.step, store.Step{K: "move", M: "E5"}, store.Step{K: "move", M: "A1"})
		require.Equal(t, tc.why, state.Counts)
		require.Equal(t, tc.helped, state.Helped)
		require.Nil(t, state.Fit, tc.why)
		require.Equal(t, before, s.games.levels.Fits(), tc.why)
		fit, err := s.player.Judged(state.Game, reviewOf(30))
		require.NoError(t, err)
		require.Nil(t, fit, tc.why)
	}
	fit, err := s.player.Judged(state.Game, reviewOf(30))
	require.NoError(t, err)
	require.Equal(t, 1, fit.Judged, "without help its moves count")
	require.Equal(t, "not_found", c.refused("review.delete", api.ID{ID: state.Game}).Code)
	require.Equal(t, before, s.games.levels.Fits(), "its review is deleted")

	// A review counts for the side that is the player's.
	club := store.NewID()
	mids := map[string]string{}
	for _, side := range []string{"b", "w", "b", "none"} {
		require.NoError(t, s.player.Profile.SaySide(club, side))
		_, err = s.player.Judged(club, reviewOf(30))
		require.NoError(t, err)
		for _, fit := range s.games.levels.Fits()[1:] {
			require.Equal(t, 1, fit.Judged)
			require.Contains(t, []string{"", fit.Mid}, mids[side])
			mids[side] = fit.Mid
		}
	}
	require.NotEqual(t, mids["b"], mids["w"])
	require.Len(t, mids, 2)
	require.Equal(t, before, s.games.levels.Fits())
}

// wonGame plays a game that Black wins; the steps in more are added before its end.
func wonGame(t *testing.T, s *Server, g *api.GameState, more ...store.Step) *api.GameState {
	t.Helper()
	live := opened(t, s, g.Game)
	live.mu.Lock()
	defer live.mu.Unlock()
	for _, v := range []string{"C3", "C2", "B2", "D2", "D3", "B3", "C4", "B4"} {
		require.NoError(t, live.commit(store.Step{K: "move", M: v}))
	}
	for _, step := range append(more, store.Step{K: "over", Result: "B+3"}) {
		require.NoError(t, live.commit(step))
	}
	return live.stateLocked()
}

// reviewOf returns a review of a game on 9x9 in which each side makes a number of moves.
func reviewOf(moves int) *review.Result {
	res := &review.Result{Complete: true, Game: review.Info{Width: 9, Height: 9}}
	for range moves {
		res.Moves = append(res.Moves, review.Move{Color: "b", Move: "A1", Judged: true, Loss: 1}, review.Move{Color: "w", Move: "A1", Judged: true})
	}
	return res
}

// TestCountsForRank: the page says before a hint and before a take-back that the game will not
// count for the rank; after a game, it shows the new rank and the next opponent. Whoever resigns early
// is told that the result will not count. Home and You say of the last game why it does not count.
func TestCountsForRank(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	auto := api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: engines.Auto}}
	id := newGame(p, s, auto)
	message := func(text string) {
		t.Helper()
		p.Until(fmt.Sprintf(`document.querySelector(".message").innerText.includes(%q)`, text))
	}
	message("This game counts for your rank, unless you ask for a hint, take back, or end it early.")
	p.Picture("counts 1280")
	p.Point("E5")
	p.HasMoves(2)
	p.Do(chromedp.KeyEvent("u"))
	message("Press again to take back.")
	p.HasMoves(2)
	p.Do(chromedp.KeyEvent("h")) // the game still counts: the page warns of a hint as well
	message("Press again for the hint.")
	p.Do(chromedp.KeyEvent("h"))
	message("Look in the shaded area.")
	message("Hint: this game does not count for your rank.")
	p.Screen(390, 844)
	p.NothingSticksOut("main")
	p.Picture("counts hint 390")
	live := opened(t, s, id)
	require.Equal(t, "hint", live.state().Counts)

	require.NoError(t, live.commit(store.Step{K: "over", Result: "W+R"}))
	for path, game := range map[string]string{"": ".last-game", "you": ".kept-row"} {
		p.Do(chromedp.Navigate(s.Address() + path))
		p.Until(`document.querySelector("main ` + game + `")?.innerText.includes("Does not count for the rank: a hint")`)
		if path != "" {
			p.Until(`document.querySelector("[aria-labelledby=you-rank] .note").innerText === "Your last game\nDoes not count for the rank: a hint"`)
		}
		p.Look("uncounted " + path)
	}

	id = newGame(p, s, auto)
	message("This game counts for your rank")
	p.Picture("counts 390")
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		p.Screen(size[0], size[1])
		p.Press("Resign")
		p.Until(`document.querySelector(".strip").ariaLabel.startsWith("Resign this game? Too short to count for your rank: under 24 moves") && document.querySelector(".message").innerText.startsWith("Too short to count for your rank: under 24 moves")`)
		p.Layout([]string{".message", ".strip"}, func(r []browsertest.Rect) bool { return r[0].On(size) && r[1].On(size) && !r[0].Over(r[1]) })
		p.Picture(fmt.Sprintf("resign early %d", size[0]))
		p.Press("Keep playing")
	}
	live = opened(t, s, id)
	live.mu.Lock()
	live.fit = &api.Fit{Size: "9x9", Low: "15k", Mid: "11k", High: "8k", Was: "12k", Next: "12k", Games: 3}
	require.NoError(t, live.commit(store.Step{K: "over", Result: "B+3"}))
	live.mu.Unlock()
	p.Do(chromedp.Navigate(s.Address() + "play/" + id))
	p.Until(`document.querySelector(".rank-scale figcaption")?.innerText === "11k, up one; next opponent 12k. Probably 15k to 8k."`)
	p.NothingSticksOut("main")
	p.Picture("rank after 390")
	p.Do(chromedp.Evaluate(notesStay, nil))
	for _, size := range [][2]int64{{390, 844}, {844, 390}, {768, 1024}, {1280, 800}} { // a note covers no button after a game
		p.Screen(size[0], size[1])
		p.Do(chromedp.KeyEvent("i"))
		p.Until(`document.querySelector(".toast")`)
		p.None(underNote, "buttons under a note at %v", size)
		p.Picture(fmt.Sprintf("rank after %d", size[0]))
	}
}
