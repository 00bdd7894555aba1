package main_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/webtest"
)

// site serves the folder that make page-site has written, under a path, as any host of
// files does. The server of the test can be closed, and opened again at its address.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	dir := filepath.Join(testshared.Checkout(t), "bin/site")
	if _, err := os.Stat(filepath.Join(dir, "sw.js")); err != nil {
		testshared.Absent(t, "the page without a server is not built (make page-site): %v", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/some/path/", http.StripPrefix("/some/path/", http.FileServer(http.Dir(dir))))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestSite plays a move in a folder of files, finds the game again after a reload, and
// goes on with it when the server is gone.
func TestSite(t *testing.T) {
	s := site(t)
	p := webtest.Page{Tab: browsertest.Open(t)}
	p.Do(chromedp.Navigate(s.URL + "/some/path/"))
	p.Enter()
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: 9, limit: "visits", visits: 4, pace: false }))`, nil))
	p.Do(chromedp.Evaluate(`location.hash = "#/new"`, nil))
	p.Until(`document.querySelector("form.new")`)
	p.Do(chromedp.Evaluate(`document.querySelector("form.new .button.primary").click()`, nil))
	p.Mine()
	p.Point("E5")
	p.Mine()
	require.Equal(t, 2, p.Stones())
}
