package life

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// turned returns a question in one of the eight orientations, with colours swapped or not.
func turned(q *Question, orient int, swapped bool) *Question {
	w, h := q.Size.W, q.Size.H
	if orient&4 != 0 {
		w, h = h, w
	}
	out := &Question{Size: board.Size{W: w, H: h}, All: q.All, Suicide: q.Suicide, Ko: board.NoPoint}
	out.Stones = make([]board.Color, w*h)
	at := func(p board.Point) board.Point {
		x, y := q.Size.XY(p)
		if orient&1 != 0 {
			x = q.Size.W - 1 - x
		}
		if orient&2 != 0 {
			y = q.Size.H - 1 - y
		}
		if orient&4 != 0 {
			x, y = y, x
		}
		return out.Size.Point(x, y)
	}
	for p, c := range q.Stones {
		if swapped && c != board.Empty {
			c = c.Opponent()
		}
		out.Stones[at(board.Point(p))] = c
	}
	for _, t := range q.Targets {
		out.Targets = append(out.Targets, at(t))
	}
	for _, t := range q.Assumed {
		out.Assumed = append(out.Assumed, at(t))
	}
	return out
}

// TestKosTurned asks about random shapes, turned, mirrored and with colours swapped, and also with only
// one side moving first: the verdicts, the ko threats and the kos stay the same.
func TestKosTurned(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 75))
	for k := range shapesToAsk(40) {
		s := randomShape(rng)
		s.vary(rng)
		q := s.question()
		if _, err := q.encode(); err != nil {
			continue
		}
		ask := func(q *Question, first board.Color) (got [2]string) {
			out, err := Ask(context.Background(), q, Options{Nodes: 1000000, First: first})
			require.NoError(t, err, s)
			for i, c := range []*Card{out.Attacks, out.Defends} {
				if c != nil {
					got[i] = koSummary(c)
				}
			}
			return got
		}
		want := ask(q, board.Empty)
		for orient := range 8 {
			require.Equal(t, want, ask(turned(q, orient, (orient+k)&1 == 0), board.Empty), "shape %d, orientation %d\n%v", k, orient, s)
		}
		require.Equal(t, want[0], ask(q, board.Black)[0], "shape %d, attacker first\n%v", k, s)
		require.Equal(t, want[1], ask(q, board.White)[1], "shape %d, defender first\n%v", k, s)
	}
}
