package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
)

// TestDamagedCache overwrites a part of the program in the browser's cache: the file is fetched
// again; if that fails, the page names the file.
func TestDamagedCache(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s := site(t)
	p := entered(t, s)
	p.Until(`navigator.serviceWorker.controller`)
	damage := func() {
		require.Equal(t, 1, browsertest.JS[int](p, `(async () => {
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

// TestUpdate puts a newer version in place of the page: while a file is missing, nothing changes;
// the complete version is announced, and shown after a reload.
func TestUpdate(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	s, dir := copied(t)
	p := entered(t, s)
	p.Until(`navigator.serviceWorker.controller`)
	change := func(name, old, now string) {
		data := testshared.Read(t, filepath.Join(dir, name))
		require.Contains(t, data, old)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(data, old, now)), 0o644))
	}
	change("index.html", "<title>Kosumi</title>", `<title>Kosumi</title><meta name="newer">`)
	change("sw.js", `"assets/After-`, `"assets/missing.js","assets/After-`)
	change("sw.js", browsertest.JS[string](p, `caches.keys().then((names) => names[0].split(" ").pop())`), "0123456789ab")
	updated := `[...document.querySelectorAll(".strip-top")].some((s) => s.innerText.includes("updated"))`
	update := `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => "", (e) => String(e))`
	browsertest.JS[string](p, update)
	eventually(p, `navigator.serviceWorker.getRegistration().then((r) => !r.installing)`)
	p.Do(chromedp.Reload())
	p.Enter()
	require.False(t, browsertest.JS[bool](p, `!!document.querySelector("meta[name=newer]") || `+updated), "half of a version is none")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "assets/missing.js"), nil, 0o644))
	browsertest.JS[string](p, update)
	p.Until(updated)
	p.Press("Reload")
	p.Until(`document.querySelector("meta[name=newer]")`)
	p.Enter()
	s.Close()
	p.Do(chromedp.Reload())
	p.Enter()
	require.True(t, browsertest.JS[bool](p, `!!document.querySelector("meta[name=newer]")`))
}
