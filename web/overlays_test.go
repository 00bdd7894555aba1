package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
)

// drawings makes the page store the positions of the texts and squares that are now drawn on the
// board's canvas in window.texts and window.squares.
const drawings = `window.texts = new Map(); window.squares = new Set(); { const at = (c, x, y) => Math.round(x) + "," + Math.round(y), of = CanvasRenderingContext2D.prototype, { fillText, rect, clearRect } = of, on = (c) => c.canvas.classList.contains("stream");
	of.clearRect = function (...a) { if (on(this)) { texts.clear(); squares.clear(); } return clearRect.apply(this, a); };
	of.fillText = function (text, x, y, ...more) { if (on(this)) texts.set(text + "@" + at(this, x, y), [x, y]); return fillText.call(this, text, x, y, ...more); };
	of.rect = function (x, y, w, h) { if (on(this)) squares.add([x + w / 2, y + h / 2]); return rect.call(this, x, y, w, h); }; }`

// TestOverlaysTogether shows moves, territory and policy at once: no number is drawn on a square, a
// candidate shows its share of the policy, moves of few visits get no letter, and the candidates
// seldom change places.
func TestOverlaysTogether(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	id := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: "(;SZ[9];B[ee];W[gc];B[cc];W[gg];B[cg])"}).ID
	beforeScripts(p, drawings)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 300, tab: "tree", area: true, policy: true }))`, nil),
		chromedp.Navigate(s.Address()+"analyse/"+id+"?at=5"))
	p.Until(`Number(document.querySelector(".engine-line")?.dataset.visits) >= 200 && document.querySelector(".cands tbody tr") && squares.size > 5`)
	eachLook(p, func(what string, size [2]int64) {
		browsertest.Eventually(p, `[...texts.values()].filter(([x, y]) => [...squares].some(([a, b]) => Math.abs(a - x) < 6 && Math.abs(b - y) < 12)).length`, func(n int) bool { return n == 0 }, "a number on a square, %s", what)
		p.Until(`squares.size > 5 && [...texts.keys()].some((k) => /^\d+@/.test(k) && [...texts.keys()].some((l) => /^A@/.test(l) && l.split(/[@,]/)[1] === k.split(/[@,]/)[1]))`)
		p.NothingSticksOut(what)
		p.Picture("overlays " + what)
	})
	const rows = `[...document.querySelectorAll(".cands tbody tr")].map((r) => [r.querySelector(".key").innerText, r.children[2].innerText, r.children[3].innerText, r.children[4].innerText])`
	for i, r := range browsertest.JS[[][]string](p, rows) {
		var visits int
		fmt.Sscan(r[3], &visits)
		require.Equal(t, i == 0 || visits >= 10, r[0] != "", "the letter of row %d: %v", i, r)
		require.NotEqual(t, "0.0", r[1], "%v", r)
	}
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 100000, tab: "tree" }))`, nil), chromedp.Reload())
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 3`)
	changes := browsertest.JS[int](p, `(async () => { const order = () => [...document.querySelectorAll(".cands tbody tr th")].slice(0, 4).map((e) => e.childNodes[0].data).join(); let [n, last, end] = [0, order(), performance.now() + 2500];
		while (performance.now() < end) { await new Promise((done) => setTimeout(done, 50)); if (order() !== last) { n++; last = order(); } } return n; })()`)
	require.LessOrEqual(t, changes, 2, "rows that change places while one looks")
}

// TestHintStones asks for the third hint: its stones look different from those of the game.
func TestHintStones(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Mine()
	p.Try("E5")
	for stage := range 3 {
		if stage == 2 { // the hint before the last names several moves, or the best one
			p.Until(`/One of these: .+, .+|Best: \S+\.$/.test(document.querySelector(".message").innerText.split(" ·")[0])`)
		}
		p.Until(browsertest.Button("Hint") + `.disabled === false && ` + browsertest.Button("Hint") + `.ariaPressed !== "true"`)
		p.Press("Hint")
	}
	p.Until(`document.querySelectorAll(".board svg .number").length > 1`)
	const opacity = `((x, y) => { const c = document.querySelector(".board canvas.stones"); return c.getContext("2d").getImageData(Math.round(x * c.width / c.clientWidth), Math.round(y * c.height / c.clientHeight), 1, 1).data[3]; })`
	eachLook(p, func(what string, size [2]int64) {
		browsertest.Eventually(p, opacity+`(...["x", "y"].map((k) => Number(document.querySelector(".board svg .number").getAttribute(k))))`, func(a int) bool { return a > 60 && a < 160 }, "a stone of the hint, %s", what)
		p.Picture("hint " + what)
	})
}

// TestCountIsLegible looks at the counting of a game: no number is drawn on a square.
func TestCountIsLegible(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	c := join(t, s)
	n := small("b")
	n.Size = [2]int{9, 9}
	g := c.play(begin(c, n), "E5")
	for i := 0; g.Phase == store.Play && i < 40; i++ {
		g = c.play(g, "pass")
	}
	require.Equal(t, store.Counting, g.Phase)
	const squared = `(() => { const c = document.querySelector(".board canvas.stream"), d = c.getContext("2d"); return [...document.querySelectorAll(".board svg .number")].filter((e) => d.getImageData(Math.round(e.getAttribute("x") * c.width / c.clientWidth) - 4, Math.round(e.getAttribute("y") * c.height / c.clientHeight) - 4, 8, 8).data.some((v) => v > 0)).map((e) => e.textContent); })()`
	played := opened(t, s, g.Game)
	played.mu.Lock()
	stone := board.Point(strings.IndexByte(g.Stones, 'w')) // the test marks this stone as one that may live or die
	played.rec.Marking.Open = []board.Point{stone}
	played.mu.Unlock()
	p.Do(chromedp.Navigate(s.Address() + "play/" + g.Game))
	p.Until(fmt.Sprintf(`[...document.querySelectorAll("[role=gridcell]")].some((c) => /^%s white.*not settled/.test(c.ariaLabel)) && document.querySelector(".count .note.warn").innerText.includes("Stones with ? may live or die")`, board.Square(9).Vertex(stone)))
	browsertest.Equal(p, "?", `[...document.querySelectorAll(".board svg .number")].map((e) => e.textContent).join()`)
	p.Axe("unsettled stones")
	p.None(squared, "question marks on squares")
	c.do(g, "game.score", api.Score{Game: g.Game, Rev: g.Rev, Accept: true})
	p.Press("Follow the count")
	for range 2 {
		p.Press("Next")
	}
	eachLook(p, func(what string, size [2]int64) {
		p.Until(`document.querySelectorAll(".board svg .number").length > 1`)
		p.None(squared, "numbers on squares, %s", what)
		p.Picture("count " + what)
	})
}

// TestLabelsFit shows a new game and the summary of a review: no label is cut or leaves its
// button, no digit leaves its part of the bar, and the Play button does not cover the clocks.
func TestLabelsFit(t *testing.T) {
	looks(t)
	s, p, id := openReviewed(t)
	const cut = `[...document.querySelectorAll(".choice button, .chip, .bars .part, .tabs button")].filter((e) => e.scrollWidth > e.clientWidth + 1 || (() => { const r = document.createRange(); r.selectNodeContents(e); const [a, b, c] = [r, e, e.parentElement].map((x) => x.getBoundingClientRect()); return a.left < b.left - 1 || a.right > b.right + 1 || b.right > c.right + 1; })()).map((e) => e.innerText)`
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ more: true, other: true }))`, nil))
	eachLook(p, func(what string, size [2]int64) {
		p.Do(chromedp.Navigate(s.Address() + "new"))
		p.Until(`document.querySelector("form.new .stick")`)
		p.None(cut, what)
		p.Do(chromedp.Evaluate(`document.querySelector(".more [aria-label=Clock]").scrollIntoView({ block: "nearest" })`, nil))
		p.Layout([]string{".more [aria-label=Clock]", ".stick .button"}, func(r []browsertest.Rect) bool { return !r[0].Over(r[1]) }, "Play and the clock, %s", what)
		p.Picture("new " + what)
		p.Do(chromedp.Navigate(s.Address() + "review/" + id))
		p.Until(`document.querySelector("main.review .mistakes li")`)
		if browsertest.JS[bool](p, `!!document.querySelector(".who")`) {
			p.Press("Ann")
			p.Until(`!document.querySelector(".who")`)
		}
		p.None(cut, what)
		p.Press("Summary")
		p.Until(`document.querySelectorAll(".bars .part").length > 3`)
		p.None(cut, what)
		p.NothingSticksOut(what)
		p.None(`(() => { const all = [...document.querySelectorAll(".bars .part")].map((e) => e.getBoundingClientRect()); return all.filter((a, i) => all.some((b, k) => k > i && a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom && b.top < a.bottom)).map(String); })()`, "parts that overlap, %s", what)
		p.Do(chromedp.Evaluate(`document.querySelector(".bars").scrollIntoView({ block: "center" })`, nil))
		p.Picture("summary " + what)
		p.Press("Mistakes")
	})
}
