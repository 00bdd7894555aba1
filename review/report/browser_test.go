package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/sgf"
)

// open writes a page and opens it.
func open(b *browsertest.Tab, write func(*os.File) error) {
	b.T.Helper()
	name := filepath.Join(b.T.TempDir(), "page.html")
	f, err := os.Create(name)
	require.NoError(b.T, err)
	require.NoError(b.T, write(f))
	require.NoError(b.T, f.Close())
	b.Do(chromedp.Navigate("file://" + name))
}

// server answers with made-up numbers that depend on the position alone.
func server(t testing.TB) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(nntest.HashModel(7), nn.ServerConfig{Sessions: 2, MaxBatch: 4})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// spoilt is a review with mistakes at the plies 3 and 6.
func spoilt(t *testing.T) (*review.Game, *review.Result) {
	t.Helper()
	roots, err := sgf.Parse([]byte(`(;GM[1]FF[4]SZ[7]KM[7]RU[Chinese]PB[</script><b>Ada]PW[Bob]DT[2026-01-02]RE[W+2];B[dd]C[mine];W[de](;B[ed];W[ee];B[cd];W[fd];B[fc];W[ge])(;B[aa]))`))
	require.NoError(t, err)
	g, err := review.Load(roots[0], board.Chinese())
	require.NoError(t, err)
	c := review.Defaults()
	c.First, c.Visits, c.Network = 4, 12, "hash"
	res, err := review.Run(t.Context(), g, server(t), c, nil, nil)
	require.NoError(t, err)
	for i := range res.Moves {
		m := &res.Moves[i]
		m.Listed, m.Loss, m.Class, m.Reason, m.Kind = false, 0, review.Best, "", ""
	}
	for _, ply := range []int{3, 6} {
		m := &res.Moves[ply]
		m.Judged, m.Listed, m.Loss, m.Error, m.WinrateLoss, m.Class, m.Order = true, true, float64(ply), 0.5, 0.3, review.ClassOf(float64(ply)), -1
		m.Kind, m.Reason = review.Other, fmt.Sprintf("%s is better.", m.Best[0].Move)
	}
	res.Mistakes, res.Turning = []int{6, 3}, []int{3, 6}
	return g, res
}

