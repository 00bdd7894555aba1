package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// analysed opens the analysis of a record in a new server's page, and returns the server, the page
// and the document's ID.
func analysed(t *testing.T, sgf string) (*Server, *browsertest.Tab, string) {
	t.Helper()
	s, p := newPage(t)
	doc := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: sgf}).ID
	p.Do(chromedp.Navigate(s.Address() + "analyse/" + doc))
	p.Until(`document.querySelector("main.analyse .grid")`)
	return s, p, doc
}

// TestWebLife presses a stone in an analysis and asks whether it lives, looks at both cards, plays
// against a proof by mouse, and asks again by keys.
func TestWebLife(t *testing.T) {
	s, p, doc := analysed(t, cornerRecord)
	p.Until(`Number(document.querySelector(".engine-line")?.dataset.visits) > 0`)
	p.Point("A8")
	p.Until(`document.querySelector(".life h2")?.innerText === "White: A8"`)
	p.Press("Is it alive?")
	card := func(first string) string { return `document.querySelector('.life-card[data-first="` + first + `"]')` }
	p.Until(card("b") + `?.dataset.verdict === "dead" && ` + card("w") + `?.dataset.verdict === "alive" && document.querySelector('.life[data-busy="false"]')`)
	browsertest.Equal(p, 2, `document.querySelectorAll('.life-card[data-proved="true"]').length`)
	p.Until(`document.querySelector("#polite").innerText.includes("Black first: dead, proved. Works for Black: B9")`)
	p.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel === "B9, works") && [...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel === "A8 white, asked about")`)
	p.Axe("a question of life and death")

	// Black plays the vital point, then White moves: the page plays Black's replies from the proof
	// until White's stones are captured or have no room for two eyes.
	p.Do(chromedp.Evaluate(card("b")+`.querySelector("button.small").click()`, nil))
	p.Until(`document.querySelector(".life-line p")?.innerText.includes("first move for Black")`)
	p.Point("B9")
	p.Until(`document.querySelector(".life-line")?.innerText.includes("Play any move for White")`)
	p.Point("A9")
	p.Until(`/taken|no room/.test(document.querySelector(".life-line p")?.innerText ?? "")`)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft)) // takes the last move back
	p.Until(`document.querySelector(".life-line")?.innerText.includes("Play any move for White")`)
	p.Press("From the start")
	p.Until(`document.querySelector(".life-line p")?.innerText.includes("first move for Black")`)
	p.Point("A9")
	p.Until(`document.querySelector(".life-line p")?.innerText === "The stones live." && document.querySelector(".life-line .dim").innerText === "A9 B9"`)
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Until(`!document.querySelector(".life-line") && document.querySelector(".life-cards")`)

	// Without the assumption that the wall is alive, there is a new answer, which names no assumed chain.
	p.Click(`.life-assumed .chip`)
	p.Until(`document.querySelectorAll(".life-card").length === 2 && !document.querySelector(".life-assumed .chip")`)
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Until(`!document.querySelector(".life")`)

	// The same works with keys alone.
	p.Do(chromedp.Evaluate(`[...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel === "A8 white").focus()`, nil), chromedp.KeyEvent(kb.Enter))
	p.Until(`document.querySelector("#polite").innerText.includes("White: A8")`)
	p.Do(chromedp.KeyEvent("i"))
	p.Until(card("w") + `?.dataset.verdict === "alive"`)
	browsertest.Equal(p, 1, `document.querySelectorAll(".tree-view, .nav").length`)
	require.Len(t, ask[api.Doc](join(t, s), "watch", api.Watch{What: "doc:" + doc}).Nodes, 1, "nothing was played in the game tree")
}

// TestWebLifeAfterGame asks about a stone after a game has ended.
func TestWebLifeAfterGame(t *testing.T) {
	s, p := newPage(t)
	c := join(t, s)
	g := c.play(begin(c, small("b")), "C3")
	c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	p.Do(chromedp.Navigate(s.Address() + "play/" + g.Game))
	p.Until(`document.querySelector(".over .next-steps")`)
	p.Point("C3")
	p.Press("Is it alive?")
	p.Until(`document.querySelectorAll(".life-card").length === 2`)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft)) // another position ends the question
	p.Until(`!document.querySelector(".life")`)
}

// twoCorners has the corner of cornerRecord twice: whoever moves first, exactly one of the two
// lives.
const twoCorners = `(;GM[1]FF[4]SZ[9]AW[ab][bb][cb][db][da][ih][hh][gh][fh][fi]AB[ac][bc][cc][dc][ec][eb][ea][ig][hg][gg][fg][eg][eh][ei])`

// TestWebLifeOfSeveral asks whether both of two groups live, then whether at least one does, and
// removes a wall from the assumptions: the next question keeps that choice.
func TestWebLifeOfSeveral(t *testing.T) {
	_, p, _ := analysed(t, twoCorners)
	p.Point("A8")
	p.Until(`document.querySelector(".life h2")?.innerText === "White: A8"`)
	browsertest.Equal(p, 0, `document.querySelectorAll(".life [role=radio]").length`)
	p.Point("J2")
	p.Until(`document.querySelector(".life h2")?.innerText === "White: A8, J2"`)
	whom := func(text string) string {
		return `document.querySelector('.life [role=radio][aria-checked="true"]')?.innerText === "` + text + `"`
	}
	verdicts := func(text string) string {
		return `document.querySelector('.life[data-busy="false"]') && [...document.querySelectorAll(".life-card[data-proved=true] .life-verdict")].map((v) => v.innerText).join() === "` + text + `"`
	}
	p.Until(whom("Do all live?"))
	p.Press("Is it alive?")
	p.Until(verdicts("at least one dies,at least one dies"))
	p.Do(chromedp.Evaluate(`document.querySelector('.life [role=radio][aria-checked="true"]').focus()`, nil), chromedp.KeyEvent(kb.ArrowRight))
	p.Until(whom("Does one live?"))
	p.Until(verdicts("at least one lives,at least one lives"))
	p.Until(`document.querySelector("#polite").innerText.includes("White first: at least one lives, proved. Works for White: pass, B9, H1")`)
	p.Axe("a question about two groups")

	// The wall stays removed in the next question.
	walls := `[...document.querySelectorAll(".life-assumed .chip")].map((c) => c.innerText.trim()).join()`
	browsertest.Equal(p, "E9,E3", walls)
	cards := ` && document.querySelectorAll(".life-card").length === 2`
	p.Click(`.life-assumed .chip`)
	p.Until(walls + ` === "E3"` + cards)
	p.Do(chromedp.Evaluate(`document.querySelector('.life [role=radio][aria-checked="true"]').focus()`, nil), chromedp.KeyEvent(kb.ArrowLeft))
	p.Until(whom("Do all live?") + cards)
	browsertest.Equal(p, "E3", walls)
	p.Point("J2") // after the last answer, a press asks a new question
	p.Until(`document.querySelector(".life h2")?.innerText === "White: J2" && !document.querySelector(".life [role=radio]")`)
}

// TestLifeStaysInItsPlace asks from the toolbar of an analysis whether stones live: the panel
// pushes nothing off the screen, and an unproved answer looks different from a proved one.
func TestLifeStaysInItsPlace(t *testing.T) {
	testshared.Long(t)
	looks(t)
	_, p, _ := analysed(t, cornerRecord[:len(cornerRecord)-1]+"AB[fg])")
	p.Until(`Number(document.querySelector(".engine-line")?.dataset.visits) > 0`)
	p.Do(chromedp.Evaluate(`{ const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) { send.call(this, text.includes('"life.ask"') ? text.replace('"stones":', '"seconds":2,"stones":') : text); }; }`, nil)) // a limit of 2 seconds: without a proof a search takes its whole time, usually 30 seconds
	const tool = `.tools-row .tool[title^="Is it alive?"]`
	p.Click(tool)
	p.Until(`document.querySelector(".toast")?.innerText.includes("Press a stone.")`)
	for i, q := range []struct{ stone, border string }{{"A8", "solid"}, {"F3", "dashed"}} {
		p.Point(q.stone)
		p.Until(`document.querySelector(".life h2")?.innerText.endsWith(" ` + q.stone + `")`)
		if i > 0 { // the first one was pressed after the tool, and is asked about at once
			p.Click(tool)
		}
		p.Until(`document.querySelectorAll('.life[data-busy="false"] .life-card').length === 2`)
		browsertest.Equal(p, q.border, `getComputedStyle(document.querySelector(".life-card")).borderTopStyle`)
		eachLook(p, func(what string, size [2]int64) {
			p.NothingSticksOut(what)
			p.Layout([]string{".life", ".engine-line", ".cands", ".tab-body", ".tools-row"}, func(r []browsertest.Rect) bool {
				return size[0] < 1000 || r[0].On(size) && r[1].On(size) && r[2].On(size) && r[2].Height() >= 80 && r[3].Height() >= 80 && r[4].On(size)
			}, what)
			p.Picture("life in analysis " + q.stone + " " + what)
		})
	}
	p.Axe("a question in an analysis")
}
