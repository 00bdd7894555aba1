package web

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/ui"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// looks skips a test under the race detector if the test is about the page alone: other tests cover
// the server.
func looks(t *testing.T) {
	if testshared.Race {
		t.Skip("about the page alone: without the race detector")
	}
}

// servePage serves the real page with the embedded neural network. It marks the test as parallel,
// since such a test mostly waits for pages.
func servePage(t *testing.T, folder string) *Server {
	t.Helper()
	return servePageWith(t, "", Config{Folder: folder})
}

func servePageWith(t *testing.T, network string, c Config) *Server {
	t.Helper()
	if _, err := os.Stat("ui/dist/index.html"); err != nil {
		testshared.Absent(t, "%v", ui.ErrNotBuilt)
	}
	if c.Page == nil {
		c.Page = os.DirFS("ui/dist")
	}
	t.Parallel()
	return serveWith(t, network, c)
}

// newPage serves the page from a new folder and opens it.
func newPage(t *testing.T) (*Server, *browsertest.Tab) {
	t.Helper()
	s := servePage(t, t.TempDir())
	return s, openPage(t, s)
}

// openPage opens the page in a browser. The test fails if the page has logged anything by the end.
func openPage(t *testing.T, s *Server) *browsertest.Tab {
	t.Helper()
	p := browsertest.Open(t)
	t.Cleanup(p.Clean)
	p.Do(chromedp.Navigate(s.URL()))
	p.Enter()
	return p
}

// beforeScripts runs a script in every page that the tab loads from now on, before the page's own.
func beforeScripts(p *browsertest.Tab, script string) {
	p.T.Helper()
	p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	}))
}

