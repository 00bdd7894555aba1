package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// lostAt has the losses by ply of a reviewed game: Black's worst move is ply 6, White's ply 3.
var lostAt = map[int]float64{2: 4, 3: 20, 5: 2, 6: 9, 7: 13}

// reviewedBefore puts a finished review into a server's folder and returns the review's ID. The game
// begins with cornerRecord, move 4 settles the corner, and White wins by 62 points. lostAt has the
// losses of the moves. claims, if any, replace the claims about the mistakes.
func reviewedBefore(t *testing.T, dir, black, white string, claims ...review.Claim) string {
	t.Helper()
	record := cornerRecord[:len(cornerRecord)-1] + fmt.Sprintf("KM[7]RU[Chinese]PB[%s]PW[%s]RE[W+62];B[ee];W[cg];B[ba];W[gg];B[eg];W[ge];B[gc];W[gd];B[fc];W[fd];B[hd];W[he])", black, white)
	roots, err := sgf.Parse([]byte(record))
	require.NoError(t, err)
	g, err := review.Load(roots[0], board.Chinese())
	require.NoError(t, err)
	res := &review.Result{Version: review.Version, Game: g.Info(), Network: "made up", Complete: true, Mistakes: []int{3, 7, 6, 2, 5}, Turning: []int{6, 3},
		Groups: []review.Group{{Color: "w", Stones: []string{"A8", "D9"}, Verdict: "dead", Since: 4, Assumed: []string{}}}}
	leads := []float64{7, 9, 12, 4, -16, -15, -20, -38, -41, -44, -50, -55, -62}
	for i := range len(g.Moves) + 1 {
		p, err := g.Position(i)
		require.NoError(t, err)
		stones := []byte(wire.Stones(p))
		for k, s := range stones {
			stones[k] = map[byte]byte{'b': 'X', 'w': 'O', '.': '.'}[s]
		}
		res.Positions = append(res.Positions, review.Position{Visits: 10, Winrate: 0.5, Lead: leads[i], Stones: string(stones), ToMove: wire.Letter(p.ToMove())})
		if i == len(g.Moves) {
			break
		}
		m := review.Move{Number: i + 1, Color: wire.Letter(g.Moves[i].Color), Move: g.Record.Size.Vertex(g.Moves[i].Point), Judged: true, Loss: lostAt[i], Class: review.ClassOf(lostAt[i]), Listed: lostAt[i] > 0, Order: -1, Phase: review.Opening,
			Best: []review.Candidate{{Move: "J1", Lead: 1, Line: []string{"J1", "J2", "H1"}}}, Refutation: []string{"J9"}}
		if m.Listed {
			m.Kind, m.Reason = review.Other, fmt.Sprintf("J1 is %.0f points better.", lostAt[i])
			m.Claims = []review.Claim{{Kind: review.Captured, After: review.AfterPlayed, Color: "b", Stones: []string{"E3"}, Move: "J9"},
				{Kind: review.Worth, After: review.AfterBetter, Move: "J1"}}
			if len(claims) > 0 {
				m.Claims = claims
			}
			m.Points = []string{"E3", "C7"}
		}
		res.Moves = append(res.Moves, m)
	}
	for i := range res.Players { // totals as wide as in real games
		res.Players[i].Totals = review.Totals{Moves: 120, Loss: 200, Mean: 1.7, Classes: map[review.Class]int{review.Best: 61, review.Good: 25, review.Inaccuracy: 12, review.Mistake: 11, review.Blunder: 10, review.Disaster: 1}}
	}
	folder, err := review.OpenFolder(dir + "/reviews")
	require.NoError(t, err)
	const id = "abcdefghijklmnopqrstuvwxyz"
	require.NoError(t, folder.Write(id, g, res, "test"))
	return id
}

// atPly requires that the page of a review shows the position before ply n.
func atPly(p *browsertest.Tab, n int, what ...any) {
	p.T.Helper()
	browsertest.Equal(p, fmt.Sprint(n), `document.querySelector("main.review")?.dataset.at`, what...)
}

