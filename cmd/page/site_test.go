package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// folder returns the folder that make page-site has written.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(testshared.Checkout(t), "bin/site")
	if _, err := os.Stat(filepath.Join(dir, "sw.js")); err != nil {
		testshared.Absent(t, "the page without a server is not built (make page-site): %v", err)
	}
	return dir
}

// site serves the built page under a path, as a plain file server would.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	return serveFolder(t, folder(t))
}

// serveFolder serves a folder under /some/path/.
func serveFolder(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/some/path/", http.StripPrefix("/some/path/", http.FileServer(http.Dir(dir))))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// entered opens the page of a server in a new browser and waits for the start page.
func entered(t *testing.T, s *httptest.Server) *browsertest.Tab {
	t.Helper()
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.URL + "/some/path/"))
	p.Enter()
	return p
}

// begin starts a game on a square board with the page's form.
func begin(p *browsertest.Tab, size, visits int) {
	p.Do(chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: %d, limit: "visits", visits: %d, pace: false }))`, size, visits), nil))
	p.Do(chromedp.Evaluate(`location.hash = "#/new"`, nil), chromedp.Reload())
	p.Click(`form.new .button.primary:not(:disabled)`)
	p.Until(`location.hash.startsWith("#/play/") && !document.querySelector("form.new")`)
	p.Mine()
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
}

// TestSite plays a move in a page that is only a folder of files, finds the game again after a
// reload, and continues on a large board once the server is gone.
func TestSite(t *testing.T) {
	t.Parallel()
	s := site(t)
	p := entered(t, s)
	begin(p, 9, 30)
	p.Try("E5")
	p.HasStones(2)
	address := browsertest.JS[string](p, "location.href")

	p.Do(chromedp.Reload())
	p.Mine()
	require.Equal(t, address, browsertest.JS[string](p, "location.href"))
	p.HasStones(2) // the game was stored

	p.Until(`navigator.serviceWorker.controller`)
	begin(p, 19, 2)
	p.Try("Q16")
	p.HasStones(2)
	s.Close()
	p.Do(chromedp.Reload())
	p.Mine()
	p.HasStones(2) // also without the server
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Try("D4")
	p.HasStones(4)
	p.Clean()
}

// TestPhoneInPocket hides the page of a phone: a stone played before is answered once the page is
// visible again.
func TestPhoneInPocket(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	p := browsertest.Open(t)
	const phone = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"
	p.Do(emulation.SetUserAgentOverride(phone), chromedp.Navigate(s.URL+"/some/path/"))
	p.Enter()
	look := func(state string) {
		p.Do(chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, "visibilityState", { value: %q, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`, state), nil))
	}
	look("hidden")
	p.Point("E5")
	p.HasMoves(1)
	eventually(p, `new Promise((done) => setTimeout(() => done(true), 500))`)
	p.HasMoves(1)
	look("visible")
	p.HasMoves(2)
}

// TestTwoTabs opens the page twice. The second tab says that the page is open in the first. When
// the first tab is left or closed, the second one shows the page. A tab that is left and opened
// again waits for the other.
func TestTwoTabs(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	first, second, closeFirst := two(t)
	first.Do(chromedp.Navigate(s.URL + "/some/path/"))
	first.Enter()
	second.Do(chromedp.Navigate(s.URL + "/some/path/"))
	second.Until(taken)
	second.Picture("taken")
	first.Do(chromedp.Navigate("about:blank"))
	second.Enter()
	first.Do(chromedp.NavigateBack())
	first.Until(taken)
	second.Do(chromedp.Navigate("about:blank"))
	first.Enter()
	second.Do(chromedp.NavigateBack())
	second.Until(taken)
	closeFirst()
	second.Enter()
}

// TestUseItHere moves the page from one tab to another, and back: the game continues, and the
// abandoned tab is not mistaken for one that the browser has killed.
func TestUseItHere(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	first, second, _ := two(t)
	first.Do(chromedp.Navigate(s.URL + "/some/path/"))
	first.Enter()
	begin(first, 9, 2)
	first.Try("E5")
	first.HasStones(2)
	game := browsertest.JS[string](first, "location.href")
	for _, tabs := range [][2]*browsertest.Tab{{first, second}, {second, first}} {
		tabs[1].Do(chromedp.Navigate(game))
		tabs[1].Until(taken)
		tabs[1].Picture("use it here")
		tabs[1].Press("Use it here")
		tabs[1].Mine()
		tabs[1].HasStones(2)
		tabs[1].Until(`!document.querySelector(".strip-top")`)
		tabs[0].Until(taken)
	}
}

