package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// TestLookBack steps back through the moves of a running game. When the game is over, the page names
// the largest mistake of the review, and another game can begin.
func TestLookBack(t *testing.T) {
	s, p := newPage(t)
	p.Press("Help")
	p.Press("The rules of Go")
	p.Until(`document.querySelectorAll(".rules li").length === 5`)
	p.Axe("rules of Go")
	p.Do(chromedp.KeyEvent(kb.Escape))
	beforeScripts(p, `window.held = 0; Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => { held++; return { release: async () => { held--; } }; } } })`)
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Until(`held === 1`) // the page keeps the screen on during a game
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Mine()
	skip := map[string]bool{}
	for len(skip) < 6 {
		v := p.Free(skip)
		skip[v] = true
		p.Try(v) // the first free points: bad moves
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

	// Until the review is done, the page claims nothing about mistakes.
	p.Do(chromedp.Evaluate(`window.hasty = 0; new MutationObserver(() => { const o = document.querySelector(".over"); if (o && o.dataset.review !== "done" && o.querySelector(".chip-loss")) hasty++; })
		.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })`, nil))
	resign(p)
	p.Until(`held === 0`)
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
}

// TestPraise: after a game the page praises the finest of the player's moves made without a hint, a
// take-back or teaching. It never praises the program's moves.
func TestPraise(t *testing.T) {
	looks(t)
	dir := t.TempDir()
	s := servePage(t, dir)
	p := openPage(t, s)
	folder, err := review.OpenFolder(dir + "/reviews")
	require.NoError(t, err)
	gaps := map[int]float64{1: 30, 2: 9, 4: 6, 5: 20, 6: 3} // points by which the best move beats the second best, by ply: Black's plies are even
	move := func(v string) store.Step { return store.Step{K: "move", M: v} }
	help, undo := store.Step{K: "help", N: 1}, store.Step{K: "undo", N: 1}
	for _, tc := range []struct {
		what, want string
		steps      []store.Step
	}{
		{"all one's own", "Move 3, B2", nil},
		{"a hint", "Move 5, D3", []store.Step{2: help}},
		{"a hint for another move", "Move 3, B2", []store.Step{4: help}},
		{"taken back", "Move 5, D3", []store.Step{3: undo}},
		{"teaching until move 4", "Move 5, D3", []store.Step{0: {K: "teach", Why: "usual"}, 4: {K: "teach"}}},
		{"teaching from move 4 on", "Move 3, B2", []store.Step{4: {K: "teach", Why: "usual"}}},
		{"taught throughout", "", []store.Step{0: {K: "teach", Why: "usual"}}},
		{"two hints", "Move 7, C4", []store.Step{2: help, 4: help}},
	} {
		g := begin(join(t, s), small("b"))
		live := opened(t, s, g.Game)
		commit := func(step store.Step) { require.NoError(t, live.commit(step), "%s: %v", tc.what, step) }
		func() { // holds the lock to the end of the game, so that the engine does not move in between
			live.mu.Lock()
			defer live.mu.Unlock()
			for i, v := range []string{"C3", "C2", "B2", "D2", "D3", "B3", "C4", "B4"} {
				if i < len(tc.steps) && tc.steps[i].K != "" {
					commit(tc.steps[i])
					if tc.steps[i].K == "undo" {
						commit(move("B2"))
					}
				}
				commit(move(v))
			}
			commit(store.Step{K: "over", Result: "B+3"})
		}()
		root, _, _ := live.Record()
		record, err := review.Load(root, board.Chinese())
		require.NoError(t, err)
		res := &review.Result{Version: review.Version, Game: record.Info(), Network: "made up", Complete: true, Positions: make([]review.Position, len(record.Moves)+1)}
		for i := range res.Positions {
			res.Positions[i] = review.Position{Visits: 10, Stones: strings.Repeat(".", 25), ToMove: "b"}
		}
		for i, m := range record.Moves {
			v := record.Record.Size.Vertex(m.Point)
			res.Moves = append(res.Moves, review.Move{Number: i + 1, Color: wire.Letter(m.Color), Move: v, Judged: true, Class: review.Best,
				Best: []review.Candidate{{Move: v, Lead: gaps[i], Visits: 9}, {Move: "E1", Visits: 9}}})
		}
		require.NoError(t, folder.Write(g.Game, record, res, "test"))
		p.Do(chromedp.Navigate(s.Address() + "play/" + g.Game))
		p.Until(`document.querySelector(".over")?.dataset.review === "done" && document.querySelector(".story-ends")`)
		browsertest.Equal(p, tc.want, `(document.querySelector(".story-ends button")?.innerText ?? "").match(/Move \d+, \w+|$/)[0]`, tc.what)
	}
}
