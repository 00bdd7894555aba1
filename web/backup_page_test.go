package web

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// savedFile presses a button and returns the file that the page saves.
func savedFile(p *browsertest.Tab, button string) (name string, data []byte) {
	p.T.Helper()
	p.Do(chromedp.Evaluate(`window.saved = null; { const made = URL.createObjectURL; URL.createObjectURL = (f) => { window.blob = f; return made.call(URL, f); }; }
		HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }`, nil))
	p.Press(button)
	p.Until("saved")
	text := browsertest.JS[string](p, `(async () => { const b = new Uint8Array(await blob.arrayBuffer()); let s = ""; for (const x of b) s += String.fromCharCode(x); return btoa(s); })()`)
	data, err := base64.StdEncoding.DecodeString(text)
	require.NoError(p.T, err)
	return browsertest.JS[string](p, "saved"), data
}

// TestBackupPage backs up in one program and restores in another by the buttons of the page: the
// page lists new items, changes nothing before the user confirms, and restores the settings too.
// Files that are neither backups nor game records are refused with an error that names the file.
func TestBackupPage(t *testing.T) {
	testshared.Slow(t)
	from := servePage(t, filepath.Join(t.TempDir(), strings.Repeat("long", 20)))
	fill(t, from)
	p := openPage(t, from)
	p.Do(chromedp.Navigate(from.Address() + "settings"))
	p.Press("Dark")
	p.Do(chromedp.Evaluate(`{ const s = JSON.parse(localStorage["kosumi.settings"]); delete s.sides; localStorage["kosumi.settings"] = JSON.stringify(s); localStorage["kosumi.sides"] = JSON.stringify({ r: "b" }); }`, nil), chromedp.Reload())
	name, data := savedFile(p, "Back up")
	require.Regexp(t, `^kosumi-backup-[-0-9]+\.zip$`, name)
	p.Until(fmt.Sprintf(`document.querySelector(".toast")?.innerText.includes(%q)`, name))
	p.Screen(390, 844)
	p.NothingSticksOut("settings")
	p.Until(`[...document.querySelectorAll("main.settings p")].every((e) => e.scrollWidth <= e.clientWidth)`) // paths are wrapped
	p.Picture("settings phone")

	dir := t.TempDir()
	to := serveWith(t, "", Config{Folder: dir, Page: os.DirFS("ui/dist")})
	q := openPage(t, to)
	q.Do(chromedp.Navigate(to.Address() + "settings"))
	q.Until(browsertest.Button("Back up"))
	q.Do(chromedp.Evaluate(`document.querySelector("input[type=file]").focus()`, nil))
	require.Zero(t, browsertest.JS[float64](q, "document.scrollingElement.scrollTop"), "the focus of the hidden field moves the page off the screen")
	before := files(t, dir)
	said := func(text string) {
		t.Helper()
		q.Until(`document.querySelector(".toast.bad")?.innerText.includes("` + text + `")`)
	}
	chooseFiles(q, map[string]string{"torn.zip": string(data[:len(data)/2])})
	said("torn.zip cannot be opened: the file is damaged")
	chooseFiles(q, map[string]string{"garbage.sgf": "%PDF-1.4"})
	said("garbage.sgf is not a game record.")
	chooseFiles(q, map[string]string{"huge.sgf": "(;SZ[9]C[" + strings.Repeat("0123456789", 21<<20/10) + "];B[ee])"})
	said("huge.sgf is too large (limit 20 MB).")
	chooseFiles(q, map[string]string{"mine.zip": string(data)})
	q.Until(`document.querySelector("dialog[open]")?.innerText.includes("New here: 2 games, 1 review, 1 board")`)
	q.Axe("restore")
	q.Picture("restore")
	q.Screen(390, 844)
	q.Picture("restore phone")
	q.Press("Not now")
	q.Until(`!document.querySelector("dialog[open]")`)
	require.Equal(t, before, files(t, dir))
	q.Screen(1280, 900)
	chooseFiles(q, map[string]string{"mine.zip": string(data)})
	q.Do(chromedp.Evaluate(`window.old = true`, nil))
	q.Press("Restore")
	q.Until(`!window.old && document.documentElement.dataset.theme === "dark" && document.querySelector("main.settings") && document.querySelector(".toast")?.innerText.includes("The backup is restored.")`) // loaded anew
	require.Equal(t, "b", browsertest.JS[string](q, `JSON.parse(localStorage.getItem("kosumi.settings")).sides.r`), "the reader's side in a game without names")
	q.Picture("restored dark")
	chooseFiles(q, map[string]string{"mine.zip": string(data)})
	q.Until(`document.querySelector("dialog[open]")?.innerText.includes("is here already")`)
	q.Press("Close")
	q.Do(chromedp.Navigate(to.Address() + "you"))
	q.Until(`document.querySelectorAll(".kept-row").length === 2`)
	name, games := savedFile(q, "Export all")
	q.Until(fmt.Sprintf(`document.querySelector(".toast")?.innerText.includes(%q)`, name+" is saved."))

	// The review screen accepts the export too, and says that the exported games are here already.
	p.Screen(1280, 900)
	p.Do(chromedp.Navigate(from.Address() + "review"))
	p.Until(`document.querySelector(".review-row")`)
	chooseFiles(p, map[string]string{"games.zip": string(games)})
	p.Until(`document.querySelector("dialog[open]")?.innerText.includes("is here already")`)
	p.Press("Close")
	chooseFiles(p, map[string]string{"club (2).sgf": spoilt})
	p.Until(`document.querySelector("main.review") && document.querySelector(".toast")?.innerText.includes("You already have the game club (2).sgf")`)
	p.Picture("known")
}

