package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
)

// judged plays a move and waits for the engine's answer or for advice.
func (c *client) judged(g *api.GameState, move string) *api.GameState {
	c.t.Helper()
	c.ask("game.play", api.Play{Game: g.Game, Rev: g.Rev, Move: move}, nil)
	now := c.game(g.Game)
	rest := func(s *api.GameState) bool { return s.Advice != nil || s.Phase != store.Play || s.ToMove == s.Colour }
	if rest(now) {
		return now
	}
	return until(c, "game.state", rest)
}

// TestTeaching makes a bad move in a teaching game: the engine does not answer until the move is
// taken back or kept. A good move is answered at once.
func TestTeaching(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Teach = "severe"
	require.Equal(t, "bad_request", c.refused("game.new", n).Code)
	n.Teach = "usual"
	g := begin(c, n)
	require.Equal(t, "usual", g.Teach)
	good := c.judged(g, "C3")
	require.Nil(t, good.Advice)
	require.Len(t, good.Moves, 2)

	bad := c.judged(good, "A1")
	require.NotNil(t, bad.Advice, "the corner of 5x5 loses the board")
	require.Equal(t, "A1", bad.Advice.Move)
	require.Greater(t, bad.Advice.Loss, bad.Advice.Due)
	require.NotEmpty(t, bad.Advice.Line)
	require.False(t, bad.Thinking)
	require.Len(t, bad.Moves, 3, "it is not answered")
	c.ask("game.undo", api.GameCommand{Game: g.Game, Rev: bad.Rev}, nil)
	back := c.game(g.Game)
	require.Len(t, back.Moves, 2)
	require.Nil(t, back.Advice)
	require.Equal(t, 1, back.Undone)
	require.Equal(t, "illegal", c.refused("game.keep", api.GameCommand{Game: g.Game, Rev: back.Rev}).Code)

	again := c.judged(back, "A1")
	require.NotNil(t, again.Advice)
	kept := c.do(again, "game.keep", api.GameCommand{Game: g.Game, Rev: again.Rev})
	require.Nil(t, kept.Advice)
	require.Len(t, kept.Moves, 4, "the engine has answered")

	// Without teaching there is no advice; the journal stores that teaching is off.
	c.ask("game.teach", api.Teach{Game: g.Game, Rev: kept.Rev, Teach: ""}, nil)
	off := c.game(g.Game)
	require.Empty(t, off.Teach)
	require.Equal(t, kept.Moves, off.Moves)
	require.Nil(t, c.judged(off, "A5").Advice)
	rec, journal, _, err := store.OpenGame(s.folder, g.Game, s.conf.Log)
	require.NoError(t, err)
	require.NoError(t, journal.Close())
	require.Empty(t, rec.Teach)
	require.Contains(t, testshared.Read(t, s.folder.Path("games", g.Game, ".jsonl")), `"k":"teach"`)
}

// TestTeachingPage takes a bad move back on the page, keeps it the second time, and follows the
// count step by step at the end.
func TestTeachingPage(t *testing.T) {
	testshared.Long(t)
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ motion: "off" }))`, nil))
	n := api.NewGame{Size: [2]int{5, 5}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 4}, Teach: "usual"}
	id := newGame(p, s, n)
	p.Mine()
	p.Point("C3")
	p.HasMoves(2)
	p.Mine()
	p.Point("A1")
	p.Until(`document.querySelector(".advice")?.innerText.includes("A1 loses about")`)
	p.Until(`document.querySelector("#assertive").innerText.includes("Take it back?")`)
	p.Axe("advice")
	p.Press("Take it back")
	p.Until(`!document.querySelector(".advice") && document.querySelectorAll(".moves li").length === 2`)
	p.Mine()
	p.Point("A1")
	p.Until(`document.querySelector(".advice")`)
	p.Press("Keep my move")
	p.Until(`!document.querySelector(".advice") && document.querySelectorAll(".moves li").length === 4`)
	for i := 0; p.Mine() == store.Play && i < 40; i++ {
		if browsertest.JS[bool](p, `!!document.querySelector(".advice")`) {
			p.Press("Keep my move")
			continue
		}
		rev := browsertest.JS[string](p, browsertest.Play+".dataset.rev")
		p.Press("Pass")
		p.Until(browsertest.Play + `.dataset.rev !== "` + rev + `"`)
	}
	p.Until(browsertest.Button("Agree"))
	p.Press("Agree")
	p.Until(browsertest.Play + `.dataset.phase === "over"`)
	p.Press("Follow the count")
	told := `document.querySelector(".count-told p").innerText`
	text := browsertest.Eventually(p, told, func(text string) bool { return len(text) > 5 })
	for range 4 { // to the fifth step
		p.Press("Next")
		text = browsertest.Eventually(p, told, func(next string) bool { return len(next) > 5 && next != text })
	}
	require.Contains(t, text, "Black")
	p.Until("!" + browsertest.Button("Next"))
	p.Axe("the count told")
	p.Press("Done")
	p.Until(`!document.querySelector(".count-told")`)
	require.NotEmpty(t, id)
}

// TestHintsAreSound plays the moves that hints offer in a teaching game: none is criticised, and
// a second best move that loses much is not offered.
func TestHintsAreSound(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	n := small("b")
	n.Teach = "strict"
	g := begin(c, n)
	alone := 0 // number of hints of stage 2 with fewer than three moves
	for i := 0; i < 8 && g.Phase == store.Play; i++ {
		h := ask[api.Hint](c, "game.hint", api.AskHint{Game: g.Game, Rev: g.Rev, Stage: 2})
		require.NotEmpty(t, h.Moves)
		if len(h.Moves) < 3 {
			alone++
		}
		g.Rev = h.Rev
		g = c.judged(g, h.Moves[i%len(h.Moves)])
		require.Nil(t, g.Advice, "move %d of %v", i, h.Moves)
	}
	require.Positive(t, alone, "on 5x5 most moves lose points")
}
