package web

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/review/drill"
	"kosumi/web/api"
)

// dueOfLife makes a folder where problem p of life and death is due: the right moves are G2 and, after
// the opponent's answer D4, E4. attempts reads the answers that were stored later.
func dueOfLife(t *testing.T) (dir string, p drill.Problem, attempts func() []drill.Attempt) {
	t.Helper()
	list := drill.Collection()
	p = list[slices.IndexFunc(list, func(p drill.Problem) bool { return p.Number == 276 })]
	dir = t.TempDir()
	file := filepath.Join(dir, "reviews", "drills-answers.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	open := func() *drill.Log {
		log, err := drill.OpenLog(file)
		require.NoError(t, err)
		return log
	}
	log := open()
	require.NoError(t, log.Add(drill.Attempt{ID: p.ID, Time: time.Now().UTC().AddDate(0, 0, -30), Grade: drill.AgainGrade}))
	require.NoError(t, log.Close())
	return dir, p, func() []drill.Attempt {
		log := open()
		defer log.Close()
		return log.Attempts[1:]
	}
}

// TestDrillOfLife answers a problem of life and death move by move: nothing is graded before
// the end, and a wrong continuation is a wrong answer.
func TestDrillOfLife(t *testing.T) {
	dir, p, attempts := dueOfLife(t)
	c := join(t, serve(t, dir))
	require.Equal(t, p.ID, ask[api.Drill](c, "drill.next", api.NextDrill{}).Problem.ID)
	first := ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: p.ID, Move: "G2", Seconds: 5})
	require.True(t, first.Verdict.Accepted)
	require.Zero(t, first.Grade)
	next := first.Next
	require.NotNil(t, next)
	require.Equal(t, []string{"G2", "D4"}, next.After)
	require.Equal(t, "D4", next.Last)
	require.Equal(t, p.ToMove, next.ToMove)
	d4, g2 := 5*9+3, 7*9+6
	require.Equal(t, strings.ToLower(map[string]string{"b": "w", "w": "b"}[p.ToMove]), next.Stones[d4:d4+1])
	require.Equal(t, p.ToMove, next.Stones[g2:g2+1])
	require.Equal(t, "0", next.Legal[d4:d4+1])
	require.Empty(t, attempts(), "it is not answered yet")

	for _, tc := range []struct {
		after      []string
		move, best string
		works      bool
	}{
		{next.After, "pass", "E4", false},
		{next.After, "", "E4", false},
		{next.After, "E4", "", true},
		{nil, "A1", "G2", false},
	} {
		v := ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: p.ID, After: tc.after, Move: tc.move, Seconds: 15})
		require.Nil(t, v.Next)
		require.Equal(t, tc.works, v.Verdict.Accepted, tc.move)
		require.Equal(t, tc.works, v.Grade == int(drill.EasyGrade), tc.move)
		require.Equal(t, !tc.works, v.Grade == int(drill.AgainGrade), tc.move)
		require.Equal(t, tc.best, v.Best.Move, tc.move)
		c.ask("drill.grade", api.GradeDrill{ID: p.ID, Grade: v.Grade}, nil)
	}
	done := attempts()
	require.Len(t, done, 4)
	require.Equal(t, []string{"G2 pass", "", "G2 E4", "A1"}, []string{done[0].Answer, done[1].Answer, done[2].Answer, done[3].Answer})

	for _, bad := range [][]string{{"G2"}, {"G2", "G2"}, {"nowhere", "D4"}} {
		require.Equal(t, "bad_request", c.refused("drill.answer", api.DrillAnswer{ID: p.ID, After: bad, Move: "E4"}).Code, bad)
	}
	require.Equal(t, "illegal", c.refused("drill.answer", api.DrillAnswer{ID: p.ID, After: next.After, Move: "D4"}).Code)
	require.Len(t, attempts(), 4)
}

// TestProblemsAnswerBack solves a problem of life and death: the opponent's answer appears on the
// board, and the page asks for the next move. The page says whether to kill or to live, and marks
// the group.
func TestProblemsAnswerBack(t *testing.T) {
	looks(t)
	t.Parallel()
	open := func(t *testing.T) (p *browsertest.Tab, problem drill.Problem, attempts func() []drill.Attempt) {
		dir, problem, attempts := dueOfLife(t)
		s := servePage(t, dir)
		p = openPage(t, s)
		p.Do(chromedp.Navigate(s.Address() + "drills"))
		return p, problem, attempts
	}
	t.Run("right", func(t *testing.T) {
		p, problem, attempts := open(t)
		const text = `document.querySelector("main.drill .big-result")?.innerText.trim() ?? ""`
		task := map[string]string{drill.Kill: "kill", drill.Live: "save"}[problem.Task]
		p.Until(fmt.Sprintf(`(%s).includes("play and %s the marked group")`, text, task))
		p.Until(fmt.Sprintf(`document.querySelectorAll("main.drill .board path[d^=M][d$=Z]").length === %d`, len(problem.Group)))
		before := p.Stones()
		p.Point("G2")
		p.Until(fmt.Sprintf(`(%s) === "Right. White answers at D4: continue."`, text))
		p.HasStones(before + 2)
		p.Axe("a problem that answers back")
		p.Picture("drill")
		p.Point("E4")
		p.Until(`(` + text + `) === "Right."`)
		p.Until(`[...document.querySelectorAll("p")].some((e) => e.innerText.startsWith("It comes back in"))`)
		require.Len(t, attempts(), 1)
		require.Greater(t, attempts()[0].Grade, drill.HardGrade)
		p.Press("See it again")
		p.Until(`[...document.querySelectorAll("p")].some((e) => e.innerText.includes("It comes back in 1 min"))`)
		require.Equal(t, drill.AgainGrade, attempts()[0].Grade)
		require.True(t, attempts()[0].Right)
		require.Equal(t, "G2 E4", attempts()[0].Answer)
	})
	t.Run("wrong", func(t *testing.T) {
		p, _, attempts := open(t)
		p.Until(`document.querySelector("main.drill [role=gridcell]")`)
		p.Point("G2")
		p.Until(`document.querySelector("main.drill .big-result").innerText.includes("D4")`)
		p.Point("A1")
		p.Until(`document.querySelector("main.drill").dataset.answered === "wrong"`)
		browsertest.Equal(p, "That does not work.", `document.querySelector("main.drill .big-result").innerText.trim()`)
		p.Until(`document.querySelector("main.drill aside").innerText.includes("The board shows the reply.")`)
		p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
		p.Look("a refutation")
		p.Do(chromedp.KeyEvent(kb.Enter)) // try again from the same position
		p.Until(`document.querySelector("main.drill").dataset.answered === "" && document.querySelector("main.drill .big-result").innerText.includes("D4")`)
		p.Point("B1")
		p.Until(`document.querySelector("main.drill").dataset.answered === "wrong"`)
		p.Press("Show me")
		p.Until(`document.querySelector("main.drill aside").innerText.includes("The best move is E4.")`)
		require.Len(t, attempts(), 1, "the first try counts")
		require.Equal(t, "G2 A1", attempts()[0].Answer)
		require.Equal(t, drill.AgainGrade, attempts()[0].Grade)
	})
}
