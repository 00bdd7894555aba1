package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// exercise is one task of a lesson, as ui/src/lessons.json has it.
type exercise struct {
	Size             int
	Rows             []string
	Turn, Goal, At   string
	Good, Region     []string
	Ko               string
	Dead             []string
	Numbers          []int
	Answer           int
	lesson           string
	number, inLesson int
}

func exercises(t *testing.T) []exercise {
	t.Helper()
	var lessons []struct {
		ID    string
		Tasks []exercise
	}
	require.NoError(t, json.Unmarshal([]byte(testshared.Read(t, "ui/src/lessons.json")), &lessons))
	require.Len(t, lessons, 6)
	var all []exercise
	for _, l := range lessons {
		for i, x := range l.Tasks {
			x.lesson, x.number, x.inLesson = l.ID, i+1, len(l.Tasks)
			all = append(all, x)
		}
	}
	return all
}

// position sets the board up. A stone without a liberty is an error.
func (x *exercise) position(t *testing.T) *board.Game {
	t.Helper()
	g, err := board.NewGame(board.Square(x.Size), board.Chinese())
	require.NoError(t, err)
	var stones [2][]board.Point
	require.Len(t, x.Rows, x.Size)
	for y, row := range x.Rows {
		require.Len(t, row, x.Size)
		for i, c := range row {
			if k := strings.IndexRune("bw", c); k >= 0 {
				stones[k] = append(stones[k], g.Size().Point(i, y))
			}
		}
	}
	require.NoError(t, g.Setup(stones[0], stones[1], board.Black))
	return g
}

// near returns the empty points that matter to a fight around a group: the task's region, or all
// points within two steps of the group.
func (x *exercise) near(g *board.Game, target board.Point) []board.Point {
	var all []board.Point
	size := g.Size()
	for p := range board.Point(size.Area()) {
		if g.At(p) != board.Empty {
			continue
		}
		if x.Region != nil {
			if slices.Contains(x.Region, size.Vertex(p)) {
				all = append(all, p)
			}
			continue
		}
		px, py := size.XY(p)
		for q := range board.Point(size.Area()) {
			qx, qy := size.XY(q)
			if g.At(q) == g.At(target) && max(px-qx, qx-px)+max(py-qy, qy-py) <= 2 {
				all = append(all, p)
				break
			}
		}
	}
	return all
}

// falls reports whether the stones at target can be captured within depth moves. It tries all moves
// nearby, and a pass.
func (x *exercise) falls(g *board.Game, target board.Point, depth int) bool {
	owner := g.At(target)
	attacks := g.ToMove() != owner
	if depth == 0 {
		return false
	}
	moves := append(x.near(g, target), board.Pass)
	for _, p := range moves {
		if g.Legal(g.ToMove(), p) != nil {
			continue
		}
		var next board.Game
		next.CopyFrom(g)
		if next.Play(g.ToMove(), p) != nil {
			continue
		}
		taken := next.At(target) != owner || x.falls(&next, target, depth-1)
		if taken == attacks {
			return attacks
		}
	}
	return !attacks
}

// TestLessons checks every task against the rules and by trying all moves: exactly the moves that
// the task calls right are right.
func TestLessons(t *testing.T) {
	for _, x := range exercises(t) {
		t.Run(fmt.Sprintf("%s %d", x.lesson, x.number), func(t *testing.T) {
			g := x.position(t)
			size := g.Size()
			target, _ := size.ParseVertex(x.At)
			depth := 3 // enough for fights without a given region
			if x.Region != nil {
				depth = 9
			}
			var right []string
			for p := range board.Point(size.Area()) {
				var next board.Game
				next.CopyFrom(g)
				legal := next.Play(board.Black, p) == nil
				ok := false
				switch x.Goal {
				case "take":
					ok = legal && next.At(target) == board.Empty
				case "save":
					ok = legal && !x.falls(&next, target, depth)
				case "kill":
					ok = legal && (next.At(target) == board.Empty || x.falls(&next, target, depth))
				case "forbidden":
					ok = !legal && g.At(p) == board.Empty
				case "close":
					// Black's move must close the border: White may not play at the target
					// afterwards.
					ok = legal && next.Legal(board.White, target) != nil && slices.Contains(x.Good, size.Vertex(p))
				default:
					continue
				}
				if ok {
					right = append(right, size.Vertex(p))
				}
			}
			switch x.Goal {
			case "take", "save", "kill", "forbidden", "close":
				require.ElementsMatch(t, x.Good, right)
			case "count":
				require.Contains(t, x.Numbers, x.Answer)
				var dead []board.Point
				for _, v := range x.Dead {
					p, err := size.ParseVertex(v)
					require.NoError(t, err)
					dead = append(dead, p)
				}
				owned := 0
				for _, o := range g.OwnersWithDead(dead) {
					if o == board.Black {
						owned++
					}
				}
				require.Equal(t, x.Answer, owned)
			case "threat":
				require.NotEmpty(t, x.Ko)
			}
		})
	}
}

