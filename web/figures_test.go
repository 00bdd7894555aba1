//go:build figures

package web

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
)

// Make the figures of docs/web.md by hand, on a quiet machine:
//
//	go test ./web -tags figures -run TestFigures -figures bin/engine [-minutes 10] [-model FILE]
//	go test ./web -tags figures -run TestPictures -pictures docs/images [-model FILE]
var (
	figures  = flag.String("figures", "", "measure with this `PROGRAM`")
	pictures = flag.String("pictures", "", "`FOLDER` for pictures of the page")
	minutes  = flag.Float64("minutes", 0, "minutes of analysis while memory is watched")
	modelAt  = flag.String("model", "", "network `FILE` to measure and to draw with")
)

// program is a running `engine web`.
type program struct {
	cmd *exec.Cmd
	url string
}

func startProgram(t *testing.T, folder string, args ...string) *program {
	t.Helper()
	all := append([]string{"web", "--no-open", "--folder", folder, "--ui", "ui/dist"}, args...)
	if *modelAt != "" {
		all = append(all, "--model", *modelAt)
	}
	path, err := filepath.Abs(filepath.Join("..", *figures))
	require.NoError(t, err)
	cmd := exec.Command(path, all...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return &program{cmd, strings.TrimSpace(line)}
}

// rss is the memory of a process in MB.
func rss(pid int) float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(data)
	if m == nil {
		return 0
	}
	kb, _ := strconv.ParseFloat(string(m[1]), 64)
	return kb / 1000
}

// cpu is the processor time that a process has taken.
func cpu(pid int) time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	u, _ := strconv.Atoi(fields[11])
	s, _ := strconv.Atoi(fields[12])
	return time.Duration(u+s) * 10 * time.Millisecond
}

// heap is the memory in use on the heap of the page's scripts, in MB.
func heap(p *browsertest.Tab) float64 {
	var used float64
	p.Do(chromedp.ActionFunc(func(ctx context.Context) error {
		if err := runtime.Enable().Do(ctx); err != nil {
			return err
		}
		u, _, _, _, err := runtime.GetHeapUsage().Do(ctx)
		used = u
		return err
	}))
	return used / 1e6
}

// watchFrames measures, inside the page, the time from the arrival of a frame at the socket to
// its paint, and the time between animation frames.
const watchFrames = `(() => {
	const Real = WebSocket; window.lag = []; window.gaps = [];
	window.WebSocket = class extends Real { set onmessage(f) { super.onmessage = (e) => { const t0 = performance.now(); f(e);
		if (e.data.includes('"analysis.frame"')) requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => lag.push(performance.now() - t0); c.port2.postMessage(0); }); }; } };
	let last = 0; const tick = (t) => { if (last) gaps.push(t - last); last = t; requestAnimationFrame(tick); }; requestAnimationFrame(tick);
})()`

func TestFigures(t *testing.T) {
	if *figures == "" {
		t.Skip("with -figures PROGRAM")
	}
	t.Run("newcomer", newcomer)
	t.Run("stream", stream)
	t.Run("walk", walk)
	t.Run("idle", idle)
	t.Run("slow", slow)
	t.Run("review", longReview)
	t.Run("kills", kills)
	t.Run("memory", memory)
	total := int64(0)
	files, _ := filepath.Glob("ui/dist/assets/*.gz")
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !strings.Contains(f, "licences") {
			total += info.Size()
		}
	}
	fmt.Printf("bundle: %d files, %.1f kB compressed, licences apart\n", len(files)-1, float64(total)/1000)
}

