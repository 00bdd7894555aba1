package search

import (
	"context"
	"log/slog"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// Leads corrects leads under a komi far from the fair one. There a network's own lead is
// unreliable: networks are trained with usual komi, and for others they answer 500 points, or the
// wrong sign. Their winrate stays right, so Leads finds the fair komi, which has a winrate of 50 %;
// the lead is the difference between fair and actual komi. Not safe for concurrent use.
type Leads struct {
	net   nn.Evaluator
	game  board.Game
	out   nn.Output
	known map[board.Hash]standing
	last  int // the previous fair komi lay between last+0.5 and last+1.5
	any   bool
}

// standing holds facts about a position that do not depend on its komi: the komi that makes the
// game even, now and after each move.
type standing struct {
	even  float64
	after map[board.Point]float64
}

// NewLeads returns a Leads that asks a network.
func NewLeads(net nn.Evaluator) *Leads { return &Leads{net: net, known: map[board.Hash]standing{}} }

// knownLeads bounds the number of positions remembered.
const knownLeads = 256

// opinion is a network's evaluation under some komi: White's winrate and lead in points.
type opinion struct{ winrate, lead float64 }

// ask evaluates the position in l.game under a komi; ok is false if the network has no
// score.
func (l *Leads) ask(ctx context.Context, komi float64) (o opinion, ok bool, err error) {
	l.game.SetKomi(float32(komi))
	q := nn.Query{Game: &l.game, SkipCache: true}
	if err := l.net.Evaluate(ctx, &q, &l.out); err != nil || !l.out.HasScore {
		return o, false, err
	}
	o = opinion{float64(l.out.Win) + float64(l.out.NoResult)/2, float64(l.out.Lead)}
	if l.game.ToMove() == board.Black {
		o = opinion{1 - o.winrate, -o.lead}
	}
	return o, true, nil
}

// standing finds the fair komi, where White's winrate crosses 50 %: bisection finds two komi a
// point apart around it, and their leads place it between them. ok is false if the network predicts
// no score.
func (l *Leads) standing(ctx context.Context, g *board.Game) (s standing, ok bool, err error) {
	l.game.CopyFrom(g)
	l.game.SetKomi(0)
	hash := l.game.Hash()
	if s, ok := l.known[hash]; ok {
		return s, true, nil
	}
	most := g.Size().Area() + 20
	low, high := -most-1, most // White is behind under low+0.5 and ahead under high+0.5
	seen := map[int]opinion{}
	ask := func(k int) (bool, error) {
		o, scored, err := l.ask(ctx, float64(k)+0.5)
		if err != nil || !scored {
			return false, err
		}
		if seen[k] = o; o.winrate < 0.5 {
			low = k
		} else {
			high = k
		}
		return true, nil
	}
	for k, step := l.last, 2; l.any && low < high-1 && (low < -most || high == most); step *= 2 {
		k = min(max(k, low+1), high-1) // start around the fair komi of the previous position
		if ok, err := ask(k); !ok {
			return s, false, err
		}
		if low == k {
			k += step
		} else {
			k -= step
		}
	}
	for low < high-1 {
		if ok, err := ask((low + high) / 2); !ok {
			return s, false, err
		}
	}
	s = standing{even: evenBetween(low, high, seen), after: map[board.Point]float64{}}
	if len(l.known) >= knownLeads {
		clear(l.known)
	}
	l.known[hash], l.last, l.any = s, low, true
	return s, true, nil
}

// evenBetween interpolates the fair komi between two neighbouring komi by their leads.
func evenBetween(low, high int, seen map[int]opinion) float64 {
	sum, n := 0.0, 0.0
	for k, o := range seen {
		if k == low || k == high {
			sum += float64(k) + 0.5 - o.lead
			n++
		}
	}
	return min(max(sum/max(n, 1), float64(low)+0.5), float64(high)+0.5)
}

// Bounds returns the least and the greatest score, White minus Black, that a game can
// end with from here. Under territory rules a stone on each empty point may still be given away.
func Bounds(g *board.Game) (low, high float64) {
	extra := float64(g.Rules().Komi + g.HandicapBonusScore() + g.BonusScore())
	most := float64(g.Size().Area())
	if b := g.Board(); g.Rules().Scoring == board.ScoringTerritory {
		most += most - float64(b.Stones(board.Black)+b.Stones(board.White))
	}
	return extra - most, extra + most
}

// Leads are corrected if komi is far from usualKomi and the side behind has a low winrate or the lead contradicts
// the winrate. Correction starts where distance and winrate reach the first value of a pair; at the second it is full.
const (
	usualKomi         = 7.0
	komiFar, komiOut  = 8.0, 16.0
	sureWin, surerWin = 0.10, 0.03
)

// mostCorrected is the maximum number of moves corrected by their own fair komi; the other moves
// are corrected by the fair komi of the position.
const mostCorrected = 10

// Show corrects a result that is about to be displayed. A failure is logged, and leads stay the
// network's own. A nil Leads changes nothing.
func (l *Leads) Show(ctx context.Context, log *slog.Logger, g *board.Game, r *Result) {
	if l == nil {
		return
	}
	if err := l.Correct(ctx, g, r); err != nil && ctx.Err() == nil {
		log.Warn("leads under this komi are only the network's own", "error", err)
	}
}

// Correct corrects the leads in a result of a search of g. All leads are limited to possible
// scores. If the komi is far from fair, leads are derived from evaluations near the fair komi: about
// a dozen of the position, and one for each of the result's first moves.
func (l *Leads) Correct(ctx context.Context, g *board.Game, r *Result) error {
	if !r.Root.Raw.HasScore {
		return nil
	}
	sign := 1.0 // from the view of the side to move
	if r.ToMove == board.Black {
		sign = -1
	}
	komi := float64(g.Rules().Komi)
	unlikely := min(r.Root.Raw.Winrate, 1-r.Root.Raw.Winrate)
	far := share01(math.Abs(komi+float64(g.HandicapBonusScore())-usualKomi), komiFar, komiOut)
	if !contradicts(r.Root.Lead, r.Root.Winrate) {
		far *= share01(-unlikely, -sureWin, -surerWin)
	}
	low, high := Bounds(g)
	within := func(v float64) float64 { return sign * min(max(sign*v, low), high) }
	r.Root.Lead, r.Root.ScoreMean = within(r.Root.Lead), within(r.Root.ScoreMean)
	r.Moves, r.Unsearched = slices.Clone(r.Moves), slices.Clone(r.Unsearched) // copies, since others may read the lists
	all := [2][]thinking.Move{r.Moves, r.Unsearched}
	for _, moves := range all {
		for i := range moves {
			moves[i].Lead, moves[i].ScoreMean = within(moves[i].Lead), within(moves[i].ScoreMean)
		}
	}
	if far == 0 || g.Ended() {
		return nil
	}
	s, ok, err := l.standing(ctx, g)
	if err != nil || !ok {
		return err
	}
	mix := func(v, even, winrate float64) float64 {
		return within(OnSide((1-far)*v+far*sign*(komi-even), winrate))
	}
	for _, moves := range all {
		for i := range moves {
			m := &moves[i]
			even := s.even
			if i < mostCorrected {
				even = l.evenAfter(ctx, g, &s, m)
			}
			m.Lead = mix(m.Lead, even, m.Winrate)
		}
	}
	r.Root.Lead = mix(r.Root.Lead, s.even, r.Root.Winrate)
	return nil
}

// evenAfter returns the fair komi after a move, derived from an evaluation at about the position's
// fair komi. Without an evaluation it returns the position's fair komi.
func (l *Leads) evenAfter(ctx context.Context, g *board.Game, s *standing, m *thinking.Move) float64 {
	move := m.Move
	if m.SymmetryOf != board.NoPoint {
		move = m.SymmetryOf
	}
	if even, ok := s.after[move]; ok {
		return even
	}
	l.game.CopyFrom(g)
	even := s.even
	if l.game.PlayTolerant(g.ToMove(), move) == nil && !l.game.Ended() {
		komi := math.Floor(s.even) + 0.5
		o, ok, err := l.ask(ctx, komi)
		if err != nil {
			return even
		}
		if ok {
			even = komi - o.lead
		}
	}
	s.after[move] = even
	return even
}

// OnSide returns the lead, or 0 if the winrate shows the other side ahead.
func OnSide(lead, winrate float64) float64 {
	if lead > 0 && winrate < 0.5 || lead < 0 && winrate > 0.5 {
		return 0
	}
	return lead
}

// contradicts reports whether a lead is impossible for a side with that winrate: it has the wrong
// sign, or is large although both sides may win.
func contradicts(lead, winrate float64) bool {
	return lead > 1 && winrate < 0.5 || lead < -1 && winrate > 0.5 || math.Abs(lead) > 30 && min(winrate, 1-winrate) > sureWin
}

// share01 returns where x lies between two bounds: 0 at the first or before, 1 at the second or
// beyond.
func share01(x, from, to float64) float64 { return min(max((x-from)/(to-from), 0), 1) }
