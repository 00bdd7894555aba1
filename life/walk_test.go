package life

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestWalk plays at random against proofs: every move has an answer, the line ends as the proof's winner
// wants, and the first mover wins only if the card lists its first move.
func TestWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 9))
	lines, ends := 0, map[string]int{}
	for range shapesToAsk(30) {
		s, _ := nextShape(rng, 20000)
		out, err := Ask(context.Background(), s.question(), Options{Nodes: 1000000})
		require.NoError(t, err, s)
		for first, c := range []*Card{out.Attacks, out.Defends} {
			color := map[string]board.Color{"black": board.Black, "white": board.White}[[]string{out.Attacker, out.Defender}[first]]
			if c.Verdict == Repetition || out.Walk == nil || !out.Walk.Plays(color) {
				continue
			}
			for range 6 {
				end := walkAtRandom(t, rng, s, out, c, color)
				lines++
				ends[end]++
			}
		}
	}
	require.Greater(t, lines, 100)
	t.Log(lines, ends)
}

// walkAtRandom plays one line and returns how it ended.
func walkAtRandom(t *testing.T, rng *rand.Rand, s *shape, out *Answer, c *Card, first board.Color) string {
	var moves []board.Point
	size := board.Size{W: s.w, H: s.h}
	step, err := out.Walk.Play(first, moves)
	require.NoError(t, err, s)
	for step.End == "" && len(moves) < 300 {
		m := board.Pass
		if i := rng.IntN(len(step.Legal) + 1); i < len(step.Legal) {
			m = step.Legal[i]
		}
		moves = append(moves, m)
		if step, err = out.Walk.Play(first, moves); err != nil {
			require.NoError(t, err, "%v\n%v", moves, s)
		}
		defender, _ := board.ParseColor(out.Defender)
		gone := slices.ContainsFunc(points(t, size, out.Target...), func(p board.Point) bool { return step.Stones[p] != defender })
		switch step.Winner {
		case defender:
			require.NotContains(t, []string{EndTaken, EndDoomed, EndNoLife}, step.End, "%v\n%v", step.Line, s)
			require.False(t, gone && out.Quantifier == "any", "%v\n%v", step.Line, s)
		case defender.Opponent():
			require.NotContains(t, []string{EndAlive, EndStands}, step.End, "%v\n%v", step.Line, s)
		}
		if len(moves) == 1 && c.AllMoves && len(c.Moves) > 0 && step.Winner != board.Empty {
			v := size.Vertex(m)
			works := map[bool]board.Color{true: first, false: first.Opponent()}
			if (first == defender) == (c.Verdict == Alive || c.Verdict == Seki) {
				require.Equal(t, works[slices.Contains(c.Moves, v)], step.Winner, "%s of %v\n%v", v, c.Moves, s)
			}
		}
	}
	require.NotEmpty(t, step.End, "%v\n%v", step.Line, s)
	return step.End
}