// TestLearn completes all lessons on the page: a wrong move gets an answer, the right move leads
// on, and progress is stored.
func TestLearn(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	p.Do(chromedp.Evaluate(`localStorage.setItem("kosumi.settings", JSON.stringify({ motion: "off" }))`, nil), chromedp.Navigate(s.Address()+"learn"))
	p.Until(`document.querySelectorAll(".lesson").length === 6`)
	p.Axe("lessons")
	const screen = `document.querySelector("main.lesson-play")`
	rightIs := func(value string) { p.T.Helper(); p.Until(screen + `.dataset.right === "` + value + `"`) }
	for _, x := range exercises(t) {
		if x.number == 1 {
			p.Do(chromedp.Navigate(s.Address() + "learn/" + x.lesson))
		}
		p.Until(fmt.Sprintf(`%s?.dataset.task === "%d" && %s.dataset.right === ""`, screen, x.number, screen))
		before := p.Stones()
		const marks = `document.querySelectorAll("main.lesson-play .board path[d^=M][d$=Z]").length`
		if x.Goal == "take" {
			browsertest.Equal(p, 0, marks, "the mark would be the answer of %s %d", x.lesson, x.number)
		}
		switch x.Goal {
		case "count":
			for _, n := range x.Numbers {
				if n != x.Answer {
					p.Press(fmt.Sprint(n))
					rightIs("no")
				}
			}
			p.Press(fmt.Sprint(x.Answer))
		case "pass":
			p.Point("A1")
			rightIs("no")
			p.Press("Pass")
		default:
			p.Point(x.wrong(t))
			rightIs("no")
			p.Until(`document.querySelector(".mistake-box .bad-text")?.innerText.length > 5`)
			p.Until(`!document.querySelector(".mistake-box .bad-text").innerText.includes("{")`)
			if x.Goal == "save" {
				p.Until(fmt.Sprintf(`![...document.querySelectorAll("[role=gridcell]")].some((c) => c.ariaLabel.startsWith(%q))`, x.At+" black")) // the page shows the capture that follows the wrong move
			}
			p.Press("Try again")
			rightIs("")
			if x.Goal == "take" {
				browsertest.Equal(p, 1, marks)
			}
			p.HasStones(before, "as it was")
			p.Point(x.Good[0])
			if x.Goal == "threat" {
				p.Until(screen + `.dataset.stage === "1"`)
				p.Point(x.Ko)
			}
		}
		rightIs("yes")
		if x.number == 1 {
			if x.lesson == "capture" {
				p.Axe("a lesson")
			}
			p.Do(emulation.SetDeviceMetricsOverride(360, 640, 2, true))
			p.Until(`innerWidth === 360`)
			p.NothingSticksOut(x.lesson)
			p.Layout([]string{".board"}, func(r []browsertest.Rect) bool { return r[0].Width() >= 250 }, "the board of lesson %s on a phone", x.lesson)
			p.Do(emulation.ClearDeviceMetricsOverride())
			p.Until(`innerWidth > 360`)
		}
		p.Press("Continue")
		if x.number == x.inLesson {
			p.Until(`document.querySelector("main.empty h1")?.innerText === "Lesson done"`)
		}
	}
	c := join(t, s)
	require.Eventually(t, func() bool {
		return len(ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Lessons) == 5
	}, browsertest.Patience, 50*time.Millisecond)
	p.Do(chromedp.Navigate(s.Address() + "learn/game"))
	p.Press("Start the game")
	p.Mine()
	id := strings.TrimPrefix(browsertest.JS[string](p, "location.pathname"), "/play/")
	g := ask[api.GameState](c, "watch", api.Watch{What: "game:" + id})
	require.Equal(t, []any{[2]int{9, 9}, "gentle", ask[[]api.Level](c, "levels.on", api.OnBoard{Size: [2]int{9, 9}})[0].ID}, []any{g.Size, g.Teach, g.Seat.Level})
	p.Do(chromedp.Navigate(s.Address() + "learn"))
	p.Until(`document.querySelectorAll(".lesson-done").length === 6`)
}