// TestAnalyseOfReview presses Analyse at three moves of a review: the same document opens each time, at the
// move that the review showed. Pages say how much of a record with an impossible move they leave out.
func TestAnalyseOfReview(t *testing.T) {
	looks(t)
	s := servePage(t, searched(t))
	id := toReview(t, s, map[string]string{"ours.sgf": spoiltNine})["ours.sgf"].ID
	c := join(t, s)
	finishedCard(t, c, id)
	p := openPage(t, s)
	docs := map[string]bool{}
	for _, at := range []string{"8", "1", "38"} {
		p.Do(chromedp.Navigate(s.Address() + "review/" + id + "?m=" + at))
		p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
		shown := browsertest.JS[string](p, `document.querySelector("main.review").dataset.at`)
		p.Press("Analyse")
		p.Until(`document.querySelector("main.analyse:not(.review) .where input")?.value === "` + shown + `"`)
		docs[browsertest.JS[string](p, "location.pathname")] = true
	}
	require.Len(t, docs, 1)

	cut := toReview(t, s, map[string]string{"bad.sgf": "(;SZ[9];B[ee];W[cc];B[gg];W[ee];B[dd];W[ff])"})["bad.sgf"].ID
	p.Do(chromedp.Navigate(s.Address() + "review/" + cut))
	p.Until(`document.querySelector(".review-head")?.innerText.includes("covers the first 3 of 6 moves")`)
	p.Picture("cut")
	doc := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9];B[ee];W[cc];B[gg];W[ee];B[dd])"})
	p.Do(chromedp.Navigate(s.Address() + "analyse/" + doc.ID))
	p.Until(`document.querySelector("main.analyse .note.warn")?.innerText.includes("Move 4, E5, cannot be played")`)
	p.Picture("cut board")
}

// TestLeftClock pauses a game from the menu and resumes it, then opens other screens: they show the
// running clock of the game, or that it is paused.
func TestLeftClock(t *testing.T) {
	looks(t)
	s := servePage(t, t.TempDir())
	n := small("b")
	n.Clock = api.Clock{Kind: "absolute", Main: 600}
	p := openPage(t, s)
	id := newGame(p, s, n)
	p.Mine()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		p.Screen(size[0], size[1])
		p.Click(`.more-button .tool`)
		p.Until(`document.querySelector(".more-menu")`)
		p.Press("Pause") // closes the menu, and nothing covers the button that resumes the game
		p.Until(`!document.querySelector(".more-menu")`)
		p.Until(`(() => { const b = ` + browsertest.Button("Resume") + `, r = b.getBoundingClientRect(); return b.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); })()`)
		p.Press("Resume")
		p.Until(`!` + browsertest.Button("Resume"))
	}
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Try("C3")
	p.Click(`.rail a[href="/review"]`)
	p.Until(`/against .*: (9:\d\d|10:00)/.test(document.querySelector(".left-clock")?.innerText)`)
	before := browsertest.JS[string](p, `document.querySelector(".left-clock").innerText`)
	p.Until(`document.querySelector(".left-clock").innerText !== ` + "`" + before + "`") // the clock runs
	p.Picture("left clock")
	p.Screen(390, 844)
	p.NothingSticksOut("the clock on a phone")
	p.Picture("left clock phone")
	p.Click(`a[href="/settings"]`)
	p.Until(`document.querySelector("main.settings") && document.querySelector(".left-clock.warn")`)
	g := opened(t, s, id)
	g.mu.Lock()
	require.NoError(t, g.halt("alone"))
	g.advance()
	g.mu.Unlock()
	p.Until(`document.querySelector(".left-clock")?.innerText.includes("Paused")`)
	p.Click(".left-clock a")
	p.Until(browsertest.Play + ` && !document.querySelector(".left-clock")`)
}