// TestReviewIsItsReaders opens a review. The page asks once which side is the reader's, begins at
// the reader's worst move, steps through and counts the reader's mistakes, and shows the other side
// after one press.
func TestReviewIsItsReaders(t *testing.T) {
	looks(t)
	s, p, id := openReviewed(t)
	list := func(want string, what ...any) {
		t.Helper()
		browsertest.Equal(p, want, `[...document.querySelectorAll(".mistakes li .chip-loss")].map((e) => e.innerText).join(", ")`, what...)
	}
	atPly(p, 3, "the worst of all: nobody has said whose it is")
	list("−20.0 ???, −13.0 ???, −9.0 ??, −4.0 ?, −2.0")
	p.Until(`document.querySelector(".who")?.innerText.includes("Which player are you?")`)
	p.Screen(390, 844)
	p.Layout([]string{".who", ".mistake-box"}, func(r []browsertest.Rect) bool { return r[0][3] <= r[1][1] }, "a phone asks before it shows the mistake")
	p.Screen(1280, 900)
	p.Press("Ann")
	atPly(p, 6, "one's own worst")
	p.Until(`!document.querySelector(".who")`)
	list("−9.0 ??, −4.0 ?")
	p.Until(`document.querySelector(".mistakes .sum").innerText === "2 mistakes: 13.0 points lost"`)
	for _, step := range []struct {
		key string
		at  int
	}{{"n", 6}, {"N", 2}, {"N", 2}, {"n", 6}} {
		p.Do(chromedp.KeyEvent(step.key))
		atPly(p, step.at, step.key)
	}
	p.Do(chromedp.Evaluate(`[...document.querySelectorAll(".mistakes [role=radio]")].find((e) => e.innerText === "Ben 3").click()`, nil))
	list("−20.0 ???, −13.0 ???, −2.0", "the other side")
	p.Do(chromedp.KeyEvent("n"))
	atPly(p, 7)
	p.Do(chromedp.Navigate(s.Address() + "review/" + id))
	atPly(p, 6, "it is kept")
	list("−9.0 ??, −4.0 ?")
	p.Press("Summary")
	browsertest.Equal(p, "You,Ben", `[...document.querySelectorAll(".summary th[scope=col]")].map((e) => e.innerText.trim()).join()`)
	p.Press("Mistakes")

	// Each claim can be played on the board, with its stones ringed.
	rings := `document.querySelectorAll(".board svg > g:first-of-type > circle:not(.last)").length`
	browsertest.Equal(p, 0, rings, "nothing is given away")
	p.Press("Show better")
	browsertest.Equal(p, 2, rings)
	p.Until(`document.querySelectorAll(".claim").length === 2 && /captures .*E3/.test(document.querySelector(".claim").innerText)`)
	p.Click(".claim button")
	browsertest.Equal(p, "● 1 G7,○ 2 J9", `[...document.querySelectorAll(".line-player li")].map((e) => (e.querySelector(".b") ? "● " : "○ ") + e.innerText.trim()).join()`)
	browsertest.Equal(p, 1, rings)
	p.Picture("claim")
	p.Do(chromedp.KeyEvent(kb.Escape))

	// The mistakes give losses in points, not in percent.
	p.None(`[...document.querySelectorAll(".mistake-box, .mistakes")].filter((e) => e.innerText.includes("%")).map((e) => e.innerText)`)
	eachLook(p, func(what string, size [2]int64) {
		p.NothingSticksOut(what)
		p.Layout([]string{".mistakes ol", ".mistakes"}, func(r []browsertest.Rect) bool { return size[0] < 1000 || r[1].On(size) && r[1].Height() >= 150 }, "room for the mistakes, %s", what)
		p.Picture("review " + what)
	})
	p.Axe("a review of one's own")
	p.Do(chromedp.Navigate(s.Address() + "review"))
	p.Until(`document.querySelector(".review-row")`)
	browsertest.Equal(p, "−9.0 ??, −4.0 ?", `[...document.querySelectorAll(".review-worst .chip-loss")].map((e) => e.innerText).join(", ")`, "the list counts one's own")
	firstLook(t, s, p)
}