// wrong returns a legal move that does not solve the task, in the task's region if it has one.
func (x *exercise) wrong(t *testing.T) string {
	t.Helper()
	g := x.position(t)
	size := g.Size()
	for p := range board.Point(size.Area()) {
		v := size.Vertex(p)
		if g.Legal(board.Black, p) == nil && !slices.Contains(x.Good, v) && v != x.Ko && (x.Region == nil || slices.Contains(x.Region, v)) {
			return v
		}
	}
	t.Fatal("every move is right")
	return ""
}

// TestKeysAlone solves a lesson's first task and answers a problem by keys and the texts for screen
// readers.
func TestKeysAlone(t *testing.T) {
	looks(t)
	s := servePage(t, searched(t))
	p := openPage(t, s)
	name := func() string {
		return browsertest.JS[string](p, `document.activeElement.getAttribute("role") === "gridcell" ? document.activeElement.ariaLabel.split(/[ ,]/)[0] : ""`)
	}
	tab := func(until string) {
		t.Helper()
		for i := 0; !browsertest.JS[bool](p, until); i++ {
			require.Less(t, i, 60, "the keyboard does not come to %s", until)
			p.Do(chromedp.KeyEvent(kb.Tab))
		}
	}
	const onBoard, onButton = `document.activeElement.getAttribute("role") === "gridcell"`, `document.activeElement.matches("main .button")`
	walk := func(to string) {
		t.Helper()
		tab(onBoard)
		for i := 0; name() != to; i++ {
			require.Less(t, i, 20)
			at := name()
			key := kb.ArrowRight
			switch {
			case at[0] > to[0]:
				key = kb.ArrowLeft
			case at[0] == to[0] && at[1:] < to[1:]:
				key = kb.ArrowUp
			case at[0] == to[0]:
				key = kb.ArrowDown
			}
			p.Do(chromedp.KeyEvent(key))
		}
	}
	p.Do(chromedp.Navigate(s.Address() + "learn/capture"))
	p.Until(`document.querySelector("main [role=gridcell]")`)
	walk("C2")
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Until(`[...document.querySelectorAll("[aria-live]")].some((e) => e.innerText.includes("Its last liberty is gone"))`)
	tab(onButton)
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Until(`document.querySelector("main").innerText.includes("2 of 4")`)

	p.Do(chromedp.Navigate(s.Address() + "review"))
	p.Until(`document.querySelector("main.reviews input[type=file]")`)
	chooseFiles(p, map[string]string{"ours.sgf": spoiltNine})
	p.Until(`document.querySelector("main.review")?.dataset.state === "done"`)
	p.Do(chromedp.Navigate(s.Address() + "drills"))
	p.Until(`document.querySelector("main.drill [role=gridcell]")`)
	p.Until(`document.querySelector("#polite").innerText.includes("to play")`) // screen readers read the question
	walk(p.Free(nil))
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Until(`document.querySelector("main.drill").dataset.answered !== ""`)
	p.Until(`/best move|Good move|loses/.test(document.querySelector("#polite").innerText)`)
	problem := browsertest.JS[string](p, `document.querySelector("main.drill").dataset.problem`)
	p.Do(chromedp.KeyEvent("s")) // after a wrong move, shows the solution
	p.Until(`document.querySelector("main.drill").dataset.answered === "done"`)
	p.Do(chromedp.KeyEvent("n"))
	p.Until(fmt.Sprintf(`document.querySelector("main.drill")?.dataset.problem !== %q`, problem))
}
