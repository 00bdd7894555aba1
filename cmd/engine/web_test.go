package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web"
)

// webServer is an `engine web` and the address that it printed.
type webServer struct {
	cmd *exec.Cmd
	url string
}

// startWeb starts the real program, as it is, on the network inside it.
func startWeb(t *testing.T, folder string) *webServer {
	t.Helper()
	if _, err := web.Page(); err != nil {
		testshared.Absent(t, "%v", err)
	}
	cmd := exec.Command(program, "web", "--no-open", "--folder", folder, "--precision", "fp32", "--sessions", "1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/#k=[\w-]{43}\n$`, line)
	return &webServer{cmd, strings.TrimSpace(line)}
}

// tab is a browser's tab on the page.
type tab struct{ *browsertest.Tab }

func openTab(t *testing.T) tab {
	t.Helper()
	return tab{browsertest.Open(t)}
}

// point clicks a point of the board where it is on the screen.
func (b tab) point(v string) {
	b.T.Helper()
	at := browsertest.JS[[]float64](b.Tab, fmt.Sprintf(`(() => { const c = [...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === %q);
		const r = c.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, v))
	b.Do(chromedp.MouseClickXY(at[0], at[1]))
}

const play = `document.querySelector("main.play")`

// mine waits for the player's turn, or for the end of play.
func (b tab) mine() string {
	b.T.Helper()
	b.Until(play + ` && (` + play + `.dataset.phase !== "play" || ` + play + `.dataset.turn === "b") && ` + play + `.dataset.online === "open"`)
	return browsertest.JS[string](b.Tab, play+".dataset.phase")
}

// countNotes makes the page count its short notes, as noteCount.
const countNotes = `window.noteCount = 0; new MutationObserver((all) => { for (const m of all) for (const n of m.addedNodes) if (n.classList?.contains("toast")) noteCount++; })
	.observe(document.body, { childList: true, subtree: true })`

// try clicks a point and waits until the move is made and answered, or refused
// by a note of the page, which must count them. It returns the phase.
func (b tab) try(v string) string {
	b.T.Helper()
	rev, notes := browsertest.JS[string](b.Tab, play+".dataset.rev"), browsertest.JS[int](b.Tab, "noteCount")
	b.point(v)
	b.Until(fmt.Sprintf("%s.dataset.rev !== %q || noteCount > %d", play, rev, notes))
	return b.mine()
}

// free returns an empty point, "" if there is none.
func (b tab) free(skip map[string]bool) string {
	b.T.Helper()
	for _, v := range browsertest.JS[[]string](b.Tab, `[...document.querySelectorAll("[role=gridcell]")].map((c) => c.ariaLabel).filter((n) => /^\w+$/.test(n))`) {
		if !skip[v] {
			return v
		}
	}
	return ""
}

func (b tab) stones() int {
	b.T.Helper()
	return browsertest.JS[int](b.Tab, `[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length`)
}

// TestWebGame plays a whole game by clicks: two clicks to the first stone, undo,
// hint, an estimate, a reload and a kill -9 in the middle, passes and the count.
func TestWebGame(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	server := startWeb(t, dir)
	b := openTab(t)
	b.Do(chromedp.Navigate(server.url))
	b.Until(`document.querySelector("form.new")`)
	require.NotContains(t, browsertest.JS[string](b.Tab, "location.href"), "#k=", "the key leaves the address")
	b.Axe("home")
	b.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ limit: "visits", visits: 12, pace: false }))`, nil), chromedp.Reload())
	b.Until(`document.querySelector("form.new")`)
	b.Do(chromedp.Evaluate(countNotes, nil))
	b.Press("Play")
	b.mine()
	b.try("E5")
	b.Until(`document.querySelectorAll(".moves li").length === 2`)
	require.Equal(t, 2, b.stones())
	b.Axe("play")
	b.try("E5")
	require.Equal(t, 1, browsertest.JS[int](b.Tab, "noteCount"), "refused in its place, with a reason")
	require.Equal(t, 2, b.stones())
	b.Press("Undo")
	b.Until(`document.querySelectorAll(".moves li").length === 0`)
	b.Press("Redo")
	b.Until(`document.querySelectorAll(".moves li").length === 2`)
	b.Press("Hint")
	b.Until(`document.querySelector(".message")?.innerText.includes("shaded")`)
	b.Press("Count")
	b.Until(`document.querySelector(".message")?.innerText.includes("open")`)
	b.try(b.free(nil))
	b.Until(`document.querySelectorAll(".moves li").length === 4`)
	before := b.stones()
	b.Do(chromedp.Reload(), chromedp.Evaluate(countNotes, nil))
	b.mine()
	require.Equal(t, before, b.stones(), "a reload is a resume")

	// kill -9, and the page goes on by itself.
	require.NoError(t, server.cmd.Process.Kill())
	server.cmd.Wait()
	b.Until(`document.querySelector(".strip-top.warn")`)
	startWeb(t, dir)
	b.mine()
	require.Equal(t, before, b.stones(), "nothing is lost")

	tried := map[string]bool{}
	phase := b.mine()
	for i := 0; phase == "play" && i < 24; i++ {
		v := b.free(tried)
		if v == "" {
			break
		}
		tried[v] = true
		phase = b.try(v)
	}
	for i := 0; phase == "play" && i < 80; i++ {
		rev := browsertest.JS[string](b.Tab, play+".dataset.rev")
		b.Press("Pass")
		b.Until(play + `.dataset.rev !== "` + rev + `"`)
		phase = b.mine()
	}
	if phase == "count" {
		b.Until(browsertest.Button("Agree"))
		b.Axe("count")
		b.Press("Agree")
	}
	b.Until(play + `.dataset.phase === "over"`)
	b.Axe("over")
	b.Clean()

	// The record on disk is the game's.
	files, err := filepath.Glob(filepath.Join(dir, "games", "*.sgf"))
	require.NoError(t, err)
	require.Len(t, files, 1)

	// From here to the analysis of the game.
	b.Press("Analyse the game")
	b.Until(`document.querySelector("main.analyse")`)
	b.Until(`document.querySelectorAll(".cands tbody tr").length > 0 || document.querySelector(".engine-line")?.innerText.includes("visits")`)
	b.Clean()
}

// TestWebKeyboard plays without a mouse: by arrows and Enter, and by typed moves.
func TestWebKeyboard(t *testing.T) {
	needLibrary(t)
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	b.Do(chromedp.Navigate(server.url))
	b.Until(`document.querySelector("form.new")`)
	b.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ size: 5, other: true, w: 5, h: 5, limit: "visits", visits: 4, pace: false }))`, nil), chromedp.Reload())
	b.Until(`document.querySelector("form.new")`)
	b.Do(chromedp.Evaluate(`document.querySelector("form.new .button.primary").focus()`, nil), chromedp.KeyEvent(kb.Enter))
	b.mine()
	for i := 0; i < 60 && browsertest.JS[string](b.Tab, `document.activeElement.getAttribute("role") ?? ""`) != "gridcell"; i++ {
		b.Do(chromedp.KeyEvent(kb.Tab))
	}
	require.Equal(t, "C3", browsertest.JS[string](b.Tab, "document.activeElement.ariaLabel"))
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	require.Equal(t, "D4", browsertest.JS[string](b.Tab, "document.activeElement.ariaLabel"))
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.mine()
	b.Until(`document.activeElement.ariaLabel?.startsWith("D4 black")`) // the focus stays
	b.Until(`document.querySelector("#polite").innerText.includes("White")`)
	b.Do(chromedp.KeyEvent("g"))
	b.Until(`document.querySelector("#polite").innerText.includes("group of")`)
	phase := "play"
	for i := 0; phase == "play" && i < 60; i++ {
		rev := browsertest.JS[string](b.Tab, play+".dataset.rev")
		b.Until(`!document.querySelector("dialog[open]")`)
		// As one event, as keyboards do: what the page keeps from its default is not
		// typed into the field that it opens.
		b.Do(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithCode("Slash").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/").WithCode("Slash"))
		b.Until(`document.querySelector("dialog[open] input")`)
		b.Do(chromedp.KeyEvent("pass"), chromedp.KeyEvent(kb.Enter))
		b.Until(play + `.dataset.rev !== "` + rev + `"`)
		phase = b.mine()
	}
	if phase == "count" {
		b.Until(browsertest.Button("Agree"))
		b.Do(chromedp.Evaluate(browsertest.Button("Agree")+".focus()", nil), chromedp.KeyEvent(kb.Enter))
	}
	b.Until(play + `.dataset.phase === "over"`)
	b.Until(`document.querySelector("#polite").innerText.includes("over")`)
	b.Clean()
}

const recordWithScript = `(;GM[1]FF[4]SZ[9]PB[<img src=x onerror=document.title='owned'>]PW[<script>document.title='owned'</script>]C[<b>bold</b>];B[ee];W[ce];B[gc](;W[cc])(;W[gg];B[cg]))`

// TestWebAnalysis pastes a record, walks it, looks at variations and mistakes.
func TestWebAnalysis(t *testing.T) {
	needLibrary(t)
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	b.Do(chromedp.Navigate(server.url))
	b.Until(`document.querySelector("form.new")`)
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
	b.Do(chromedp.KeyEvent(kb.ArrowDown)) // the other variation
	b.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("G3 white"))`)
	b.Axe("analysis")
	b.Press("Mistakes")
	b.Press("Look at the whole game")
	b.Until(`document.querySelector(".mistakes") && !document.querySelector(".sweep")`)
	b.Press("Set up")
	b.point("A1")
	b.Until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("A1 black"))`)
	b.Press("Done")
	b.Press("Game")
	b.Until(`document.querySelector(".game-tab")?.innerText.includes("<img")`) // text, not markup
	require.NotEqual(t, "owned", browsertest.JS[string](b.Tab, "document.title"))
	b.Do(emulation.SetDeviceMetricsOverride(390, 844, 2, true), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	b.Until(`innerWidth === 390`)
	b.Axe("analysis on a phone, dark")
	require.LessOrEqual(t, browsertest.JS[int](b.Tab, "document.documentElement.scrollWidth"), 390, "nothing sticks out")
	b.Do(chromedp.Evaluate(`document.querySelector('a[href="/settings"]').click()`, nil))
	b.Until(`document.querySelector("main.settings")`)
	b.Axe("settings")
	b.Clean()
}

// TestWebWithoutKey opens the page as somebody who does not have its key, gives it,
// and begins a game against a beginner.
func TestWebWithoutKey(t *testing.T) {
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	address, _, _ := strings.Cut(server.url, "#")
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector(".denied")`)
	b.Axe("denied")
	b.Do(chromedp.SendKeys(".denied input", server.url+kb.Enter, chromedp.ByQuery))
	b.Until(`document.querySelector("form.new input[type=range]")`)

	// The weakest level is one key away.
	b.Do(chromedp.Evaluate(`document.querySelector("form.new input[type=range]").focus()`, nil), chromedp.KeyEvent(kb.Home))
	b.Until(`document.querySelector("form.new output").innerText.includes("20k")`)
	b.Press("Play")
	b.Until(play + `?.innerText.includes("20k")`)
	b.Clean()
}
