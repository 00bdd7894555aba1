package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// TestProblemsAtEveryWidth shows a problem on phones and tablets: its board fills the
// width.
func TestProblemsAtEveryWidth(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := openSpoilt(t)
	p.Do(chromedp.Navigate(s.Address() + "drills"))
	p.Until(`document.querySelector("main.drill .board")`)
	for _, size := range [][2]int64{{360, 640}, {390, 844}, {640, 900}, {768, 1024}, {900, 1200}} {
		p.Screen(size[0], size[1])
		p.Layout([]string{".board"}, func(r []browsertest.Rect) bool { return r[0].Width() > 0.8*float64(min(size[0], size[1]-260)) }, "the board at %v", size)
	}
}

// TestUndoAll takes back a whole game move by move, and redoes it.
func TestUndoAll(t *testing.T) {
	s, p := newPage(t)
	newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Mine()
	for _, v := range []string{"E5", "C3", "G7"} {
		p.Try(v)
	}
	made := browsertest.JS[int](p, `document.querySelectorAll(".moves li").length`)
	for n := made - 2; n >= 0; n -= 2 {
		p.Press("Undo")
		p.HasMoves(n)
		p.Mine()
	}
	p.Until(browsertest.Button("Undo") + ".disabled")
	p.Press("Redo")
	p.HasMoves(2)
	p.Do(chromedp.KeyEvent("U"))
	p.HasMoves(4)
	p.Do(chromedp.KeyEvent("u"))
	p.HasMoves(2)
}

// TestPhoneGame: on a phone, the screen has room for the list of moves, the menu and the way out of a game.
func TestPhoneGame(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	for _, size := range [][2]int64{{360, 640}, {390, 844}, {640, 360}, {844, 390}} {
		p.Screen(size[0], size[1])
		newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
		p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
		p.Mine()
		p.Try("E5")
		p.Until(`document.querySelectorAll(".moves li").length === 2`)
		within := func(selector string) {
			p.Layout([]string{selector}, func(r []browsertest.Rect) bool { return r[0].On(size) && r[0].Width() > 30 && r[0].Height() > 20 }, "%s at %v", selector, size)
		}
		within(".moves li.now button")
		within(".actions")
		p.Click(`.more-button .tool`)
		within(".more-menu")
		p.Do(chromedp.Evaluate(`[...document.querySelectorAll(".leave")].find((e) => e.getBoundingClientRect().width >= 44).click()`, nil))
		p.Until(browsertest.Home + `?.dataset.front === "game"`)
		within(".front-row")
	}
}

