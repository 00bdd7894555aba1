package browsertest

import (
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Home is an expression for the start page with its board.
const Home = `document.querySelector("main.home[data-front]")`

// Enter waits for the start page and answers the question that it asks newcomers: whether they play Go.
func (b *Tab) Enter() {
	b.T.Helper()
	b.Until(Home + ` || document.querySelector("main.first")`)
	if JS[bool](b, `!!document.querySelector("main.first")`) {
		b.Do(chromedp.Evaluate(`document.querySelectorAll(".first-answers > button")[1].click()`, nil)) // a little
	}
	b.Until(Home)
}

// Play is an expression for the screen of a game.
const Play = `document.querySelector("main.play")`

// Point clicks a point of the board at its place on the screen.
func (b *Tab) Point(v string) {
	b.T.Helper()
	b.Do(chromedp.MouseClickXY(b.Where(v)))
}

// drawn is an expression that is true when every board is drawn to fit its present space.
const drawn = `[...document.querySelectorAll(".board-space")].every((s) => { const r = s.getBoundingClientRect(); return !r.width || !s.querySelector(".board") || s.dataset.space === r.width + "x" + r.height; })`

// Where returns the middle of a point of the board on the screen, in CSS pixels.
func (b *Tab) Where(v string) (x, y float64) {
	b.T.Helper()
	at := Eventually(b, fmt.Sprintf(`%s && (() => { const r = [...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === %q).getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2]; })() || []`, drawn, v), func(at []float64) bool { return len(at) == 2 }, "the point %s", v)
	return at[0], at[1]
}

// Rect is the left, top, right and bottom edge of an element, in CSS pixels.
type Rect [4]float64

func (r Rect) Width() float64  { return r[2] - r[0] }
func (r Rect) Height() float64 { return r[3] - r[1] }

// On reports whether a screen of a size contains the rectangle, give or take a pixel.
func (r Rect) On(size [2]int64) bool {
	return r[0] >= 0 && r[1] >= 0 && r[2] <= float64(size[0])+1 && r[3] <= float64(size[1])+1
}

// Over reports whether two rectangles overlap by more than a pixel.
func (r Rect) Over(o Rect) bool {
	return r[0] < o[2]-1 && r[2] > o[0]+1 && r[1] < o[3]-1 && r[3] > o[1]+1
}

// Layout waits until every board is drawn for its space and ok holds for r, which has the rectangle of
// the first element of each selector. A failure shows the last rectangles, after a message formatted
// by fmt.Sprintf(what...).
func (b *Tab) Layout(selectors []string, ok func(r []Rect) bool, what ...any) []Rect {
	b.T.Helper()
	list, err := json.Marshal(selectors)
	require.NoError(b.T, err)
	return Eventually(b, fmt.Sprintf(`%s && %s.map((s) => { const r = document.querySelector(s).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }) || []`, drawn, list),
		func(r []Rect) bool { return len(r) == len(selectors) && ok(r) }, what...)
}

// Hover points the mouse at the first element of a selector, even if the element moves meanwhile.
func (b *Tab) Hover(selector string) {
	b.T.Helper()
	on := fmt.Sprintf("document.querySelector(%q).matches(':hover')", selector)
	b.Layout([]string{selector}, func(r []Rect) bool {
		b.Do(chromedp.MouseEvent("mouseMoved", (r[0][0]+r[0][2])/2, (r[0][1]+r[0][3])/2))
		return JS[bool](b, on)
	}, "the mouse over %s", selector)
}

// Screen gives the page another size, in CSS pixels; a width below 1000 means a phone or tablet.
func (b *Tab) Screen(width, height int64) {
	b.T.Helper()
	b.Do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 1000))
	b.Until(fmt.Sprintf("innerWidth === %d && innerHeight === %d && %s", width, height, drawn))
}

// beyond lists elements that extend beyond the right edge of the screen, except those inside an
// element that scrolls. %s is replaced by a selector of their ancestor.
const beyond = `[...document.querySelectorAll("%s *:not(.sr):not(svg *)")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".cands, .tree, .wide")).map((e) => e.outerHTML.slice(0, 160))`

// NothingSticksOut waits until nothing reaches beyond the right edge of the screen.
func (b *Tab) NothingSticksOut(what ...any) {
	b.T.Helper()
	b.None(fmt.Sprintf(beyond, ".view"), what...)
}

// Mine waits for the turn of Black, the player, or for the end of play. It returns the phase.
func (b *Tab) Mine() string {
	b.T.Helper()
	b.Until(Play + ` && (` + Play + `.dataset.phase !== "play" || ` + Play + `.dataset.turn === "b") && ` + Play + `.dataset.online === "open"`)
	return JS[string](b, Play+".dataset.phase")
}

// CountNotes makes the page count its short notes in window.noteCount.
const CountNotes = `window.noteCount = 0; new MutationObserver((all) => { for (const m of all) for (const n of m.addedNodes) if (n.classList?.contains("toast") || n.classList?.contains("no")) noteCount++; })
	.observe(document.body, { childList: true, subtree: true })`

// Look checks the page, and saves a picture of it, in the sizes of a phone and of a desktop.
func (b *Tab) Look(name string) {
	b.T.Helper()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		b.Screen(size[0], size[1])
		b.NothingSticksOut("%s at %v", name, size)
		b.Picture(fmt.Sprintf("%s-%d", name, size[0]))
		b.Axe(name)
	}
}

// Try clicks a point and waits until the move is made and answered, or the page refuses it with a
// note. The page must run [CountNotes]. It returns the phase.
func (b *Tab) Try(v string) string {
	b.T.Helper()
	rev, notes := JS[string](b, Play+".dataset.rev"), JS[int](b, "noteCount")
	b.Point(v)
	b.Until(fmt.Sprintf("%s.dataset.rev !== %q || noteCount > %d", Play, rev, notes))
	return b.Mine()
}

// Free returns an empty point that is not in skip, or "".
func (b *Tab) Free(skip map[string]bool) string {
	b.T.Helper()
	for _, v := range JS[[]string](b, `[...document.querySelectorAll("[role=gridcell]")].map((c) => c.ariaLabel).filter((n) => /^\w+$/.test(n))`) {
		if !skip[v] {
			return v
		}
	}
	return ""
}

const stones = `[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length`

// Stones counts the stones on the board.
func (b *Tab) Stones() int {
	b.T.Helper()
	return JS[int](b, stones)
}

// HasStones waits until the board has n stones.
func (b *Tab) HasStones(n int, what ...any) {
	b.T.Helper()
	Equal(b, n, stones, what...)
}

// HasMoves waits until the list has n moves.
func (b *Tab) HasMoves(n int) {
	b.T.Helper()
	Equal(b, n, `document.querySelectorAll(".moves li").length`)
}
