package review

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// corner is a game in which White does not defend a straight three in the corner, and Black kills
// it.
const corner = `(;GM[1]FF[4]SZ[9]RU[Chinese]AW[ab][bb][cb][db][da]AB[ac][bc][cc][dc][ec][eb][ea]PL[W];W[ff];B[ba];W[gd];B[fd];W[ge])`

// reviewed returns a result without searches. In each position Black owns Black's stones; the argument black
// gives, for each position, Black's ownership of all other points, in percent.
func reviewed(t *testing.T, g *Game, black ...int) *Result {
	res := &Result{Visits: 1000, Complete: true, Mistakes: []int{0}}
	for ply := range len(g.Moves) + 1 {
		p, err := g.Position(ply)
		require.NoError(t, err)
		at := describe(p, &Eval{Visits: 1})
		for i := range g.Record.Size.Area() {
			own := 100
			if p.At(board.Point(i)) == board.White || p.At(board.Point(i)) == board.Empty {
				own = black[ply]
			}
			at.Ownership = append(at.Ownership, int8(own))
		}
		res.Positions = append(res.Positions, at)
	}
	for range g.Moves {
		res.Moves = append(res.Moves, Move{Judged: true})
	}
	return res
}

// TestGroups: a corner is proved dead from move 2 on, as the annotated record says, and B9 is proved
// the only move that would have saved it.
func TestGroups(t *testing.T) {
	g := load(t, corner)
	res := reviewed(t, g, 0, 80, 99, 99, 99, 99)
	require.NoError(t, prove(context.Background(), g, res))
	require.Equal(t, []Group{{Color: "w", Verdict: "dead", Since: 2, Stones: []string{"D9", "D8", "C8", "B8", "A8"}, Assumed: []string{"E9"}}}, res.Groups)
	require.Len(t, res.Only, 1)
	only := res.Only[0]
	require.Equal(t, Only{Ply: 0, Group: only.Group, Line: only.Line, Assumed: []string{"E9"}}, only)
	require.Equal(t, "B9", only.Line[0])
	require.Contains(t, only.Group, "A8")
	again := reviewed(t, g, 0, 80, 99, 99, 99, 99)
	require.NoError(t, prove(context.Background(), g, again))
	require.Equal(t, res, again, "the same every time")

	const text = "White's D9, 5 stones: dead, settled since move 2, proved, if these live: E9."
	root := Annotated(g, res, "test")
	require.Contains(t, root.Text("C"), text)
	for i, n := range slices.Collect(root.MainLine())[1:] {
		require.Equal(t, i == 1, strings.Contains(n.Text("C"), text), "the record says so at the move from which the proof holds")
	}

	// A review with few visits has no budget for proofs, and an interrupted review has no groups.
	poor := reviewed(t, g, 0, 80, 99, 99, 99, 99)
	poor.Visits = 10
	require.NoError(t, prove(context.Background(), g, poor))
	require.Empty(t, poor.Groups)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	ended := reviewed(t, g, 0, 80, 99, 99, 99, 99)
	require.ErrorIs(t, prove(ctx, g, ended), context.Canceled)
	require.False(t, ended.Complete)
	require.Empty(t, ended.Groups)

	// The owner of the corner is uncertain at the end, so no proof is tried.
	open := reviewed(t, g, 0, 0, 0, 0, 0, 0)
	open.Mistakes = nil
	require.NoError(t, prove(context.Background(), g, open))
	require.Empty(t, open.Groups)
}

// TestGroupsOfChains: two chains that are connected by a bamboo joint are one group, alive, or dead
// once the joint is broken; chains in different places are two groups.
func TestGroupsOfChains(t *testing.T) {
	const joint = "(;GM[1]FF[4]SZ[9]RU[Chinese]AB[ac][bc][cc][dc][ec][fc][gb][ha]AW[ab][bb][cb][db][da][fa][fb][ga]"
	type group struct {
		first         string
		stones, walls int
		verdict       string
		since         int
	}
	for _, c := range []struct {
		name, record string
		black        int // Black's ownership of White's stones and empty points, percent
		want         []group
	}{
		{"dead", joint + "AW[ca]PL[W];W[ff];B[eb];W[gd];B[fd])", 99, []group{{"C9", 9, 3, "dead", 2}}},
		{"alive", joint + "AW[ba]PL[B];B[fd];W[gd])", -99, []group{{"B9", 9, 1, "alive", 0}}},
		{"joined later", "(;GM[1]FF[4]SZ[9]RU[Chinese]AW[aa][ba][ab][bb][da][db][eb][fb][fa][fc][fd]AB[ac][bc][cc][dc][ec][ed]PL[B];B[ee];W[cb];B[ce];W[ge])", -99,
			[]group{{"A9", 12, 0, "alive", 2}}},
		{"joined to one that lives", "(;GM[1]FF[4]SZ[9]RU[Chinese]AW[ba][bb][bc][cc][dc][ec][fc][fb][fa][hc][hd]AB[aa][ab][ac][bd][cd][dd][ed][fd][gd][ga][ha][ia][ib][ic][id][he]PL[W];W[hb];B[ef];W[eg])", -99,
			[]group{{"B9", 9, 0, "alive", 0}, {"H8", 3, 3, "alive", 1}}},
		{"apart", "(;GM[1]FF[4]SZ[9]RU[Chinese]AW[ab][bb][ba][da][db][cb][ih][hh][hi][fi][fh][gh]PL[B];B[ee];W[ed])", -99,
			[]group{{"B9", 6, 0, "alive", 0}, {"F2", 6, 0, "alive", 0}}},
	} {
		g := load(t, c.record)
		res := reviewed(t, g, slices.Repeat([]int{c.black}, len(g.Moves)+1)...)
		res.Mistakes, res.Visits = nil, 4000
		require.NoError(t, prove(context.Background(), g, res))
		var got []group
		for _, found := range res.Groups {
			require.Equal(t, "w", found.Color, c.name)
			for _, own := range found.Assumed {
				require.NotContains(t, found.Stones, own, c.name)
			}
			got = append(got, group{found.Stones[0], len(found.Stones), len(found.Assumed), found.Verdict, found.Since})
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// TestGrounded: chains that live only because of each other are kept apart from proved ones.
func TestGrounded(t *testing.T) {
	chain := func(verdict, stone string, assumed ...string) *settledChain {
		return &settledChain{Group: Group{Verdict: verdict, Stones: []string{stone}, Assumed: assumed}}
	}
	for _, c := range []struct {
		name      string
		list      []*settledChain
		in, apart int
	}{
		{"one rests on another", []*settledChain{chain("alive", "A1", "B1", "E5"), chain("alive", "B1")}, 2, 0},
		{"in a row", []*settledChain{chain("alive", "A1", "B1"), chain("alive", "B1", "C1"), chain("alive", "C1")}, 3, 0},
		{"each on the other", []*settledChain{chain("alive", "A1", "B1"), chain("alive", "B1", "A1")}, 1, 1},
		{"each on the other, and one on none", []*settledChain{chain("seki", "A1", "B1"), chain("seki", "B1", "A1"), chain("seki", "C1")}, 1, 2},
		{"dead", []*settledChain{chain("dead", "A1", "B1"), chain("dead", "B1", "A1")}, 2, 0},
	} {
		in, apart := grounded(c.list)
		require.Len(t, in, c.in, c.name)
		require.Len(t, apart, c.apart, c.name)
	}
}