// TestLevelsOfTheBoard: for each board the page offers exactly the levels that can be played on it.
func TestLevelsOfTheBoard(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "20k", size: 9 }))`, nil), chromedp.Navigate(s.Address()+"new"))
	c := join(t, s)
	for _, side := range []int{9, 13, 19} {
		p.Press(fmt.Sprintf("%d×%d", side, side))
		levels := ask[[]api.Level](c, "levels.on", api.OnBoard{Size: [2]int{side, side}})
		require.NotEmpty(t, levels)
		weakest, strongest := levels[0].ID, levels[len(levels)-1].ID
		p.Until(fmt.Sprintf(`document.querySelector(".levels-here")?.innerText.includes("%s to %s")`, weakest, strongest))
		p.Do(chromedp.Evaluate(`document.querySelector("form.new input[type=range]").focus()`, nil), chromedp.KeyEvent(kb.Home))
		p.Until(`document.querySelector("form.new output").innerText === "` + weakest + `"`)
		p.Do(chromedp.KeyEvent(kb.End))
		p.Until(`document.querySelector("form.new output").innerText === "full strength"`)
		for _, l := range s.welcome().Levels {
			n := api.NewGame{Size: [2]int{side, side}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: l.ID}}
			if l.Rank < levels[0].Rank || l.Rank > levels[len(levels)-1].Rank {
				require.Contains(t, c.refused("game.new", n).Text, weakest+" to "+strongest)
			} else {
				g := opened(t, s, ask[api.ID](c, "game.new", n).ID)
				require.Equal(t, l.ID, g.state().Seat.Level)
			}
		}
	}
}

// texts records in window.written the texts that are drawn on canvases from now on.
const texts = `window.written = []; { const is = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.written.push(text); return is.call(this, text, ...at); }; }`

// TestBoardSpeaksTheTable shows a 19x19 board on a small laptop: the board has coordinates, and
// names the candidates by their letters in the table, also while it shows the policy.
func TestBoardSpeaksTheTable(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	id := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: "(;SZ[19];B[pd])"}).ID
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 60, tab: "tree", area: true }))`, nil))
	p.Screen(1280, 720)
	p.Do(chromedp.Navigate(s.Address() + "settings")) // another screen first, so that the next script runs before the board is drawn
	p.Until(`document.querySelector("main.settings")`)
	p.Do(chromedp.Evaluate(texts+`; history.pushState(null, "", "/analyse/`+id+`"); dispatchEvent(new PopStateEvent("popstate"))`, nil))
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 1`) // two moves, listed with their mirror images
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	for _, text := range []string{"A", "T", "1", "19", "10"} {
		p.Until(fmt.Sprintf("written.includes(%q)", text))
	}
	letters := `document.querySelectorAll(".cands tbody tr").length > 2 && [...document.querySelectorAll(".cands tbody tr")].slice(0, 3).map((r) => r.querySelector(".key").innerText).every((l, i) => (l || i) && (!l || written.includes(l)))`
	p.Do(chromedp.Evaluate(`written.length = 0`, nil), chromedp.KeyEvent("5"), chromedp.KeyEvent("5"))
	p.Until(letters)
	const blue = `(() => { const c = document.querySelector(".board canvas.stream"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i] === 11 && d[i + 1] === 87 && d[i + 2] === 208 && d[i + 3] === 255) n++; return n; })()`
	p.Until(blue + " > 30")
	p.Do(chromedp.Evaluate(`written.length = 0`, nil), chromedp.KeyEvent("3"))
	p.Until(browsertest.Button("First instinct") + `.ariaPressed === "true"`)
	p.Until(letters)
	p.Until(blue + " > 30") // the best candidate is still drawn
}

// TestDroppedGameIsAnalysed opens a record: the page analyses the whole game without being asked.
func TestDroppedGameIsAnalysed(t *testing.T) {
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 25, tab: "tree" }))`, nil), chromedp.Navigate(s.Address()+"analyse"))
	p.Until(`document.querySelector("main input[type=file]")`)
	chooseFiles(p, map[string]string{"game.sgf": spoiltNine})
	p.Until(`document.querySelector("main.analyse")`)
	p.Until(`document.querySelector(".sweep-note")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight)) // the position that the reader moves to is analysed first
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 1`)
	p.Until(`!document.querySelector(".sweep-note")`)
	require.Equal(t, "tree", browsertest.JS[string](p, `JSON.parse(localStorage.getItem("kosumi.analysis")).tab`), "the reader's tab stays")
	p.Press("Mistakes")
	p.Until(`document.querySelector(".mistakes li")`)
	p.Until("!" + browsertest.Button("Analyse the whole game")) // nothing is left to do
}

