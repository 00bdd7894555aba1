package web

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/engines"
)

// TestFirstUse: the page asks a newcomer one question, next to a board and a line on what Go is.
// Games begin at the rank in the answer; another browser offers that rank and does not ask again.
func TestFirstUse(t *testing.T) {
	looks(t)
	s := servePage(t, t.TempDir())
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.URL()))
	p.Until(`document.querySelector("main.first .mini") && document.querySelector("main.first p").innerText.includes("Go is a game of surrounding")`)
	p.Until(`!document.querySelector(".board, form.new, .front-row")`) // the page shows no other part
	p.Axe("first use")
	for _, size := range [][2]int64{{390, 844}, {360, 640}, {640, 360}, {1280, 800}} {
		p.Screen(size[0], size[1])
		p.Until(`document.querySelector(".view").scrollWidth <= innerWidth`)
		p.Picture(fmt.Sprintf("home-first-%d", size[0]))
	}
	p.Screen(320, 568) // on a phone too, the newcomer can leave the question and go to other screens
	p.Layout([]string{".more-places"}, func(r []browsertest.Rect) bool { return r[0].On([2]int64{320, 568}) })
	p.Click(".more-places")
	p.Click(`dialog[open] a[href="/learn"]`)
	p.Until(`location.pathname === "/learn"`)
	p.Do(chromedp.Navigate(s.Address()))
	p.Press("Not now")
	p.Until(browsertest.Home)
	p.Do(chromedp.Evaluate(`localStorage.removeItem("kosumi.player")`, nil), chromedp.Reload())
	p.Until(`document.querySelector(".first-yes select")`)
	p.Do(chromedp.SetValue(`.first-yes select`, "3k", chromedp.ByQuery))
	p.Press("Start")
	p.Until(browsertest.Home + `?.dataset.front === "new"`)
	require.Equal(t, "3k", s.welcome().Said)
	other := browsertest.Open(t)
	other.Do(chromedp.Navigate(s.URL()))
	other.Until(browsertest.Home + `?.dataset.front === "new"`)
	other.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false }))`, nil), chromedp.Navigate(s.Address()+"new"))
	other.Until(`document.querySelector("form.new .slider output")?.innerText === "3k"`)
	other.Clean()
	n := small("b")
	n.Size, n.Seat = [2]int{9, 9}, api.Seat{Level: engines.Auto}
	g := begin(join(t, s), n)
	at, err := level.ParseRank(g.Seat.Level)
	require.NoError(t, err)
	said, err := level.ParseRank("3k")
	require.NoError(t, err)
	require.InDelta(t, float64(said), float64(at), 4)
	require.Empty(t, s.games.levels.Fits(), "a rank that was said counts as a game")
	p.Do(chromedp.Reload())
	p.Enter()
	p.Until(browsertest.Home + `.dataset.front === "new" && document.querySelector(".more-games").innerText.includes("1 more game")`) // the question is not repeated, and a game without a move hides no new one
	join(t, s).play(g, "E5")
	p.Until(browsertest.Home + `.dataset.front === "game" && !document.querySelector(".more-games")`)
	// Until a game counts, the page shows the rank as claimed by the player, who can change it.
	const card = `document.querySelector("[aria-labelledby=home-rank]")?.innerText`
	p.Until(`/^Your rank: about 3k\s+From your own answer/.test(` + card + `)`)
	p.Click(`[aria-labelledby=home-rank] a`)
	p.Until(`document.querySelector("main.you #you-rank")?.innerText === "Your rank: about 3k"`)
	p.Axe("you, with a rank by the player's word")
	p.Do(chromedp.SetValue(`main.you select`, "5k", chromedp.ByQuery), chromedp.Evaluate(`document.querySelector("main.you select").dispatchEvent(new Event("change", { bubbles: true }))`, nil))
	p.Until(`document.querySelector("#you-rank").innerText === "Your rank: about 5k"`)
	require.Equal(t, "5k", s.welcome().Said)
	_, err = s.games.levels.Count("", time.Now(), board.Square(9), 8, 0, 1, 1)
	require.NoError(t, err)
	p.Do(chromedp.Reload())
	p.Until(`document.querySelector("main.you .big-result")`)
	rank := browsertest.JS[string](p, `document.querySelector("main.you .big-result").innerText`)
	p.Do(chromedp.Navigate(s.Address()))
	p.Until(card + `.includes("Your rank on 9×9: ` + rank + `")`)
	p.Clean()
}

// TestNewToGo: a newcomer who does not play yet begins with a lesson, and later plays the weakest
// level and gets the easiest problems.
func TestNewToGo(t *testing.T) {
	s := servePage(t, t.TempDir())
	c := join(t, s)
	before := ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Day.Problems
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.URL()))
	p.Click(".first-answers > button")
	p.Until(`location.pathname === "/learn/capture"`)
	for m := c.read(); m.T != "profile.state"; m = c.read() {
	}
	require.Equal(t, "30k", s.welcome().Said)
	after, err := s.player.State()
	require.NoError(t, err)
	require.NotEqual(t, before, after.Day.Problems)
	p.Do(chromedp.Navigate(s.Address()))
	p.Until(`document.querySelector(".front-text p")?.innerText.includes("30k")`)
	p.Clean()
}

// TestFrontDoor plays on the board of the first screen: the first click begins a new game, and a
// later click continues the unfinished game.
func TestFrontDoor(t *testing.T) {
	_, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: 9, limit: "visits", visits: 4, pace: false }))`, nil), chromedp.Reload())
	p.Enter()
	p.Until(browsertest.Home + `.dataset.front === "new"`)
	for _, size := range [][2]int64{{360, 640}, {390, 844}, {768, 1024}, {1024, 768}, {1280, 720}, {1366, 768}, {844, 390}} {
		p.Screen(size[0], size[1])
		p.Layout([]string{".board", ".front-row"}, func(r []browsertest.Rect) bool {
			return r[0].On(size) && r[1].On(size) && r[0].Width() > 0.5*float64(min(size[0], size[1]))
		}, "board and row at %v", size)
	}
	p.Axe("front door")
	p.Screen(1280, 720)
	p.Point("E5")
	p.Mine()
	p.HasMoves(2)
	p.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("E5 black"))`)

	p.Click(`.rail a[href="/"]`)
	p.Until(browsertest.Home + `?.dataset.front === "game"`)
	p.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("E5 black"))`)
	p.Until(`document.querySelector(".board.playable")`)
	v := p.Free(nil)
	p.Point(v)
	p.Until(browsertest.Play)
	p.HasMoves(4)
	resign(p)
	p.Until(browsertest.Play + `.dataset.phase === "over"`)

}

