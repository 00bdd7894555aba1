package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
)

// cornerRecord has a straight three for White in the corner: whoever plays B9 first decides.
const cornerRecord = `(;GM[1]FF[4]SZ[9]AW[ab][bb][cb][db][da]AB[ac][bc][cc][dc][ec][eb][ea])`

// judged waits until a question is answered.
func judged(c *client, ask int) *api.LifeState {
	c.t.Helper()
	return until(c, "life.state", func(s *api.LifeState) bool { return s.Ask == ask && !s.Busy })
}

// TestLifeAsked asks whether a corner lives and plays against both proofs: the vital
// point decides, whatever the other side tries.
func TestLifeAsked(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	require.Zero(t, ask[api.LifeState](c, "watch", api.Watch{What: "life"}).Ask)
	doc := ask[api.ID](c, "doc.new", api.NewDoc{SGF: cornerRecord}).ID
	asked := ask[api.LifeAsked](c, "life.ask", api.AskLife{Doc: doc, Stones: []string{"A8"}})
	st := judged(c, asked.Ask)
	require.Equal(t, "w", st.Colour)
	require.NotEmpty(t, st.Assumed)
	require.Len(t, st.Cards, 2)
	b, w := st.Cards[0], st.Cards[1]
	require.Equal(t, []string{"b", "dead", "w", "alive"}, []string{b.First, b.Verdict, w.First, w.Verdict})
	for _, card := range st.Cards {
		require.True(t, card.Proved && card.Every && card.Plays)
		require.Equal(t, []string{"B9"}, card.Moves)
		require.Contains(t, card.Zone, "B9")
	}
	require.Equal(t, asked.Ask, ask[api.LifeState](c, "watch", api.Watch{What: "life"}).Ask, "it is told again")

	play := func(first string, moves ...string) api.LifeStep {
		return ask[api.LifeStep](c, "life.play", api.PlayLife{Ask: asked.Ask, First: first, Moves: moves})
	}
	step := play("b")
	require.Empty(t, step.Winner)
	require.Equal(t, byte('1'), step.Legal[1])
	step = play("b", "B9")
	require.Equal(t, []string{"b", "w", ""}, []string{step.Winner, step.ToMove, step.End})
	step = play("b", "B9", "A9")
	require.Equal(t, "b", step.Winner)
	moves := []string{"B9"}
	for step = play("b", moves...); step.End == ""; step = play("b", moves...) {
		moves = append(moves, "pass")
	}
	require.Contains(t, []string{"taken", "doomed"}, step.End)
	step = play("b", "A9")
	require.Equal(t, "w", step.Winner, "a first move that fails is answered")
	require.Equal(t, []string{"A9", "B9"}, step.Line)
	step = play("w", "B9")
	require.Equal(t, "alive", step.End)
	require.Equal(t, byte('w'), step.Stones[1])

	for _, bad := range []struct {
		cmd  string
		d    any
		code string
	}{
		{"life.play", api.PlayLife{Ask: asked.Ask, First: "b", Moves: []string{"A8"}}, "illegal"},
		{"life.play", api.PlayLife{Ask: asked.Ask, First: "b", Moves: []string{"Z99"}}, "bad_request"},
		{"life.play", api.PlayLife{Ask: asked.Ask, First: "w", Moves: []string{"B9", "A9"}}, "illegal"},
		{"life.play", api.PlayLife{Ask: asked.Ask + 1, First: "b"}, "stale"},
		{"life.play", api.PlayLife{Ask: asked.Ask, First: "x"}, "bad_request"},
		{"life.ask", api.AskLife{Doc: doc}, "bad_request"},
		{"life.ask", api.AskLife{Doc: doc, Stones: []string{"E5"}}, "bad_request"},
		{"life.ask", api.AskLife{Doc: doc, Stones: []string{"A8", "A7"}}, "bad_request"},
		{"life.ask", api.AskLife{Doc: doc, Stones: []string{"A8"}, Seconds: -1}, "bad_request"},
		{"life.ask", api.AskLife{Doc: doc, Stones: []string{"A8"}, Assume: []string{"E5"}}, "bad_request"},
		{"life.ask", api.AskLife{Stones: []string{"A8"}}, "bad_request"},
	} {
		require.Equal(t, bad.code, c.refused(bad.cmd, bad.d).Code, bad.d)
	}
	many := slices.Repeat([]string{"A8"}, 82)
	for _, q := range []api.AskLife{{Doc: doc, Stones: many}, {Doc: doc, Stones: many[:1], Assume: many}} {
		require.Equal(t, "stones: 1 to 81, assume: up to 81", c.refused("life.ask", q).Text)
	}
	// Stones may not be both asked about and assumed alive: the answer says so.
	asked = ask[api.LifeAsked](c, "life.ask", api.AskLife{Doc: doc, Stones: []string{"A8"}, Assume: []string{"B8"}})
	require.Equal(t, "unsupported", judged(c, asked.Ask).Error.Code)
}

// TestLifeStopped asks a question without a quick proof, and asks it again during the search: only the
// second search continues. Once stopped, it leaves findings without a proof.
func TestLifeStopped(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	open := "(;SZ[19]AB[pd][pp][dd][qf][nc]AW[pc][qd][oc][od])"
	doc := ask[api.ID](c, "doc.new", api.NewDoc{SGF: open}).ID
	first := ask[api.LifeAsked](c, "life.ask", api.AskLife{Doc: doc, Stones: []string{"P17"}, Assume: []string{}, Seconds: 600})
	second := ask[api.LifeAsked](c, "life.ask", api.AskLife{Doc: doc, Stones: []string{"P17"}, Assume: []string{}, Seconds: 600})
	require.Greater(t, second.Ask, first.Ask)
	until(c, "life.state", func(st *api.LifeState) bool {
		require.Equal(t, second.Ask, st.Ask)
		return st.Busy && len(st.Cards) == 2
	})
	c.ask("life.stop", second, nil)
	st := judged(c, second.Ask)
	require.Len(t, st.Cards, 2)
	require.Equal(t, "unknown", st.Cards[0].Verdict)
	require.Equal(t, "unsupported", c.refused("life.play", api.PlayLife{Ask: second.Ask, First: "b"}).Code)
}

// TestLifeAfterGames asks about life in a game: this is refused until the game is over, then
// allowed at each of its moves.
func TestLifeAfterGames(t *testing.T) {
	s := serve(t, t.TempDir())
	c := join(t, s)
	g := c.play(begin(c, small("b")), "C3")
	question := api.AskLife{Game: g.Game, Ply: len(g.Moves), Stones: []string{"C3"}, Seconds: 0.3}
	refused := c.refused("life.ask", question)
	require.Equal(t, []string{"illegal", "playing"}, []string{refused.Code, strings.Join(refused.Args, "")})
	c.do(g, "game.resign", api.GameCommand{Game: g.Game, Rev: g.Rev})
	asked := ask[api.LifeAsked](c, "life.ask", question)
	require.Equal(t, []string{"C3"}, judged(c, asked.Ask).Target)
	question.Ply = 0
	require.Equal(t, "bad_request", c.refused("life.ask", question).Code, "the stone was not there yet")
	question.Ply = 1000
	require.Equal(t, "bad_request", c.refused("life.ask", question).Code)
}
