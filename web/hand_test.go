package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
)

// newGame begins a game on the server and shows it.
func newGame(p *browsertest.Tab, s *Server, n api.NewGame) string {
	p.T.Helper()
	c := join(p.T, s)
	id := ask[api.ID](c, "game.new", n).ID
	p.Do(chromedp.Navigate(s.Address() + "play/" + id))
	p.Until(browsertest.Play + `?.dataset.online === "open"`)
	return id
}

// resign ends the game that is shown.
func resign(p *browsertest.Tab) {
	p.T.Helper()
	p.Press("Resign")
	p.Click(`.strip .danger`)
}

// touch presses one point and releases over another.
func touch(p *browsertest.Tab, from, to string) {
	p.T.Helper()
	x, y := p.Where(from)
	p.Do(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: x, Y: y}}))
	if to != from {
		x, y = p.Where(to)
		p.Do(input.DispatchTouchEvent(input.TouchMove, []*input.TouchPoint{{X: x, Y: y}}))
	}
	p.Do(input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
}

// hears waits until the board accepts touches again: after a change it ignores them for a short
// time.
func hears(p *browsertest.Tab) {
	p.T.Helper()
	require.True(p.T, browsertest.JS[bool](p, `new Promise((done) => setTimeout(() => done(true), 300))`))
}

const movesMade = `document.querySelector("main.play").dataset.rev`

