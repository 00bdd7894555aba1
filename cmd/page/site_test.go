package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/webtest"
)

// folder is what make page-site has written.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(testshared.Checkout(t), "bin/site")
	if _, err := os.Stat(filepath.Join(dir, "sw.js")); err != nil {
		testshared.Absent(t, "the page without a server is not built (make page-site): %v", err)
	}
	return dir
}

// site serves the folder under a path, as any host of files does.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	return serveFolder(t, folder(t))
}

func serveFolder(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/some/path/", http.StripPrefix("/some/path/", http.FileServer(http.Dir(dir))))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// begin begins a game on a board of that size from the form.
func begin(p webtest.Page, size, visits int) {
	p.Do(chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: %d, limit: "visits", visits: %d, pace: false }))`, size, visits), nil))
	p.Do(chromedp.Evaluate(`location.hash = "#/new"`, nil), chromedp.Reload())
	p.Until(`document.querySelector("form.new .button.primary:not(:disabled)")`)
	p.Do(chromedp.Evaluate(`document.querySelector("form.new .button.primary").click()`, nil))
	p.Until(`location.hash.startsWith("#/play/") && !document.querySelector("form.new")`)
	p.Mine()
	p.Do(chromedp.Evaluate(webtest.CountNotes, nil))
}

// TestSite plays a move in a folder of files, finds the game again after a reload, and
// goes on with a game on a large board, for which another network came, when the server
// is gone.
func TestSite(t *testing.T) {
	s := site(t)
	p := webtest.Page{Tab: browsertest.Open(t)}
	p.Do(chromedp.Navigate(s.URL + "/some/path/"))
	p.Enter()
	begin(p, 9, 30)
	p.Try("E5")
	p.HasStones(2)
	address := browsertest.JS[string](p.Tab, "location.href")

	p.Do(chromedp.Reload())
	p.Mine()
	require.Equal(t, address, browsertest.JS[string](p.Tab, "location.href"))
	p.HasStones(2) // the game is there

	p.Until(`navigator.serviceWorker.controller`)
	const kept = `(async () => { for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) if (r.url.includes("/taught-")) return true; return false; })()`
	require.False(t, browsertest.JS[bool](p.Tab, kept), "a small board does not need it")
	begin(p, 19, 2)
	p.Try("Q16")
	p.HasStones(2)
	require.True(t, browsertest.JS[bool](p.Tab, kept))
	s.Close()
	p.Do(chromedp.Reload())
	p.Mine()
	p.HasStones(2) // without the server too
	p.Do(chromedp.Evaluate(webtest.CountNotes, nil))
	p.Try("D4")
	p.HasStones(4)
	p.Clean()
}

// TestPhoneInPocket hides the page of a phone: the stone that was played then is answered
// once somebody looks again.
func TestPhoneInPocket(t *testing.T) {
	s := site(t)
	p := webtest.Page{Tab: browsertest.Open(t)}
	const phone = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"
	p.Do(emulation.SetUserAgentOverride(phone), chromedp.Navigate(s.URL+"/some/path/"))
	p.Enter()
	look := func(state string) {
		p.Do(chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, "visibilityState", { value: %q, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`, state), nil))
	}
	look("hidden")
	p.Point("E5")
	p.HasMoves(1)
	eventually(p.Tab, `new Promise((done) => setTimeout(() => done(true), 500))`)
	p.HasMoves(1)
	look("visible")
	p.HasMoves(2)
}

// TestTwoTabs opens the page twice: the second one says where the first is, and takes
// its place when that is closed.
func TestTwoTabs(t *testing.T) {
	s := site(t)
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate("about:blank"))
	first, closeFirst := another(b)
	first.Do(chromedp.Navigate(s.URL + "/some/path/"))
	webtest.Page{Tab: first}.Enter()
	second, _ := another(b)
	second.Do(chromedp.Navigate(s.URL + "/some/path/"))
	second.Until(`document.querySelector("[role=status]")?.innerText.includes("another tab")`)
	closeFirst()
	webtest.Page{Tab: second}.Enter()
}

// TestDamagedCache overwrites a part of the program that the browser keeps: it is fetched
// again; where it cannot be, the page says which one it is.
func TestDamagedCache(t *testing.T) {
	s := site(t)
	p := webtest.Page{Tab: browsertest.Open(t)}
	p.Do(chromedp.Navigate(s.URL + "/some/path/"))
	p.Enter()
	p.Until(`navigator.serviceWorker.controller`)
	damage := func() {
		require.Equal(t, 1, browsertest.JS[int](p.Tab, `(async () => {
			let n = 0;
			for (const name of await caches.keys()) {
				const cache = await caches.open(name);
				for (const r of await cache.keys()) if (r.url.includes("/page-")) { await cache.put(r, new Response("no program")); n++; }
			}
			return n;
		})()`))
	}
	damage()
	p.Do(chromedp.Reload())
	p.Enter()
	damage()
	s.Close()
	p.Do(chromedp.Reload())
	p.Until(`/page-\w+\.bin is damaged/.test(document.querySelector("[role=alert]")?.innerText)`)
}

// TestUpdate puts a newer version in place of the page: half of it changes nothing, all of
// it is told and shown after a reload.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder(t))))
	s := serveFolder(t, dir)
	p := webtest.Page{Tab: browsertest.Open(t)}
	p.Do(chromedp.Navigate(s.URL + "/some/path/"))
	p.Enter()
	p.Until(`navigator.serviceWorker.controller`)
	change := func(name, old, now string) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Contains(t, string(data), old)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(data), old, now)), 0o644))
	}
	change("index.html", "<title>Kosumi</title>", `<title>Kosumi</title><meta name="newer">`)
	change("sw.js", `"assets/After-`, `"assets/missing.js","assets/After-`)
	change("sw.js", browsertest.JS[string](p.Tab, `caches.keys().then((names) => names[0].split(" ").pop())`), "0123456789ab")
	updated := `[...document.querySelectorAll(".strip-top")].some((s) => s.innerText.includes("updated"))`
	update := `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => "", (e) => String(e))`
	browsertest.JS[string](p.Tab, update)
	eventually(p.Tab, `navigator.serviceWorker.getRegistration().then((r) => !r.installing)`)
	p.Do(chromedp.Reload())
	p.Enter()
	require.False(t, browsertest.JS[bool](p.Tab, `!!document.querySelector("meta[name=newer]") || `+updated), "half of a version is none")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "assets/missing.js"), nil, 0o644))
	browsertest.JS[string](p.Tab, update)
	p.Until(updated)
	p.Press("Reload")
	p.Until(`document.querySelector("meta[name=newer]")`)
	p.Enter()
	s.Close()
	p.Do(chromedp.Reload())
	p.Enter()
	require.True(t, browsertest.JS[bool](p.Tab, `!!document.querySelector("meta[name=newer]")`))
}
