package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// TestLookedAtOtherwise shows the screens at twice the size, in forced colours, in the dark scheme,
// on a phone and without motion: nothing sticks out or moves, and axe-core finds no serious fault
// in the dark scheme. Other tests run axe-core on the light scheme.
func TestLookedAtOtherwise(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := openSpoilt(t)
	review := browsertest.JS[string](p, "location.pathname")
	c := join(t, s)
	n := small("b")
	n.Size = [2]int{9, 9}
	g := c.play(begin(c, n), "E5")
	over := begin(c, n)
	c.do(over, "game.resign", api.GameCommand{Game: over.Game, Rev: over.Rev})
	doc := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;GM[1]FF[4]SZ[9];B[ee];W[cc])"}).ID
	looks := []struct {
		name          string
		width, height int64
		media         []*emulation.MediaFeature
		axe           bool
	}{
		{"reduced motion", 1280, 800, []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}, false}, // first, so that the pages load with it
		{"zoom of 200 %", 640, 400, nil, false},
		{"light, on a phone", 390, 844, []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}, false},
		{"dark", 1280, 800, []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}, true},
		{"forced colours", 1280, 800, []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}, false},
	}
	for _, path := range []string{"/", "/analyse", "/review", review, "/drills", "/settings", "/learn", "/learn/capture", "/problems", "/problems/today", "/you", "/networks", "/new", "/play/" + g.Game, "/play/" + over.Game, "/analyse/" + doc} {
		for i, look := range looks {
			p.Do(emulation.SetDeviceMetricsOverride(look.width, look.height, 2, false), emulation.SetEmulatedMedia().WithFeatures(look.media))
			if i == 0 {
				p.Do(chromedp.Navigate(s.Address() + path[1:]))
				p.Until(`document.querySelector("#view main:not([aria-busy])")`)
				browsertest.Equal(p, 0, "document.getAnimations().length", path)
			}
			p.Until(fmt.Sprintf("innerWidth === %d", look.width))
			p.NothingSticksOut("%s, %s", look.name, path)
			if look.axe {
				p.Axe(look.name + ", " + path)
			}
		}
	}
	p.Do(chromedp.Navigate(s.Address() + "analyse"))
	p.Click(`.game-cards button`) // analyse a game played on this server
	p.Until(`document.querySelector("main.analyse .where input")`)
}

// TestPrintReview: a printed review has no buttons, and its board leaves room on the page.
func TestPrintReview(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := openSpoilt(t)
	pages, err := filepath.Glob(filepath.Join(s.conf.Reviews, "*.html"))
	require.NoError(t, err)
	pages = slices.DeleteFunc(pages, func(p string) bool { return filepath.Base(p) == "drills.html" || filepath.Base(p) == "summary.html" })
	require.Len(t, pages, 1)
	p.Do(chromedp.Navigate("file://"+pages[0]), emulation.SetEmulatedMedia().WithMedia("print"))
	p.Until(`document.querySelector("main.review .board")`)
	p.None(`[...document.querySelectorAll(".nav, .tabs, .tools-row")].filter((e) => e.getBoundingClientRect().height > 0).map((e) => e.className)`, "buttons are not printed")
	p.Until(`document.querySelector(".board").getBoundingClientRect().height / 96 * 2.54 <= 20`) // at most 20 cm high, so that it fits on a page
	for _, paper := range [][2]float64{{8.27, 11.69}, {8.5, 11}} {
		p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
			pdf, _, err := page.PrintToPDF().WithPaperWidth(paper[0]).WithPaperHeight(paper[1]).WithPrintBackground(false).Do(ctx)
			require.Equal(t, "%PDF", string(pdf[:min(4, len(pdf))]))
			return err
		}))
	}
}

