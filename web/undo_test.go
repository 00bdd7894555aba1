package web

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// ctrlZ presses Ctrl+Z.
func ctrlZ(p *browsertest.Tab) {
	p.T.Helper()
	p.Do(input.DispatchKeyEvent(input.KeyDown).WithModifiers(input.ModifierCtrl).WithKey("z").WithCode("KeyZ"))
}

// stopDeletes stops the timer of the ten seconds in which a deletion can be undone, also on pages
// loaded later. The time ends when the test evaluates the script [passed].
func stopDeletes(p *browsertest.Tab) {
	p.T.Helper()
	const script = `window.due = []; { const real = window.setTimeout; window.setTimeout = (f, ms, ...more) => ms === 10000 ? (due.push(f), 0) : real(f, ms, ...more); }`
	beforeScripts(p, script)
	p.Do(chromedp.Evaluate(script, nil))
}

// passed is a script that ends the ten seconds in which a deletion can be undone.
const passed = `due.splice(0).forEach((f) => f())`

// TestUndoOfDeletes deletes one thing of each kind: it disappears from the screen at once, but
// stays on the disk for ten seconds. Undo, Ctrl+Z or a reload brings it back; otherwise it is
// removed.
func TestUndoOfDeletes(t *testing.T) {
	looks(t)
	dir := t.TempDir()
	s := servePage(t, dir)
	c := join(t, s)
	newDoc := func() string {
		return ask[api.ID](c, "doc.new", api.NewDoc{SGF: "(;SZ[9]GN[Mine];B[ee](;W[cc]C[keep me];B[gg])(;W[gc]))"}).ID
	}
	doc := newDoc()
	begin(c, small("b")) // is not deleted
	game := begin(c, small("b"))
	review := toReview(t, s, map[string]string{"club.sgf": spoiltNine})["club.sgf"].ID
	p := openPage(t, s)
	stopDeletes(p)

	const bin = ` [aria-label=Delete]`
	kinds := []struct {
		name, path, row, file string
		n                     int
	}{
		{"a board", "analyse", ".doc-list li", s.folder.Path("docs", doc, ".sgf"), 1},
		{"a game", "you", ".kept-row", s.folder.Path("games", game.Game, ".jsonl"), 2},
		{"a review", "review", ".review-row", s.folder.Path("reviews/records", review, ".sgf"), 1},
	}
	rows := func(row string, n int) {
		t.Helper()
		browsertest.Equal(p, n, fmt.Sprintf(`document.querySelectorAll(%q).length`, row), row)
	}
	for _, k := range kinds {
		p.Do(chromedp.Navigate(s.Address() + k.path))
		rows(k.row, k.n)
		delete := k.row + bin
		if k.name == "a game" {
			delete = k.row + ":has(a[href$='" + game.Game + "']) button:last-of-type"
		}
		p.Click(delete)
		rows(k.row, k.n-1)
		p.Picture("deleted " + k.name)
		p.Press("Undo")
		rows(k.row, k.n)
		p.Click(delete)
		rows(k.row, k.n-1)
		p.Click(`a[href="/settings"]`) // undo also works on another screen
		p.Until(`document.querySelector("main.settings") && document.querySelector(".toast")`)
		ctrlZ(p)
		p.Until(`!document.querySelector(".toast")`)
		p.Do(chromedp.NavigateBack())
		rows(k.row, k.n)
		p.Click(delete)
		rows(k.row, k.n-1)
		p.Do(chromedp.Reload()) // as if the page was closed
		rows(k.row, k.n)
		p.Click(delete)
		rows(k.row, k.n-1)
		require.FileExists(t, k.file, k.name)
		p.Do(chromedp.Evaluate(passed, nil))
		require.Eventually(t, func() bool { _, err := os.Stat(k.file); return os.IsNotExist(err) }, browsertest.Patience, 50*time.Millisecond, k.name)
		p.Until(`!document.querySelector(".toast")`)
		rows(k.row, k.n-1)
	}
	doc = newDoc()

	// A deleted branch comes back with its notes, and the view returns to it.
	p.Do(chromedp.Navigate(s.Address() + "analyse/" + doc + "?at=2"))
	at := func(n string) { p.Until(`document.querySelector("main.analyse")?.dataset.node === "` + n + `"`) }
	at("2")
	del := func() { p.Do(input.DispatchKeyEvent(input.KeyDown).WithKey("Delete").WithCode("Delete")) }
	file := func() string {
		return testshared.Read(t, s.folder.Path("docs", doc, ".sgf"))
	}
	del()
	at("1")
	p.HasStones(1)
	ctrlZ(p)
	at("2")
	require.Contains(t, file(), "keep me")
	del()
	at("1")
	p.Point("C7") // plays the deleted move again: first its old branch is removed from the file
	p.HasStones(2)
	p.Until(`document.querySelector("main.analyse").dataset.node !== "2"`)
	require.Eventually(t, func() bool { return !strings.Contains(file(), "keep me") }, browsertest.Patience, 50*time.Millisecond)
}