// TestWebKeyboard plays without a mouse: by arrows and Enter, and by typed moves.
func TestWebKeyboard(t *testing.T) {
	s, b := newPage(t)
	b.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: 5, other: true, w: 5, h: 5, limit: "visits", visits: 4, pace: false }))`, nil), chromedp.Navigate(s.Address()+"new"))
	b.Until(`document.querySelector("form.new")`)
	b.Do(chromedp.Evaluate(`document.querySelector("form.new .button.primary").focus()`, nil), chromedp.KeyEvent(kb.Enter))
	b.Mine()
	for i := 0; i < 60 && browsertest.JS[string](b, `document.activeElement.getAttribute("role") ?? ""`) != "gridcell"; i++ {
		b.Do(chromedp.KeyEvent(kb.Tab))
	}
	browsertest.Equal(b, "C3", "document.activeElement.ariaLabel")
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	browsertest.Equal(b, "D4", "document.activeElement.ariaLabel")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Mine()
	b.Until(`document.activeElement.ariaLabel?.startsWith("D4 black")`) // the focus stays on the board
	b.Until(`document.querySelector("#polite").innerText.includes("White")`)
	b.Do(chromedp.KeyEvent("g"))
	b.Until(`document.querySelector("#polite").innerText.includes("group of")`)
	phase := "play"
	for i := 0; phase == "play" && i < 60; i++ {
		rev := browsertest.JS[string](b, browsertest.Play+".dataset.rev")
		b.Until(`!document.querySelector("dialog[open]")`)
		// The key arrives as one event, as from a keyboard: if the page prevents the default
		// action, nothing is typed into the field that the key opens.
		b.Do(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithCode("Slash").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/").WithCode("Slash"))
		b.Until(`document.querySelector("dialog[open] input")`)
		b.Do(chromedp.KeyEvent("pass"), chromedp.KeyEvent(kb.Enter))
		b.Until(browsertest.Play + `.dataset.rev !== "` + rev + `"`)
		phase = b.Mine()
	}
	if phase == "count" {
		b.Until(browsertest.Button("Agree"))
		b.Do(chromedp.Evaluate(browsertest.Button("Agree")+".focus()", nil), chromedp.KeyEvent(kb.Enter))
	}
	b.Until(browsertest.Play + `.dataset.phase === "over"`)
	b.Until(`document.querySelector("#polite").innerText.includes("over")`)
}

const recordWithScript = `(;GM[1]FF[4]SZ[9]PB[<img src=x onerror=document.title='owned'>]PW[<script>document.title='owned'</script>]C[<b>bold</b>];B[ee];W[ce];B[gc](;W[cc])(;W[gg];B[cg]))`

// TestWebAnalysis pastes a record, walks it, looks at variations and mistakes.
func TestWebAnalysis(t *testing.T) {
	_, b := newPage(t)
	text, err := json.Marshal(recordWithScript)
	require.NoError(t, err)
	b.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 150, tab: "tree" }));
		{ const d = new DataTransfer(); d.setData("text", `+string(text)+`); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	b.Until(`document.querySelector("main.analyse")`)
	b.Until(`document.querySelectorAll(".cands tbody tr").length > 1`)
	for range 4 {
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.Until(`[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length === 4`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown)) // go to the other variation
	b.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("G3 white"))`)
	b.Axe("analysis")
	b.Press("Mistakes")
	b.Until(`document.querySelector(".mistakes") && !document.querySelector(".sweep")`) // the page has analysed the whole game unasked
	b.Press("Set up")
	b.Point("A1")
	b.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("A1 black"))`)
	b.Press("Done")
	b.Press("Game")
	b.Until(`document.querySelector(".game-tab")?.innerText.includes("<img")`) // shown as text, not as markup
	b.Until(`document.title !== "owned"`)
	b.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	b.Screen(390, 844)
	b.Axe("analysis on a phone, dark")
	b.Until("document.documentElement.scrollWidth <= 390") // the page fits the screen's width
	b.Click(`a[href="/settings"]`)
	b.Until(`document.querySelector("main.settings")`)
	b.Axe("settings")
}

const spoiltNine = `(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]PB[Aki <b>]PW[Bo];B[ee];W[cc];B[gc];W[cg];B[gg];W[ce];B[dd];W[cd];B[dc];W[cb];B[df];W[dg];B[ef];W[eg];B[fg];W[fh];B[gh];W[eh];B[ff];W[db];B[eb];W[ea];B[fb];W[ch];B[fa];W[da];B[hh];W[gi];B[hi];W[fi];B[aa];W[cf];B[hb];W[de];B[ed];W[ec];B[fc])`

// spoiltSearches are the searches of the review of spoiltNine by file name, made once for all
// tests; nil until then.
var spoiltSearches map[string][]byte

// searched returns a new server's folder that holds only the searches of the review of spoiltNine,
// so that this review takes no time.
func searched(t *testing.T) string {
	t.Helper()
	testshared.Slow(t)
	if spoiltSearches == nil {
		dir := t.TempDir()
		s := serve(t, dir)
		finishedCard(t, join(t, s), toReview(t, s, map[string]string{"game.sgf": spoiltNine})["game.sgf"].ID)
		names, err := filepath.Glob(filepath.Join(dir, "reviews", "searches", "*"))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		spoiltSearches = map[string][]byte{}
		for _, name := range names {
			spoiltSearches[filepath.Base(name)], err = os.ReadFile(name)
			require.NoError(t, err)
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "reviews", "searches"), 0o755))
	for name, data := range spoiltSearches {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "reviews", "searches", name), data, 0o644))
	}
	return dir
}

// chooseFiles selects files in the input field of a screen.
func chooseFiles(p *browsertest.Tab, files map[string]string) {
	p.T.Helper()
	var names []string
	for name, text := range files {
		path := filepath.Join(p.T.TempDir(), name)
		require.NoError(p.T, os.WriteFile(path, []byte(text), 0o600))
		names = append(names, path)
	}
	p.Do(chromedp.SetUploadFiles(`input[type=file]`, names, chromedp.ByQuery))
}

// openSpoilt reviews spoiltNine on the page and leaves the finished review open.
func openSpoilt(t *testing.T) (*Server, *browsertest.Tab) {
	t.Helper()
	s := servePage(t, searched(t))
	p := openPage(t, s)
	chooseFiles(p, map[string]string{"ours.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	return s, p
}

// TestReviewPage reviews a game and finds a better move.
func TestReviewPage(t *testing.T) {
	s, p := openSpoilt(t)
	const screen = `document.querySelector("main.review")`
	browsertest.Equal(p, "38", screen+".dataset.points")
	p.Until(screen + `.dataset.at !== "0"`) // the review opens at a mistake
	p.Until(screen + `.dataset.mistakes !== "0"`)
	p.Axe("review")
	p.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("n"))
	p.Until(screen + `.dataset.at !== "0"`)

	// A move can be opened by its number, also in the address.
	p.Do(chromedp.SetValue(`.where input`, "34", chromedp.ByQuery), chromedp.Evaluate(`document.querySelector(".where input").dispatchEvent(new Event("change", { bubbles: true }))`, nil))
	p.Until(screen + `.dataset.at === "34" && location.search === "?at=34"`)
	p.Do(chromedp.Reload())
	p.Until(screen + `?.dataset.at === "34"`)
	p.Until(`document.querySelector(".mistake-box").innerText.trim().length > 10`) // the page comments on every move
	p.Do(chromedp.Evaluate(`[...document.querySelectorAll(".mistakes li button")][0].click()`, nil))
	p.Until(`document.querySelector(".mistakes li button.on")`)

	// The page recognises the game's move, and Show better plays the better move.
	played := browsertest.JS[string](p, `[...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.includes("played in the game")).ariaLabel.split(/[ ,]/)[0]`)
	p.Point(played)
	p.Until(`document.querySelector(".mistake-box").innerText.includes("That is what was played")`)
	p.Press("Show better")
	p.Until(`document.querySelector(".mistake-box p:not(.bad-text)")`)
	p.Until(`!document.querySelector(".mistake-box .bad-text")`) // the tried move is gone
	p.Screen(390, 844)
	p.NothingSticksOut()
	p.Do(emulation.ClearDeviceMetricsOverride())
	p.Press("Summary")
	p.Until(`document.querySelector(".summary").innerText.includes("Accuracy")`)
	p.Axe("summary")
	p.Click(`a[href="/review"]`)
	p.Until(`document.querySelector(".review-row.done")?.innerText.includes("Aki <b>")`)
	p.Axe("reviews")

	// The list of mistakes says how many it holds, and whether it holds all. The graph of a counted
	// game ends at the count.
	beforeScripts(p, `{ const real = JSON.parse; JSON.parse = (s, f) => { const m = real(s, f), d = m?.d; if (d?.mistakes && d.moves) { d.turning = []; d.mistakes = [...Array(20).keys()]; d.card.result = "B+99.5"; for (const x of d.moves.slice(-2)) x.m = "pass";
		d.moves.forEach((x, i) => { x.judged = true; x.listed = i < sessionStorage.listed; }); } return m; }; }`)
	for listed, want := range map[int][]string{20: {"20 mistakes: ", "10 mistakes: "}, 21: {"The 20 worst moves of this game: ", "10 of this game's 20 worst moves: "}} {
		p.Do(chromedp.Evaluate(fmt.Sprintf(`sessionStorage.listed = %d`, listed), nil), chromedp.Click(".review-row a", chromedp.ByQuery), chromedp.Reload())
		for i, side := range []string{"Both 20", "Bo 10"} {
			p.Press(side)
			p.Until(fmt.Sprintf(`document.querySelector(".mistakes .sum").innerText.startsWith(%q)`, want[i]))
		}
		p.Do(chromedp.KeyEvent(kb.End))
		p.Until(`document.querySelector(".graph").ariaLabel.includes("+99.5 after")`)
		p.Picture(fmt.Sprintf("mistakes %d", listed))
		p.Do(chromedp.Navigate(s.Address() + "review"))
	}
}

// TestManyGames drops many files at once: the page names the files that are not games, and reviews
// the games.
func TestManyGames(t *testing.T) {
	testshared.Long(t)
	_, p := newPage(t)
	files := map[string]string{"no.sgf": "%PDF-1.7"}
	for i := range 5 {
		files[fmt.Sprintf("%d.sgf", i)] = strings.TrimSuffix(spoilt, ")") + fmt.Sprintf(";B[%ca])", 'a'+i) // five different games, so five reviews
	}
	chooseFiles(p, files)
	p.Until(`document.querySelector(".toast.bad")?.innerText.includes("no.sgf")`)
	p.Until(`document.querySelectorAll(".review-row").length === 5`)
	p.Until(`document.querySelectorAll(".review-row.done").length === 5 && document.querySelector(".trend")`)
	p.Axe("games")
	p.Screen(390, 844)
	p.Until("document.querySelector('.view').scrollWidth <= 390") // the page fits the screen's width
}

// TestTrainingPage shows a loop, and follows its files.
func TestTrainingPage(t *testing.T) {
	testshared.Long(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.json"), []byte(`{"version":1,"arch":"kb4c32","iteration":3,"stage":"selfplay","games":1500,"rows":40000,"goal_rows":45000,"samples":120000,
		"seconds":{"selfplay":1800,"train":900,"gate":90},"current":"c","networks":[{"name":"a","hours":0.2,"promoted":true},{"name":"b","hours":0.4,"elo":-20},{"name":"c","hours":0.7,"elo":130,"promoted":true}],
		"history":[{"iteration":0,"games":500,"rows":12000,"samples":40000,"stats":{"games":500,"rows":12000,"length":30000},"losses":{"policy":4.1,"value":0.7,"loss":40},"seconds":{"selfplay":600,"train":300}},
		{"iteration":1,"games":1000,"rows":25000,"samples":80000,"stats":{"games":500,"rows":13000,"length":28000},"losses":{"policy":3.1,"value":0.6,"loss":36},"seconds":{"selfplay":600,"train":300}},
		{"iteration":2,"games":1500,"rows":40000,"samples":120000,"stats":{"games":500,"rows":15000,"length":27000},"losses":{"policy":2.1,"value":0.5,"loss":33},"seconds":{"selfplay":600,"train":300}}]}`), 0o600))
	sgfs := filepath.Join(dir, "selfplay", "c", "sgfs")
	require.NoError(t, os.MkdirAll(sgfs, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sgfs, "0000000000000001.sgfs"), []byte(`(;GM[1]FF[4]SZ[5]KM[7]RE[W+2]RU[Chinese];B[ae];W[be];B[bd];W[ee];B[ce];W[])`), 0o600))
	s := servePageWith(t, "", Config{Folder: t.TempDir(), Training: NewLoops([]string{dir, t.TempDir()})})
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "settings"))
	p.Click(`a[href="/training"]`)
	p.Until(`document.querySelectorAll(".chart").length === 6`)
	p.Until(`document.querySelector("main.training").innerText.includes("0 of 5,000 rows")`)
	p.Until(`document.querySelector("main.training").innerText.includes("Stopped")`)
	p.Until(`document.querySelectorAll(".training .mini circle").length > 0`) // the page replays the newest game
	p.Axe("training")

	// The page follows changes of the loop's files.
	data := testshared.Read(t, filepath.Join(dir, "state.json"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "state.json"), []byte(`{"version":1,"arch":"kb4c32","iteration":4,"stage":"gate","candidate":"d",`+data[len(`{"version":1,"arch":"kb4c32","iteration":3,"stage":"selfplay",`):]), 0o600))
	p.Until(`document.querySelector("main.training").dataset.iteration === "4" && document.querySelector("main.training").innerText.includes("tests the network")`)
	p.Do(chromedp.Evaluate(`document.querySelectorAll(".training .chip")[1].click()`, nil))
	p.Until(`document.querySelector("main.training .note.warn")?.innerText.includes("no loop in this folder")`)
}

// TestEveryLanguage opens files that are no game records: the page says why in its language.
func TestEveryLanguage(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	for _, lang := range []struct{ name, tag string }{{"zh", "zh-Hans"}, {"ja", "ja"}, {"ko", "ko"}} {
		texts := map[string]string{}
		require.NoError(t, toml.Unmarshal([]byte(testshared.Read(t, filepath.Join("i18n", lang.name+".toml"))), &texts))
		p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "`+lang.name+`" }))`, nil), chromedp.Navigate(s.Address()+"review"))
		p.Until(`document.querySelector("main.reviews input[type=file]")`)
		browsertest.Equal(p, lang.tag, "document.documentElement.lang")
		for text, why := range map[string]string{"%PDF-1.7": "say_sgf_none", "(;GM[2]SZ[9];B[ee])": "say_record_not_go", "(;GM[1]SZ[26];B[ee])": "say_sgf_size", "(;GM[1]SZ[9])": "say_record_empty"} {
			chooseFiles(p, map[string]string{"odd.sgf": text})
			p.Until(fmt.Sprintf(`document.querySelector(".toast.bad")?.innerText.includes(%q)`, texts[why]))
		}
	}
}

