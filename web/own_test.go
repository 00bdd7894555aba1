package web

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
	"kosumi/web/api"
)

// ownCorner is a collection of two problems. In the first one, which has the author's comments,
// Black kills in two moves. The second one has no answer marked as right.
const ownCorner = `(;GM[1]FF[4]SZ[9]C[Kill the corner.]PL[W]AW[ab][bb][cb][db][da]AB[ac][bc][cc][dc][ec][eb][ea](;B[aa];W[ba])(;B[ba](;W[ca];B[aa]C[RIGHT: one eye.])(;W[aa];B[ca]TE[1])))
(;GM[1]FF[4]SZ[9]AW[ab]AB[hh][hg](;B[ba];W[ca])(;B[aa]))`

// TestImportOwn: each record of a file is classified, and the answer says how.
func TestImportOwn(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	many := &strings.Builder{}
	for i := range 5000 {
		fmt.Fprintf(many, "(;GM[1]FF[4]SZ[19]AB[%c%c]AW[%cs](;B[rr])(;B[rq]BM[1]))", 'a'+i%17, 'a'+i/17%17, 'a'+i/289)
	}
	for _, tc := range []struct {
		name, text, kind string
		problems         int
		says             []string
	}{
		{"corner.sgf", ownCorner, "problem", 2, []string{"own_problems 2", "own_turned 1"}},
		{"again/corner.sgf", ownCorner, "problem", 2, []string{"own_problems 2", "own_turned 1"}},
		{"mixed.sgf", ownCorner + spoiltNine + "(;GM[1]FF[4]SZ[9]AB[aa]AW[bb])", "problem", 2, []string{"own_problems 2", "own_games 1", "own_unsolved 1", "own_turned 1"}},
		{"handicap.sgf", "(;GM[1]FF[4]SZ[9]HA[2]AB[gc][cg];W[ee];B[ec])", "review", 0, nil},
		{"position.sgf", "(;GM[1]FF[4]SZ[9]AB[aa]AW[bb])", "doc", 0, []string{"own_position 1"}},
		{"many.sgf", many.String(), "problem", 5000, []string{"own_problems 5000"}},
		{"none.sgf", "(;GM[1]FF[4]SZ[9])", "", 0, nil},
	} {
		a := upload(t, s, "?to=review", map[string]string{tc.name: tc.text})[0]
		var says []string
		for _, say := range a.Says {
			says = append(says, say.Key+" "+say.With["n"])
		}
		require.Equal(t, []any{tc.kind, tc.problems, tc.says}, []any{a.Kind, a.Problems, says}, tc.name)
		require.Equal(t, tc.kind == "", a.Error != "", tc.name)
	}
	sets := ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Day.Sets
	require.Len(t, sets, 3, "the same file is kept once")
	require.Equal(t, []string{"corner", "many", "mixed"}, []string{sets[0].Name, sets[1].Name, sets[2].Name})

	d := ask[api.Drill](c, "drill.next", api.NextDrill{Set: sets[0].ID})
	require.Equal(t, []any{2, 2, "Kill the corner.", "b", "corner"}, []any{d.Total, d.Fresh, d.Problem.Text, d.Problem.ToMove, d.Problem.Game})
	ring := []string{""}
	for range 3 {
		ring = append(ring, ask[api.Drill](c, "drill.next", api.NextDrill{Set: sets[1].ID, Not: ring[len(ring)-1]}).Problem.ID)
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(ring))), 4, "later problems are asked in turn")
	require.Equal(t, d.Problem.ID, ask[api.Drill](c, "drill.next", api.NextDrill{Set: sets[0].ID, Not: ask[api.Drill](c, "drill.next", api.NextDrill{Set: sets[0].ID, Not: d.Problem.ID}).Problem.ID}).Problem.ID)
	answer := func(again bool, after []string, move string) api.DrillVerdict {
		return ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: d.Problem.ID, After: after, Move: move, Again: again})
	}
	first := answer(false, nil, "B9").Next
	require.Equal(t, []string{"B9", "C9"}, first.After)
	wrong := answer(false, first.After, "J9")
	require.Equal(t, []any{false, 1, "A9"}, []any{wrong.Verdict.Accepted, wrong.Grade, wrong.Best.Move}, "a wrong continuation is not solved")
	right := answer(true, first.After, "A9")
	require.Equal(t, []any{true, 0, "one eye."}, []any{right.Verdict.Accepted, right.Grade, right.Text}, "a further try is not graded")
	require.Equal(t, []string{"A9", "B9"}, answer(true, nil, "A9").Verdict.Line, "the author's refutation")
	require.Zero(t, ask[api.Profile](c, "watch", api.Watch{What: "profile"}).Day.Sets[0].Solved)

	c.ask("drill.forget", api.ID{ID: sets[0].ID}, nil)
	require.Equal(t, "not_found", c.refused("drill.forget", api.ID{ID: sets[0].ID}).Code)
	_, err := os.Stat(filepath.Join(s.conf.Reviews, "collections", "corner.sgf"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestOwnProblems drops a collection on the page, gets a refutation, tries again, and finds the
// collection among the problems.
func TestOwnProblems(t *testing.T) {
	looks(t)
	s, p := newPage(t)
	p.Screen(390, 844)
	p.Do(chromedp.Navigate(s.Address() + "review"))
	p.Until(`document.querySelector("input[type=file]")`)
	chooseFiles(p, map[string]string{"corner.sgf": ownCorner})
	result := `(document.querySelector("main.drill .big-result")?.innerText.trim() ?? "")`
	p.Until(result + ` === "Black to play." && document.querySelector(".author").innerText === "Kill the corner."`)
	p.Until(`document.querySelector(".toast").innerText.includes("Problems taken: 2.")`)
	browsertest.Equal(p, true, `[...document.querySelectorAll(".mistake-box p")].some((e) => e.innerText === "corner, problem 1")`)
	p.Point("A9")
	p.Until(result + ` === "That does not work."`)
	p.NothingSticksOut("main")
	p.Picture("own refuted 390")
	p.Screen(1280, 800)
	p.Axe("a refutation by the author")
	p.Picture("own refuted 1280")
	p.Press("Try again")
	p.Point("B9")
	p.Until(result + ` === "Right. White answers at C9: continue."`)
	p.Point("A9")
	p.Until(result + ` === "Right." && document.querySelector(".author").innerText === "one eye."`)
	p.Picture("own solved 1280")
	p.Press("Next") // the next problem of the same collection
	p.Until(`[...document.querySelectorAll(".mistake-box p")].some((e) => e.innerText === "corner, problem 2")`)
	p.Do(chromedp.Navigate(s.Address() + "problems"))
	p.Until(`document.querySelector(".kept-row")?.innerText.includes("0 of 2 solved")`)
	p.Look("collections")
	p.Click(`.kept-row a`)
	p.Until(`document.querySelector("main.drill")`)
}

// TestProblemsGo finds the better move for a mistake in the review: the mistake is no longer a new
// problem. Deleting the review deletes its problems.
func TestProblemsGo(t *testing.T) {
	t.Parallel()
	s := serve(t, searched(t))
	c := join(t, s)
	id := toReview(t, s, map[string]string{"game.sgf": spoiltNine})["game.sgf"].ID
	finishedCard(t, c, id)
	next := func() api.Drill { return ask[api.Drill](c, "drill.next", api.NextDrill{}) }
	before := next()
	p := before.Problem
	require.Contains(t, []string{"Bo", "Aki <b>"}, p.Against, "whom the player played")
	require.NotEqual(t, p.Player, p.Against)
	best := ask[api.DrillVerdict](c, "drill.answer", api.DrillAnswer{ID: p.ID, Again: true}).Best.Move
	require.Equal(t, before.Fresh, next().Fresh, "to be shown it is no try")
	require.True(t, ask[api.Verdict](c, "review.try", api.TryMove{Review: id, Ply: p.Number - 1, Move: best}).Accepted)
	after := next()
	require.Equal(t, before.Total, after.Total)
	require.Equal(t, before.Fresh-1, after.Fresh)
	if after.Problem != nil {
		require.NotEqual(t, p.ID, after.Problem.ID)
	}
	c.ask("review.delete", api.ID{ID: id}, nil)
	require.Zero(t, next().Total)
}