// TestEndedTab crashes the page's process repeatedly during a review, as if memory had run out.
// When the page is loaded again, it reports the crash and resumes the review with fewer threads.
func TestEndedTab(t *testing.T) {
	testshared.Long(t)
	s := site(t)
	const threads = 3 // one thread less than the four processors
	open := func(p *browsertest.Tab, at string) {
		p.Do(emulation.SetHardwareConcurrencyOverride(threads+1), chromedp.Navigate(at))
	}
	p := browsertest.Open(t)
	open(p, s.URL+"/some/path/#/review")
	p.Until(`document.querySelector("main.reviews input[type=file]")`)
	file := filepath.Join(t.TempDir(), "long.sgf")
	require.NoError(t, os.WriteFile(file, []byte(longRecord()), 0o600))
	p.Do(chromedp.SetUploadFiles(`input[type=file]`, []string{file}, chromedp.ByQuery))
	const points = `Number(document.querySelector("main.review")?.dataset.points ?? 0)`
	p.Until(points + " > 0")
	at := browsertest.JS[string](p, "location.href")
	for n, done := 1, 0; n <= 3; n++ {
		p.Until(fmt.Sprintf("%s >= %d", points, min(done+6, 61)))
		time.Sleep(4 * time.Second) // findings are synced every 3 s, so the crash loses only the latest
		done = browsertest.JS[int](p, points) - 5
		next, _ := p.Beside() // a crashed tab cannot be controlled any more
		gone := make(chan struct{})
		chromedp.ListenTarget(p.Ctx, func(e any) {
			if _, ok := e.(*inspector.EventTargetCrashed); ok {
				close(gone)
			}
		})
		crash, stop := context.WithCancel(p.Ctx)
		go chromedp.Run(crash, page.Crash()) // the command gets no answer
		select {
		case <-gone:
		case <-time.After(browsertest.Patience):
			require.Fail(t, "the page does not crash")
		}
		stop()
		p = next
		open(p, at)
		p.Until(fmt.Sprintf(`document.querySelector(".strip-top.warn")?.innerText.includes("The browser closed Kosumi last time") && document.querySelector(".strip-top.warn").innerText.includes("with %d of %d threads")`, max(1, threads>>n), threads))
		p.Picture("ended")
		p.Until(fmt.Sprintf("%s >= %d", points, done))
		p.Press("Close")
	}
	p.Do(chromedp.Reload())
	p.Until(points + " > 0")
	p.Until(`!document.querySelector(".strip-top.warn")`) // leaving a page does not count as a crash
}

// longRecord is a game of 60 moves in rows.
func longRecord() string {
	text := "(;SZ[9]"
	for i := range 60 {
		text += fmt.Sprintf(";%c[%c%c]", "BW"[i%2], 'a'+i%9, 'a'+i/9)
	}
	return text + ")"
}

// hashed matches file names with a hash of the content, such as start-0a1b2c3d.js.
var hashed = regexp.MustCompile(`[\w-]+-(?:[0-9A-Z]{8}|[0-9a-f]{8})(n*)\.\w+`)

// replace replaces the page by a newer version: every file has a new name.
func replace(t *testing.T, dir string) {
	t.Helper()
	rename := func(s string) string {
		return hashed.ReplaceAllStringFunc(s, func(name string) string { return strings.Replace(name, ".", "n.", 1) })
	}
	texts := []string{"index.html", "sw.js"}
	assets, err := os.ReadDir(filepath.Join(dir, "assets"))
	require.NoError(t, err)
	for _, a := range assets {
		if now := "assets/" + rename(a.Name()); now != "assets/"+a.Name() {
			require.NoError(t, os.Rename(filepath.Join(dir, "assets", a.Name()), filepath.Join(dir, now)))
			if strings.HasSuffix(now, ".js") {
				texts = append(texts, now)
			}
		}
	}
	for _, name := range texts {
		text := rename(testshared.Read(t, filepath.Join(dir, name)))
		if name == "sw.js" { // the service worker contains the version of the page
			text = regexp.MustCompile(`"[0-9a-f]{12}"`).ReplaceAllString(text, `"0newer"`)
		}
		text = strings.Replace(text, "<title>", `<meta name="newer"><title>`, 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

// copied serves a copy of the page from dir, where a test may change its files.
func copied(t *testing.T) (s *httptest.Server, dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder(t))))
	return serveFolder(t, dir), dir
}

