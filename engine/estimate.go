package engine

import (
	"context"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/thinking"
)

// The bounds of ownership, of 1, from which a point counts as sure and as likely.
const (
	sureOwner   = 0.9
	likelyOwner = 0.4
)

// estimateVisits is the length of the search that an estimate rests on.
const estimateVisits = 200

// tenth is how many standard deviations from the mean a tenth of a normal
// distribution lies beyond.
const tenth = 1.2816

// estimate estimates a game, as [Engine.Estimate] does.
func (j *judge) estimate(ctx context.Context, g *board.Game) (*thinking.Estimate, error) {
	if g.Ended() && !j.cfg.ScoreByLead {
		c, err := j.count(ctx, g)
		if err != nil {
			return nil, err
		}
		return c.asEstimate(), nil
	}
	t, scored, err := j.estimateUnderKomi(ctx, g)
	if err != nil || !scored {
		return t, err
	}
	if err := j.even.find(ctx, j.net, g, j.estimateUnderKomi); err != nil {
		return nil, err
	}
	j.even.under(t, g)
	return t, nil
}

// estimateUnderKomi estimates a position under its komi; scored reports whether
// the network has a score.
func (j *judge) estimateUnderKomi(ctx context.Context, g *board.Game) (t *thinking.Estimate, scored bool, err error) {
	r, err := j.thinker.aside(ctx, repeatable(j.cfg.Search), nn.Uncached(j.net), g, search.Limits{Visits: estimateVisits, Ownership: true})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, false, err
	}
	return estimateOf(g, &r), r.Root.Raw.HasScore, nil
}

// evenEstimate is an estimate of a position under a komi that makes it nearly even,
// where networks know best who leads by how much. Its Lead is how far that komi is from
// the one under which searches find the chances even.
type evenEstimate struct {
	hash board.Hash // of the position, without komi
	komi float32
	*thinking.Estimate
}

// mostEvenSearches is how often a komi is searched under that makes the position even.
const mostEvenSearches = 8

// find estimates a position under a nearly even komi, unless it is that of the call
// before: the komi of the game makes no difference.
func (v *evenEstimate) find(ctx context.Context, net nn.Network, game *board.Game, estimate func(context.Context, *board.Game) (*thinking.Estimate, bool, error)) error {
	g := new(board.Game)
	g.CopyFrom(game)
	g.SetKomi(0)
	if v.Estimate != nil && v.hash == g.Hash() {
		return nil
	}
	even := evenEstimate{hash: g.Hash()}
	komi, _, err := search.NewLeads(net).Even(ctx, g)
	if err != nil {
		return err
	}
	komi = math.Floor(komi) + 0.5
	low, high := math.Inf(-1), math.Inf(1) // under which White is behind, and ahead
	var atLow, atHigh float64              // White's winrates there
	for i := range mostEvenSearches {
		g.SetKomi(float32(komi))
		t, _, err := estimate(ctx, g)
		if err != nil {
			return err
		}
		if even.Estimate == nil || math.Abs(t.Winrate-0.5) < math.Abs(even.Winrate-0.5) {
			even.komi, even.Estimate = float32(komi), t
		}
		next := max(math.Exp2(float64(i)), min(math.Round(math.Abs(t.Lead)), 16))
		if t.Winrate > 0.5 {
			low, atLow, komi = komi, 1-t.Winrate, komi+next
		} else {
			high, atHigh, komi = komi, 1-t.Winrate, komi-next
		}
		if high-low <= 1 {
			break
		}
		if !math.IsInf(high-low, 1) {
			komi = low + math.Floor((high-low)/2)
		}
	}
	if !math.IsInf(high-low, 1) {
		even.Lead = float64(even.komi) - (low + (high-low)*(0.5-atLow)/(atHigh-atLow))
	}
	*v = even
	return nil
}

// under gives t the points of the estimate under another komi. The lead is on the side
// of the winrate, and between Low and High.
func (even *evenEstimate) under(t *thinking.Estimate, g *board.Game) {
	more := float64(g.Rules().Komi - even.komi)
	low, high := search.Bounds(g)
	switch { // komi alone decides
	case low > 0:
		t.Winrate = 0
	case high < 0:
		t.Winrate = 1
	}
	within := func(v float64) float64 { return min(max(v+more, low), high) }
	t.Lead = min(max(search.OnSide(within(even.Lead), 1-t.Winrate), low), high)
	t.Low, t.High = min(within(even.Low), t.Lead), max(within(even.High), t.Lead)
	t.Sure, t.Likely, t.Open, t.Unsettled = even.Sure, even.Likely, even.Open, even.Unsettled
}

// tenths rounds, and never to minus zero.
func tenths(x float64) float64 { return math.Round(10*x)/10 + 0 }

func estimateOf(g *board.Game, r *search.Result) *thinking.Estimate {
	sign := 1.0 // to White's view
	t := &thinking.Estimate{Winrate: 1 - r.Root.Winrate, Visits: r.Root.Visits}
	if r.ToMove == board.Black {
		sign, t.Winrate = -1, r.Root.Winrate
	}
	if r.Root.Raw.HasScore {
		t.Lead = sign * r.Root.Lead
		mean := sign * r.Root.ScoreMean
		t.Low, t.High = mean-tenth*r.Root.ScoreStdev, mean+tenth*r.Root.ScoreStdev
	}
	if r.Ownership == nil {
		return t
	}
	own := slices.Clone(r.Ownership)
	for i := range own {
		own[i] *= float32(sign)
	}
	judgeChains(g, own) // corrects what is proven
	for _, v := range own {
		countPoint(t, v)
	}
	t.Unsettled = unsettled(g.Board(), own)
	return t
}

// asEstimate is the count of a game that is over.
func (c *count) asEstimate() *thinking.Estimate {
	t := &thinking.Estimate{Lead: c.score, Low: c.score, High: c.score, Winrate: 0.5, Final: true}
	switch {
	case c.score > 0:
		t.Winrate = 0
	case c.score < 0:
		t.Winrate = 1
	}
	for _, owner := range c.owners {
		if owner == board.Empty {
			t.Open++
		} else {
			t.Sure[owner]++
		}
	}
	return t
}

// countPoint counts a point with an owner from -1, Black, to 1, White.
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

// unsettled lists the chains that stay on the board neither likely nor unlikely.
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
