package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/engine/level"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/ui"
)

// webServer is an `engine web` and the address that it printed.
type webServer struct {
	*process
	url string
}

// kill ends the program as kill -9 does.
func (s *webServer) kill() {
	s.cmd.Process.Kill()
	<-s.ended
}

// startWeb starts engine web with the built-in network.
func startWeb(t *testing.T, folder string) *webServer {
	t.Helper()
	testshared.Slow(t)
	if _, err := ui.Page(); err != nil {
		testshared.Absent(t, "%v", err)
	}
	s := &webServer{process: start(t, nil, "web", "--no-open", "--folder", folder, "--precision", "fp32", "--sessions", "1")}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(s.out).ReadString('\n')
	require.NoError(t, err)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/#k=[\w-]{43}\n$`, line)
	s.url = strings.TrimSpace(line)
	return s
}

// toTheEnd plays a game to its end, passes, and accepts the count.
func toTheEnd(b *browsertest.Tab) {
	tried := map[string]bool{}
	phase := b.Mine()
	for i := 0; phase == "play" && i < 24; i++ {
		v := b.Free(tried)
		if v == "" {
			break
		}
		tried[v] = true
		phase = b.Try(v)
	}
	for i := 0; phase == "play" && i < 80; i++ {
		rev := browsertest.JS[string](b, browsertest.Play+".dataset.rev")
		b.Press("Pass")
		b.Until(browsertest.Play + `.dataset.rev !== "` + rev + `"`)
		phase = b.Mine()
	}
	if phase == "count" {
		b.Until(browsertest.Button("Agree"))
		b.Axe("count")
		b.Press("Agree")
	}
}

// TestTakenPort: a program that cannot listen says only this, and a server says it before the network is loaded.
func TestTakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	said := exits(t, exitFailed, nil, "", "web", "--no-open", "--folder", t.TempDir(), "--listen", "0.0.0.0:"+port).stderr
	require.Contains(t, said, "another program listens on port "+port)
	require.NotContains(t, said, "certificate")
	said = exits(t, exitFailed, nil, "", "serve", "--dir", t.TempDir(), "--model", filepath.Join(t.TempDir(), "no.bin.gz"), "--listen", "0.0.0.0:"+port).stderr
	require.Contains(t, said, "another program listens on port "+port)
}

// TestWebGame plays a whole game by clicks: it has an undo, a hint, an estimate, a reload and a
// kill -9 in the middle, and ends with passes and the count.
func TestWebGame(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	server := startWeb(t, dir)
	require.Contains(t, exits(t, 0, nil, "", "web", "--no-open", "--folder", dir).stderr, "already running")
	require.Contains(t, exits(t, exitFailed, nil, "", "web", "--no-open", "--folder", dir, "--listen", "127.0.0.1:1").stderr, "stop that program first")
	b := browsertest.Open(t)
	b.Do(chromedp.Navigate(server.url))
	b.Until(`document.querySelector("main.first")`)
	b.Axe("first use")
	b.Enter()
	b.Until(`!location.href.includes("#k=")`) // the key disappears from the address
	b.Axe("home")
	b.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.newgame", JSON.stringify({ auto: false, level: "", limit: "visits", visits: 12, pace: false }))`, nil), chromedp.Reload())
	b.Enter()
	b.Do(chromedp.Evaluate(browsertest.CountNotes, nil))
	b.Point("E5") // a click on the board of the first screen is the game's first move
	b.Mine()
	b.HasMoves(2)
	b.HasStones(2)
	b.Axe("play")
	b.Try("E5")
	browsertest.Equal(b, 1, "noteCount", "refused in its place, with a reason")
	b.HasStones(2)
	b.Press("Undo")
	b.Until(`document.querySelectorAll(".moves li").length === 0`)
	b.Press("Redo")
	b.Until(`document.querySelectorAll(".moves li").length === 2`)
	b.Press("Hint")
	b.Until(`document.querySelector(".message")?.innerText.includes("shaded")`)
	b.Press("Score")
	b.Until(`/ahead|even/.test(document.querySelector(".message")?.innerText)`)
	b.Try(b.Free(nil))
	b.HasMoves(4)
	b.Mine()
	before := b.Stones()
	b.Do(chromedp.Reload(), chromedp.Evaluate(browsertest.CountNotes, nil))
	b.Mine()
	b.HasStones(before, "a reload is a resume")

	// kill -9; the page continues by itself after a restart.
	server.kill()
	b.Until(`document.querySelector(".strip-top.warn")`)
	startWeb(t, dir)
	b.Mine()
	b.HasStones(before, "nothing is lost")

	toTheEnd(b)
	b.Until(browsertest.Play + `.dataset.phase === "over"`)
	b.Axe("over")
	b.Clean()

	// The game's record on disk is complete.
	files, err := filepath.Glob(filepath.Join(dir, "games", "*.sgf"))
	require.NoError(t, err)
	require.Len(t, files, 1)

	// engine review repeats none of the searches of the page's review.
	b.Press("Review")
	b.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	searched := func() (names []string, size int64) {
		found, err := filepath.Glob(filepath.Join(dir, "reviews", "searches", "*"))
		require.NoError(t, err)
		for _, name := range found {
			info, err := os.Stat(name)
			require.NoError(t, err)
			size += info.Size()
		}
		return found, size
	}
	names, size := searched()
	require.Len(t, names, 1)
	require.NotZero(t, size)
	out, err := exec.Command(built(t), "review", files[0], "-o", filepath.Join(dir, "reviews"), "--precision", "fp32", "--sessions", "1").CombinedOutput()
	require.NoError(t, err, string(out))
	again, sizeNow := searched()
	require.Equal(t, names, again)
	require.Equal(t, size, sizeNow, "nothing was searched twice")
	b.Do(chromedp.NavigateBack())
	b.Until(browsertest.Play + `?.dataset.phase === "over"`)

	// A button opens the analysis of the game.
	b.Press("Analyse")
	b.Until(`document.querySelector("main.analyse")`)
	b.Until(`document.querySelectorAll(".cands tbody tr").length > 0 || document.querySelector(".engine-line")?.innerText.includes("visits")`)
	b.Clean()
}

// TestWebWithoutKey opens the page without its key, enters the key, and begins a game against a
// beginner.
func TestWebWithoutKey(t *testing.T) {
	server := startWeb(t, t.TempDir())
	b := browsertest.Open(t)
	address, _, _ := strings.Cut(server.url, "#")
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector(".denied")`)
	b.Axe("denied")
	b.Do(chromedp.SendKeys(".denied input", server.url+kb.Enter, chromedp.ByQuery))
	b.Enter()
	b.Click(`a[href="/new"]`)

	// One click shows the ranks, and one key chooses the weakest.
	b.Press("Choose a rank")
	b.Until(`document.querySelector("form.new input[type=range]")`)
	b.Do(chromedp.Evaluate(`document.querySelector("form.new input[type=range]").focus()`, nil), chromedp.KeyEvent(kb.Home))
	ladders := level.Ladders()
	nine := slices.IndexFunc(ladders, func(l level.Ladder) bool { return l.Size == 9 })
	weakest, _ := ladders[nine].Reach()
	b.Until(`document.querySelector("form.new output").innerText.includes("` + weakest.String() + `")`)
	b.Press("Play")
	b.Until(browsertest.Play + `?.innerText.includes("` + weakest.String() + `")`)
	b.Clean()
}
