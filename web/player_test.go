package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
)

// finished plays a game with the player as Black to its end, and returns the game's ID.
func finished(t *testing.T, s *Server, c *client, level, result string, moves ...string) string {
	t.Helper()
	id := ask[api.ID](c, "game.new", api.NewGame{Size: [2]int{9, 9}, Rules: "chinese", Colour: "b", Seat: api.Seat{Level: level}}).ID
	g := opened(t, s, id)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range moves {
		require.NoError(t, g.commit(store.Step{K: "move", M: m}))
	}
	require.NoError(t, g.commit(store.Step{K: "over", Result: result}))
	return id
}

var fewMoves = []string{"E5", "C7", "G3", "C3", "G7", "C5", "E7", "E3", "F2", "D8", "E8", "E2", "F3", "D7", "E9", "F1", "G1", "E1", "D9", "C9", "G2", "D2", "H8", "C8", "J9", "D3", "J1"}

// TestYou: the page shows the player's rank, results and losses, names the files that were damaged,
// and searches and exports games.
func TestYou(t *testing.T) {
	dir := searched(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "profile.json"), []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "levels.json"), []byte("{"), 0o600))
	s := servePage(t, dir)
	c := join(t, s)
	finished(t, s, c, "12k", "B+3.5", fewMoves...)
	finished(t, s, c, "9k", "W+R", fewMoves[:9]...)
	for i, points := range []float64{1, 0, 1} {
		_, err := s.games.levels.Count("", time.Now().Add(time.Duration(i)*time.Minute), board.Square(9), 8, 0, points, 1)
		require.NoError(t, err)
	}
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "you"))
	p.Until(`document.querySelector("main.you .curve svg")`)
	p.Until(`document.querySelectorAll(".kept-row").length === 2`)
	for _, want := range []string{"profile.json was damaged", "levels.json: not a file of players' levels", "From 3 games that counted.", "Your rank on 9×9"} {
		p.Until(fmt.Sprintf(`document.querySelector("main.you").innerText.includes(%q)`, want))
	}
	for _, name := range []string{"profile.json.damaged-1", "levels.json.damaged-1"} {
		require.Equal(t, "{", testshared.Read(t, filepath.Join(dir, name)))
	}
	p.Axe("you")

	// On board sizes whose moves cannot be judged, only results count, and the page says so.
	_, err := s.games.levels.Count("", time.Now(), board.Square(11), 8, 0, 1, 1)
	require.NoError(t, err)
	p.Do(chromedp.Reload())
	p.Press("11×11")
	p.Until(`document.querySelector("main.you").innerText.includes("On 11×11 only results of adaptive games count")`)
	p.Press("9×9")
	p.Until(`document.querySelector("main.you .curve svg") && !document.querySelector("main.you").innerText.includes("only results of adaptive")`)
	p.Do(chromedp.Focus(`.kept input[type=search]`, chromedp.ByQuery), chromedp.KeyEvent("lost 9k"))
	p.Until(`document.querySelectorAll(".kept-row").length === 1`)
	p.Do(chromedp.Evaluate(`document.querySelector(".kept input[type=search]").select()`, nil), chromedp.KeyEvent("nobody"))
	p.Until(`document.querySelector(".kept").innerText.includes("No game matches")`)
	p.Do(chromedp.Evaluate(`document.querySelector(".kept input[type=search]").select()`, nil), chromedp.KeyEvent(" "))
	p.Until(`document.querySelectorAll(".kept-row").length === 2`)

	// A review of an imported game counts once the player adds one of the game's names as their own.
	chooseFilesAt(p, s, map[string]string{"other.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	p.Do(chromedp.Navigate(s.Address() + "you"))
	p.Until(`document.querySelector("main.you form input")`)
	p.Do(chromedp.SetValue(`main.you form input`, "Aki <b>", chromedp.ByQuery))
	p.Press("Add")
	p.Until(`document.querySelector("main.you").innerText.includes("From the moves of 1 reviewed game") && document.querySelector("main.you .bar-table")`)
	p.Axe("you, with losses")
	for _, size := range [][2]int64{{390, 844}, {360, 640}, {768, 1024}} {
		p.Screen(size[0], size[1])
		p.NothingSticksOut("%v", size)
	}

	require.Len(t, unzipped(t, sent(t, s, http.MethodGet, "api/games.zip", nil)), 5, "the records for people, the journals, and what they are")
}

// chooseFilesAt opens the list of reviews and selects files in its input field.
func chooseFilesAt(p *browsertest.Tab, s *Server, files map[string]string) {
	p.Do(chromedp.Navigate(s.Address() + "review"))
	p.Until(`document.querySelector("input[type=file]")`)
	chooseFiles(p, files)
}

// TestProblemsOfTheDay answers all of today's problems: each is graded, and the streak
// begins.
func TestProblemsOfTheDay(t *testing.T) {
	s := servePage(t, searched(t))
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "problems"))
	p.Until(`document.querySelectorAll(".problem-row li").length === 5`) // five problems of life and death
	p.Click(`a[href="/problems/today"]`)
	p.Until(`/save|kill/.test(document.querySelector("main.drill .big-result")?.innerText ?? "")`)
	p.Axe("a problem of life and death")
	first := drill.Collection()[0]
	browsertest.Equal(p, first.ID, `document.querySelector("main.drill").dataset.problem`)
	p.Point(first.Answers[0].Move)
	p.Until(`document.querySelector("main.drill .good-text")?.innerText === "Right."`)
	chooseFilesAt(p, s, map[string]string{"ours.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	p.Do(chromedp.Navigate(s.Address() + "problems"))
	p.Until(`document.querySelectorAll(".problem-row li").length > 0`)
	n := browsertest.JS[int](p, `document.querySelectorAll(".problem-row li").length`)
	p.Axe("problems of the day")
	p.Click(`a[href="/problems/today"]`)
	asked := func(not string) (id string) {
		p.Until(`document.querySelector("main.drill")?.dataset.answered === "" && document.querySelector("main.drill").dataset.problem !== ` + fmt.Sprintf("%q", not))
		return browsertest.JS[string](p, `document.querySelector("main.drill").dataset.problem`)
	}
	ring := []string{asked("")}
	for range n - 1 { // the button Later leads through all open problems in turn
		p.Press("Later")
		ring = append(ring, asked(ring[len(ring)-1]))
	}
	require.Equal(t, ring[0], ring[n-1])
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ring))), n-1)
	seen := map[string]bool{}
	for range n - 1 { // the first is already answered
		id := asked("")
		require.False(t, seen[id] || id == first.ID, "none is asked twice")
		if seen[id] = true; len(seen) == n-1 {
			p.Press("Later")
			p.Until(`document.querySelector(".toast")?.innerText.includes("the only problem left")`)
		}
		p.Press("Show me")
		p.Until(`document.querySelector("main.drill").dataset.answered === "done"`)
		if len(seen) == 1 {
			p.Axe("a problem's solution")
		}
		p.Press("Next")
	}
	p.Until(`document.querySelector("main.empty")?.innerText.includes("All done for today")`)
	p.Until(fmt.Sprintf(`document.querySelector("main.empty .big-result").innerText === "1 of %d right at the first try." && document.querySelectorAll("main.empty li.missed").length === %d`, n, n-1))
	p.Look("all problems done")
	p.Until(`document.querySelector(".streak").innerText.includes("1 day in a row")`)
	p.Do(chromedp.Navigate(s.Address() + "problems"))
	p.Until(fmt.Sprintf(`document.querySelectorAll("section .problem-row .missed").length === %d`, n-1))
	p.Picture("problems of the day")
	p.Click(`section .problem-row .missed a`) // a retry, without a grade
	p.Until(`document.querySelector("main.drill .big-result")`)
	p.Press("Show me")
	p.Until(`document.querySelector("main.drill").dataset.answered === "done" && document.querySelector("main.drill").dataset.grade === ""`)
}