// TestNumbersAgree analyses an empty board: moves that are mirror images are counted once, and no
// zero has a sign.
func TestNumbersAgree(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	id := ask[api.ID](join(t, s), "doc.new", api.NewDoc{Size: [2]int{9, 9}}).ID
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 300, tab: "tree" }))`, nil), chromedp.Navigate(s.Address()+"analyse/"+id))
	p.Until(`Number(document.querySelector(".engine-line")?.dataset.visits) >= 200 && document.querySelector(".cands tbody tr")`) // a search of 300 visits may end after 200
	shown := browsertest.JS[struct {                                                                                              // all read from one frame
		Rows  [][]string
		Total int
	}](p, `({ rows: [...document.querySelectorAll(".cands tbody tr")].map((r) => [r.querySelector("th").childNodes[0].data, r.children[2].innerText, r.children[4].innerText]), total: Number(document.querySelector(".engine-line").dataset.visits) })`)
	sum, images := 0, map[string]bool{}
	for _, r := range shown.Rows {
		n, err := strconv.Atoi(r[2])
		require.NoError(t, err)
		sum += n
		require.NotRegexp(t, `^[−+-]0\.0$`, r[1])
		x, y := strings.IndexByte("ABCDEFGHJ", r[0][0]), int(r[0][1]-'1')
		x, y = min(x, 8-x), min(y, 8-y)
		image := fmt.Sprint(min(x, y), max(x, y))
		require.False(t, images[image], "%s is the image of another row", r[0])
		images[image] = true
	}
	require.LessOrEqual(t, sum, shown.Total)
}

// notesStay keeps notes from vanishing after some seconds, so that a test has time to examine them.
const notesStay = `{ const real = window.setTimeout; window.setTimeout = (f, ms, ...more) => (ms >= 2000 && ms <= 10000 ? 0 : real(f, ms, ...more)); }`

// underNote scrolls to the end and lists the buttons of the panel that a note covers there.
const underNote = `(() => { for (const e of document.querySelectorAll(".view, .view *")) e.scrollTop = 1e6; const t = document.querySelector(".toast").getBoundingClientRect();
	return [...document.querySelectorAll(".panel .button, .panel .tool")].filter((e) => { const r = e.getBoundingClientRect(); return r.left < t.right && t.left < r.right && r.top < t.bottom && t.top < r.bottom; }).map((e) => e.innerText); })()`

// TestNotesLeaveTheBoard: a note appears alone, beside the board and the buttons, and only on the
// screen where it arose.
func TestNotesLeaveTheBoard(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	id := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: "(;SZ[9];B[ee])"}).ID
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ on: false }))`, nil))
	for _, size := range [][2]int64{{1280, 720}, {1024, 768}, {768, 1024}, {844, 390}, {390, 844}, {360, 640}} {
		p.Screen(size[0], size[1])
		p.Do(chromedp.Navigate(s.Address() + "analyse/" + id))
		p.Until(`document.querySelector("main.analyse .board")`)
		p.Do(chromedp.Evaluate(notesStay, nil))
		for range 3 {
			p.Do(chromedp.KeyEvent("n")) // shows the note that no mistake is known
		}
		browsertest.Equal(p, 1, `document.querySelectorAll(".toast").length`)
		p.Layout([]string{".toast", ".board"}, func(r []browsertest.Rect) bool { return !r[0].Over(r[1]) }, "the note and the board at %v", size)
		p.None(underNote, "buttons under a note at %v", size)
		p.Click(`a[href="/settings"]`)
		p.Until(`document.querySelector("main.settings")`)
		browsertest.Equal(p, 0, `document.querySelectorAll(".toast").length`)
	}
}

// TestWhoseMistakes tells the page which of two players is the reader: the opponent's mistakes are
// not asked as problems, and the page asks nothing about the next game with the same name.
func TestWhoseMistakes(t *testing.T) {
	testshared.Long(t)
	s, p := openSpoilt(t)
	c := join(t, s)
	p.Until(`document.querySelector(".who")`)
	p.Axe("whose mistakes")
	both := ask[api.Drill](c, "drill.next", api.NextDrill{}).Total
	p.Press("Bo")
	p.Until(`!document.querySelector(".who")`) // the server has confirmed the answer
	d := ask[api.Drill](c, "drill.next", api.NextDrill{})
	require.Less(t, d.Total, both)
	for range d.Total {
		if d.Problem == nil {
			break
		}
		require.Equal(t, "Bo", d.Problem.Player)
		require.Equal(t, "w", d.Problem.ToMove)
		require.True(t, d.Problem.Yours)
		ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: d.Problem.ID})
		d = ask[api.Drill](c, "drill.next", api.NextDrill{Not: d.Problem.ID})
	}
	p.Do(chromedp.Navigate(s.Address()))
	p.Enter()
	chooseFiles(p, map[string]string{"nameless.sgf": strings.NewReplacer("PB[Aki <b>]", "", "PW[Bo]", "").Replace(spoiltNine)})
	p.Until(`document.querySelector(".who")`)
	p.Press("White")
	p.Until(`!document.querySelector(".who")`)
	p.Do(chromedp.Navigate(s.Address()))
	p.Enter()
	chooseFiles(p, map[string]string{"another.sgf": strings.Replace(spoiltNine, "B[fc])", "B[fc];W[ab])", 1)})
	p.Until(`document.querySelector("main.review .review-head")`)
	p.Until(`!document.querySelector(".who")`)
}

