package engine

import (
	"context"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// Bounds of ownership from which a point counts as sure and as likely.
const (
	sureOwner   = 0.9
	likelyOwner = 0.4
)

// estimateVisits is the number of visits of each search for an estimate.
const estimateVisits = 200

// tenth is a distance from the mean, in standard deviations: a tenth of a normal distribution lies
// above it.
const tenth = 1.2816

// estimated is an estimate with its position and the visits of its searches.
type estimated struct {
	*thinking.Estimate
	of     board.Hash
	visits int64
}

// estimate implements [Engine.Estimate] by two searches under area rules: for the winrate, one with
// a komi that gives the same score as the game's rules; for the points, one with the komi that makes
// the position even, since networks know most about such positions.
func (j *judge) estimate(ctx context.Context, g *board.Game, l search.Limits) (*thinking.Estimate, error) {
	if g.Ended() && !j.cfg.ScoreByLead {
		c, err := j.count(ctx, g)
		return c.asEstimate(), err
	}
	if c, settled, err := j.settled(ctx, g, l); settled || err != nil {
		t := c.asEstimate()
		t.Final, t.Settled, t.Visits = false, true, j.judged.asked
		return t, err
	}
	if j.estimated.Estimate != nil && j.estimated.of == g.Hash() && j.estimated.visits >= l.Visits {
		return j.estimated.Estimate, nil
	}
	v, err := j.chains(ctx, g)
	if err == nil && j.cfg.ScoreByLead {
		err = j.view(ctx, g, g.ToMove(), &v)
	}
	if err != nil {
		return nil, err
	}
	area, err := inArea(g)
	if err != nil {
		return nil, err
	}
	chances, err := j.searchUnder(ctx, area, area.Rules().Komi, l)
	if err != nil {
		return nil, err
	}
	even, sign := v.komi[g.ToMove()-board.Black], float64(sideSign(g.ToMove()))
	points, err := j.searchUnder(ctx, area, float32(even)-area.HandicapBonusScore()-area.BonusScore(), l)
	if err != nil {
		return nil, err
	}
	t := estimateOf(g, &points)
	if t.Winrate = chances.Root.Winrate; g.ToMove() == board.White {
		t.Winrate = 1 - t.Winrate
	}
	if points.Root.Raw.HasScore {
		lead := sign*points.Root.Lead - even
		if points.Ownership != nil {
			lead = 0
			for _, x := range points.Ownership {
				lead += sign * float64(x)
			}
		}
		if lead += float64(g.ScoreWithDead(v.dead)) - float64(board.Balance(g.OwnersWithDead(v.dead))); g.Rules().Scoring == board.ScoringTerritory {
			lead -= sign / 2 // under area rules the side to move is ahead by half a point on average
		}
		between(t, g, lead, tenth*points.Root.ScoreStdev)
	}
	j.estimated = estimated{t, g.Hash(), l.Visits}
	return t, nil
}

// inArea returns the game under area rules, with the komi that gives the same score.
func inArea(g *board.Game) (*board.Game, error) {
	rules := g.Rules()
	if rules.Scoring == board.ScoringArea {
		return g, nil
	}
	rules.Scoring = board.ScoringArea
	if rules.Komi += g.BonusScore(); g.ToMove() == board.Black {
		rules.Komi++
	}
	area := g.Clone()
	if area.SetRules(rules) != nil { // the game began in a clean-up phase
		return bare(g.Board(), rules.Suicide, g.ToMove(), float64(rules.Komi))
	}
	return area, nil
}

// searchUnder searches a position under a komi. It gives the same result each time.
func (j *judge) searchUnder(ctx context.Context, g *board.Game, komi float32, l search.Limits) (search.Result, error) {
	under := g.Clone()
	under.SetKomi(komi)
	l.Ownership = true
	r, err := j.thinker.aside(ctx, repeatable(j.cfg.Search), nn.Uncached(j.net), under, l)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// between sets Lead, Low and High of an estimate so that they are possible on the board. Lead lies
// between Low and High, and agrees with the winrate.
func between(t *thinking.Estimate, g *board.Game, lead, spread float64) {
	low, high := search.Bounds(g)
	switch { // komi alone decides who wins
	case low > 0:
		t.Winrate = 0
	case high < 0:
		t.Winrate = 1
	}
	within := func(v float64) float64 { return min(max(v, low), high) }
	t.Lead = within(search.OnSide(within(lead), 1-t.Winrate))
	t.Low, t.High = min(within(lead-spread), t.Lead), max(within(lead+spread), t.Lead)
}

// tenths rounds to a tenth; it never returns -0.
func tenths(x float64) float64 { return math.Round(10*x)/10 + 0 }

// estimateOf returns an estimate with the points and chains of a search's ownership.
func estimateOf(g *board.Game, r *search.Result) *thinking.Estimate {
	t := &thinking.Estimate{Visits: r.Root.Visits}
	if r.Ownership == nil {
		return t
	}
	t.Ownership = slices.Clone(r.Ownership)
	for i := range t.Ownership {
		t.Ownership[i] *= sideSign(g.ToMove())
	}
	give(t.Ownership, g.Board().PassAlive(nil, g.Rules().Suicide))
	for _, v := range t.Ownership {
		countPoint(t, v)
	}
	t.Unsettled = unsettled(g.Board(), t.Ownership)
	return t
}

// asEstimate converts the count of a finished game.
func (c *count) asEstimate() *thinking.Estimate {
	t := &thinking.Estimate{Lead: c.score, Low: c.score, High: c.score, Final: true, Ownership: make([]float32, len(c.owners))}
	t.Winrate = playersPoints(c.score, board.White) // Black's
	for p, owner := range c.owners {
		if owner == board.Empty {
			t.Open++
			continue
		}
		t.Sure[owner]++
		t.Ownership[p] = sideSign(owner)
	}
	return t
}

// countPoint counts a point by its ownership, from -1, Black, to 1, White.
func countPoint(t *thinking.Estimate, own float32) {
	color := board.White
	if own < 0 {
		color, own = board.Black, -own
	}
	switch {
	case own >= sureOwner:
		t.Sure[color]++
	case own >= likelyOwner:
		t.Likely[color]++
	default:
		t.Open++
	}
}

// unsettled lists the chains whose survival is uncertain.
func unsettled(b *board.Board, own []float32) [][]board.Point {
	var all [][]board.Point
	for p := range board.Point(b.Size().Area()) {
		if b.At(p) == board.Empty || b.ChainHead(p) != p {
			continue
		}
		chain := b.Chain(nil, p)
		if mean, _ := kept(own, chain, b.At(p)); max(mean, -mean) < likelyOwner {
			all = append(all, chain)
		}
	}
	slices.SortStableFunc(all, func(x, y []board.Point) int { return len(y) - len(x) })
	return all
}
