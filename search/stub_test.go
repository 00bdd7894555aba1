package search

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
)

// stub is an evaluator without a network: its numbers come from the position's hash or from a
// function. It allocates nothing.
type stub struct {
	calls     atomic.Int64
	flat      bool // even policy and value 0
	noScore   bool
	ownership bool
	errors    bool // predicts its errors
	delay     time.Duration
	answer    func(g *board.Game, out *nn.Output)
	fail      func(n int64) error
}

func (e *stub) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	n := e.calls.Add(1)
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.delay > 0 {
		time.Sleep(time.Duration(rand.Int64N(int64(e.delay))))
	}
	if e.fail != nil {
		if err := e.fail(n); err != nil {
			return err
		}
	}
	e.fill(q.Game, out)
	return nil
}

func (e *stub) fill(g *board.Game, out *nn.Output) {
	var buf [board.MaxMoves]bool
	legal := g.LegalMoves(buf[:0])
	h := g.Board().Hash()
	seed := h.Lo ^ uint64(g.ToMove())<<60
	var sum float32
	for i, ok := range legal {
		out.Policy[i] = -1
		if ok {
			w := float32(1)
			if !e.flat {
				x := float32(scramble(seed+uint64(i))>>40) / (1 << 24)
				w = x * x * x * x * x * x
				if i == len(legal)-1 {
					w *= 0.01
				}
			}
			out.Policy[i] = w
			sum += w
		}
	}
	for i, ok := range legal {
		if ok {
			out.Policy[i] /= sum
		}
	}
	v := float32(0)
	if !e.flat {
		v = float32(scramble(seed^12345)>>40)/(1<<24)*1.2 - 0.6
	}
	out.Win, out.Loss, out.NoResult = (1+v)/2, (1-v)/2, 0
	out.HasScore = !e.noScore
	out.ScoreMean, out.ScoreStdev, out.Lead = 10*v, 8, 9*v
	out.ScoreMeanSq = out.ScoreMean*out.ScoreMean + 64
	out.VarTimeLeft, out.ErrWinLoss, out.ErrScore = -1, -1, -1
	if e.errors {
		out.ErrWinLoss, out.ErrScore = 0.3*float32(scramble(seed^77)>>40)/(1<<24), 2
	}
	out.HasOwnership = e.ownership
	if e.ownership {
		for i := range g.Size().Area() {
			out.Ownership[i] = v
		}
	}
	if e.answer != nil {
		e.answer(g, out)
	}
}

// newGame returns a game with moves of both colours in turn.
func newGame(t testing.TB, n int, moves ...board.Point) *board.Game {
	t.Helper()
	return gameUnder(t, board.Square(n), board.TrompTaylor(), moves...)
}

func gameUnder(t testing.TB, size board.Size, rules board.Rules, moves ...board.Point) *board.Game {
	t.Helper()
	g, err := board.NewGame(size, rules)
	require.NoError(t, err)
	for _, p := range moves {
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	return g
}

func rulesOf(t testing.TB, name string) board.Rules {
	t.Helper()
	rules, err := board.ParseRules(name)
	require.NoError(t, err)
	return rules
}

func newTree(t testing.TB, p Params, e nn.Evaluator) *Tree {
	t.Helper()
	tree, err := New(p, e, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return tree
}

// treeAt returns a tree with a game at its root.
func treeAt(t testing.TB, p Params, e nn.Evaluator, g *board.Game) *Tree {
	t.Helper()
	tree := newTree(t, p, e)
	tree.Reset(g)
	return tree
}

func diagramGame(t testing.TB, diagram string, toMove board.Color, komi float32) *board.Game {
	t.Helper()
	b := testshared.Diagram(t, diagram)
	rules := board.TrompTaylor()
	rules.Komi = komi
	g := gameUnder(t, b.Size(), rules)
	require.NoError(t, g.SetupBoard(b, toMove))
	return g
}

func searchedWith(t testing.TB, tree *Tree, l Limits) Result {
	t.Helper()
	r, err := tree.Search(t.Context(), l)
	require.NoError(t, err)
	return r
}

// searched searches until the root has that many visits, and checks the tree.
func searched(t testing.TB, tree *Tree, visits int64) Result {
	t.Helper()
	r := searchedWith(t, tree, Limits{Visits: visits})
	if tree.p.Human.Root.Weightless == 0 { // visits without weight are not in Root.Visits
		require.GreaterOrEqual(t, r.Root.Visits, visits)
	}
	requireSound(t, tree)
	return r
}

// requireSound checks the invariants of a tree between searches.
func requireSound(t testing.TB, tree *Tree) {
	t.Helper()
	a := &tree.nodes.a
	for i := uint32(1); i < a.nodeCount; i++ {
		n := a.node(i)
		require.False(t, n.is(flagPending), "node %d is pending", i)
		require.False(t, math.IsNaN(n.utility) || math.IsNaN(n.weight), "node %d", i)
		var visits int32 = 1
		for _, e := range a.edgesOf(n) {
			require.Zero(t, e.inFlight, "virtual loss left in node %d", i)
			require.Less(t, e.child, a.nodeCount)
			require.NotZero(t, e.child)
			visits += e.visits
			if !tree.p.Graph.Use && e.prior >= 0 && !tree.p.Pass.MoreHacks {
				require.Equal(t, a.node(e.child).visits, e.visits)
			}
		}
		if n.is(flagEvaluated) && !n.is(flagTerminal) && n.edgeCount > 0 && !tree.p.Pass.MoreHacks && len(tree.position.bans) == 0 {
			require.Equal(t, visits, n.visits, "visits of node %d", i)
		}
	}
}
