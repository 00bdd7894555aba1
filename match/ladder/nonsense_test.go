package ladder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/sgf"
)

// counted parses an SGF record and returns what CountNonsense counts in it.
func counted(t *testing.T, record string, judge Judge) [3]Nonsense {
	t.Helper()
	roots, err := sgf.Parse([]byte(record))
	require.NoError(t, err, record)
	by, err := CountNonsense(roots[0], judge)
	require.NoError(t, err, record)
	return by
}

// TestCountNonsense: each record has one move. It counts as nonsense if it fills an eye or gives
// five stones away, but not if filling the eye saves a stone or if fewer stones are lost.
func TestCountNonsense(t *testing.T) {
	for name, c := range map[string]struct {
		record     string
		eyes, gift int
	}{
		"quiet move":              {"(;SZ[7];B[dd])", 0, 0},
		"fills an eye":            {"(;SZ[7]AB[ab][ba][bb];B[aa])", 1, 0},
		"saves a stone in an eye": {"(;SZ[7]AB[ab][ba]AW[bb][ac][ca];B[aa])", 0, 0},
		"gives five stones away":  {"(;SZ[7]AB[aa][ba][ca][da]AW[ab][bb][cb][db][eb][ga];B[ea])", 0, 1},
		"gives four stones away":  {"(;SZ[7]AB[aa][ba][ca]AW[ab][bb][cb][db][fa];B[da])", 0, 0},
		"pass":                    {"(;SZ[7];B[])", 0, 0},
	} {
		by := counted(t, c.record, nil)
		by[board.Black].Habits = level.Habits{}
		require.Equal(t, Nonsense{Moves: 1, Eyes: c.eyes, Suspects: c.gift, SelfAtaris: c.gift}, by[board.Black], name)
		require.Zero(t, by[board.White], name)
	}
	_, err := CountNonsense(&sgf.Node{Properties: []sgf.Property{{ID: "SZ", Values: []string{"99"}}}}, nil)
	require.Error(t, err)
}

// TestJudgedNonsense: a judge gets the position before a suspect move and decides whether the move
// counts.
func TestJudgedNonsense(t *testing.T) {
	const record = "(;SZ[7]RU[Chinese]KM[7]AB[aa][ba][ca][da]AW[ab][bb][cb][db][eb][ga];B[ea];W[gg])"
	for lost, count := range map[float64]int{0.9: 0, 1: 1} {
		asked := 0
		by := counted(t, record, func(g *board.Game, p board.Point) (float64, error) {
			asked++
			require.Equal(t, board.Square(7).Point(4, 0), p)
			require.Equal(t, board.Empty, g.At(p))
			require.Equal(t, board.Black, g.ToMove())
			require.EqualValues(t, 7, g.Rules().Komi)
			return lost, nil
		})
		require.Equal(t, 1, asked)
		by[board.Black].Habits = level.Habits{}
		require.Equal(t, Nonsense{Moves: 1, Suspects: 1, SelfAtaris: count}, by[board.Black])
	}
}

func TestHabits(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		want   level.Habits
	}{
		"a quiet move":                      {"(;SZ[7];B[dd])", level.Habits{Moves: 1}},
		"the first line":                    {"(;SZ[7];B[da])", level.Habits{Moves: 1, FirstLine: 1}},
		"three stones into atari":           {"(;SZ[7]AB[bb][cb]AW[ba][ca][ab][bc][cc][da][ec][dc];B[db])", level.Habits{Moves: 1, SelfAtaris: 1}},
		"two stones into atari":             {"(;SZ[7]AB[cb]AW[ca][bb][cc][da][ec][dc];B[db])", level.Habits{Moves: 1}},
		"an atari that is answered":         {"(;SZ[7]AB[dd]AW[cd][dc]PL[W];W[ed];B[de])", level.Habits{Moves: 1, Ataris: 1}},
		"an atari that is left":             {"(;SZ[7]AB[dd]AW[cd][dc]PL[W];W[ed];B[bf])", level.Habits{Moves: 1, Ataris: 1, AtarisLeft: 1}},
		"an atari that nothing saves":       {"(;SZ[7]AB[aa]AW[cb]PL[W];W[ab];B[dd])", level.Habits{Moves: 1}},
		"an atari answered by a capture":    {"(;SZ[7]AB[aa][ac][bc]AW[cb]PL[W];W[ab];B[bb])", level.Habits{Moves: 1, Ataris: 1}},
		"an atari left by a pass":           {"(;SZ[7]AB[dd]AW[cd][dc]PL[W];W[ed];B[])", level.Habits{Moves: 1, Ataris: 1, AtarisLeft: 1}},
		"a pass, and the opponent plays on": {"(;SZ[7];B[];W[dd])", level.Habits{Moves: 1, EarlyPasses: 1}},
		"passes that end the game":          {"(;SZ[7];B[];W[])", level.Habits{Moves: 1}},
		"an eye":                            {"(;SZ[7]AB[ab][ba][bb];B[aa])", level.Habits{Moves: 1, FirstLine: 1, Eyes: 1}},
	} {
		by := counted(t, c.record, nil)
		c.want.Sides = 1
		require.Equal(t, c.want, by[board.Black].Habits, name)
	}
	sum := level.Habits{Sides: 1, Moves: 2, FirstLine: 3, SelfAtaris: 4, Ataris: 5, AtarisLeft: 6, Eyes: 7, EarlyPasses: 8}
	sum.Add(sum)
	require.Equal(t, level.Habits{Sides: 2, Moves: 4, FirstLine: 6, SelfAtaris: 8, Ataris: 10, AtarisLeft: 12, Eyes: 14, EarlyPasses: 16}, sum)
}