// TestPointing moves the pointer over the candidates while numbers come in: no row changes its
// place.
func TestPointing(t *testing.T) {
	testshared.Long(t)
	_, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 100000, tab: "tree" }));
		{ const d = new DataTransfer(); d.setData("text", "(;GM[1]FF[4]SZ[9];B[ee])"); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 3`)
	p.Do(chromedp.Evaluate(`window.dispatchEvent(new KeyboardEvent("keydown", { key: " ", shiftKey: true, bubbles: true }))`, nil)) // search without an end: otherwise the search stops after seconds without a change
	const rows = `[...document.querySelectorAll(".cands tbody tr th")].slice(0, 4).map((e) => e.childNodes[0].data).join(" ")`
	moved := browsertest.JS[[]string](p, `(async () => { const seen = []; for (let i = 0; i < 20; i++) {
		const row = document.querySelectorAll(".cands tbody tr")[1], before = `+rows+`;
		row.dispatchEvent(new MouseEvent("mouseenter"));
		await new Promise((done) => setTimeout(done, 20));
		if (`+rows+` !== before) seen.push(before + " became " + `+rows+`);
		row.closest(".cands").dispatchEvent(new MouseEvent("mouseleave"));
		await new Promise((done) => setTimeout(done, 80));
	} return seen; })()`)
	require.Empty(t, moved, "rows that moved as they were pointed at")
	p.Hover(".cands tbody tr:nth-child(2) th")
	p.Until(`document.querySelectorAll(".cands tbody tr")[1].classList.contains("on")`)
	before, visits := browsertest.JS[string](p, rows), browsertest.JS[int](p, `Number(document.querySelector(".engine-line").dataset.visits)`)
	p.Until(fmt.Sprintf(`Number(document.querySelector(".engine-line").dataset.visits) > %d`, visits+500))
	require.Equal(t, before, browsertest.JS[string](p, rows))
	browsertest.Equal(p, 1, `document.querySelectorAll(".cands tbody tr.on").length`)
}

// TestLookDeeper presses a button that searches a candidate of a finished search more deeply, until
// the button is pressed again. Then it does the same for marked points.
func TestLookDeeper(t *testing.T) {
	testshared.Long(t)
	_, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ on: true, visits: 60, moves: true, tab: "tree" }));
		{ const d = new DataTransfer(); d.setData("text", "(;GM[1]FF[4]SZ[9];B[ee];W[cg]SQ[ah][bi][cg])"); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 3`)
	p.Do(chromedp.KeyEvent(kb.End))
	p.Until(`document.querySelector(".engine-line button[title='shift+space']") && document.querySelectorAll(".cands tbody tr").length > 3`) // the search has ended
	node := browsertest.JS[string](p, `document.querySelector("main.analyse").dataset.node`)
	name := browsertest.JS[string](p, `document.querySelectorAll(".cands tbody tr th")[2].childNodes[0].data`)
	button := fmt.Sprintf(`[...document.querySelectorAll(".cands tbody tr")].find((r) => r.querySelector("th").childNodes[0].data === %q)?.querySelector(".deeper")`, name)
	p.Do(chromedp.Evaluate(button+`.click()`, nil))
	p.Until(fmt.Sprintf(`%s?.getAttribute("aria-pressed") === "true" && Number(%s.closest("tr").children[4].innerText.replace(/[^0-9]/g, "")) > 100`, button, button))
	p.Do(chromedp.Evaluate(button+`.click()`, nil))
	p.Until(fmt.Sprintf(`%s?.getAttribute("aria-pressed") === "false"`, button))
	p.Press("Look deeper at marks")
	p.Until(browsertest.Button("Look deeper at marks") + `.getAttribute("aria-pressed") === "true"`)
	for _, v := range []string{"A2", "B1"} { // a bad move and its mirror image: they are listed because they are marked
		p.Until(fmt.Sprintf(`[...document.querySelectorAll(".cands tbody tr th")].some((e) => e.innerText.includes(%q))`, v)) // a row lists the move, perhaps as the mirror image of another
	}
	require.Equal(t, node, browsertest.JS[string](p, `document.querySelector("main.analyse").dataset.node`), "nothing was played")
}

// cable is a connection to a server. Tests can cut the connection.
type cable struct {
	net.Listener
	to string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (c *cable) serve() {
	for {
		near, err := c.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", c.to)
		c.mu.Lock()
		if c.cut || err != nil {
			near.Close()
			c.mu.Unlock()
			continue
		}
		c.conns = append(c.conns, near, far)
		c.mu.Unlock()
		go func() { io.Copy(far, near); far.Close() }()
		go func() { io.Copy(near, far); near.Close() }()
	}
}

func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// TestCut places a stone while the connection is cut: it is played once.
func TestCut(t *testing.T) {
	s := servePage(t, t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	line := &cable{Listener: l, to: strings.TrimSuffix(strings.TrimPrefix(s.Address(), "http://"), "/")}
	t.Cleanup(func() { l.Close(); line.set(true) })
	s.access.AddName(l.Addr().String())
	go line.serve()
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(strings.Replace(s.URL(), line.to, l.Addr().String(), 1)))
	p.Enter()
	id := ask[api.ID](join(t, s), "game.new", api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}}).ID
	p.Do(chromedp.Navigate("http://" + l.Addr().String() + "/play/" + id))
	p.Mine()
	line.set(true)
	p.Until(browsertest.Play + `.dataset.online !== "open"`)
	p.Until(`document.querySelector(".strip-top.warn")`) // wait for the warning, which moves the board
	p.Point("E5")
	p.HasStones(1, "it is shown as on its way")
	line.set(false)
	p.Mine()
	p.HasMoves(2)
	p.HasStones(2)
}