// TestGamePage goes through the page of a game with keys alone, then with the mouse.
func TestGamePage(t *testing.T) {
	b := browsertest.Open(t)
	_, res := spoilt(t)
	open(b, func(f *os.File) error { return WritePage(f, res) })
	at := func() string { return browsertest.JS[string](b, `$("board").getAttribute("aria-label")`) }
	require.Contains(t, browsertest.JS[string](b, `document.getElementById("title").textContent`), "</script><b>Ada", "names are text, not markup")
	require.Contains(t, at(), "after move 7", "it opens at the worst mistake")
	require.Contains(t, browsertest.JS[string](b, `$("say").textContent`), "Lost 6.0 points")
	for _, step := range []struct{ key, at string }{
		{kb.Home, "move 0"}, {kb.ArrowRight, "move 1, Black D4"}, {kb.ArrowRight, "move 2"}, {kb.ArrowLeft, "move 1"}, {"m", "move 4"}, {"m", "move 7"},
		{"m", "move 7"}, {"M", "move 4"}, {kb.End, "move 8"}, {kb.PageUp, "move 0"}, {kb.PageDown, "move 8"}, {"M", "move 7"},
	} {
		b.Do(chromedp.KeyEvent(step.key))
		require.Contains(t, at(), step.at, "after %q", step.key)
	}
	require.Equal(t, 1, browsertest.JS[int](b, `document.querySelectorAll(".better").length`))
	stars := browsertest.JS[string](b, `[5, 7, 8, 9, 12, 13, 19, 20].map(n => [...Array(n).keys()].filter(k => star(n, k)).join(" ")).join("|")`)
	require.Equal(t, "|2 4|2 5|2 4 6|2 9|3 6 9|3 9 15|3 16", stars)
	b.Do(chromedp.KeyEvent("v"), chromedp.KeyEvent("o"))
	require.Equal(t, "true", browsertest.JS[string](b, `$("line").getAttribute("aria-pressed")`))
	require.Equal(t, "1", browsertest.JS[string](b, `[...document.querySelectorAll("#board text")].filter(e => e.getAttribute("style").includes("600"))[0].textContent`))
	require.Equal(t, "true", browsertest.JS[string](b, `$("own").getAttribute("aria-pressed")`))
	b.Axe("page")

	// Every control is reached with Tab and works with Enter.
	require.Equal(t, browsertest.JS[int](b, `document.querySelectorAll("button, input, summary").length`),
		browsertest.JS[int](b, `[...document.querySelectorAll("button, input, summary")].filter(e => e.tabIndex >= 0).length`))
	b.Do(chromedp.Focus("#bad li:nth-child(2) button", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	require.Contains(t, at(), "move 4")
	b.Do(chromedp.Focus("#slide", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowRight))
	require.Contains(t, at(), "move 5")

	for _, click := range []struct{ button, at string }{
		{"#first", "move 0"}, {"#next", "move 1"}, {"#last", "move 8"}, {"#back", "move 7"}, {"#prevbad", "move 4"}, {"#nextbad", "move 7"}, {"#turning li button", "move 4"},
	} {
		b.Do(chromedp.Click(click.button, chromedp.ByQuery))
		require.Contains(t, at(), click.at, click.button)
	}
	b.Do(chromedp.Click("#graph", chromedp.ByQuery))
	require.Contains(t, at(), "move 4", "the middle of the graph")
	b.Clean()
}

// TestSummaryAndDrillPages opens the other two pages.
func TestSummaryAndDrillPages(t *testing.T) {
	b := browsertest.Open(t)
	g, res := spoilt(t)
	res.Game.File = "a <game>.sgf"
	c := review.NewCollector("ada")
	for range 3 {
		c.Add(g, res, "a game.html", "a game.sgf", "a game.json")
	}
	c.Refuse("b.sgf", "it has no moves")
	open(b, func(f *os.File) error { return WriteSummaryPage(f, c.Summary()) })
	require.Contains(t, browsertest.JS[string](b, `document.body.innerText`), "3 reviewed games of ada")
	require.Equal(t, "a%20game.html", browsertest.JS[string](b, `document.querySelector("#games a").getAttribute("href")`))
	require.Contains(t, browsertest.JS[string](b, `document.body.innerText`), "it has no moves")
	b.Axe("page")

	d := &drill.Set{Version: drill.Version, Problems: []drill.Problem{{ID: "1", Game: "g", Number: 5, Width: 5, Height: 5, Stones: strings.Repeat(".", 24) + "X", ToMove: "w",
		Played: "A1", Loss: 5, Reason: "C3 is 5 points better.", Answers: []drill.Answer{{Move: "C3", Accepted: true, Line: []string{"C3", "C4"}}, {Move: "B2", Loss: 3}, {Move: "A1", Loss: 5}}}}}
	open(b, func(f *os.File) error { return WriteDrillPage(f, d) })
	b.Axe("page")
	require.Zero(t, browsertest.JS[int](b, `document.querySelectorAll(".star").length`), "5x5 has none")
	answer := func(text string) string {
		b.Do(chromedp.SetValue("#move", text, chromedp.ByQuery), chromedp.Focus("#move", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
		return browsertest.JS[string](b, `$("say").textContent`)
	}
	require.Contains(t, answer("Z9"), "no point of the board")
	require.Contains(t, answer("e1"), "occupied")
	require.Contains(t, answer("a1"), "is what was played")
	require.Contains(t, answer("b2"), "loses 3.0 points")
	require.Contains(t, answer("d4"), "not judged")
	require.Contains(t, answer("c3"), "Right")
	b.Do(chromedp.Focus("#board", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	require.Contains(t, browsertest.JS[string](b, `$("say").textContent`), "B2 loses")
	b.Do(chromedp.Click("#show", chromedp.ByQuery))
	require.Contains(t, browsertest.JS[string](b, `$("say").textContent`), "Good: C3")
	b.Clean()

	open(b, func(f *os.File) error { return WriteDrillPage(f, &drill.Set{Version: drill.Version}) })
	require.Contains(t, browsertest.JS[string](b, `document.body.innerText`), "There are no problems")
	b.Axe("page")
	b.Clean()
}
