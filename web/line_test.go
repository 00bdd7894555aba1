package web

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

	"kosumi/internal/browsertest"
	"kosumi/review"
)

// looksOf are the sizes and colour schemes in which tests view a review's page.
var looksOf = []struct {
	width, height int64
	scheme        string
}{{1280, 800, "light"}, {1366, 768, "dark"}, {390, 844, "light"}, {320, 568, "dark"}}

// eachLook gives a page each size and scheme in turn.
func eachLook(p *browsertest.Tab, f func(what string, size [2]int64)) {
	p.T.Helper()
	for _, l := range looksOf {
		p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}))
		p.Screen(l.width, l.height)
		f(fmt.Sprintf("%dx%d, %s", l.width, l.height, l.scheme), [2]int64{l.width, l.height})
	}
}

// openHandout opens a review as the file that is shared by mail.
func openHandout(p *browsertest.Tab, res *review.Result) {
	p.T.Helper()
	name := filepath.Join(p.T.TempDir(), "review.html")
	f, err := os.Create(name)
	require.NoError(p.T, err)
	require.NoError(p.T, review.WritePage(f, res))
	require.NoError(p.T, f.Close())
	p.Do(chromedp.Navigate("file://" + name))
	p.Until(`document.querySelector("main.review .board")`)
}

// koFight is a review whose better line and refutation take the ko at D5 and E5: the seventh move
// of the line is at E5 again.
func koFight() *review.Result {
	rows := []string{".........", ".........", ".........", "...XO....", "..XO.O...", "...XO....", ".........", ".........", "........."}
	stones := strings.Join(rows, "")
	played := strings.Join(append(rows[:8:8], "....X...."), "")
	line := []string{"E5", "J1", "J9", "D5", "A1", "A9", "E5", "pass", "C9"}
	return &review.Result{
		Version: review.Version, Game: review.Info{Width: 9, Height: 9, Komi: 7, Black: "Ann", White: "Ben"}, Complete: true,
		Positions: []review.Position{{Visits: 9, Winrate: 0.6, Lead: 4, Stones: stones, ToMove: "b"}, {Visits: 9, Winrate: 0.3, Lead: -4, Stones: played, ToMove: "w"}},
		Moves: []review.Move{{Number: 1, Color: "b", Move: "E1", Judged: true, Loss: 8, Class: review.Blunder, Listed: true, Order: -1, Kind: review.Other, Reason: "E5 is better.", Points: []string{"D5"},
			Best: []review.Candidate{{Move: "E5", Lead: 4, Line: line}}, Refutation: []string{"J9", "E5"}, Phase: review.Opening}},
		Mistakes: []int{0}, Turning: []int{0},
	}
}

// TestLinePlayedOut steps through a line with a ko on a shared page: captured stones leave the
// board, the second move on a point is written like "7 at 1", and keys, slider and buttons agree.
func TestLinePlayedOut(t *testing.T) {
	needHandout(t)
	looks(t)
	t.Parallel()
	p := browsertest.Open(t)
	openHandout(p, koFight())
	browsertest.Equal(p, "mistake-box", `[...document.querySelectorAll(".panel > :not(.who)")][0].className.split(" ").pop()`, "the head of the file names the players, once")
	on := func(v, stone string, what string) {
		t.Helper()
		browsertest.Equal(p, stone, fmt.Sprintf(`[...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === %q).ariaLabel.split(/[ ,]/)[1] ?? ""`, v), "%s, %s", v, what)
	}
	at := func(n int) {
		t.Helper()
		browsertest.Equal(p, fmt.Sprint(n), `document.querySelector(".line-player")?.dataset.at`)
	}
	numbers := `[...document.querySelectorAll(".board svg .number")].map((e) => e.textContent).sort().join(" ")`
	for _, what := range []struct {
		button string
		moves  int
	}{{"Show what follows", 3}, {"Show better", 9}} {
		p.Press(what.button)
		at(1) // a line opens at its first move
		p.Do(chromedp.KeyEvent(kb.End))
		at(what.moves)
	}
	p.Until(`document.querySelector(".line-player").innerText.includes("7 at 1") && !document.querySelector(".line-player").innerText.includes("7 E5")`)
	for _, s := range []struct {
		key          string
		at           int
		d5, e5, seen string
	}{
		{kb.ArrowLeft, 8, "", "black", "2 3 5 6 7"},
		{kb.Home, 0, "white", "", ""},
		{kb.ArrowRight, 1, "", "black", "1"},
		{kb.ArrowRight, 2, "", "black", "1 2"},
		{kb.ArrowRight, 3, "", "black", "1 2 3"},
		{kb.ArrowRight, 4, "white", "", "2 3 4"},
		{kb.End, 9, "", "black", "2 3 5 6 7 9"},
		{kb.ArrowRight, 9, "", "black", "2 3 5 6 7 9"},
	} {
		p.Do(chromedp.KeyEvent(s.key))
		at(s.at)
		on("D5", s.d5, fmt.Sprint(s.at))
		on("E5", s.e5, fmt.Sprint(s.at))
		browsertest.Equal(p, s.seen, numbers)
		browsertest.Equal(p, s.at == 0, `document.querySelectorAll(".board svg circle[fill=none]").length === 1`, "the mark goes with its stone")
	}
	p.Do(chromedp.Evaluate(`{ const r = document.querySelector(".line-player input"); r.value = 4; r.dispatchEvent(new Event("input", { bubbles: true })); }`, nil))
	at(4)
	p.Click(`.line-player button:last-child`)
	at(5)
	browsertest.Equal(p, "0", `document.querySelector("main.review").dataset.at`, "the game stays where it is")
	eachLook(p, func(what string, size [2]int64) {
		p.NothingSticksOut(what)
		p.Do(chromedp.Evaluate(`document.querySelector(".line-player").scrollIntoView({ block: "nearest" })`, nil))
		p.Layout([]string{".line-player", ".line-player input"}, func(r []browsertest.Rect) bool { return r[0].On(size) && r[1].Width() > 100 }, what)
		p.Picture("line " + what)
	})
	p.Axe("a line")
	p.Press("Ann") // the browser stores that the reader is Ann
	p.Do(chromedp.Reload())
	p.Until(`document.querySelector("main.review .mistakes [role=radio]")?.innerText === "You 1" && !document.querySelector(".who")`)
	p.Press("Show better")
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Until(`!document.querySelector(".line-player")`)
	on("D5", "white", "after the line")
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	browsertest.Equal(p, "1", `document.querySelector("main.review").dataset.at`, "the arrow keys walk through the game again")
}