// TestPhone plays on 19x19 with a finger: one tap previews, a second one plays, and the preview
// can be corrected.
func TestPhone(t *testing.T) {
	s, p := newPage(t)
	p.Do(emulation.SetDeviceMetricsOverride(390, 844, 2, true), emulation.SetTouchEmulationEnabled(true))
	newGame(p, s, api.NewGame{Size: [2]int{19, 19}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 1}})
	p.Mine()
	hears(p)
	rev := browsertest.JS[string](p, movesMade)
	before := p.Layout([]string{".board"}, func([]browsertest.Rect) bool { return true })
	touch(p, "D4", "D4")
	p.Until(`document.querySelector(".place-bar .primary")?.innerText.includes("D4")`)
	p.Layout([]string{".board"}, func(r []browsertest.Rect) bool { return r[0] == before[0] }, "the board stays at %v: a second tap lands where the first did", before)
	for _, key := range []struct {
		name   string
		dx, dy float64
	}{{"←", -1, 0}, {"→", 1, 0}, {"↑", 0, -1}} { // the page's arrow buttons are laid out as on a keyboard
		browsertest.Equal(p, []float64{key.dx, key.dy}, fmt.Sprintf(`(() => { const at = (n) => { const r = document.querySelector('.place-bar button[aria-label="' + n + '"]').getBoundingClientRect(); return [r.x, r.y]; };
			const [a, b] = [at(%q), at("↓")]; return [Math.sign(a[0] - b[0]), Math.sign(a[1] - b[1])]; })()`, key.name))
	}
	require.Equal(t, rev, browsertest.JS[string](p, movesMade), "a tap shows only")
	p.Click(`.place-bar button[aria-label="→"]`)
	p.Until(`document.querySelector(".place-bar .primary")?.innerText.includes("E4")`)
	p.Press("Place E4")
	p.Until(movesMade + ` !== "` + rev + `"`)
	p.Mine()
	p.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("E4 black"))`)
	p.Until("document.documentElement.scrollWidth <= 390")

	// A press that slides off the board plays nothing, and neither does a finger that stayed on the
	// board while the position changed.
	hears(p)
	rev = browsertest.JS[string](p, movesMade)
	x, y := p.Where("Q16")
	p.Do(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: x, Y: y}}), input.DispatchTouchEvent(input.TouchMove, []*input.TouchPoint{{X: x, Y: 2}}), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
	p.Until(`!document.querySelector(".place-bar")`)
	p.Do(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: x, Y: y}}))
	p.Press("Pass")
	p.Until(movesMade + ` !== "` + rev + `"`)
	p.Mine()
	rev = browsertest.JS[string](p, movesMade)
	p.Do(input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
	hears(p) // time in which the page could react to the finger by mistake
	require.Equal(t, rev, browsertest.JS[string](p, movesMade))
	require.False(t, browsertest.JS[bool](p, `!!document.querySelector(".place-bar")`))
}

// TestTwoTabs plays a game in two tabs. The browser's Back, Forward and Reload in one tab change nothing.
func TestTwoTabs(t *testing.T) {
	s, p := newPage(t)
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	other, _ := p.Beside()
	other.Do(chromedp.Navigate(s.Address() + "play/" + id))
	other.Mine()
	p.Mine()
	p.Point("E5")
	other.HasMoves(2)
	other.HasStones(2)
	other.Mine()
	other.Point(other.Free(map[string]bool{"E5": true}))
	p.HasMoves(4)
	other.HasMoves(4)
	for _, step := range []chromedp.Action{chromedp.NavigateBack(), chromedp.NavigateForward(), chromedp.Reload()} {
		p.Do(step)
	}
	p.Mine()
	p.HasMoves(4)
	p.HasStones(other.Stones())
}

// TestSizes shows boards of unusual sizes: no column is named I, and nothing overlaps.
func TestSizes(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	for _, size := range [][2]int{{5, 5}, {7, 13}, {25, 25}} {
		newGame(p, s, api.NewGame{Size: size, Rules: "chinese", Colour: "w", Seat: api.Seat{Visits: 1}})
		for _, screen := range [][2]int64{{1280, 800}, {844, 390}, {390, 844}} {
			p.Screen(screen[0], screen[1])
			p.Until(`document.querySelectorAll("[role=gridcell]").length === ` + fmt.Sprint(size[0]*size[1]))
			browsertest.Equal(p, "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size[0]], fmt.Sprintf(`[...document.querySelectorAll("[role=gridcell]")].slice(0, %d).map((c) => c.ariaLabel.split(/[0-9]/)[0]).join("")`, size[0]))
			p.Layout([]string{".board"}, func([]browsertest.Rect) bool { return true })
			p.None(`(() => { const b = document.querySelector(".board").getBoundingClientRect(); const bad = [];
				if (b.left < 0 || b.top < 0 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1) bad.push("board off the screen: " + JSON.stringify(b) + [innerWidth, innerHeight, scrollX, scrollY]);
				for (const e of document.querySelectorAll(".player, .actions, .message")) { const r = e.getBoundingClientRect(); if (r.width && r.left < b.right - 1 && r.right > b.left + 1 && r.top < b.bottom - 1 && r.bottom > b.top + 1) bad.push(e.className); }
				return bad; })()`, "%v on %v", size, screen)
		}
	}
}

// TestRecords opens records of every kind: long ones, other encodings, nonsense.
func TestRecords(t *testing.T) {
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 50, tab: "tree" }))`, nil), chromedp.Navigate(s.Address()+"analyse"))
	p.Until(`document.querySelector("main input[type=file]")`)
	var long strings.Builder
	long.WriteString("(;GM[1]FF[4]CA[GB18030]SZ[19]PB[\xba\xda\xc6\xe5]PW[\u202e<script>]") // 黑棋
	for i := range 10_000 {
		p := i % 361
		fmt.Fprintf(&long, ";%c[%c%c]", "BW"[i%2], 'a'+p%19, 'a'+p/19)
		if p == 360 {
			long.WriteString(";AE[aa:ss]")
		}
	}
	long.WriteString(")")
	chooseFiles(p, map[string]string{"long.sgf": long.String()})
	p.Until(`document.querySelector("main.analyse")`)
	p.Press("Game")
	p.Until(`document.querySelector(".game-tab")?.innerText.includes("黑棋") && document.querySelector(".game-tab").innerText.includes("<script>")`)
	p.Press("Tree")
	for range 40 {
		p.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	p.Until(`document.querySelector(".where input").value === "40"`)
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 1`)
	p.Do(chromedp.KeyEvent(kb.PageDown), chromedp.KeyEvent(kb.End))
	p.Until(`document.querySelector(".where").innerText.includes("10,000")`)

	// A record of an old Japanese program, in Shift JIS.
	shift := "(;GM[1]CA[Shift_JIS]SZ[9]PB[\x8d\x95]PW[\x94\x92]C[\x95\x5c];B[ee])" // 黒, 白 and 表; the second byte of 表 is a backslash
	p.Do(chromedp.Navigate(s.Address() + "analyse"))
	p.Until(`document.querySelector("main:not(.analyse) input[type=file]")`)
	chooseFiles(p, map[string]string{"old.sgf": shift})
	p.Until(`document.querySelector("main.analyse")`)
	p.Press("Game")
	p.Until(`document.querySelector(".game-tab")?.innerText.includes("黒")`)
	p.Press("Notes")
	p.Until(`document.querySelector("textarea.notes")?.value === "表"`)

	// Pasted nonsense gives an error.
	p.Do(chromedp.Evaluate(`{ const d = new DataTransfer(); d.setData("text", "hello"); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	p.Until(`document.querySelector(".toast.bad")?.innerText.includes("not a game record")`)
}

// TestWideTree opens a record of many variations: nodes outside the tree's window are not drawn,
// and a click finds its node.
func TestWideTree(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	var wide strings.Builder
	wide.WriteString("(;GM[1]FF[4]SZ[9]")
	for i := range 3000 {
		fmt.Fprintf(&wide, "(;B[%c%c];W[aa])", 'b'+i%8, 'b'+i/8%8)
	}
	wide.WriteString(")")
	up := upload(t, s, "", map[string]string{"wide.sgf": wide.String()})
	require.Empty(t, up[0].Error)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 5, tab: "tree" }))`, nil),
		chromedp.Navigate(s.Address()+"analyse/"+up[0].ID))
	p.Until(`document.querySelector(".tree canvas")`)
	p.Do(chromedp.Evaluate(`window.drawn = 0; for (const f of ["arc", "lineTo"]) {
		const is = CanvasRenderingContext2D.prototype[f];
		CanvasRenderingContext2D.prototype[f] = function (...a) { window.drawn++; return is.apply(this, a); };
	}
	document.querySelector(".tree").scrollTop = 1000 * 24`, nil))
	p.Until(`window.drawn > 0`)
	require.Less(t, browsertest.JS[int](p, "window.drawn"), 1000, "drawn for one step of the window")
	// Click on the node at the left end of a row, in the middle of the window.
	p.Do(chromedp.Evaluate(`(() => {
		const el = document.querySelector(".tree"), r = el.getBoundingClientRect();
		const row = Math.floor((el.scrollTop + 60) / 24);
		el.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.left + 16 + 26 - el.scrollLeft, clientY: r.top + 16 + row * 24 - el.scrollTop }));
	})()`, nil))
	p.Until(`document.querySelector(".where input").value === "1"`)
}