// firstLook opens a review under way. While no mistake is found, the page says that the review is not
// finished. It goes to the reader's worst mistake so far, and at the end to the final worst mistake,
// unless the reader has moved.
func firstLook(t *testing.T, s *Server, p *browsertest.Tab) {
	c := join(t, s)
	c.ask("review.pause", api.PauseReviews{Paused: true}, nil)
	id := toReview(t, s, map[string]string{"under way.sgf": spoilt})["under way.sgf"].ID
	found := ask[api.Review](c, "watch", api.Watch{What: "review:" + id})
	tell := func(state string, at int, mistakes ...int) {
		t.Helper()
		found.Card.State, found.Mistakes = state, mistakes
		for i, ply := range mistakes {
			m := &found.Moves[ply]
			m.Judged, m.Listed, m.Loss, m.Class, m.Better = true, true, float64(20-i), 4, "J1"
		}
		s.hub.Publish("review:"+id, api.ReviewNews.Of(found))
		p.Until(fmt.Sprintf(`document.querySelector("main.review")?.dataset.state === %q`, state))
		atPly(p, at, "%s, %v", state, mistakes)
		p.Until(`document.querySelector(".where input").value === document.querySelector("main.review").dataset.at`) // one number, as in Analyse
	}
	for _, final := range []int{8, 4} {
		p.Do(chromedp.Navigate(s.Address() + "review/" + id))
		p.Until(`document.querySelector("main.review")?.dataset.state === "waiting"`)
		tell("running", 0)
		browsertest.Equal(p, "No mistake found so far: the review is not finished.", `document.querySelector(".mistakes > p")?.innerText`)
		p.Picture("review under way")
		tell("running", 4, 3, 4) // even plies are moves of the reader, Black
		if final == 4 {          // the reader moves
			p.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
			p.Until(`location.search === "?at=4"`)
		}
		tell("done", final, 8, 4)
	}
}

// TestReviewOfNobody opens a review of a game without names: the side that the reader chooses is
// stored for this game only.
func TestReviewOfNobody(t *testing.T) {
	looks(t)
	dir := t.TempDir()
	id := reviewedBefore(t, dir, "", "")
	s := servePage(t, dir)
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "review/" + id))
	atPly(p, 3)
	p.Click(`.who button:nth-child(1)`)
	atPly(p, 6)
	p.Do(chromedp.Navigate(s.Address() + "review/" + id))
	atPly(p, 6)
	p.Until(`!document.querySelector(".who")`)
	require.Empty(t, ask[api.Profile](join(t, s), "watch", api.Watch{What: "profile"}).Names)
	p.Do(chromedp.Navigate(s.Address() + "review"))
	browsertest.Equal(p, "−9.0 ??, −4.0 ?", `[...document.querySelectorAll(".review-worst .chip-loss")].map((e) => e.innerText).join(", ")`, "the list shows the reader's mistakes only")
}

// heights makes the page store, in window.heights, the vertical position of each text drawn on a canvas.
const heights = `window.heights = {}; { const is = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) { window.heights[text] = this.getTransform().f + y; return is.call(this, text, x, y, ...more); }; }`

