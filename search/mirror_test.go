package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
)

// mirrorGame plays moves from the top left corner on, each with an answer: a copy for an "o" in
// pairs, another move for a "-".
func mirrorGame(t testing.TB, g *board.Game, pairs string) *board.Game {
	t.Helper()
	size := g.Size()
	spare := size.Point(0, size.H/2)
	for i, answer := range pairs {
		p := board.Point(i)
		require.NoError(t, g.Play(g.ToMove(), p))
		p = opposite(size, p)
		if answer == '-' {
			p, spare = spare, spare+2
		}
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	return g
}

const copied14, copied20 = "oooooooooooooo", "oooooooooooooooooooo"

func TestMirrorGoIsRecognised(t *testing.T) {
	for _, c := range []struct {
		pairs string
		want  bool
	}{
		{"", false},
		{copied14[:13], false}, // 13 copies of 13, but 13.5 (7 and half of 13) are needed
		{copied14, true},
		{copied20 + "-", false},      // the last answer is no copy
		{copied20 + "----o", true},   // copies are 0.49 of the answers, the last ones weighing most
		{copied20 + "-----o", false}, // copies are 0.43 of the answers
		{"---" + copied20, true},
	} {
		g := mirrorGame(t, newGame(t, 13), c.pairs)
		want := board.Empty
		if c.want {
			want = board.White
		}
		require.Equal(t, want, findMirror(g).player, c.pairs)
	}
	g := mirrorGame(t, newGame(t, 13, 84), copied14)
	require.Equal(t, board.Black, findMirror(g).player, "Black began in the centre")
}

// TestMirrorAdvantageByHand: if all moves are copied to the end, the copying player's margin consists of
// komi, handicap points and the last point, if Black fills it.
func TestMirrorAdvantageByHand(t *testing.T) {
	for _, c := range []struct {
		size     int
		scoring  board.Scoring
		bonus    board.HandicapBonus
		handicap int
		black    bool // Black begins in the centre and copies
		komi     float32
		want     float64
	}{
		{size: 9, komi: 7, want: 6},
		{size: 9, komi: 7, black: true, want: -6},
		{size: 10, komi: 7, want: 7},
		{size: 9, komi: 6.5, scoring: board.ScoringTerritory, want: 6.5},
		{size: 9, komi: 0.5, handicap: 2, want: -0.5},
		{size: 9, komi: 0.5, handicap: 2, bonus: board.BonusN, want: 1.5},
		{size: 9, komi: 0.5, handicap: 3, bonus: board.BonusNMinus1, want: -0.5},
		{size: 10, komi: 0.5, handicap: 3, want: -1.5},
		{size: 10, komi: 0.5, handicap: 2, want: -1.5},
	} {
		rules := board.TrompTaylor()
		rules.Komi, rules.Scoring, rules.HandicapBonus = c.komi, c.scoring, c.bonus
		g := gameUnder(t, board.Square(c.size), rules)
		if c.black {
			require.NoError(t, g.Play(board.Black, g.Size().Point(c.size/2, c.size/2)))
		}
		mirrorGame(t, g, copied14)
		g.SetHandicapStones(c.handicap)
		require.InDelta(t, c.want, findMirror(g).advantage, 1e-6, "%+v", c)
	}
}

// boardWith returns a game that begins with the given stones.
func boardWith(t testing.TB, size int, black, white []board.Point, toMove board.Color) *board.Game {
	t.Helper()
	g := newGame(t, size)
	require.NoError(t, g.Setup(black, white, toMove))
	return g
}

// at returns a counter for a position at a depth below the root. White copies.
func at(g *board.Game, depth int, m mirror) *counter {
	m.player, m.center = board.White, g.Size().Point(g.Size().W/2, g.Size().H/2)
	c := &counter{mirror: m, on: true, depth: depth}
	c.held = g.At(m.center) == m.player
	c.game = new(board.Game)
	c.game.CopyFrom(g)
	c.readPosition()
	return c
}

func TestMirrorPriorsByHand(t *testing.T) {
	const center = 40
	quiet, theirs := newGame(t, 9), boardWith(t, 9, nil, []board.Point{center}, board.Black)
	ahead := mirror{advantage: 6}
	for _, c := range []struct {
		c    *counter
		move board.Point
		from float32
		want float64
	}{
		{at(quiet, 0, ahead), center, 0.1, 0.37},       // 0.1 + 0.9*0.3
		{at(quiet, 4, ahead), center, 0.1, 0.19},       // 0.1 + 0.9*0.3/3
		{at(quiet, 0, ahead), 30, 0.1, 0.145},          // 0.1 + 0.9*0.05, diagonal to the centre
		{at(quiet, 0, ahead), 38, 0.1, 0.1},            // two lines off the centre: not raised
		{at(theirs, 0, ahead), 38, 0.1, 0.127},         // 0.1 + 0.9*0.03, near the opponent's stone
		{at(theirs, 0, ahead), board.Pass, 0.01, 0.01}, // a pass is not raised
		{at(theirs, 0, ahead), 0, 0.2, 0.2},
	} {
		require.InDelta(t, c.want, c.c.prior(c.move, c.from), 1e-6, "move %v", c.move)
	}
	// A chain that reaches out of the centre: points next to its end are attachments.
	long := boardWith(t, 9, nil, []board.Point{center, 41, 42}, board.Black)
	require.InDelta(t, 0.145, at(long, 0, ahead).prior(43, 0.1), 1e-6)

	require.NoError(t, quiet.Play(board.Black, 10))
	require.NoError(t, theirs.Play(board.Black, 10))
	copied := at(quiet, 1, ahead)
	require.InDelta(t, 0.6, copied.prior(70, 0.2), 1e-6, "0.2 + 0.8*1/2")
	require.InDelta(t, 0.2, copied.prior(center, 0.2), 1e-6, "not ours to play")
	require.InDelta(t, 1.4, at(theirs, 1, ahead).prior(70, 0.2), 1e-6, "0.2 + 0.8*3/2")
	require.InDelta(t, 0.6, at(theirs, 1, mirror{advantage: -1}).prior(70, 0.2), 1e-6, "they have the centre and are behind")

	// The opponent cannot copy a move in the centre, so it is expected to pass.
	after := newGame(t, 9, center)
	require.Equal(t, board.Pass, at(after, 1, ahead).reply)
	require.NoError(t, after.Play(board.White, 0))
	require.NoError(t, after.Play(board.Black, board.Pass))
	require.Equal(t, board.NoPoint, at(after, 3, ahead).reply, "nobody copies a pass")
}

// TestReplyBonusByHand: the bonus is 100 while the weight is below the forced share, plus 0.18 below
// the desired share, plus 0.36 below half of that. Decided games get less of the last two.
func TestReplyBonusByHand(t *testing.T) {
	quiet, theirs := newGame(t, 9, 11), boardWith(t, 9, nil, []board.Point{40}, board.Black)
	require.NoError(t, theirs.Play(board.Black, 11))
	const reply = 69 // 3 rows down, 2 columns right of the centre
	for _, c := range []struct {
		g                   *board.Game
		m                   mirror
		worth, weight, want float64
	}{
		{quiet, mirror{advantage: 6}, 0, 14, 100.54},
		{quiet, mirror{advantage: 6}, 0, 15, 0.54},
		{quiet, mirror{advantage: 6}, 0, 25, 0.18},
		{quiet, mirror{advantage: 6}, 0, 50, 0},
		{quiet, mirror{advantage: 6}, 1, 15, 0.162},               // 0.3 of the maximum 0.54
		{quiet, mirror{advantage: 6}, 0.5, 15, 0.4455},            // 1-0.7/4 of the maximum 0.54
		{quiet, mirror{advantage: 1}, 0, 99, 100.54},              // KataGo's formulas: forced share of the visits 110 %, desired 430 %
		{quiet, mirror{advantage: -1}, 0, 0, 0},                   // by the same formulas -90 % and -370 %
		{quiet, mirror{advantage: -6}, 0, 4, 100.54},              // forced share 5 %, desired share 10 %
		{quiet, mirror{advantage: -6}, 0, 5, 0.18},                // forced share reached, desired share not
		{quiet, mirror{advantage: 6, asymmetry: 3}, 0, 4, 100.54}, // forced share 5 %, desired share 17 %
		{quiet, mirror{advantage: 6, asymmetry: 3}, 0, 16, 0.18},
		{theirs, mirror{advantage: 6}, 0, 39, 100.18}, // forced share 1/(0.75+sqrt(13)/2) = 39.17 %, desired share 75 %
		{theirs, mirror{advantage: 6}, 0, 40, 0.18},
	} {
		require.InDelta(t, c.want, at(c.g, 1, c.m).bonus(reply, 0, c.worth, c.weight, 100), 1e-9, "%+v", c)
	}
}

func TestReplyByPassingByHand(t *testing.T) {
	g := newGame(t, 9, 40)
	c := at(g, 1, mirror{advantage: 6})
	require.InDelta(t, 100.54, c.bonus(board.Pass, 0, 0, 5, 100), 1e-9, "0.35 of 15 %")
	require.InDelta(t, 0.54, c.bonus(board.Pass, 0, 0, 6, 100), 1e-9)
	require.Zero(t, c.bonus(0, 0, 0, 0, 100), "no copy")
	c = at(g, 1, mirror{advantage: 6, asymmetry: 4})
	require.InDelta(t, 100.54, c.bonus(board.Pass, 0, 0, 0.6, 100), 1e-9, "0.35/2 of 15 %, a quarter of it")
	require.InDelta(t, 0.54, c.bonus(board.Pass, 0, 0, 0.7, 100), 1e-9)
}

// TestCenterBonusByHand: our moves in and around the centre get forced shares of the weight, and
// attaching to the opponent's centre stone gets a bonus.
func TestCenterBonusByHand(t *testing.T) {
	const center = 40
	quiet, theirs := newGame(t, 9), boardWith(t, 9, nil, []board.Point{center}, board.Black)
	near := boardWith(t, 9, nil, nil, board.White)
	require.NoError(t, near.Play(board.White, 30))
	ahead := mirror{advantage: 6}
	for _, c := range []struct {
		c                  *counter
		move               board.Point
		gain, weight, want float64
	}{
		{at(quiet, 0, ahead), center, 0, 5.9, 100},
		{at(quiet, 0, ahead), center, 0, 6.1, 0},
		{at(quiet, 2, ahead), center, 0, 11.9, 100},
		{at(quiet, 2, ahead), center, 0, 12.1, 0},
		{at(quiet, 2, ahead), 31, 0, 0, 0}, // no bonus unless the opponent holds the centre
		{at(quiet, 2, ahead), board.Pass, 0, 0, 0},
		{at(near, 0, ahead), center, 0, 3.3, 100}, // 6 % * 0.9 * 0.825 * 0.75 = 3.34 %
		{at(near, 0, ahead), center, 0, 3.4, 0},
		{at(theirs, 0, ahead), 31, 0, 2.4, 100.15}, // bonus 0.75/5; forced share 10 %/4, for 4 liberties
		{at(theirs, 0, ahead), 31, 0, 2.6, 0.15},
		{at(theirs, 0, ahead), 31, -2.15, 1.9, 100.15}, // the loss of 2 halves the difference between the share and 1.5 %
		{at(theirs, 0, ahead), 31, -2.15, 2.1, 0.15},
		{at(theirs, 0, ahead), 30, 0, 0.9, 100},
		{at(theirs, 0, ahead), 30, 0, 1.1, 0},
		{at(theirs, 0, ahead), 38, 0, 0.4, 100},
		{at(theirs, 0, ahead), 38, 0, 0.6, 0},
		{at(theirs, 0, ahead), 37, 0, 0, 0},
		{at(theirs, 0, mirror{advantage: 6, asymmetry: 3}), 31, 0, 50, 0.05},
		{at(theirs, 0, mirror{advantage: -1}), 31, 0, 0, 0},
	} {
		require.InDelta(t, c.want, c.c.bonus(c.move, c.gain, 0, c.weight, 100), 1e-9, "%v", c.move)
	}
	even := newGame(t, 10)
	c := at(even, 0, ahead)
	c.center = board.NoPoint
	require.Zero(t, c.bonus(44, 0, 0, 0, 100), "a board without a centre")
}

// mirrorParams are the parameters for play with anti-mirror on or off.
func mirrorParams(on bool) Params {
	p := Defaults()
	p.Root.SymmetryPruning = false
	p.AntiMirror = on
	return p
}

// TestAntiMirrorOnAndOff: Black holds the centre and wins by copying. With anti-mirror
// every move is searched with the copy as an answer, no weight is shifted between moves, no bias
// is corrected, and every node keeps all its moves.
func TestAntiMirrorOnAndOff(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := mirrorGame(t, newGame(t, 11, 60), copied14)
		g.SetKomi(0)
		tree := treeAt(t, mirrorParams(on), &stub{ownership: true}, g)
		searched(t, tree, 3000)
		short := 0
		for _, e := range tree.nodes.a.edgesOf(tree.nodes.a.node(tree.nodes.root)) {
			if e.visits < 50 {
				continue
			}
			var copied, all float32
			for _, reply := range tree.nodes.a.edgesOf(tree.nodes.a.node(e.child)) {
				all += reply.weight
				if reply.move == opposite(g.Size(), e.move) {
					copied = reply.weight
				}
			}
			if copied < 0.2*all-8 { // a visit weighs at most 8
				short++
			}
		}
		require.Equal(t, on, short == 0, "%d moves", short)
		var truncated, reweighted, patterns int
		for i := uint32(1); i < tree.nodes.a.nodeCount; i++ {
			n := tree.nodes.a.node(i)
			if n.is(flagTruncated) {
				truncated++
			}
			if n.bias.entry != 0 {
				patterns++
			}
			for _, e := range tree.nodes.a.edgesOf(n) {
				if e.weight > 0 && e.mult != 1 {
					reweighted++
				}
			}
		}
		require.Equal(t, on, truncated == 0)
		require.Equal(t, on, reweighted == 0)
		require.Equal(t, on, patterns == 0)
	}
}

