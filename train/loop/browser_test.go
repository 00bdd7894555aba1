package loop

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/internal/handout"
	"kosumi/internal/testshared"
	"kosumi/sgf"
	"kosumi/train/selfplay"
)

// The white stone at B1 is captured by the fifth move.
const capture = `(;GM[1]FF[4]SZ[5]KM[7]RE[W+2]RU[Chinese];B[ae];W[be];B[bd];W[ee]C[0.75 0.25 0.00 3.5 v=9 weight=1.0];B[ce];W[])`

// reportOf writes a report of a run of three iterations with the given games.
func reportOf(t *testing.T, games ...string) string {
	t.Helper()
	s := &State{Arch: "kb4c32", Iteration: 3, Stage: stageSelfplay, Ledger: Ledger{Games: 3300, Rows: 9000, Samples: 36000}, Current: "c",
		Seconds: Seconds{Selfplay: 1800, Train: 900, Gate: 90}}
	for i, name := range []string{"a", "b", "c"} {
		s.Networks = append(s.Networks, Network{Name: name, Games: int64(1000 * i), Hours: float64(i), Score: 0.75, Played: 16, Elo: float64(100 * i), Promoted: i != 1})
		s.History = append(s.History, Record{Iteration: i, Network: name, Evals: 9000, Games: int64(1000 * i), Rows: int64(3000 * i), Samples: int64(12000 * i), Window: 3000,
			Stats:   selfplay.Stats{Games: 1000, Rows: 3000, Length: 60000, Black: 480, White: 500, Draws: 20},
			Losses:  map[string]float64{"loss": 5, "policy": 4 - float64(i), "value": 0.7, "ownership": 0.5, "score_mean": 88.99},
			Parts:   map[string]float64{"policy": 0.93 * (4 - float64(i)), "value": 0.504, "ownership": 0.75, "score_mean": 0.1335},
			Seconds: Seconds{Selfplay: 600, Train: 300, Gate: 30}})
	}
	data := &reportData{Folder: "</script><b>", State: s, Rated: &Ratings{Visits: 100, Players: []RatedPlayer{
		{Name: "gnugo-1", Anchor: true, Played: 40}, {Name: "a", Elo: -300, Error: 90, Played: 20}, {Name: "c", Hours: 2, Games: 2000, Elo: 120, Error: 80, Played: 20}}}}
	for _, text := range games {
		roots, err := sgf.Parse([]byte(text))
		require.NoError(t, err)
		g, err := toReport(roots[0])
		require.NoError(t, err)
		data.Games = append(data.Games, g)
	}
	dir := t.TempDir()
	require.NoError(t, writeReport(dir, data))
	return "file://" + filepath.Join(dir, ReportFile)
}

// TestReportInBrowser opens the report in a browser, checks its content and clicks through a game.
func TestReportInBrowser(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	if err := handout.Built(); err != nil {
		testshared.Absent(t, "%v", err)
	}
	b := browsertest.Open(t)
	page := reportOf(t, capture, strings.NewReplacer("SZ[5]", "SZ[7]", "W+2", "0").Replace(capture))
	var title, folder, at, note string
	var charts, networks, rated, points int
	count := func(selector string, n *int) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf("document.querySelectorAll(%q).length", selector), n)
	}
	b.Do(chromedp.Navigate(page))
	b.Until(`document.querySelector("main.loop [role=gridcell]")`)
	b.Do(chromedp.Title(&title), chromedp.Text("#folder", &folder),
		count(".loop-charts figure", &charts), count("#nets tr", &networks), count("#rated tr", &rated))
	require.Contains(t, title, "Kosumi")
	require.Equal(t, "</script><b>", folder, "names are text, not markup")
	require.GreaterOrEqual(t, charts, 8)
	require.Equal(t, 4, networks)
	require.Equal(t, 4, rated)

	stonesOf := func(colour string, n *int) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll("[role=gridcell]")].filter((c) => c.ariaLabel.includes(" %s")).length`, colour), n)
	}
	step := func(key, then string) (blacks, whites int) {
		actions := []chromedp.Action{chromedp.KeyEvent(key)}
		if strings.HasPrefix(key, "#") {
			actions[0] = chromedp.Click(key, chromedp.ByID)
		}
		b.Do(actions...)
		b.Until(fmt.Sprintf(`document.querySelector("#at").innerText.trim() === %q`, then))
		actions = []chromedp.Action{stonesOf("black", &blacks), stonesOf("white", &whites), chromedp.Text("#at", &at), chromedp.Evaluate(`document.querySelector("#note").innerText`, &note)}
		b.Do(actions...)
		return blacks, whites
	}
	for _, want := range []struct {
		key           string
		black, white  int
		at, noteParts string
	}{
		{"#last", 3, 1, "move 6 of 6 W pass", ""},
		{"#prev", 3, 1, "move 5 of 6 B C1", ""},
		{"#prev", 2, 2, "move 4 of 6 W E1", "White wins 75 %, Black 25 %, score for White 3.5"},
		{kb.ArrowRight, 3, 1, "move 5 of 6 B C1", ""},
		{"#first", 0, 0, "move 0 of 6", ""},
		{"#prev", 0, 0, "move 0 of 6", ""},
		{"#next", 1, 0, "move 1 of 6 B A1", ""},
	} {
		blacks, whites := step(want.key, want.at)
		require.Equal(t, [2]int{want.black, want.white}, [2]int{blacks, whites}, "%s: %s", want.key, at)
		require.Equal(t, want.at, strings.TrimSpace(at))
		require.Contains(t, note, want.noteParts)
	}
	var labels, list, parts []string
	texts := func(selector string, to *[]string) chromedp.Action {
		return chromedp.Evaluate(fmt.Sprintf("[...document.querySelectorAll(%q)].map(e => e.textContent)", selector), to)
	}
	var cut int
	b.Do(texts(".loop-charts svg text", &labels), texts("#list button", &list), texts("#parts tbody th", &parts), chromedp.Evaluate(
		`[...document.querySelectorAll(".loop-charts svg")].flatMap(s => [...s.querySelectorAll("text")].filter(t => {
			const r = t.getBoundingClientRect(), o = s.getBoundingClientRect(); return r.left < o.left - 1 || r.right > o.right + 1; })).length`, &cut))
	require.Zero(t, cut, "labels are whole")
	for _, label := range labels {
		if _, err := strconv.ParseFloat(strings.ReplaceAll(label, ",", ""), 64); err == nil {
			require.Regexp(t, `^-?0?[.0]*[1-9]?\d?(\.\d)?0*(,000)*$`, label, "round numbers")
			require.NotEqual(t, "-0", label)
		}
	}
	require.Equal(t, []string{"policy", "ownership", "value", "score mean"}, parts, "by what they weigh")
	require.Len(t, list, 2)
	require.Contains(t, list[0], "White by 2")
	require.Contains(t, list[1], "draw")
	b.Do(count("[role=gridcell]", &points), chromedp.Click("#list li:nth-child(2) button", chromedp.ByQuery))
	b.Until(`document.querySelectorAll("[role=gridcell]").length === 49`)
	require.Equal(t, 25, points, "of the 5x5 board, which was shown first")
	b.Axe("report of a loop")
	b.Clean()

	// A report without games works too.
	b.Do(chromedp.Navigate(reportOf(t)))
	b.Until(`document.querySelector("main.loop")`)
	b.Do(count(".loop-charts figure", &charts), count(".board", &points))
	require.Zero(t, points)
	require.GreaterOrEqual(t, charts, 8)
	b.Clean()
}