// newcomer measures the time from the program's start to its answer to the first stone.
func newcomer(t *testing.T) {
	var seconds, paints []float64
	for range 5 {
		p := browsertest.Open(t)
		began := time.Now()
		s := startProgram(t, t.TempDir())
		p.Do(chromedp.Navigate(s.url))
		p.Enter()
		p.Point("E5") // the one click
		p.Until(`document.querySelectorAll(".moves li").length === 2`)
		seconds = append(seconds, time.Since(began).Seconds())
		paints = append(paints, browsertest.JS[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		s.cmd.Process.Kill()
	}
	slices.Sort(seconds)
	slices.Sort(paints)
	fmt.Printf("newcomer: 1 click on the board, %.1f s from the start of the program to the first answer (%.1f to %.1f); first paint %.0f ms (%.0f to %.0f)\n", seconds[2], seconds[0], seconds[4], paints[2], paints[0], paints[4])
}

func analyse(t *testing.T, s *program) *browsertest.Tab {
	t.Helper()
	p := browsertest.Open(t)
	beforeScripts(p, watchFrames)
	p.Do(chromedp.Navigate(s.url))
	p.Enter()
	text, err := json.Marshal(spoiltNine)
	require.NoError(t, err)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 100000000, tab: "tree", on: true, area: true }));
		{ const d = new DataTransfer(); d.setData("text", `+string(text)+`); document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); }`, nil), chromedp.Reload())
	p.Until(`document.querySelector("main")`)
	if !browsertest.JS[bool](p, `!!document.querySelector("main.analyse")`) {
		p.Click(`a[href="/analyse"]`)
		p.Click(`.doc-list a`)
	}
	p.Until(`document.querySelector("main.analyse")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	p.Until(`document.querySelectorAll(".cands tbody tr").length > 1`)
	p.Do(chromedp.Evaluate(`window.dispatchEvent(new KeyboardEvent("keydown", { key: " ", shiftKey: true, bubbles: true }))`, nil))
	return p
}

// stream counts the frames of an analysis.
func stream(t *testing.T) {
	s := startProgram(t, t.TempDir())
	p := analyse(t, s)
	time.Sleep(2 * time.Second)
	p.Do(chromedp.Evaluate(`lag.length = 0; gaps.length = 0`, nil))
	time.Sleep(8 * time.Second)
	lag, gaps := browsertest.JS[[]float64](p, "lag"), browsertest.JS[[]float64](p, "gaps")
	slices.Sort(lag)
	slices.Sort(gaps)
	long := 0
	for _, g := range gaps {
		if g > 25 {
			long++
		}
	}
	at := func(v []float64, q float64) float64 { return v[int(q*float64(len(v)-1))] }
	fmt.Printf("stream: %d updates in 8 s, painted %.1f ms after they came (90 %% within %.1f, worst %.1f); %d animation frames, %d of them after more than 25 ms (median %.1f ms, worst %.0f)\n",
		len(lag), at(lag, 0.5), at(lag, 0.9), at(lag, 1), len(gaps), long, at(gaps, 0.5), at(gaps, 1))
}

// walk holds an arrow key down in a game, and measures the time from its release until the page shows
// the candidates' numbers.
func walk(t *testing.T) {
	s := startProgram(t, t.TempDir())
	p := analyse(t, s)
	p.Do(chromedp.KeyEvent(kb.Home))
	time.Sleep(time.Second)
	wait := browsertest.JS[[]float64](p, `(async () => { const waits = [], beat = (ms) => new Promise((f) => setTimeout(f, ms)); const key = (k) => window.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
		for (let round = 0; round < 5; round++) { key("Home"); await beat(300); const end = 20 + round;
			for (let i = 0; i < end; i++) { key("ArrowRight"); await beat(33); }
			const t0 = performance.now(); while (!document.querySelector(".cands tbody tr")) await beat(2); waits.push(performance.now() - t0); }
		return waits; })()`)
	slices.Sort(wait)
	fmt.Printf("walk: 30 moves a second; numbers %.0f ms after the key is let go (worst of %d: %.0f)\n", wait[len(wait)/2], len(wait), wait[len(wait)-1])
}

// watchStones measures the time from the end of a press until the canvas has painted the stone; it
// reads the stone's pixel.
const watchStones = `window.drawn = []; addEventListener("pointerup", (e) => {
	const from = performance.now(), c = document.querySelector(".board canvas.stones"), r = c.getBoundingClientRect(), k = c.width / r.width;
	const there = () => c.getContext("2d").getImageData((e.clientX - r.left) * k, (e.clientY - r.top) * k, 1, 1).data[3] > 200;
	const wait = () => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { const now = performance.now(); if (there()) drawn.push(now - from); else if (now - from < 3000) wait(); }; port2.postMessage(0); });
	wait();
}, true);`