// two opens two tabs of one browser.
func two(t *testing.T) (first, second *browsertest.Tab, closeFirst func()) {
	t.Helper()
	b := browsertest.Open(t)
	first, closeFirst = b.Beside()
	return first, b, closeFirst
}

const taken = `document.querySelector("[role=status]")?.innerText.includes("another tab")`

// TestUpdateOfTwoTabs replaces the page by a version in which every file has a new name. After a
// reload one tab shows it; the other waits, and shows it once the first is left.
func TestUpdateOfTwoTabs(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s, dir := copied(t)
	first, second, _ := two(t)
	first.Do(chromedp.Navigate(s.URL + "/some/path/"))
	first.Enter()
	first.Until(`navigator.serviceWorker.controller`)
	second.Do(chromedp.Navigate(s.URL + "/some/path/"))
	second.Until(taken)
	replace(t, dir)
	browsertest.JS[string](first, `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => "", (e) => String(e))`)
	first.Press("Reload")
	const newer = `document.querySelector("meta[name=newer]")`
	const alive = newer + ` && document.querySelector("main.home[data-front], main.first")`
	var entered, other *browsertest.Tab
	require.Eventually(t, func() bool {
		entered, other = second, first
		for range 2 {
			entered, other = other, entered
			var is bool
			if chromedp.Run(entered.Ctx, chromedp.Evaluate(`!!(`+alive+`)`, &is)) == nil && is {
				return true
			}
		}
		return false
	}, browsertest.Patience, 200*time.Millisecond)
	other.Until(newer + " && " + taken)
	entered.Do(chromedp.Navigate("about:blank"))
	other.Until(alive)
}

// TestFailedTab: a tab that fails to start says why. The next tab starts, and the first one waits
// for it after a reload.
func TestFailedTab(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s, dir := copied(t)
	first, second, _ := two(t)
	programs, err := filepath.Glob(filepath.Join(dir, "assets/page-*.bin"))
	require.NoError(t, err)
	require.Len(t, programs, 1)
	require.NoError(t, os.Rename(programs[0], programs[0]+".away"))
	first.Do(chromedp.Navigate(s.URL + "/some/path/"))
	first.Until(`/page-\w+\.bin is damaged/.test(document.querySelector("[role=alert]")?.innerText)`)
	first.Picture("failed")
	require.NoError(t, os.Rename(programs[0]+".away", programs[0]))
	second.Do(chromedp.Navigate(s.URL + "/some/path/"))
	second.Enter()
	first.Press("Reload")
	first.Until(taken)
}

// TestOldTab: if the server has new files and there is no service worker, each link of the menu
// shows an explanation, with a button that opens the link in the newer version. The help
// button, a change of language and a missing first script also show an explanation.
func TestOldTab(t *testing.T) {
	testshared.Long(t)
	without := chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`delete Navigator.prototype.serviceWorker`).Do(ctx)
		return err
	})
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		s, dir := copied(t)
		p := browsertest.Open(t)
		p.Do(without, chromedp.Navigate(s.URL+"/some/path/"))
		for _, link := range []string{"learn", "problems", "review", "analyse", "you", "settings"} {
			p.Do(chromedp.Evaluate(`location.hash = "#/"`, nil))
			p.Enter()
			replace(t, dir)
			p.Click(fmt.Sprintf(`nav.rail a[href='#/%s']`, link))
			p.Until(`document.querySelector("[role=alert]")?.innerText.includes("was updated")`)
			p.Picture("old-" + link)
			p.Do(chromedp.Evaluate(`window.old = true`, nil))
			p.Press("Reload")
			p.Until(fmt.Sprintf(`!window.old && location.hash === "#/%s" && document.querySelector(".view main:not(.empty), .view main h1") && !document.querySelector("[role=alert]")`, link))
		}
	})
	t.Run("rules", func(t *testing.T) {
		t.Parallel()
		s, dir := copied(t)
		p := browsertest.Open(t)
		p.Do(without, chromedp.Navigate(s.URL+"/some/path/"))
		p.Enter()
		replace(t, dir)
		p.Click(`nav.rail button`) // help includes the rules
		p.Until(`document.querySelector(".strip-top.bad")?.innerText.includes("was updated")`)
		p.Picture("old-rules")
	})
	t.Run("language", func(t *testing.T) {
		t.Parallel()
		s, dir := copied(t)
		p := browsertest.Open(t)
		p.Do(without, chromedp.Navigate(s.URL+"/some/path/#/settings"))
		p.Until(`document.querySelector("main select option[value=ja]")`)
		replace(t, dir)
		p.Do(chromedp.Evaluate(`{ const s = document.querySelector("main select option[value=ja]").parentElement; s.value = "ja"; s.dispatchEvent(new Event("change", { bubbles: true })); }`, nil))
		p.Until(`document.querySelector(".strip-top.bad")?.innerText.includes("was updated")`)
		p.Press("Reload")
		p.Until(`document.documentElement.lang === "ja" && document.querySelector("main select")`)
	})
	t.Run("first script", func(t *testing.T) {
		t.Parallel()
		s, dir := copied(t)
		p := browsertest.Open(t)
		starts, err := filepath.Glob(filepath.Join(dir, "assets/start-*.js"))
		require.NoError(t, err)
		require.NoError(t, os.Rename(starts[0], starts[0]+".away"))
		p.Do(without, chromedp.Navigate(s.URL+"/some/path/"))
		p.Until(`getComputedStyle(document.querySelector(".late")).visibility === "visible"`)
		p.Picture("late")
		require.NoError(t, os.Rename(starts[0]+".away", starts[0]))
		p.Click(`.late a`)
		p.Enter()
		p.Until(`!document.querySelector(".late")`)
	})
}

