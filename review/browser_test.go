package review

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// browser starts Chromium without a window. What the pages' scripts say on the
// console, errors above all, is appended to what it returns.
func browser(t *testing.T) (context.Context, *[]string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		testshared.Absent(t, "no browser is installed (package chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	said := new([]string)
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			*said = append(*said, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			*said = append(*said, fmt.Sprint(e.Args))
		}
	})
	return ctx, said
}

// faultless runs axe-core on the page that is open: no serious fault.
func faultless(t *testing.T, ctx context.Context) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "testdata", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		testshared.Absent(t, "axe-core is not installed (make deps-test): %v", err)
	}
	var faults []string
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(string(script)+`;0`, nil), chromedp.Evaluate(
		`axe.run().then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => v.id + ": " + v.nodes.map(n => n.html + " " + n.failureSummary).join(" | ")))`,
		&faults, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })))
	require.Empty(t, faults)
}

// open writes a page and opens it.
func open(t *testing.T, ctx context.Context, write func(*os.File) error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, write(f))
	require.NoError(t, f.Close())
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate("file://"+name)))
}

// read evaluates an expression of the page.
func read[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	var v T
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(expression, &v)))
	return v
}

// spoilt is a review with mistakes at the plies 3 and 6.
func spoilt(t *testing.T) (*Game, *Result) {
	t.Helper()
	g := load(t, strings.Replace(short, "PB[Ada]", "PB[</script><b>Ada]", 1))
	res, err := Run(t.Context(), g, server(t), quick(), nil, nil)
	require.NoError(t, err)
	for i := range res.Moves {
		m := &res.Moves[i]
		m.Listed, m.Loss, m.Class, m.Reason, m.Kind = false, 0, Best, "", ""
	}
	for _, ply := range []int{3, 6} {
		m := &res.Moves[ply]
		m.Judged, m.Listed, m.Loss, m.Error, m.WinrateLoss, m.Class, m.Order = true, true, float64(ply), 0.5, 0.3, ClassOf(float64(ply)), -1
		m.Kind, m.Reason = Other, fmt.Sprintf("%s is better.", m.Best[0].Move)
	}
	res.Mistakes, res.Turning = []int{6, 3}, []int{3, 6}
	return g, res
}

// TestGamePage goes through the page of a game with keys alone, then with the mouse.
func TestGamePage(t *testing.T) {
	ctx, said := browser(t)
	_, res := spoilt(t)
	open(t, ctx, func(f *os.File) error { return WritePage(f, res) })
	at := func() string { return read[string](t, ctx, `$("board").getAttribute("aria-label")`) }
	require.Contains(t, read[string](t, ctx, `document.getElementById("title").textContent`), "</script><b>Ada", "names are text, not markup")
	require.Contains(t, at(), "after move 7", "it opens at the worst mistake")
	require.Contains(t, read[string](t, ctx, `$("say").textContent`), "Lost 6.0 points")
	for _, step := range []struct{ key, at string }{
		{kb.Home, "move 0"}, {kb.ArrowRight, "move 1, Black D4"}, {kb.ArrowRight, "move 2"}, {kb.ArrowLeft, "move 1"}, {"m", "move 4"}, {"m", "move 7"},
		{"m", "move 7"}, {"M", "move 4"}, {kb.End, "move 8"}, {kb.PageUp, "move 0"}, {kb.PageDown, "move 8"}, {"M", "move 7"},
	} {
		require.NoError(t, chromedp.Run(ctx, chromedp.KeyEvent(step.key)))
		require.Contains(t, at(), step.at, "after %q", step.key)
	}
	require.Equal(t, 1, read[int](t, ctx, `document.querySelectorAll(".better").length`))
	require.NoError(t, chromedp.Run(ctx, chromedp.KeyEvent("v"), chromedp.KeyEvent("o")))
	require.Equal(t, "true", read[string](t, ctx, `$("line").getAttribute("aria-pressed")`))
	require.Equal(t, "1", read[string](t, ctx, `[...document.querySelectorAll("#board text")].filter(e => e.getAttribute("style").includes("600"))[0].textContent`))
	require.Equal(t, "true", read[string](t, ctx, `$("own").getAttribute("aria-pressed")`))
	faultless(t, ctx)

	// Every control is reached with Tab and works with Enter.
	require.Equal(t, read[int](t, ctx, `document.querySelectorAll("button, input, summary").length`),
		read[int](t, ctx, `[...document.querySelectorAll("button, input, summary")].filter(e => e.tabIndex >= 0).length`))
	require.NoError(t, chromedp.Run(ctx, chromedp.Focus("#bad li:nth-child(2) button", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter)))
	require.Contains(t, at(), "move 4")
	require.NoError(t, chromedp.Run(ctx, chromedp.Focus("#slide", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowRight)))
	require.Contains(t, at(), "move 5")

	for _, click := range []struct{ button, at string }{
		{"#first", "move 0"}, {"#next", "move 1"}, {"#last", "move 8"}, {"#back", "move 7"}, {"#prevbad", "move 4"}, {"#nextbad", "move 7"}, {"#turning li button", "move 4"},
	} {
		require.NoError(t, chromedp.Run(ctx, chromedp.Click(click.button, chromedp.ByQuery)))
		require.Contains(t, at(), click.at, click.button)
	}
	require.NoError(t, chromedp.Run(ctx, chromedp.Click("#graph", chromedp.ByQuery)))
	require.Contains(t, at(), "move 4", "the middle of the graph")
	require.Empty(t, *said)
}