// TestNetworksPage adds a network file that is cut short, then a whole one, then networks from bad
// addresses. Only the whole one is accepted; it can be used, and removed when it is not in use.
func TestNetworksPage(t *testing.T) {
	testshared.Long(t)
	file := testshared.Network(t)
	whole := testshared.Read(t, file)
	s := serveNetworks(t, nil)
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "networks"))
	p.Until(`document.querySelectorAll(".network-list li").length === 1`)
	p.Axe("networks")
	chooseFiles(p, map[string]string{"short.bin.gz": whole[:len(whole)/2]})
	p.Until(`/short.bin.gz is not kept.*not a network that works here/s.test(document.querySelector(".toast.bad").innerText)`)
	chooseFiles(p, map[string]string{"strong.bin.gz": whole})
	p.Until(`[...document.querySelectorAll(".network-list strong")].some((e) => e.innerText === "strong.bin.gz")`)
	p.Press("Use")
	p.Until(`document.querySelector(".network-list .on")?.innerText.includes("strong.bin.gz")`)
	p.Axe("networks, two")

	c := join(t, s)
	for _, bad := range []api.FetchNetwork{{URL: "http://127.0.0.1/net.bin.gz", SHA256: "00"}, {URL: "https://127.0.0.1:1/net.bin.gz", SHA256: "00"}} {
		require.Equal(t, "bad_request", c.refused("network.fetch", bad).Code)
	}
	require.Equal(t, "busy", c.refused("network.remove", api.NetworkName{Name: "strong.bin.gz"}).Code)
	c.ask("network.use", api.Network{Name: "kosumi (built in)"}, nil)
	p.Until(`!document.querySelector(".network-list .on").innerText.includes("strong")`)
	p.Click(`.network-list [aria-label^=Remove]`)
	p.Until(`document.querySelectorAll(".network-list li").length === 1`)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(s.conf.Folder, "networks", "strong.bin.gz"))
		return os.IsNotExist(err)
	}, browsertest.Patience, 50*time.Millisecond)
	text, err := json.Marshal(ask[api.NetworkList](c, "watch", api.Watch{What: "networks"}))
	require.NoError(t, err)
	require.NotContains(t, string(text), "strong")

	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "ja" }))`, nil), chromedp.Reload())
	p.Until(`document.querySelectorAll(".network-list li").length === 1`)
	chooseFiles(p, map[string]string{"short.bin.gz": whole[:len(whole)/2]})
	p.Until(`document.querySelector(".toast.bad")?.innerText.includes("ここで使えるネットワークではありません")`)
}

// TestLargeRecords takes records of 10 MB: a comment of that size is accepted for review; 10 MB of
// moves, and larger files, get a one-line error.
func TestLargeRecords(t *testing.T) {
	s := serve(t, t.TempDir())
	post := func(data string) (answers []api.Imported) {
		t.Helper()
		require.NoError(t, json.Unmarshal(sent(t, s, http.MethodPost, "api/import?to=review", []byte(data)), &answers))
		require.Len(t, answers, 1)
		require.NotContains(t, answers[0].Error, "\n")
		return answers
	}
	require.NotEmpty(t, post("(;SZ[9]C[" + strings.Repeat("0123456789", 1<<20) + "];B[ee];W[cc])")[0].ID)
	require.Contains(t, post("(;SZ[9]" + strings.Repeat(";B[ee];W[cc]", 10<<20/12) + ")")[0].Error, "too many moves")
	require.NotEmpty(t, post("(;SZ[9]C[" + strings.Repeat("0123456789", 3<<20) + "];B[ee])")[0].Error)
}
