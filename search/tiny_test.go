package search

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
)

// solver finds the exact result of a small game by exhaustive search (alpha-beta, Knuth and Moore
// 1975); positional superko keeps it finite.
type solver struct {
	nodes int
	games []*board.Game
}

// best returns the score from the view of the side to move.
func (s *solver) best(g *board.Game, depth int, alpha, beta float32) float32 {
	s.nodes++
	if g.Finished() {
		score := g.Score()
		if g.ToMove() == board.Black {
			score = -score
		}
		return score
	}
	for len(s.games) <= depth {
		s.games = append(s.games, new(board.Game))
	}
	legal := g.LegalMoves(nil)
	order := []board.Point{board.Pass}
	for p := range board.Point(g.Size().Area()) {
		if legal[p] {
			order = append(order, p)
		}
	}
	if g.ConsecutivePasses() == 0 {
		order = append(order[1:], board.Pass)
	}
	value := float32(math.Inf(-1))
	for _, p := range order {
		next := s.games[depth]
		next.CopyFrom(g)
		if next.Play(g.ToMove(), p) != nil {
			continue
		}
		value = max(value, -s.best(next, depth+1, -beta, -alpha))
		if alpha = max(alpha, value); alpha >= beta {
			break
		}
	}
	return value
}

func diagramGame(t testing.TB, diagram string, toMove board.Color, komi float32) *board.Game {
	t.Helper()
	b := testshared.Diagram(t, diagram)
	rules := board.TrompTaylor()
	rules.Komi = komi
	g, err := board.NewGame(b.Size(), rules)
	require.NoError(t, err)
	require.NoError(t, g.SetupBoard(b, toMove))
	return g
}

// TestSmallGamesComeOutRight: a search without knowledge finds what an exhaustive search proves.
func TestSmallGamesComeOutRight(t *testing.T) {
	for _, c := range []struct {
		name, diagram string
		toMove        board.Color
		komi          float32
	}{
		{"empty 2x2", "..\n..", board.Black, 0.5},
		{"2x2, white first", "..\n..", board.White, -0.5},
		{"2x2 corner", "X.\n..", board.White, 0.5},
		{"2x2 diagonal", "XO\n..", board.White, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := diagramGame(t, c.diagram, c.toMove, c.komi)
			s := new(solver)
			want := s.best(g, 0, float32(math.Inf(-1)), float32(math.Inf(1)))
			t.Logf("exact value %v, %d nodes", want, s.nodes)
			for name, p := range map[string]Params{"tutorial": Tutorial(), "plain": Plain(), "defaults": Defaults()} {
				p.Pass.Conservative = false
				tree := newTree(t, p, &stub{flat: true, noScore: true})
				tree.Reset(g)
				r := searched(t, tree, 20000)
				sign := 1.0
				if want < 0 {
					sign = -1
				}
				t.Logf("%s: winrate %.3f move %v nodes %d", name, r.Root.Winrate, r.Moves[0].Move, r.Stats.Nodes)
				require.Positive(t, sign*(r.Root.Winrate-0.5)-0.25, name)
				// The move chosen keeps the result.
				after := new(board.Game)
				after.CopyFrom(g)
				require.NoError(t, after.Play(g.ToMove(), r.Choose(0, nil)))
				got := -s.best(after, 0, float32(math.Inf(-1)), float32(math.Inf(1)))
				require.Equal(t, want > 0, got > 0, name)
			}
		})
	}
}

// counting is an evaluator that counts the area on the board.
func counting() *stub {
	return &stub{flat: true, answer: func(g *board.Game, out *nn.Output) {
		score := g.Score()
		if g.ToMove() == board.Black {
			score = -score
		}
		v := float32(math.Tanh(float64(score) / 6))
		out.Win, out.Loss = (1+v)/2, (1-v)/2
		out.ScoreMean, out.Lead, out.ScoreStdev, out.ScoreMeanSq = score, score, 4, score*score+16
	}}
}

// TestThreeByThree: with a stone in the centre Black owns the whole board (Thorp and Walden
// 1964).
func TestThreeByThree(t *testing.T) {
	for name, p := range map[string]Params{"plain": Plain(), "defaults": Defaults()} {
		g := diagramGame(t, "...\n.X.\n...", board.White, 4.5)
		tree := newTree(t, p, counting())
		tree.Reset(g)
		r := searched(t, tree, 10000)
		require.Less(t, r.Root.Winrate, 0.3, name)
	}
}