// TestGraphScale reads the scale of a graph: the scale has labels, is symmetric and ends at 40
// points; larger leads are written as text. The darkest ticks have a visible edge.
func TestGraphScale(t *testing.T) {
	looks(t)
	s, p, id := openReviewed(t)
	beforeScripts(p, heights)
	eachLook(p, func(what string, size [2]int64) {
		p.Do(chromedp.Navigate(s.Address() + "review/" + id))
		p.Until(`document.querySelector("main.review .graph canvas")`)
		browsertest.Eventually(p, `["0", "W+40", "W+20", "B+20", "B+40"].map((k) => heights[k] ?? 0)`, func(y []float64) bool {
			if y[1] == 0 || y[4] == 0 {
				return false // phones have no room for all labels
			}
			half := (y[1] + y[4]) / 2
			return y[1]-y[4] > 20 && half-y[0] < 1 && y[0]-half < 1 && (y[2] == 0 || y[1]-2*y[2]+y[0] < 1 && y[2] > y[0] && y[3] < y[0])
		}, what)
		p.Until(`heights["▼ W+62.0"] && heights["points"] !== undefined`)
		p.Until(edged)
		p.Picture("graph " + what)
	})
}

// edged reports whether each tick of the darkest colour has an edge with a contrast of at least 3 to the panel.
const edged = `(() => { const c = document.querySelector(".graph canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	const light = (r, g, b) => { const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z + 0.05; };
	const panel = light(...getComputedStyle(document.querySelector(".graph")).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));
	let [ticks, seen] = [0, 0];
	for (let i = 4; i < d.length; i += 4) if (d[i] === 71 && d[i + 1] === 13 && d[i + 2] === 78 && d[i - 4] !== 71) { ticks++; const edge = light(d[i - 4], d[i - 3], d[i - 2]); if (Math.max(edge, panel) / Math.min(edge, panel) >= 3) seen++; }
	return ticks > 10 && seen === ticks; })()`

// openReviewed opens the review of a game of Ann against Ben, see [reviewedBefore].
func openReviewed(t *testing.T, claims ...review.Claim) (s *Server, p *browsertest.Tab, id string) {
	t.Helper()
	dir := t.TempDir()
	id = reviewedBefore(t, dir, "Ann", "Ben", claims...)
	s = servePage(t, dir)
	p = openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "review/" + id))
	p.Until(`document.querySelector("main.review .mistakes li")`)
	return s, p, id
}

// TestGroupOfReview asks whether a group of a review lives: groups have their own tab, and the
// question's panel pushes nothing off the screen.
func TestGroupOfReview(t *testing.T) {
	looks(t)
	s, p, id := openReviewed(t)
	browsertest.Equal(p, 0, `document.querySelectorAll(".life-groups").length`)
	p.Press("Groups")
	p.Do(chromedp.Evaluate(`document.querySelector(".life-groups .ask").click()`, nil))
	atPly(p, 4)
	p.Until(`document.querySelector(".life h2")?.innerText.startsWith("White: A8") && document.querySelectorAll('.life[data-busy="false"] .life-card').length === 2`)
	eachLook(p, func(what string, size [2]int64) {
		p.NothingSticksOut(what)
		p.Layout([]string{".life", ".review-tools", ".tab-body"}, func(r []browsertest.Rect) bool {
			return size[0] < 1000 || r[0].On(size) && r[1].On(size) && r[2].Height() >= 90
		}, what)
		p.Picture("life " + what)
	})
	p.Axe("a group of a review")
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Until(`!document.querySelector(".life") && document.querySelector(".mistake-box")`)
	p.Point("C7") // a press on a stone asks about it
	p.Until(`document.querySelector(".life h2")?.innerText === "Black: C7"`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight)) // another position ends the question
	p.Until(`!document.querySelector(".life")`)
	p.Press("Show better")
	p.Until(`document.querySelector(".line-player")`)
	p.Click(`.review-tools .tool:nth-child(2)`)
	p.Until(`document.querySelector(".toast")?.innerText.includes("Press a stone.") && !document.querySelector(".line-player")`)
	p.Point("C7") // the line is closed, so a press on a stone asks about it
	p.Until(`document.querySelector(".life h2")?.innerText === "Black: C7"`)
	p.Do(chromedp.KeyEvent(kb.Escape))
	require.Equal(t, "bad_request", join(t, s).refused("life.ask", api.AskLife{Review: id, Ply: 99, Stones: []string{"A8"}}).Code)
}