// TestStoneAtOnce presses a point: the page draws the stone while it handles the press, without
// waiting for the server or for the next repaint.
func TestStoneAtOnce(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	newGame(p, s, api.NewGame{Size: [2]int{19, 19}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 1}})
	p.Mine()
	x, y := p.Where("D4")
	require.True(t, browsertest.JS[bool](p, fmt.Sprintf(`(() => { const c = document.querySelector(".board canvas.stones"), r = c.getBoundingClientRect(), b = document.querySelector(".board");
		const there = () => c.getContext("2d").getImageData((%[1]g - r.left) * c.width / r.width, (%[2]g - r.top) * c.height / r.height, 1, 1).data[3] > 200;
		if (there()) return false;
		const press = (kind) => b.dispatchEvent(new PointerEvent(kind, { clientX: %[1]g, clientY: %[2]g, pointerId: 1, pointerType: "mouse", bubbles: true, button: 0, buttons: kind === "pointerdown" ? 1 : 0 }));
		press("pointerdown"); press("pointerup");
		return there(); })()`, x, y)))
	p.HasMoves(2)
}

// TestStoneStays answers a problem and tries a move in a review, but holds back the messages to the
// server: the stone stays on the board until its judgement arrives.
func TestStoneStays(t *testing.T) {
	testshared.Long(t)
	s := servePage(t, searched(t))
	p := openPage(t, s)
	beforeScripts(p, `window.held = []; { const Real = WebSocket; window.WebSocket = class extends Real {
			send(data) { if (/"(drill.answer|review.try)"/.test(data)) held.push(() => super.send(data)); else super.send(data); } }; }`)
	p.Do(chromedp.Reload())
	p.Enter()
	chooseFiles(p, map[string]string{"ours.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	p.Click(`.mistakes li button`)
	p.Until(`document.querySelector(".mistakes li button.on")`)
	stays := func(verdict string) {
		v := p.Free(nil)
		p.Point(v)
		p.Until(`held.length === 1`)
		require.True(t, browsertest.JS[bool](p, fmt.Sprintf(`new Promise((done) => setTimeout(() => done([...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith(%q + " "))), 1200))`, v)), "%s is gone before it is judged", v)
		p.Do(chromedp.Evaluate(`held.pop()()`, nil))
		p.Until(verdict)
	}
	before := p.Stones()
	stays(`document.querySelector(".mistake-box .good-text, .mistake-box .bad-text")`)
	p.HasStones(before) // the tried stone is gone
	p.Do(chromedp.Navigate(s.Address() + "drills"))
	p.Until(`document.querySelector("main.drill [role=gridcell]")`)
	stays(`document.querySelector("main.drill").dataset.answered !== ""`)
}
