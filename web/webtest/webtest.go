// Package webtest plays on the page of engine web as a person does, for tests.
package webtest

import (
	"fmt"

	"github.com/chromedp/chromedp"

	"kosumi/internal/browsertest"
)

// Page is a tab on the page.
type Page struct{ *browsertest.Tab }

// Home is an expression for the front door, once it has its board.
const Home = `document.querySelector("main.home[data-front]")`

// Enter waits for the front door. A newcomer is asked there whether they play Go.
func (p Page) Enter() {
	p.T.Helper()
	p.Until(Home + ` || document.querySelector("main.first")`)
	if browsertest.JS[bool](p.Tab, `!!document.querySelector("main.first")`) {
		p.Do(chromedp.Evaluate(`document.querySelectorAll(".first-answers > button")[1].click()`, nil)) // a little
	}
	p.Until(Home)
}

// Play is an expression for the screen of a game.
const Play = `document.querySelector("main.play")`

// Point clicks a point of the board where it is on the screen.
func (p Page) Point(v string) {
	p.T.Helper()
	at := browsertest.JS[[]float64](p.Tab, fmt.Sprintf(`(() => { const c = [...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === %q);
		const r = c.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, v))
	p.Do(chromedp.MouseClickXY(at[0], at[1]))
}

// Mine waits for the turn of Black, who the player is, or for the end of play. It
// returns the phase.
func (p Page) Mine() string {
	p.T.Helper()
	p.Until(Play + ` && (` + Play + `.dataset.phase !== "play" || ` + Play + `.dataset.turn === "b") && ` + Play + `.dataset.online === "open"`)
	return browsertest.JS[string](p.Tab, Play+".dataset.phase")
}

// CountNotes makes the page count its short notes, as noteCount.
const CountNotes = `window.noteCount = 0; new MutationObserver((all) => { for (const m of all) for (const n of m.addedNodes) if (n.classList?.contains("toast") || n.classList?.contains("no")) noteCount++; })
	.observe(document.body, { childList: true, subtree: true })`

// Try clicks a point and waits until the move is made and answered, or refused by
// a note of the page, which must count them. It returns the phase.
func (p Page) Try(v string) string {
	p.T.Helper()
	rev, notes := browsertest.JS[string](p.Tab, Play+".dataset.rev"), browsertest.JS[int](p.Tab, "noteCount")
	p.Point(v)
	p.Until(fmt.Sprintf("%s.dataset.rev !== %q || noteCount > %d", Play, rev, notes))
	return p.Mine()
}

// Free returns an empty point, "" if there is none but those to skip.
func (p Page) Free(skip map[string]bool) string {
	p.T.Helper()
	for _, v := range browsertest.JS[[]string](p.Tab, `[...document.querySelectorAll("[role=gridcell]")].map((c) => c.ariaLabel).filter((n) => /^\w+$/.test(n))`) {
		if !skip[v] {
			return v
		}
	}
	return ""
}

// stones is an expression for how many stones are on the board.
const stones = `[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length`

// Stones counts the stones on the board.
func (p Page) Stones() int {
	p.T.Helper()
	return browsertest.JS[int](p.Tab, stones)
}

// Shows waits until so many stones are on the board.
func (p Page) Shows(count int) {
	p.T.Helper()
	p.Until(fmt.Sprintf("%s === %d", stones, count))
}