// slow measures how long the page and its stones take to paint on a processor slowed to a quarter.
func slow(t *testing.T) {
	s := startProgram(t, t.TempDir())
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.url))
	p.Enter()
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", size: 19, limit: "visits", visits: 4, pace: false }))`, nil), emulation.SetCPUThrottlingRate(4), chromedp.Reload())
	p.Enter()
	paint := browsertest.JS[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	p.Point("K4")
	p.Mine()
	p.Do(chromedp.Evaluate(watchStones, nil))
	for _, v := range []string{"D4", "Q16", "D16", "Q4", "K10", "C10", "R10", "K3", "K17"} {
		p.Point(v)
		p.Until(`document.querySelector(".moves li")`)
		p.Mine()
		time.Sleep(100 * time.Millisecond)
	}
	drawn := browsertest.JS[[]float64](p, "drawn")
	slices.Sort(drawn)
	fmt.Printf("slow: processor slowed to a quarter: first paint %.0f ms; %d stones painted %.0f ms after the finger (worst %.0f)\n", paint, len(drawn), drawn[len(drawn)/2], drawn[len(drawn)-1])
}

// longReview reviews a game of 200 moves on 19x19 that the network has played without search.
func longReview(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", *figures))
	require.NoError(t, err)
	args := []string{"gtp", "--visits", "1", "--boardsize", "19", "--resign=false", "--log-level", "error", "--set", "chosenMoveTemperature=0.9"}
	if *modelAt != "" {
		args = append(args, "--model", *modelAt)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(strings.Repeat("genmove b\ngenmove w\n", 100) + "printsgf\nquit\n")
	said, err := cmd.Output()
	require.NoError(t, err)
	record := regexp.MustCompile(`(?s)\(;.*\)`).FindString(string(said))
	require.NotEmpty(t, record)
	s := startProgram(t, t.TempDir())
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.url))
	p.Enter()
	began := time.Now()
	chooseFiles(p, map[string]string{"long.sgf": record})
	since := func(expression string) float64 {
		p.Until(expression)
		return time.Since(began).Seconds()
	}
	const screen = `document.querySelector("main.review")`
	first := since(screen + `?.querySelector(".graph canvas") && Number(` + screen + `.dataset.points) >= 26`)
	all := since(`Number(` + screen + `.dataset.points) >= 201`)
	mistakes := since(`Number(` + screen + `.dataset.mistakes) > 0`)
	state := browsertest.JS[string](p, screen+".dataset.state")
	done := since(screen + `.dataset.state === "done"`)
	fmt.Printf("review: 200 moves on 19x19: every eighth position in the graph after %.1f s, all after %.1f s, the mistakes after %.1f s (state %s), done after %.1f s\n", first, all, mistakes, state, done)
}

// idle measures the processor time that the program takes for an open page that nobody uses.
func idle(t *testing.T) {
	s := startProgram(t, t.TempDir())
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.url))
	p.Enter()
	time.Sleep(5 * time.Second)
	before, busy := cpu(s.cmd.Process.Pid), browsertest.JS[float64](p, "performance.now()")
	time.Sleep(15 * time.Second)
	spent, over := cpu(s.cmd.Process.Pid)-before, browsertest.JS[float64](p, "performance.now()")-busy
	fmt.Printf("idle: the program took %d ms of processor in %.0f s with a page open, %.1f %%\n", spent.Milliseconds(), over/1000, 100*float64(spent.Milliseconds())/over)
}

// kills kills the program or reloads the page at thirty moments of a game, and counts lost moves.
func kills(t *testing.T) {
	dir := t.TempDir()
	s := startProgram(t, dir)
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.url))
	p.Enter()
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", limit: "seconds", seconds: 0.5, pace: false }))`, nil), chromedp.Reload())
	p.Enter()
	p.Point("E5")
	killed, reloaded, thinking, lost := 0, 0, 0, 0 // moments of each kind
	for range 30 {
		if p.Mine() != "play" {
			break
		}
		v := p.Free(nil)
		before := browsertest.JS[int](p, `document.querySelectorAll(".moves li").length`)
		p.Point(v)
		p.Until(fmt.Sprintf(`document.querySelectorAll(".moves li").length > %d || document.querySelector(".toast")`, before))
		acknowledged := browsertest.JS[int](p, `document.querySelectorAll(".moves li").length`)
		if browsertest.JS[string](p, browsertest.Play+".dataset.turn") == "w" {
			thinking++
		}
		time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
		if rand.IntN(2) == 0 {
			s.cmd.Process.Kill()
			s.cmd.Wait()
			s = startProgram(t, dir)
			killed++
		} else {
			p.Do(chromedp.Reload())
			reloaded++
		}
		p.Until(`document.querySelector("main.play")?.dataset.online === "open"`)
		if now := browsertest.JS[int](p, `document.querySelectorAll(".moves li").length`); now < acknowledged {
			lost++
		}
	}
	fmt.Printf("moments: %d kills with signal 9 and %d reloads, %d of them while the engine thought: %d moves lost\n", killed, reloaded, thinking, lost)
}

