package search

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// saturated is a network that knows the winner under any komi, but the lead only near the fair
// komi. The map moved has the points by which moves raise White's lead.
type saturated struct {
	even  float64
	moved map[board.Point]float64
	asked int
}

func (s *saturated) Evaluate(_ context.Context, q *nn.Query, out *nn.Output) error {
	s.asked++
	lead := float64(q.Game.Rules().Komi) - s.even
	for _, m := range q.Game.Moves() {
		lead += s.moved[m.Point]
	}
	winrate := 1 / (1 + math.Exp(-lead/3))
	if math.Abs(lead) > 12 {
		lead = -9 * lead
	}
	if q.Game.ToMove() == board.Black {
		winrate, lead = 1-winrate, -lead
	}
	out.Win, out.Loss, out.NoResult = float32(winrate), float32(1-winrate), 0
	out.Lead, out.HasScore = float32(lead), true
	return nil
}

func TestEvenKomi(t *testing.T) {
	l := NewLeads(&saturated{even: 7.2})
	for _, even := range []float64{7.2, -40.3, -38, 95.5, 6, 0} {
		net := &saturated{even: even}
		l.net = net
		clear(l.known)
		g := gameUnder(t, board.Square(9), board.Chinese())
		for _, komi := range []float32{7.5, -60.5, 60.5} {
			g.SetKomi(komi)
			got, ok, err := l.standing(context.Background(), g)
			require.NoError(t, err)
			require.True(t, ok)
			require.InDelta(t, even, got.even, 1e-4)
		}
		require.Less(t, net.asked, 14, "once for the position, whatever its komi")
	}
}

// TestContradictingLeads: under a komi far from any in training a lead that contradicts the winrate
// is corrected, even if it is not extreme.
func TestContradictingLeads(t *testing.T) {
	l := NewLeads(&saturated{even: 6})
	for _, c := range []struct {
		komi          float32
		lead, winrate float64 // White's view
		want          float64
	}{
		{-60.5, 302.5, 0.149, -66.5},
		{-60.5, -80, 0.3, -66.5},
		{60, -33, 0.7, 54},
		{60, 20, 0.7, 20},
		{7.5, -3, 0.7, -3},
	} {
		g := newGame(t, 19)
		g.SetKomi(c.komi)
		g.SetToMove(board.White)
		r := Result{Analysis: thinking.Analysis{Size: g.Size(), ToMove: board.White,
			Root: thinking.Root{Value: thinking.Value{Lead: c.lead, Winrate: c.winrate}, Raw: thinking.Raw{Winrate: c.winrate, HasScore: true}}}}
		require.NoError(t, l.Correct(context.Background(), g, &r))
		require.InDelta(t, c.want, r.Root.Lead, 1e-4, "%+v", c)
	}
}

// TestBounds: the score lies within the bounds even if all stones of one side are dead.
func TestBounds(t *testing.T) {
	for _, rules := range []board.Rules{board.Japanese(), board.Chinese()} {
		for _, c := range []board.Color{board.Black, board.White} {
			g := gameUnder(t, board.Square(9), rules)
			var stones [3][]board.Point
			stones[c], stones[c.Opponent()] = []board.Point{40}, []board.Point{0, 2, 4, 6, 18, 20, 22, 24}
			require.NoError(t, g.Setup(stones[board.Black], stones[board.White], c))
			low, high := Bounds(g)
			score := float64(g.ScoreWithDead(stones[c.Opponent()]))
			require.True(t, low <= score && score <= high, "%v %v: %v in [%v, %v]", rules.Scoring, c, score, low, high)
		}
	}
}

// TestCorrectedLeads: where komi is far from any in training, a point of komi changes the lead by a
// point, and the lead agrees with the winrate; elsewhere leads stay unchanged.
func TestCorrectedLeads(t *testing.T) {
	const c3, d4, e5 = board.Point(1), board.Point(2), board.Point(3)
	net := &saturated{even: 6, moved: map[board.Point]float64{c3: -1, d4: -3}}
	for _, toMove := range []board.Color{board.Black, board.White} {
		l, last := NewLeads(net), 0.0
		for komi := float32(-60.5); komi < 62; komi++ {
			g := gameUnder(t, board.Square(9), board.Chinese())
			g.SetKomi(komi)
			g.SetToMove(toMove)
			var out nn.Output
			require.NoError(t, net.Evaluate(context.Background(), &nn.Query{Game: g}, &out))
			raw := float64(out.Lead)
			winrate := float64(out.Win)
			value := thinking.Value{Lead: raw, Winrate: winrate}
			moves := []thinking.Move{{Move: c3, Value: value, SymmetryOf: board.NoPoint},
				{Move: d4, Value: value, SymmetryOf: board.NoPoint}, {Move: e5, Value: value, SymmetryOf: d4}}
			r := Result{Analysis: thinking.Analysis{Size: g.Size(), ToMove: toMove, Moves: moves,
				Root: thinking.Root{Value: value, Raw: thinking.Raw{Winrate: winrate, HasScore: true}}}}
			require.NoError(t, l.Correct(context.Background(), g, &r))
			require.Equal(t, raw, moves[0].Lead, "others may read what was there")
			lead := r.Root.Lead
			low, high := Bounds(g)
			if toMove == board.Black {
				lead = -lead
			}
			require.True(t, low <= lead && lead <= high)
			require.False(t, r.Root.Lead > 0 && winrate < 0.5 || r.Root.Lead < 0 && winrate > 0.5)
			switch far := math.Abs(float64(komi) - 7); {
			case far >= 20:
				require.InDelta(t, float64(komi)-6, lead, 1e-4, "komi %v", komi)
				require.InDelta(t, 2, math.Abs(r.Moves[0].Lead-r.Moves[1].Lead), 1e-4)
				require.Equal(t, r.Moves[1].Lead, r.Moves[2].Lead)
				if last != 0 && math.Abs(float64(komi)-8) >= 20 {
					require.InDelta(t, 1, lead-last, 1e-4)
				}
			case far <= 8:
				require.Equal(t, raw, r.Root.Lead)
			}
			last = lead
		}
	}
}
