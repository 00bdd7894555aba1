package drill

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/review"
)

// TestCollection reads the built-in problems: each has one answer, which is legal; no two problems
// are the same; there are several of each level and task.
func TestCollection(t *testing.T) {
	list := Collection()
	require.GreaterOrEqual(t, len(list), 300)
	require.Less(t, len(collection), 200_000)
	ids, levels, tasks := map[string]bool{}, map[int]int{}, map[string]int{}
	for i := range list {
		p := &list[i]
		g, err := p.Position()
		require.NoError(t, err)
		require.Len(t, p.Answers, 1)
		at, err := g.Size().ParseVertex(p.Answers[0].Move)
		require.NoError(t, err)
		require.NoError(t, g.Legal(g.ToMove(), at), "problem %d", p.Number)
		require.True(t, p.Answer(p.Answers[0].Move).Accepted)
		require.False(t, p.Answer("pass").Accepted)
		require.NotEmpty(t, p.Group)
		ids[p.ID] = true
		levels[p.Level]++
		tasks[p.Task]++
	}
	require.Len(t, ids, len(list))
	for level := 1; level <= 5; level++ {
		require.Greater(t, levels[level], 30)
		require.Equal(t, level, list[level-1].Level, "one of each level in turn")
	}
	require.Greater(t, tasks[Live], 60)
	require.Greater(t, tasks[Kill], 60)
	require.Equal(t, AgainGrade, list[0].Grade(list[0].Answer("pass"), time.Second))
	require.Equal(t, EasyGrade, list[0].Grade(list[0].Answer(list[0].Answers[0].Move), time.Second))
}

// TestProblemsOfLife: if only one move kills a group, the position becomes a problem of life and
// death, instead of a problem that asks for a better move.
func TestProblemsOfLife(t *testing.T) {
	stones := strings.Repeat(".", 81)
	best := []review.Candidate{{Move: "E5", Prior: 0.3}}
	res := &review.Result{Game: review.Info{Width: 9, Height: 9, File: "a", Black: "Ada"}, Positions: []review.Position{{Stones: stones, Winrate: 0.5}, {Stones: stones}},
		Moves:    []review.Move{{Number: 1, Color: "b", Move: "A1", Loss: 12, Best: best, Judged: true}},
		Mistakes: []int{0}}
	var d Set
	d.Collect(res)
	require.Len(t, d.Problems, 1)
	require.Empty(t, d.Problems[0].Task)
	require.Equal(t, []Answer{{Move: "E5", Accepted: true}}, d.Problems[0].Answers, "the best move, however short the search was")
	res.Only = []review.Only{{Ply: 0, Kills: true, Group: []string{"C3"}, Line: []string{"B2", "C2"}, Assumed: []string{"J9"}}}
	d.Collect(res)
	require.Len(t, d.Problems, 1)
	p := d.Problems[0]
	require.Equal(t, Kill, p.Task)
	require.Equal(t, LifeKind, p.Kind)
	require.Equal(t, []string{"J9"}, p.Assumed)
	require.Equal(t, []Answer{{Move: "B2", Accepted: true, Line: []string{"B2", "C2"}}}, p.Answers)
	require.Equal(t, "Ada", p.Player)
	require.Equal(t, "A1", p.Played)
	require.False(t, p.Answer("E5").Accepted)
	root := d.Trees()[0]
	require.Contains(t, root.Get("C"), "kill the group", "an SGF viewer asks the same question")
	require.Equal(t, []string{"cg"}, root.Values("TR"))
	require.Contains(t, (&Set{}).Trees()[0].Text("C"), "There is no problem yet", "a record is never empty")

	res.Only[0].Line = []string{"A1"}
	left := d.Collect(res)
	require.Empty(t, d.Problems, "the only move was played: there is nothing to ask")
	require.Equal(t, []review.LeftOut{{Ply: 0, Why: "it is proved to be the only move"}}, left)
	res.Only = nil
	for _, change := range []struct {
		why string
		do  func(*review.Move, *review.Position)
	}{
		{"its loss is not sure enough", func(m *review.Move, _ *review.Position) { m.Error = 11 }},
		{"the game was decided", func(_ *review.Move, p *review.Position) { p.Lead = -40 }},
		{"the game was decided", func(_ *review.Move, p *review.Position) { p.Winrate = 0.99 }},
		{"to pass is as good as any move", func(m *review.Move, _ *review.Position) {
			m.Best = []review.Candidate{{Move: "E5", Prior: 0.5}, {Move: "pass", Visits: 9}}
		}},
		{"the better move is obvious", func(m *review.Move, _ *review.Position) { m.Best = []review.Candidate{{Move: "E5", Prior: 0.95}} }},
		{"the better move is too hard to find", func(m *review.Move, _ *review.Position) { m.Best = []review.Candidate{{Move: "E5", Prior: 0.001}} }},
	} {
		m, p := res.Moves[0], res.Positions[0]
		change.do(&res.Moves[0], &res.Positions[0])
		require.Equal(t, []review.LeftOut{{Ply: 0, Why: change.why}}, d.Collect(res))
		require.Empty(t, d.Problems)
		res.Moves[0], res.Positions[0] = m, p
	}
	require.Empty(t, d.Collect(res))
	require.Len(t, d.Problems, 1)
}