// TestAntiMirrorMindsNoOtherGame: anti-mirror changes nothing once the opponent has stopped copying.
func TestAntiMirrorMindsNoOtherGame(t *testing.T) {
	var want *Result
	for _, on := range []bool{false, true} {
		tree := treeAt(t, mirrorParams(on), &stub{}, mirrorGame(t, newGame(t, 9), copied14+"-"))
		r := searched(t, tree, 500)
		if want == nil {
			want = &r
		}
		require.Equal(t, want.Moves, r.Moves)
		require.Equal(t, want.Root, r.Root)
	}
}

// TestTreeIsDroppedWhenMirrorGoBegins: a tree is dropped when mirror Go begins, but kept with
// anti-mirror off.
func TestTreeIsDroppedWhenMirrorGoBegins(t *testing.T) {
	copying := &stub{answer: func(g *board.Game, out *nn.Output) {
		if p := opposite(g.Size(), g.LastMove(0).Point); p >= 0 && out.Policy[p] >= 0 {
			out.Policy[p] += 10
		}
	}}
	for _, on := range []bool{false, true} {
		g := mirrorGame(t, newGame(t, 9), copied14[:13])
		tree := treeAt(t, mirrorParams(on), copying, g)
		move := searched(t, tree, 400).Moves[0].Move
		require.True(t, tree.Advance(board.Black, move))
		require.True(t, tree.Advance(board.White, opposite(g.Size(), move)))
		kept := tree.Visits()
		require.Positive(t, kept)
		r := searched(t, tree, 400)
		if on {
			kept = 0
		}
		require.Equal(t, kept, r.Stats.Reused)
		require.EqualValues(t, 400, r.Root.Visits)
	}
}