// memory measures the memory of page and program during an analysis.
func memory(t *testing.T) {
	if *minutes == 0 {
		t.Skip("with -minutes N")
	}
	s := startProgram(t, t.TempDir())
	p := analyse(t, s)
	steps := max(2, int(*minutes))
	for i := range steps + 1 {
		fmt.Printf("memory: after %4.1f minutes: page %.1f MB of scripts' heap, program %.0f MB; %s visits\n", float64(i)*(*minutes)/float64(steps), heap(p), rss(s.cmd.Process.Pid),
			browsertest.JS[string](p, `document.querySelector(".engine-line").dataset.visits`))
		// Look at other positions too, as a person does.
		p.Do(chromedp.KeyEvent(kb.ArrowRight))
		time.Sleep(time.Duration(*minutes / float64(steps) * float64(time.Minute)))
	}
}

// TestPictures makes the pictures of docs/web.md.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("with -pictures FOLDER")
	}
	out, err := filepath.Abs(filepath.Join("..", *pictures))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(out, 0o755))
	s := servePageWith(t, *modelAt, Config{Folder: t.TempDir()})
	p := openPage(t, s)
	look := func(width, height int64, dark bool) {
		scheme := map[bool]string{true: "dark", false: "light"}[dark]
		p.Do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 640), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		p.Until(fmt.Sprintf("innerWidth === %d", width))
		time.Sleep(700 * time.Millisecond)
	}
	take := func(name string) {
		time.Sleep(500 * time.Millisecond)
		var data []byte
		p.Do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
			data, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatWebp).WithQuality(82).Do(ctx)
			return err
		}))
		require.Less(t, len(data), 100_000, name)
		require.NoError(t, os.WriteFile(filepath.Join(out, name+".webp"), data, 0o644))
	}
	look(1280, 800, false)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "10k", pace: false })); localStorage.setItem("kosumi.analysis", JSON.stringify({ visits: 800, tab: "mistakes", on: true }));`+browsertest.CountNotes, nil))
	p.Do(chromedp.Reload())
	p.Enter()
	p.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	p.Point("E5")
	p.Mine()
	for _, v := range []string{"G7", "C3", "C6", "G3", "D7", "H5"} {
		p.Try(v)
	}
	time.Sleep(5 * time.Second) // until notes have disappeared
	look(390, 844, true)
	take("play-phone-dark")
	p.Do(chromedp.Navigate(s.Address()))
	p.Enter()
	look(390, 844, false)
	take("home-phone")
	look(1280, 800, false)
	take("home")
	chooseFiles(p, map[string]string{"club game.sgf": strings.Replace(spoiltNine, " <b>", "", 1)})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	p.Do(chromedp.Evaluate(`[...document.querySelectorAll(".mistakes li button")][0].click()`, nil))
	p.Press("Show better")
	p.Do(chromedp.KeyEvent(kb.End)) // the whole line
	take("review")
	look(390, 844, false)
	take("review-phone")
	look(1280, 800, true)
	p.Do(chromedp.Evaluate(`[...document.querySelectorAll(".review-tools button")].find((b) => b.innerText.includes("Analyse")).click()`, nil))
	p.Until(`document.querySelector("main.analyse:not(.review)")`)
	for range 12 {
		p.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	p.Until(`document.querySelector(".mistakes li") && !document.querySelector(".sweep")`)
	p.Until(`Number(document.querySelector(".engine-line").dataset.visits) >= 600`)
	take("analysis-dark")
}
