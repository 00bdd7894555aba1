package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdpnetwork "github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

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
type tab struct {
	t    *testing.T
	ctx  context.Context
	said []string // errors of scripts, breaches of the policy
	away []string // requests to other hosts
}

func openTab(t *testing.T) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		testshared.Absent(t, "no browser is installed (package chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.said = append(b.said, e.ExceptionDetails.Error())
		case *cdpnetwork.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "http://127.0.0.1:") && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") {
				b.away = append(b.away, u)
			}
		}
	})
	b.do(cdpnetwork.Enable(), page.Enable())
	return b
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, actions...))
}

// js evaluates an expression of the page.
func js[T any](b *tab, expression string) T {
	b.t.Helper()
	var v T
	b.do(chromedp.Evaluate(expression, &v))
	return v
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	err := chromedp.Run(b.ctx, chromedp.Poll("!!("+expression+")", nil, chromedp.WithPollingTimeout(2*time.Minute), chromedp.WithPollingInterval(30*time.Millisecond)))
	if err != nil {
		b.t.Fatalf("%v: %s; the page says %q", err, expression, js[string](b, "document.body.innerText.slice(0, 600)"))
	}
}

// point clicks a point of the board where it is on the screen.
func (b *tab) point(v string) {
	b.t.Helper()
	at := js[[]float64](b, fmt.Sprintf(`(() => { const c = [...document.querySelectorAll("[role=gridcell]")].find((c) => c.ariaLabel.split(/[ ,]/)[0] === %q);
		const r = c.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, v))
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

const play = `document.querySelector("main.play")`

// mine waits for the player's turn, or for the end of play.
func (b *tab) mine() string {
	b.t.Helper()
	b.until(play + ` && (` + play + `.dataset.phase !== "play" || ` + play + `.dataset.turn === "b") && ` + play + `.dataset.online === "open"`)
	return js[string](b, play+".dataset.phase")
}

// countNotes makes the page count its short notes, as noteCount.
const countNotes = `window.noteCount = 0; new MutationObserver((all) => { for (const m of all) for (const n of m.addedNodes) if (n.classList?.contains("toast")) noteCount++; })
	.observe(document.body, { childList: true, subtree: true })`

// try clicks a point and waits until the move is made and answered, or refused
// by a note of the page, which must count them. It returns the phase.
func (b *tab) try(v string) string {
	b.t.Helper()
	rev, notes := js[string](b, play+".dataset.rev"), js[int](b, "noteCount")
	b.point(v)
	b.until(fmt.Sprintf("%s.dataset.rev !== %q || noteCount > %d", play, rev, notes))
	return b.mine()
}

// free returns an empty point, "" if there is none.
func (b *tab) free(skip map[string]bool) string {
	b.t.Helper()
	for _, v := range js[[]string](b, `[...document.querySelectorAll("[role=gridcell]")].map((c) => c.ariaLabel).filter((n) => /^\w+$/.test(n))`) {
		if !skip[v] {
			return v
		}
	}
	return ""
}

func (b *tab) stones() int {
	b.t.Helper()
	return js[int](b, `[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length`)
}

func button(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === %q)`, text)
}

func (b *tab) press(text string) {
	b.t.Helper()
	b.until(button(text) + ` && !` + button(text) + `.disabled`)
	b.do(chromedp.Evaluate(button(text)+".click()", nil))
}

// axe runs axe-core on the page; it lets no serious fault through.
func (b *tab) axe(screen string) {
	b.t.Helper()
	source, err := os.ReadFile("../../testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		testshared.Absent(b.t, "axe-core is not installed (make deps-test): %v", err)
	}
	b.do(chromedp.Evaluate(string(source)+";0", nil))
	var faults []string
	b.do(chromedp.Evaluate(`axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")))`, &faults,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	require.Empty(b.t, faults, "%s", screen)
}

func (b *tab) clean() {
	b.t.Helper()
	require.Empty(b.t, b.said, "errors of scripts")
	require.Empty(b.t, b.away, "requests to elsewhere")
}

// TestWebGame plays a whole game by clicks: two clicks to the first stone, undo,
// hint, an estimate, a reload and a kill -9 in the middle, passes and the count.
func TestWebGame(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	server := startWeb(t, dir)
	b := openTab(t)
	b.do(chromedp.Navigate(server.url))
	b.until(`document.querySelector("form.new")`)
	require.NotContains(t, js[string](b, "location.href"), "#k=", "the key leaves the address")
	b.axe("home")
	b.do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ limit: "visits", visits: 12, pace: false }))`, nil), chromedp.Reload())
	b.until(`document.querySelector("form.new")`)
	b.do(chromedp.Evaluate(countNotes, nil))
	b.press("Play")
	b.mine()
	b.try("E5")
	b.until(`document.querySelectorAll(".moves li").length === 2`)
	require.Equal(t, 2, b.stones())
	b.axe("play")
	b.try("E5")
	require.Equal(t, 1, js[int](b, "noteCount"), "refused in its place, with a reason")
	require.Equal(t, 2, b.stones())
	b.press("Undo")
	b.until(`document.querySelectorAll(".moves li").length === 0`)
	b.press("Redo")
	b.until(`document.querySelectorAll(".moves li").length === 2`)
	b.press("Hint")
	b.until(`document.querySelector(".message")?.innerText.includes("shaded")`)
	b.press("Count")
	b.until(`document.querySelector(".message")?.innerText.includes("open")`)
	b.try(b.free(nil))
	b.until(`document.querySelectorAll(".moves li").length === 4`)
	before := b.stones()
	b.do(chromedp.Reload(), chromedp.Evaluate(countNotes, nil))
	b.mine()
	require.Equal(t, before, b.stones(), "a reload is a resume")

	// kill -9, and the page goes on by itself.
	require.NoError(t, server.cmd.Process.Kill())
	server.cmd.Wait()
	b.until(`document.querySelector(".strip-top.warn")`)
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
		rev := js[string](b, play+".dataset.rev")
		b.press("Pass")
		b.until(play + `.dataset.rev !== "` + rev + `"`)
		phase = b.mine()
	}
	if phase == "count" {
		b.until(button("Agree"))
		b.axe("count")
		b.press("Agree")
	}
	b.until(play + `.dataset.phase === "over"`)
	b.axe("over")
	b.clean()

	// The record on disk is the game's.
	files, err := filepath.Glob(filepath.Join(dir, "games", "*.sgf"))
	require.NoError(t, err)
	require.Len(t, files, 1)

	// From here to the analysis of the game.
	b.press("Analyse the game")
	b.until(`document.querySelector("main.analyse")`)
	b.until(`document.querySelectorAll(".cands tbody tr").length > 0 || document.querySelector(".engine-line")?.innerText.includes("visits")`)
	b.clean()
}

// TestWebKeyboard plays without a mouse: by arrows and Enter, and by typed moves.
func TestWebKeyboard(t *testing.T) {
	needLibrary(t)
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	b.do(chromedp.Navigate(server.url))
	b.until(`document.querySelector("form.new")`)
	b.do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ size: 5, other: true, w: 5, h: 5, limit: "visits", visits: 4, pace: false }))`, nil), chromedp.Reload())
	b.until(`document.querySelector("form.new")`)
	b.do(chromedp.Evaluate(`document.querySelector("form.new .button.primary").focus()`, nil), chromedp.KeyEvent(kb.Enter))
	b.mine()
	for i := 0; i < 60 && js[string](b, `document.activeElement.getAttribute("role") ?? ""`) != "gridcell"; i++ {
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	require.Equal(t, "C3", js[string](b, "document.activeElement.ariaLabel"))
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	require.Equal(t, "D4", js[string](b, "document.activeElement.ariaLabel"))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.mine()
	b.until(`document.activeElement.ariaLabel?.startsWith("D4 black")`) // the focus stays
	b.until(`document.querySelector("#polite").innerText.includes("White")`)
	b.do(chromedp.KeyEvent("g"))
	b.until(`document.querySelector("#polite").innerText.includes("group of")`)
	phase := "play"
	for i := 0; phase == "play" && i < 60; i++ {
		rev := js[string](b, play+".dataset.rev")
		b.until(`!document.querySelector("dialog[open]")`)
		// As one event, as keyboards do: what the page keeps from its default is not
		// typed into the field that it opens.
		b.do(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithCode("Slash").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/").WithCode("Slash"))
		b.until(`document.querySelector("dialog[open] input")`)
		b.do(chromedp.KeyEvent("pass"), chromedp.KeyEvent(kb.Enter))
		b.until(play + `.dataset.rev !== "` + rev + `"`)
		phase = b.mine()
	}
	if phase == "count" {
		b.until(button("Agree"))
		b.do(chromedp.Evaluate(button("Agree")+".focus()", nil), chromedp.KeyEvent(kb.Enter))
	}
	b.until(play + `.dataset.phase === "over"`)
	b.until(`document.querySelector("#polite").innerText.includes("over")`)
	b.clean()
}

const recordWithScript = `(;GM[1]FF[4]SZ[9]PB[<img src=x onerror=document.title='owned'>]PW[<script>document.title='owned'</script>]C[<b>bold</b>];B[ee];W[ce];B[gc](;W[cc])(;W[gg];B[cg]))`

// TestWebAnalysis pastes a record, walks it, looks at variations and mistakes.
func TestWebAnalysis(t *testing.T) {
	needLibrary(t)
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	b.do(chromedp.Navigate(server.url))
	b.until(`document.querySelector("form.new")`)
	text, err := json.Marshal(recordWithScript)
	require.NoError(t, err)
	b.do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 150, tab: "tree" }));
		{ const d = new DataTransfer(); d.setData("text", `+string(text)+`); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil))
	b.until(`document.querySelector("main.analyse")`)
	b.until(`document.querySelectorAll(".cands tbody tr").length > 1`)
	for range 4 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(`[...document.querySelectorAll("[role=gridcell]")].filter((c) => / (black|white)/.test(c.ariaLabel)).length === 4`)
	b.do(chromedp.KeyEvent(kb.ArrowDown)) // the other variation
	b.until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("G3 white"))`)
	b.axe("analysis")
	b.press("Mistakes")
	b.press("Look at the whole game")
	b.until(`document.querySelector(".mistakes") && !document.querySelector(".sweep")`)
	b.press("Set up")
	b.point("A1")
	b.until(`[...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith("A1 black"))`)
	b.press("Done")
	b.press("Game")
	b.until(`document.querySelector(".game-tab")?.innerText.includes("<img")`) // text, not markup
	require.NotEqual(t, "owned", js[string](b, "document.title"))
	b.do(emulation.SetDeviceMetricsOverride(390, 844, 2, true), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	b.until(`innerWidth === 390`)
	b.axe("analysis on a phone, dark")
	require.LessOrEqual(t, js[int](b, "document.documentElement.scrollWidth"), 390, "nothing sticks out")
	b.do(chromedp.Evaluate(`document.querySelector('a[href="/settings"]').click()`, nil))
	b.until(`document.querySelector("main.settings")`)
	b.axe("settings")
	b.clean()
}

// TestWebWithoutKey opens the page as somebody who does not have its key, gives it,
// and begins a game against a beginner.
func TestWebWithoutKey(t *testing.T) {
	server := startWeb(t, t.TempDir())
	b := openTab(t)
	address, _, _ := strings.Cut(server.url, "#")
	b.do(chromedp.Navigate(address))
	b.until(`document.querySelector(".denied")`)
	b.axe("denied")
	b.do(chromedp.SendKeys(".denied input", server.url+kb.Enter, chromedp.ByQuery))
	b.until(`document.querySelector("form.new input[type=range]")`)

	// The weakest level is one key away.
	b.do(chromedp.Evaluate(`document.querySelector("form.new input[type=range]").focus()`, nil), chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector("form.new output").innerText.includes("20k")`)
	b.press("Play")
	b.until(play + `?.innerText.includes("20k")`)
	b.clean()
}
