package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
)

// TestLookBack walks back in a running game, then looks at the end of the game: its story, whose
// largest mistake is that of the review, and another game.
func TestLookBack(t *testing.T) {
	s := servePage(t, t.TempDir())
	p := openPage(t, s)
	p.Press("Help")
	p.Press("The rules of Go")
	p.Until(`document.querySelectorAll(".rules li").length === 5`)
	p.Axe("rules of Go")
	p.Do(chromedp.KeyEvent(kb.Escape))
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Mine()
	skip := map[string]bool{}
	for len(skip) < 6 {
		v := p.Free(skip)
		skip[v] = true
		p.Try(v) // the first line: bad moves
	}
	made := browsertest.JS[int](p, `document.querySelectorAll(".moves li").length`)
	require.GreaterOrEqual(t, made, 10)
	shown := func(n int) { p.Until(fmt.Sprintf(`%s.dataset.shown === "%d"`, browsertest.Play, n)) }
	p.Do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	shown(made - 2)
	p.Do(chromedp.KeyEvent(kb.Home))
	shown(0)
	p.HasStones(0)
	p.Do(chromedp.Evaluate(`document.querySelectorAll(".moves button")[2].click()`, nil))
	shown(3)
	p.HasStones(3)
	p.Point("E5") // a press on a past position plays nothing
	shown(made)
	p.Do(chromedp.KeyEvent("m"))
	p.Until(`document.querySelectorAll(".board .number").length > 0`)
	p.HasMoves(made)
	require.Len(t, ask[api.GameState](join(t, s), "watch", api.Watch{What: "game:" + id}).Moves, made)

	// Before the review, the story claims nothing about mistakes.
	p.Do(chromedp.Evaluate(`window.hasty = 0; new MutationObserver(() => { const o = document.querySelector(".over"); if (o && o.dataset.review !== "done" && o.querySelector(".chip-loss")) hasty++; })
		.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })`, nil))
	resign(p)
	p.Until(`document.querySelector(".over")?.dataset.review === "done" && document.querySelector(".story-ends a .chip-loss")`)
	require.Zero(t, browsertest.JS[int](p, "hasty"), "said before it was checked")
	const largest = `.chip-loss").innerText.replace(/\s+/g, " ").trim()`
	said := browsertest.JS[string](p, `document.querySelector(".story-ends a `+largest)
	p.Axe("after the game")
	p.Do(chromedp.KeyEvent(kb.ArrowLeft))
	shown(made - 1)
	p.Click(`.story-ends a`)
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	browsertest.Equal(p, said, `document.querySelector(".mistakes li `+largest, "the largest loss, one figure on both screens")
	browsertest.Equal(p, "/review/"+id, "location.pathname", "a game's review has its ID")
	c := join(t, s)
	require.Equal(t, id, ask[api.ID](c, "review.add", api.AddReview{Game: id}).ID)
	require.Len(t, ask[api.Reviews](c, "watch", api.Watch{What: "reviews"}).Reviews, 1, "no second review")

	p.Do(chromedp.Navigate(s.Address() + "play/" + id))
	p.Press("Swap colours")
	p.Until(`location.pathname !== "/play/` + id + `" && ` + browsertest.Play + `?.dataset.turn === "w"`)
	p.Clean()
}