// TestPageSaysWhatIsNotSaved plays and edits while nothing can be saved: the page says so until
// saving works, and then makes each change once.
func TestPageSaysWhatIsNotSaved(t *testing.T) {
	dir := t.TempDir()
	s := servePage(t, dir)
	p := openPage(t, s)
	c := join(t, s)
	const strip = `document.querySelector(".strip-top.unsaved")`
	doc := ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9]RU[Japanese]KM[6.5]LB[cc:a label that is long]AB[dd];B[ee])"}).ID
	enter := func(v string) { // by keys, which work on screens of any size
		p.Do(chromedp.Evaluate(`[...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === "`+v+`").focus()`, nil), chromedp.KeyEvent(kb.Enter))
	}
	languages := map[string]string{"en": "Not saved yet", "zh": "尚未保存"}
	for i, language := range []string{"zh", "en"} {
		p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "`+language+`", confirm: "never" })); localStorage.setItem("kosumi.analysis", JSON.stringify({ on: false, tab: "notes" }))`, nil),
			chromedp.Navigate(s.Address()+"analyse/"+doc))
		p.Until(`document.querySelector("main.analyse")`)
		mend := spoil(t, filepath.Join(dir, "docs"))
		point := []string{"A1", "B1"}[i]
		enter(point)
		p.Until(strip + `.innerText.includes("` + languages[language] + `") && !` + strip + `.innerText.includes("{")`)
		if language == "en" {
			p.Axe("not saved")
		}
		mend()
		p.Until(`!` + strip + ` && [...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("` + point + ` "))`)
	}
	require.Len(t, onDisk(t, s, doc).Nodes[0].Children, 2, "the first of them, and what was there")

	// The second note is sent only after the first one is saved.
	mend := spoil(t, filepath.Join(dir, "docs"))
	note := func(text string) {
		for browsertest.JS[string](p, `document.querySelector("textarea.notes").value`) != text {
			p.Do(chromedp.Evaluate(`document.querySelector("textarea.notes").select()`, nil), chromedp.KeyEvent(text))
		}
		p.Do(chromedp.KeyEvent(kb.Tab))
	}
	note("first")
	p.Until(strip)
	note("second")
	mend()
	p.Until(`!` + strip)
	at := browsertest.JS[string](p, `document.querySelector("main.analyse").dataset.node`)
	d, err := s.docs.Open(doc)
	require.NoError(t, err)
	var last api.Node
	for _, n := range d.State().Nodes {
		if strconv.Itoa(n.ID) == at {
			last = n
		}
	}
	require.Equal(t, "second", last.Note)

	// In a game the stone is shown while it waits to be saved, and is played once.
	id := newGame(p, s, api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Visits: 2}})
	p.Mine()
	mend = spoilJournal(t, s, id)
	enter("E5")
	p.Until(strip)
	p.HasStones(1, "it is shown as on its way")
	mend()
	p.Until(`!` + strip + ` && document.querySelectorAll(".moves li").length === 2`)

	// A restored game says that its file was damaged; a game that cannot be read is listed.
	journal := []byte(testshared.Read(t, s.folder.Path("games", id, ".jsonl")))
	record := []byte(testshared.Read(t, s.folder.Path("games", id, ".sgf")))
	journal[len(journal)/2] ^= 0x40
	damaged := put(t, s, journal, record)
	put(t, s, []byte("?"), nil)
	p.Do(chromedp.Navigate(s.Address() + "play/" + damaged))
	p.Until(`document.querySelector(".restored")?.innerText.includes("with all 2 moves")`)
	p.Axe("restored")
	p.Do(chromedp.Navigate(s.Address()))
	p.Until(`document.querySelector(".unread")?.innerText.includes(".jsonl cannot be read")`)
	p.Axe("home with a file that cannot be read")
}

// TestTypedNumbers types numbers key by key: no field changes an incomplete number.
func TestTypedNumbers(t *testing.T) {
	testshared.Long(t)
	looks(t)
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: 9, other: true, w: 9, h: 9, limit: "visits", visits: 4, pace: false, more: true, komi: "6.5" }))`, nil), chromedp.Navigate(s.Address()+"new"))
	p.Until(`document.querySelector("[aria-label=Komi]")`)
	typeIn := func(field, text, end string) {
		p.Until(fmt.Sprintf(`document.querySelector(%q)`, field))
		p.Do(chromedp.Evaluate(fmt.Sprintf(`{ const e = document.querySelector(%q); e.focus(); e.select(); }`, field), nil))
		for _, key := range text {
			p.Do(chromedp.KeyEvent(string(key)))
		}
		p.Do(chromedp.KeyEvent(end))
	}
	typeIn("[aria-label=Columns]", "13", kb.Tab)
	typeIn("[aria-label=Rows]", "99", kb.Tab) // 25 at most
	typeIn("[aria-label=Rows]", "11", kb.Tab)
	typeIn("[aria-label=visits][type=number]", "25", kb.Tab)
	typeIn("[aria-label=Komi]", "0.5", kb.Enter)
	p.Until(`location.pathname.startsWith("/play/")`)
	id := strings.TrimPrefix(browsertest.JS[string](p, "location.pathname"), "/play/")
	g := ask[api.GameState](join(t, s), "watch", api.Watch{What: "game:" + id})
	require.Equal(t, [2]int{13, 11}, g.Size)
	require.Equal(t, 0.5, g.Komi)
	require.Equal(t, int64(25), g.Seat.Visits)

	// Changing a record's komi keeps its rules and labels; labels are shown whole.
	doc := ask[api.ID](join(t, s), "doc.new", api.NewDoc{SGF: "(;SZ[9]RU[Japanese]KM[6.5]LB[cc:a label that is long]AB[dd];B[ee])"}).ID
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ on: false, tab: "notes" }))`, nil), chromedp.Navigate(s.Address()+"analyse/"+doc))
	p.Until(`document.querySelector(".labels dd")?.innerText === "a label that is long"`)
	p.Press("Game")
	p.Until(`document.querySelector(".game-tab select")?.value === "japanese"`)
	typeIn(".game-tab input", "-0.5", kb.Tab)
	require.Eventually(t, func() bool {
		return testshared.Read(t, s.folder.Path("docs", doc, ".sgf")) == "(;SZ[9]RU[Japanese]KM[-0.5]LB[cc:a label that is long]AB[dd];B[ee])\n"
	}, browsertest.Patience, 50*time.Millisecond)
}
