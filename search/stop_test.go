package search

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// contested returns a tree whose root has two moves with the given visits and utilities, from the
// view of the side to move.
func contested(t *testing.T, visits [2]int32, utility [2]float64) *Tree {
	t.Helper()
	p := Plain()
	p.Choice.UseLCB, p.Choice.Reduce = false, false
	tree := treeAt(t, p, &stub{}, newGame(t, 9))
	searched(t, tree, 60)
	n := tree.nodes.a.node(tree.nodes.root)
	n.edgeCount, n.visits = 2, 1+visits[0]+visits[1]
	edges := tree.nodes.a.edgesOf(n)
	for k := range edges {
		c := tree.nodes.a.node(edges[k].child)
		c.visits, c.weight, c.weightSq = visits[k], float64(visits[k]), float64(visits[k])
		c.utility = -utility[k] // Black is to move
		edges[k].visits, edges[k].prior = visits[k], 0.5
		edges[k].refresh(c)
	}
	return tree
}

func TestUnstableChoice(t *testing.T) {
	for name, c := range map[string]struct {
		visits  [2]int32
		utility [2]float64
		want    bool
	}{
		"the best is searched most":        {[2]int32{100, 60}, [2]float64{0.5, 0.3}, false},
		"a rival is better":                {[2]int32{100, 60}, [2]float64{0.3, 0.5}, true},
		"a rival that was hardly searched": {[2]int32{100, 9}, [2]float64{0.3, 0.5}, false},
	} {
		tree := contested(t, c.visits, c.utility)
		require.Equal(t, c.want, tree.chooser.unstable(), name)
	}
	// The lower confidence bound prefers another move than the visits do.
	tree := contested(t, [2]int32{100, 60}, [2]float64{0.3, 0.5})
	for k, e := range tree.nodes.a.edgesOf(tree.nodes.a.node(tree.nodes.root)) {
		tree.nodes.a.node(e.child).utility = -0.4 // equal values, so that no other move is better
		tree.nodes.a.node(e.child).utilitySq = 0.16 + []float64{1, 0.001}[k]
	}
	p := tree.Params()
	require.False(t, tree.chooser.unstable())
	p.Choice.UseLCB = true
	tree.p = p
	require.True(t, tree.chooser.unstable())
	require.False(t, newTree(t, p, &stub{}).chooser.unstable(), "no tree yet")
}

// TestDeadlineIsPutOff: an unstable choice postpones the deadline by eighths, but never beyond
// the limit.
func TestDeadlineIsPutOff(t *testing.T) {
	tree := contested(t, [2]int32{100, 60}, [2]float64{0.3, 0.5})
	tree.begin(Limits{Time: 8 * time.Second, Extend: 2500 * time.Millisecond})
	r, c := &tree.run, &tree.run.timing
	start := c.start
	for _, want := range []time.Duration{9 * time.Second, 10125 * time.Millisecond, 10500 * time.Millisecond} {
		require.True(t, r.extendDeadline(c.deadline))
		require.Equal(t, want, c.deadline.Sub(start))
		require.Equal(t, want-8*time.Second, tree.tally.stats.Extended)
	}
	require.False(t, r.extendDeadline(c.deadline), "no more is allowed")

	stable := contested(t, [2]int32{100, 60}, [2]float64{0.5, 0.3})
	stable.begin(Limits{Time: 8 * time.Second, Extend: time.Second})
	require.False(t, stable.run.extendDeadline(stable.run.timing.deadline))
	tree.begin(Limits{Time: time.Second})
	require.False(t, r.extendDeadline(c.deadline), "without Extend")
}

// TestDecided: the search is decided once the second move cannot catch up in the remaining
// visits, by the limit or by the clock.
func TestDecided(t *testing.T) {
	tree := contested(t, [2]int32{100, 60}, [2]float64{0.5, 0.3})
	decided := func(l Limits, playouts int64, after time.Duration) bool {
		tree.begin(l)
		tree.tally.aim(&l, 0)
		tree.tally.stats.Playouts = playouts
		return tree.run.decided(tree.run.timing.start.Add(after))
	}
	require.False(t, decided(Limits{Visits: 200}, 160, 0), "40 left: a tie is possible")
	require.True(t, decided(Limits{Visits: 199}, 160, 0))
	require.False(t, decided(Limits{}, 160, time.Hour), "no end in sight")
	// 160 playouts in 4 of 5 seconds: expect 40 more.
	require.False(t, decided(Limits{Time: 5 * time.Second}, 160, 4*time.Second))
	require.True(t, decided(Limits{Time: 5 * time.Second}, 160, 4100*time.Millisecond))
	require.False(t, decided(Limits{Time: time.Second}, 160, 99*time.Millisecond), "too early to say")
	require.True(t, decided(Limits{Time: 101 * time.Millisecond}, 160, 100*time.Millisecond))
	require.True(t, decided(Limits{Time: 30 * time.Millisecond}, 160, 25*time.Millisecond), "a short search is looked at sooner")
	require.False(t, decided(Limits{Time: 30 * time.Millisecond}, 160, 7*time.Millisecond), "too early to say")
	// The chosen move is not the most visited: never decided.
	other := contested(t, [2]int32{100, 60}, [2]float64{0.5, 0.3})
	other.p.Choice.UseLCB = true
	for k, e := range other.nodes.a.edgesOf(other.nodes.a.node(other.nodes.root)) {
		other.nodes.a.node(e.child).utilitySq = 0.25 + []float64{10, 0}[k]
	}
	other.begin(Limits{Visits: 161})
	other.tally.aim(&Limits{Visits: 161}, 0)
	other.tally.stats.Playouts = 160
	require.False(t, other.run.decided(other.run.timing.start))
}

// TestEarlyStopKeepsTheChoice: if moves are chosen by visits, a search that stops early chooses
// the move that the whole search would.
func TestEarlyStopKeepsTheChoice(t *testing.T) {
	stopped := 0
	for seed := range 12 {
		g := newGame(t, 7, board.Point(seed))
		choose := func(l Limits) (board.Point, StopReason) {
			p := Plain()
			p.Choice.UseLCB, p.Choice.Reduce = false, false
			tree := treeAt(t, p, &stub{}, g)
			r, err := tree.Search(context.Background(), l)
			require.NoError(t, err)
			return r.Choose(0, nil), r.Stop
		}
		whole, _ := choose(Limits{Visits: 1500})
		early, why := choose(Limits{Visits: 1500, WhenDecided: true})
		if why == StopDecided {
			stopped++
			require.Equal(t, whole, early, "position %d", seed)
		}
	}
	require.Positive(t, stopped)
}