// TestBlockedStorage opens the page in browsers that store nothing for it: the page says so, and
// plays. If a browser refuses only locks, games are kept, and a second tab waits as usual.
func TestBlockedStorage(t *testing.T) {
	testshared.Long(t)
	refuse := func(what string) string {
		return what + ` = () => { throw new DOMException("Access is denied", "SecurityError"); };`
	}
	const locks = `navigator.locks.request = () => Promise.reject(new DOMException("Access is denied", "SecurityError"));`
	for _, tc := range []struct {
		name   string
		worker string // script that runs before the worker's
		kept   bool
	}{
		{"locks", locks, true},
		{"no locks at all", `Object.defineProperty(navigator, "locks", { value: undefined });`, true},
		{"a database", refuse("indexedDB.open"), false},
		{"all", locks + refuse("indexedDB.open") + refuse("BroadcastChannel"), false},
		{"late", `{ const open = indexedDB.open.bind(indexedDB); indexedDB.open = (...a) => { const r = open(...a); Object.defineProperty(r, "onsuccess", { set(f) { setTimeout(() => this.onerror()); } }); Object.defineProperty(r, "error", { value: new DOMException("", "UnknownError") }); return r; }; }`, false},
		{"by the browser", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, dir := copied(t)
			scripts, err := filepath.Glob(filepath.Join(dir, "assets/worker-*.js"))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(scripts[0], []byte(tc.worker+testshared.Read(t, scripts[0])), 0o644))
			var options []chromedp.ExecAllocatorOption
			if tc.worker == "" {
				profile, err := os.MkdirTemp("", "profile")
				require.NoError(t, err)
				t.Cleanup(func() { // processes of the browser write into this folder until they have ended
					require.Eventually(t, func() bool { return os.RemoveAll(profile) == nil }, 30*time.Second, 50*time.Millisecond)
				})
				require.NoError(t, os.MkdirAll(filepath.Join(profile, "Default"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(profile, "Default/Preferences"), []byte(`{"profile":{"default_content_setting_values":{"cookies":2}}}`), 0o600))
				options = append(options, chromedp.UserDataDir(profile))
			}
			p := browsertest.Open(t, options...)
			p.Do(chromedp.Navigate(s.URL + "/some/path/"))
			if tc.worker == "" {
				require.NotEmpty(t, browsertest.JS[string](p, `(() => { try { return localStorage.getItem("x") ?? ""; } catch (e) { return e.name; } })()`), "the browser blocks storage")
			}
			p.Enter()
			said := `document.querySelector(".strip-top.warn")?.innerText.includes("are not kept")`
			p.Do(chromedp.Evaluate(`location.hash = "#/new"`, nil))
			p.Click(`form.new .button.primary:not(:disabled)`)
			p.Mine()
			p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
			p.Try("E5")
			p.HasStones(2)
			require.Equal(t, !tc.kept, browsertest.JS[bool](p, "!!("+said+")"))
			p.Picture("blocked " + tc.name)
			if !tc.kept {
				return
			}
			other, _ := p.Beside()
			other.Do(chromedp.Navigate(s.URL + "/some/path/"))
			other.Until(taken)
			p.Do(chromedp.Navigate("about:blank"))
			other.Do(chromedp.Evaluate(`location.hash = "#/you"`, nil))
			other.Until(`document.querySelectorAll(".games li, .game-list li, [data-game]").length > 0 || /9×9/.test(document.querySelector("main")?.innerText)`)
		})
	}
}