// TestLabelsStayWhole shows the buttons of a game and the rail at larger sizes: nothing leaves the
// rail, and in the languages that separate words by spaces no word is broken. Chinese and Japanese
// break between any two letters.
func TestLabelsStayWhole(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	const broken = `[...document.querySelectorAll(".actions .tool span, .front-row .tile span, .rail span")].filter((e) => { const r = document.createRange(); r.selectNodeContents(e); const lines = new Set([...r.getClientRects()].map((c) => Math.round(c.top))).size;
		return e.getClientRects().length && (lines > e.innerText.trim().split(/\s+/).length || e.scrollWidth > e.clientWidth + 1); }).map((e) => e.innerText)`
	const over = `[...document.querySelectorAll(".rail span:not(.gap)")].filter((e) => e.getClientRects().length && (e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right)).map((e) => e.innerText)`
	for _, lang := range []string{"en", "ko", "zh", "ja"} {
		p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "`+lang+`" }))`, nil))
		for _, path := range []string{"play/" + id, "", "review"} {
			p.Do(chromedp.Navigate(s.Address() + path))
			p.Until(`document.querySelector(".actions .tool, main.reviews") || ` + browsertest.Home)
			for _, size := range [][2]int64{{640, 400}, {640, 900}, {1280, 720}, {1024, 768}, {844, 390}, {360, 640}} {
				p.Screen(size[0], size[1])
				for _, text := range []string{"100%", "135%", "200%"} {
					p.Do(chromedp.Evaluate(`document.documentElement.style.fontSize = "`+text+`"`, nil))
					p.None(over, "%s, %v, /%s, %s", lang, size, path, text)
					if lang == "en" || lang == "ko" {
						p.None(broken, "%s, %v, /%s, %s", lang, size, path, text)
					}
				}
			}
		}
	}
}

// TestOvertimeIsShown: the page shows the overtime while the main time still runs. If the last
// stone has a mark, the page shows only the mark, not also the sign of the last move.
func TestOvertimeIsShown(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	for _, clock := range []struct {
		clock api.Clock
		text  string
	}{
		{api.Clock{Kind: "byoyomi", Main: 600, Period: 30, Periods: 3}, "3 × 0:30"},
		{api.Clock{Kind: "canadian", Main: 600, Period: 300, Periods: 15}, "15 / 5:00"},
		{api.Clock{Kind: "fischer", Main: 180, Bonus: 5}, "+5"},
	} {
		newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}, Clock: clock.clock})
		p.Until(fmt.Sprintf(`[...document.querySelectorAll(".me .clock")].some((e) => e.innerText.includes(%q))`, clock.text))
	}
	id := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: "(;SZ[9];B[ee]TR[ee];W[cc])"}).ID
	p.Do(chromedp.Navigate(s.Address() + "analyse/" + id))
	p.Until(`document.querySelector("main.analyse .board")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	p.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("E5 black"))`)
	browsertest.Equal(p, 0, `document.querySelectorAll(".board .last").length`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	p.Until(`document.querySelectorAll(".board .last").length === 1`)
}

// TestSelectionIsNotHover points at a row that is not selected: it looks different from the
// selected one.
func TestSelectionIsNotHover(t *testing.T) {
	testshared.Long(t)
	looks(t)
	_, p := openSpoilt(t)
	p.Until(`document.querySelectorAll(".mistakes li").length > 2`)
	p.Do(chromedp.Evaluate(`document.querySelectorAll(".mistakes li button")[0].click()`, nil))
	p.Until(`document.querySelectorAll(".mistakes li button")[0].classList.contains("on")`)
	p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})) // without fading colours
	p.Hover(".mistakes li:nth-child(2) button")
	p.Until(`(() => { const [chosen, other] = [...document.querySelectorAll(".mistakes li button")].map((e) => getComputedStyle(e)); return chosen.backgroundColor + chosen.boxShadow !== other.backgroundColor + other.boxShadow; })()`)
}
