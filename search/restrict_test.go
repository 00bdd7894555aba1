package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/search/thinking"
)

// symmetricGame returns a game whose stones have a symmetry.
func symmetricGame(t testing.TB, rng *rand.Rand, n int) *board.Game {
	t.Helper()
	g := newGame(t, n)
	size := g.Size()
	for range rng.IntN(4) {
		sym := board.Symmetry(1 + rng.IntN(size.Symmetries()-1))
		p := board.Point(rng.IntN(size.Area()))
		for _, q := range []board.Point{p, size.SymMap(sym, p)} {
			if g.Legal(board.Black, q) == nil {
				require.NoError(t, g.PlayTolerant(board.Black, q))
			}
		}
	}
	g.SetToMove(board.Black + board.Color(rng.IntN(2)))
	return g
}

// randomRestrictions draws lists that allow or forbid moves, for one player or both.
func randomRestrictions(rng *rand.Rand, size board.Size) (all []thinking.Restriction) {
	allow := rng.IntN(2) == 0
	first := rng.IntN(2)
	for i := range 1 + rng.IntN(2) {
		r := thinking.Restriction{Color: board.Black + board.Color((first+i)%2), Depth: 1 + rng.IntN(9), Allow: allow}
		for p := range board.Point(size.Area()) {
			if rng.IntN(3) == 0 {
				r.Points = append(r.Points, p)
			}
		}
		if rng.IntN(2) == 0 {
			r.Points = append(r.Points, board.Pass)
		}
		all = append(all, r)
	}
	return all
}

// TestVariationsWithinRestrictions: no variation contains a move that is forbidden at its depth,
// including variations of symmetric copies and of unsearched moves.
func TestVariationsWithinRestrictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	copies, unsearched := 0, 0
	for n := range 300 {
		g := symmetricGame(t, rng, []int{3, 5, 6, 9}[rng.IntN(4)])
		size := g.Size()
		bans := randomRestrictions(rng, size)
		if n == 0 { // forbids moves in one corner of the empty board
			g = newGame(t, 9)
			size = g.Size()
			corner := testshared.Points(t, size, "C3", "C4", "C5", "C6", "D3", "D4", "D5", "E4", "E5")
			bans = []thinking.Restriction{{Color: board.Black, Depth: 100, Points: corner}}
		}
		tree := treeAt(t, Defaults(), &stub{ownership: true}, g)
		tree.Restrict(bans...)
		limits := Limits{Visits: 300, MovesOwnership: true}
		if rng.IntN(2) == 0 {
			limits.MinMoves = size.Area() + 1
		}
		r := searchedWith(t, tree, limits)
		for _, m := range slices.Concat(r.Moves, r.Unsearched) {
			about := fmt.Sprintf("case %d: move %s, variation %s\n%s%+v", n, size.Vertex(m.Move), vertices(size, m.PV), g.Board(), bans)
			require.Equal(t, m.Move, m.PV[0], about)
			if m.Visits > 0 && m.SymmetryOf == board.NoPoint {
				require.Len(t, m.PVVisits, len(m.PV), about)
				require.Equal(t, m.Visits, m.PVVisits[0], about)
			}
			c := r.ToMove
			for depth, p := range m.PV {
				require.True(t, thinking.Permits(bans, c, p, depth), about)
				c = c.Opponent()
			}
			if m.SymmetryOf == board.NoPoint {
				continue
			}
			copies++
			if m.Visits == 0 {
				unsearched++
				continue
			}
			requireMirrored(t, &r, g, &m)
		}
	}
	require.Greater(t, copies, 100)
	require.Greater(t, unsearched, 10)
}

// requireMirrored checks that a symmetry of the position maps the analysis of the move
// m.SymmetryOf to that of m, its copy.
func requireMirrored(t testing.TB, r *Result, g *board.Game, m *thinking.Move) {
	t.Helper()
	o := r.Move(m.SymmetryOf)
	require.NotNil(t, o)
	require.Equal(t, o.PVVisits, m.PVVisits)
	require.Equal(t, o.PVEdgeVisits, m.PVEdgeVisits)
	require.True(t, slices.ContainsFunc(positionSymmetries(g), func(k board.Symmetry) bool {
		for i, p := range o.PV {
			if g.Size().SymMap(k, p) != m.PV[i] {
				return false
			}
		}
		return slices.Equal(turned(o.Ownership, g.Size(), k), m.Ownership) && slices.Equal(turned(o.OwnershipStdev, g.Size(), k), m.OwnershipStdev)
	}), "%s is not a copy of %s", g.Size().Vertex(m.Move), g.Size().Vertex(m.SymmetryOf))
}

func vertices(size board.Size, points []board.Point) (words []string) {
	for _, p := range points {
		words = append(words, size.Vertex(p))
	}
	return words
}