// TestKoreanParticles reads claims in Korean: each particle fits the sound before it.
func TestKoreanParticles(t *testing.T) {
	looks(t)
	stones := []string{"E3", "E4"}
	var claims []review.Claim
	for n := 1; n <= 9; n++ {
		claims = append(claims, review.Claim{Kind: review.Worth, Move: fmt.Sprintf("J%d", n)})
	}
	claims = append(claims, review.Claim{Kind: review.Weak, Move: "J2", Stones: stones}, review.Claim{Kind: review.Weak, Move: "J3", Stones: stones},
		review.Claim{Kind: review.Hunts, Move: "J6", Stones: stones}, review.Claim{Kind: review.Hunts, Move: "J7", Stones: stones}, review.Claim{Kind: review.Hunts, Move: "J9", Stones: stones},
		review.Claim{Kind: review.Joined, Stones: []string{"C3"}, Others: []string{"D5"}}, review.Claim{Kind: review.Joined, Stones: []string{"C5"}, Others: []string{"D6"}})
	s, p, id := openReviewed(t, claims...)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ language: "ko" }))`, nil), chromedp.Navigate(s.Address()+"review/"+id))
	p.Until(`document.documentElement.lang === "ko" && document.querySelector("main.review .mistakes li")`)
	p.Do(chromedp.KeyEvent(" ")) // show the better line
	browsertest.Equal(p, strings.Join([]string{"J1이 낫습니다.", "J2가 낫습니다.", "J3이 낫습니다.", "J4가 낫습니다.", "J5가 낫습니다.", "J6이 낫습니다.", "J7이 낫습니다.", "J8이 낫습니다.", "J9가 낫습니다.",
		"E3의 돌 2점이 위험해집니다. J2면 막을 수 있습니다.", "E3의 돌 2점이 위험해집니다. J3이면 막을 수 있습니다.",
		"J6으로 E3의 돌 2점을 축으로 잡습니다.", "J7로 E3의 돌 2점을 축으로 잡습니다.", "J9로 E3의 돌 2점을 축으로 잡습니다.",
		"백이 C3과 D5를 이을 수 있게 됩니다.", "백이 C5와 D6을 이을 수 있게 됩니다."}, "\n"), `[...document.querySelectorAll(".claim")].map((e) => e.innerText.trim().replace("흑이", "백이")).join("\n")`)
}

// TestLateJudgement tries a move in a review. Before the judgement arrives, the test shows the
// solution or goes to another mistake: the late judgement must not change the screen.
func TestLateJudgement(t *testing.T) {
	_, p, _ := openReviewed(t)
	p.Do(chromedp.Evaluate(`(() => {
		const send = WebSocket.prototype.send;
		WebSocket.prototype.send = function (m) {
			if (!String(m).includes("review.try")) return send.call(this, m);
			const re = '"re":"' + JSON.parse(m).id + '"';
			this.addEventListener("message", (e) => { window.judged ||= String(e.data).includes(re); });
			window.release = () => send.call(this, m);
		};
	})()`, nil))
	for _, away := range []func(){
		func() { p.Press("Show better") },
		func() { p.Do(chromedp.KeyEvent("n")) },
	} {
		p.Point("J1")
		p.Until(`document.querySelector(".mistake-box .thinking-line") && window.release`)
		away()
		p.Until(`!document.querySelector(".mistake-box .thinking-line")`)
		line := browsertest.JS[bool](p, `!!document.querySelector(".line-player")`)
		p.Do(chromedp.Evaluate(`window.judged = false; window.release()`, nil))
		p.Until(`window.judged`)
		browsertest.Equal(p, line, `!!document.querySelector(".line-player")`)
		p.None(`[...document.querySelectorAll(".mistake-box .good-text, .mistake-box .bad-text")].map((e) => e.innerText)`)
		p.Do(chromedp.Evaluate(`window.release = null`, nil))
	}
}
