package drill_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/internal/handout"
	"kosumi/internal/testshared"
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

// spoilt is a review with mistakes at the plies 3 and 6.
func spoilt(t *testing.T) (*review.Game, *review.Result) {
	t.Helper()
	roots, err := sgf.Parse([]byte(`(;GM[1]FF[4]SZ[7]KM[7]RU[Chinese]PB[</script><b>Ada]PW[Bob]DT[2026-01-02]RE[W+2];B[dd]C[mine];W[de](;B[ed];W[ee];B[cd];W[fd];B[fc];W[ge])(;B[aa]))`))
	require.NoError(t, err)
	g, err := review.Load(roots[0], board.Chinese())
	require.NoError(t, err)
	c := review.Defaults()
	c.First, c.Visits, c.Network = 4, 12, "hash"
	invented, err := nn.NewServer(nntest.HashModel(7), nn.ServerConfig{Sessions: 2, MaxBatch: 4})
	require.NoError(t, err)
	defer invented.Close()
	res, err := review.Run(t.Context(), g, invented, c, nil, nil)
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

const screen = `document.querySelector("main.review")`

// TestGamePage: the page of a game works from one file without a server, by keys and by mouse,
// and prints without buttons.
func TestGamePage(t *testing.T) {
	built(t)
	b := browsertest.Open(t)
	_, res := spoilt(t)
	open(b, func(f *os.File) error { return review.WritePage(f, res) })
	b.Until(screen)
	at := func(n int) { b.T.Helper(); b.Until(fmt.Sprintf(`%s.dataset.at === "%d"`, screen, n)) }
	for _, where := range []string{`document.querySelector("h1").textContent`, `document.title`} {
		b.Until(where + `.includes("</script><b>Ada")`) // names are text, not markup
	}
	at(6) // the worst mistake
	browsertest.Equal(b, 2, `[...document.querySelectorAll(".mistakes li")].filter((e) => e.innerText.includes("turning point")).length`)
	b.Axe("page")
	for _, step := range []struct {
		key string
		at  int
	}{{kb.Home, 0}, {kb.ArrowRight, 1}, {kb.ArrowRight, 2}, {kb.ArrowLeft, 1}, {"n", 3}, {"n", 6}, {"n", 6}, {"N", 3}, {kb.End, 8}, {kb.PageUp, 0}, {kb.PageDown, 8}, {"N", 6}} {
		b.Do(chromedp.KeyEvent(step.key))
		at(step.at)
	}
	browsertest.Equal(b, 2, `document.querySelectorAll(".mistakes li").length`)

	// The better move is right, the game's move is not, and other moves are not judged.
	m := &res.Moves[6]
	b.Point(m.Move)
	b.Until(`document.querySelector(".mistake-box").innerText.includes("That is what was played")`)
	b.Point(m.Best[0].Move)
	b.Until(`document.querySelector(".mistake-box .good-text")`)
	b.Point(strange(res, 6))
	b.Until(`document.body.innerText.includes("has not been checked")`)
	b.Press("Summary")
	b.Until(`document.querySelector(".summary").innerText.includes("Accuracy")`)
	b.Do(chromedp.Evaluate(`document.querySelector(".all-moves summary").click()`, nil))
	browsertest.Equal(b, len(res.Moves), `document.querySelectorAll(".all-moves tbody tr").length`)
	b.Axe("page, all moves")

	for _, size := range [][2]int64{{390, 844}, {360, 640}, {768, 1024}} {
		b.Do(emulation.SetDeviceMetricsOverride(size[0], size[1], 2, true), chromedp.Reload())
		b.Until(fmt.Sprintf(`innerWidth === %d && %s`, size[0], screen))
		b.Until("document.documentElement.scrollWidth <= innerWidth") // the page fits the screen's width
		b.Layout([]string{".board"}, func(r []browsertest.Rect) bool { return r[0].Width() >= 0.7*float64(min(size[0], 600)) }, "the board at %v", size)
	}
	b.Do(emulation.ClearDeviceMetricsOverride(), emulation.SetEmulatedMedia().WithMedia("print"))
	b.None(`[...document.querySelectorAll(".nav, .tabs, .tools-row")].filter((e) => e.getBoundingClientRect().height > 0).map((e) => e.className)`, "buttons are not printed")
	b.Clean()
}

// strange returns an empty point that is neither the played nor the best move of a ply.
func strange(res *review.Result, ply int) string {
	size := board.Size{W: res.Game.Width, H: res.Game.Height}
	for p := range board.Point(size.Area()) {
		v := size.Vertex(p)
		if res.Positions[ply].Stones[p] == '.' && v != res.Moves[ply].Move && v != res.Moves[ply].Best[0].Move {
			return v
		}
	}
	return ""
}

// built skips the test if the program was built without its pages, which npm makes.
func built(t *testing.T) {
	t.Helper()
	if err := handout.Built(); err != nil {
		testshared.Absent(t, "%v", err)
	}
}

// TestSummaryAndDrillPages opens the page about many games and the page of problems.
func TestSummaryAndDrillPages(t *testing.T) {
	built(t)
	b := browsertest.Open(t)
	g, res := spoilt(t)
	res.Game.File = "a <game>.sgf"
	c := review.NewCollector("ada")
	for range 3 {
		c.Add(g, res, "a game.html", "a game.sgf", "a game.json")
	}
	c.Refuse("b.sgf", "it has no moves")
	open(b, func(f *os.File) error { return review.WriteSummaryPage(f, c.Summary()) })
	b.Until(`document.body.innerText.includes("3 reviewed games of ada") && document.body.innerText.includes("it has no moves")`)
	browsertest.Equal(b, "a%20game.html", `document.querySelector("#games a").getAttribute("href")`)
	b.Axe("page")
	c = review.NewCollector("bob") // with White as the player, White's numbers come first
	c.Add(g, res, "a game.html", "a game.sgf", "a game.json")
	open(b, func(f *os.File) error { return review.WriteSummaryPage(f, c.Summary()) })
	browsertest.Equal(b, fmt.Sprintf("bob lost a move %.2f, opponent lost a move %.2f", res.Players[1].Mean, res.Players[0].Mean),
		`[5, 6].map((i) => document.querySelectorAll("#games tr")[0].children[i].innerText + " " + document.querySelectorAll("#games tr")[1].children[i].innerText).join(", ")`)

	d := &drill.Set{Version: drill.Version, Problems: []drill.Problem{
		{ID: "1", Game: "g", Number: 5, Width: 5, Height: 5, Stones: strings.Repeat(".", 24) + "X", ToMove: "w",
			Played: "A1", Loss: 5, Reason: "C3 is 5 points better.", Answers: []drill.Answer{{Move: "C3", Accepted: true, Line: []string{"C3", "C4"}}, {Move: "B2", Loss: 3}, {Move: "A1", Loss: 5}}},
		{ID: "2", Game: "h", Number: 7, Width: 7, Height: 7, Stones: strings.Repeat(".", 48) + "O", ToMove: "b", Played: "B1", Loss: 4, Reason: "D4 is better.", Answers: []drill.Answer{{Move: "D4", Accepted: true}}}}}
	open(b, func(f *os.File) error { return drill.WriteDrillPage(f, d) })
	b.Until(`document.querySelector("main.drill")?.dataset.problem === "1"`)
	b.Axe("page")
	b.Point("D4")
	b.Until(`document.body.innerText.includes("has not been checked")`)
	b.Point("B2")
	b.Until(`document.querySelector(".mistake-box .bad-text")?.innerText.includes("loses 3.0")`)
	b.Press("Try again")
	b.Point("A1")
	b.Until(`document.querySelector(".mistake-box .bad-text")?.innerText.includes("was played")`)
	b.Press("Show me")
	b.Until(`document.querySelector(".mistake-box").innerText.includes("C3 is 5 points better.")`)
	b.Press("Next")
	b.Until(`document.querySelector("main.drill")?.dataset.problem === "2"`)
	b.Point("D4")
	b.Until(`document.querySelector(".mistake-box .good-text")`)
	b.Press("Next")
	b.Until(`document.querySelector("main.empty")?.innerText.includes("Done for now")`)
	b.Axe("page, all done")
	b.Clean()

	open(b, func(f *os.File) error { return drill.WriteDrillPage(f, &drill.Set{Version: drill.Version}) })
	b.Until(`document.querySelector("main.empty")`)
	b.Axe("page, empty")
	b.Clean()
}