// ears makes a page count: window.sounds counts the sounds that the page plays, and window.settled
// how often the page has decided whether it is the tab that plays them.
const ears = `window.sounds = 0; window.settled = 0; {
	const start = AudioScheduledSourceNode.prototype.start, own = AudioBufferSourceNode.prototype.start, request = navigator.locks.request.bind(navigator.locks);
	AudioScheduledSourceNode.prototype.start = function (...a) { sounds++; return start.apply(this, a); }; AudioBufferSourceNode.prototype.start = function (...a) { sounds++; return own.apply(this, a); };
	navigator.locks.request = (name, how, f) => request(name, how, (lock) => { const r = f(lock); settled++; return r; });
}`

// TestSounds counts sounds: one for a stone, none when sounds are off.
func TestSounds(t *testing.T) {
	testshared.Long(t)
	s, p := newPage(t)
	beforeScripts(p, ears)
	for _, on := range []bool{true, false} {
		p.Do(chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("kosumi.settings", JSON.stringify({ sound: %t }))`, on), nil))
		newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
		p.Mine()
		p.Point("E5")
		p.HasMoves(2)
		p.Mine()
		sounds := 0
		if on {
			p.Until(`settled === 1`) // the engine's stone
			sounds = 2               // the player's stone, which sounds as soon as it is placed, and the engine's
		}
		require.Equal(t, sounds, browsertest.JS[int](p, "sounds"), "of two stones")
	}

	// A pass is two tones. A capture of n stones has n+2 sounds: the stone's and n+1 ticks. If
	// several tabs show a game, only one of them plays its sounds.
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", "{}")`, nil))
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Mine()
	other, stop := p.Beside()
	beforeScripts(other, ears)
	other.Do(chromedp.Navigate(s.Address() + "play/" + id))
	other.Mine()
	other.Do(chromedp.MouseClickXY(3, 3)) // a user gesture: without one the browser allows no sound
	p.Point("E5")
	p.HasMoves(2)
	p.Until(`settled === 1`)
	other.Until(`settled === 1`)
	require.Equal(t, 2, browsertest.JS[int](p, "sounds")+browsertest.JS[int](other, "sounds"), "each of two stones, once")
	stop()
	before := browsertest.JS[int](p, "sounds")
	p.Press("Pass")
	p.Until(`settled === 2`) // the engine has answered
	require.GreaterOrEqual(t, browsertest.JS[int](p, "sounds"), before+3)
	p.Do(chromedp.Evaluate(`{ const d = new DataTransfer(); d.setData("text", "(;GM[1]FF[4]SZ[9]AB[ba][cb]AW[aa][bb]PL[B])"); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	p.Until(`document.querySelector("main.analyse")`)
	p.Do(chromedp.Evaluate(`sounds = 0`, nil))
	p.Point("A8")
	p.Until(`sounds === 3`)
}

// TestFolder drops a folder of fifty records and another file: every record is queued for review,
// and no complaint appears.
func TestFolder(t *testing.T) {
	_, p := newPage(t)
	dir := filepath.Join(t.TempDir(), "club")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "old"), 0o700))
	for i := range 50 {
		name := filepath.Join(dir, fmt.Sprintf("%d.sgf", i))
		if i%2 == 0 {
			name = filepath.Join(dir, "old", fmt.Sprintf("%d.SGF", i))
		}
		require.NoError(t, os.WriteFile(name, []byte(fmt.Sprintf("(;GM[1]FF[4]SZ[5];B[%c%c];W[%c%c])", 'a'+i%5, 'a'+i/5%5, 'a'+(i+1)%5, 'a'+(i/5+i/25+1)%5)), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.pdf"), []byte("%PDF-1.7"), 0o600))
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{dir}, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		p.Do(input.DispatchDragEvent(kind, 600, 400, data))
	}
	p.Until(`document.querySelectorAll(".review-row").length === 50`)
	p.Until(`!document.querySelector(".toast.bad")`)
}