// TestSummaryAndDrillPages opens the other two pages.
func TestSummaryAndDrillPages(t *testing.T) {
	ctx, said := browser(t)
	g, res := spoilt(t)
	res.Game.File = "a <game>.sgf"
	c := NewCollector("ada")
	for range 3 {
		c.Add(g, res, "a game.html", "a game.sgf", "a game.json")
	}
	c.Refuse("b.sgf", "it has no moves")
	open(t, ctx, func(f *os.File) error { return WriteSummaryPage(f, c.Summary()) })
	require.Contains(t, read[string](t, ctx, `document.body.innerText`), "3 reviewed games of ada")
	require.Equal(t, "a%20game.html", read[string](t, ctx, `document.querySelector("#games a").getAttribute("href")`))
	require.Contains(t, read[string](t, ctx, `document.body.innerText`), "it has no moves")
	faultless(t, ctx)

	d := &Drills{Version: DrillVersion, Problems: []Problem{{ID: "1", Game: "g", Number: 5, Width: 5, Height: 5, Stones: strings.Repeat(".", 24) + "X", ToMove: "w",
		Played: "A1", Loss: 5, Reason: "C3 is 5 points better.", Answers: []Answer{{Move: "C3", Accepted: true, Line: []string{"C3", "C4"}}, {Move: "B2", Loss: 3}, {Move: "A1", Loss: 5}}}}}
	open(t, ctx, func(f *os.File) error { return WriteDrillPage(f, d) })
	faultless(t, ctx)
	answer := func(text string) string {
		require.NoError(t, chromedp.Run(ctx, chromedp.SetValue("#move", text, chromedp.ByQuery), chromedp.Focus("#move", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter)))
		return read[string](t, ctx, `$("say").textContent`)
	}
	require.Contains(t, answer("Z9"), "no point of the board")
	require.Contains(t, answer("e1"), "occupied")
	require.Contains(t, answer("a1"), "is what was played")
	require.Contains(t, answer("b2"), "loses 3.0 points")
	require.Contains(t, answer("d4"), "not judged")
	require.Contains(t, answer("c3"), "Right")
	require.NoError(t, chromedp.Run(ctx, chromedp.Focus("#board", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter)))
	require.Contains(t, read[string](t, ctx, `$("say").textContent`), "B2 loses")
	require.NoError(t, chromedp.Run(ctx, chromedp.Click("#show", chromedp.ByQuery)))
	require.Contains(t, read[string](t, ctx, `$("say").textContent`), "Good: C3")
	require.Empty(t, *said)

	open(t, ctx, func(f *os.File) error { return WriteDrillPage(f, &Drills{Version: DrillVersion}) })
	require.Contains(t, read[string](t, ctx, `document.body.innerText`), "There are no problems")
	faultless(t, ctx)
	require.Empty(t, *said)
}
