package engine

import (
	"context"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/search"
)

// The lead in an unfinished game is the change of komi, in points, that makes the game even.
// Short searches under different komi find it, as in KataGo (github.com/lightvector/KataGo,
// cpp/program/playutils.cpp).

// fairKomi searches for the komi that makes a position even.
type fairKomi struct {
	game   *board.Game // with the komi tried last
	seen   map[float64]opinion
	search func(*board.Game) (search.Result, error)
	err    error // first error; no search follows it
}

// opinion is a search's result from White's view: points ahead, and win minus loss.
type opinion struct{ lead, value float64 }

// leastLeadVisits is the minimum number of visits of each search.
const leastLeadVisits = 50

func leadVisits(p search.Params) int64 { return max(leastLeadVisits, 10*int64(p.Parallel.Workers)) }

// lead returns White's lead in a position, komi included, rounded to a possible result.
func (j *judge) lead(ctx context.Context, g *board.Game) (float64, error) {
	visits := leadVisits(j.cfg.Search)
	tree, err := search.New(judging(j.cfg.Search, visits), j.net, nil)
	if err != nil {
		return 0, err
	}
	f := fairKomi{game: g.Clone(), seen: map[float64]opinion{}, search: func(g *board.Game) (search.Result, error) {
		tree.Reset(g)
		return j.thinker.search(ctx, tree, search.Limits{Visits: visits, Playouts: visits})
	}}
	defer j.thinker.net.Pin()()
	komi := float64(g.Rules().Komi)
	lead := komi - f.smooth(f.even(komi))
	if f.err != nil {
		return 0, f.err
	}
	return toResult(lead, 0.5, g.Rules()), nil
}

// toResult rounds a lead to a possible result. If the lead is 0 and draws are impossible, Black's
// winrate decides.
func toResult(lead, winrate float64, rules board.Rules) float64 {
	komi := float64(rules.Komi)
	if lead == 0 && winrate > 0.5 {
		lead = -0.1
	}
	if whole := komi == math.Trunc(komi); whole != rules.Button {
		return math.Round(lead)
	}
	return math.Round(lead+0.5) - 0.5
}

// KataGo's bounds for unfinished games: a chain counts as dead if its mean ownership for its own
// side is below deadMean, or if the ownership of any of its points is below deadStone.
const (
	deadMean  = 0.2
	deadStone = -0.6
)

// searchOwnership returns the ownership of a search, [-1,1], + = White; nil if the network
// predicts none.
func (j *judge) searchOwnership(ctx context.Context, g *board.Game) ([]float32, error) {
	visits := 2 * leadVisits(j.cfg.Search)
	result, err := j.thinker.aside(ctx, judging(j.cfg.Search, visits), j.net, g, search.Limits{Visits: visits, Playouts: visits, Ownership: true})
	if err != nil {
		return nil, err
	}
	own := slices.Clone(result.Ownership)
	for p := range own {
		own[p] *= sideSign(g.ToMove())
	}
	return own, nil
}

// judging returns the parameters of a search that judges a position and chooses no move.
func judging(p search.Params, visits int64) search.Params {
	p.Net.PlayoutDoublingAdvantage = 0
	p.RepeatPenalty = search.RepeatPenalty{}
	p.Pass.Conservative, p.AntiMirror = true, false
	p.Human = p.Human.Alone()
	p.Root.NoiseEnabled = false
	p.Root.PolicyTemperature, p.Root.PolicyTemperatureEarly = 1, 1
	p.FPU.RootReductionMax, p.FPU.RootLossProp = p.FPU.ReductionMax, p.FPU.LossProp
	p.Root.DesiredPerChildVisitsCoeff, p.Root.NumSymmetries = 0, 1
	p.Parallel.Workers = min(p.Parallel.Workers, int(visits+7)/8)
	p.Memory.MaxBytes = shortSearchBytes
	return p
}

// ask searches under a komi, rounded to half points.
func (f *fairKomi) ask(komi float64) opinion {
	komi = f.round(komi)
	o, known := f.seen[komi]
	if known || f.err != nil {
		return o
	}
	rules := f.game.Rules()
	rules.Komi = float32(komi)
	if f.err = f.game.SetRules(rules); f.err != nil {
		return o
	}
	result, err := f.search(f.game)
	if err != nil {
		f.err = err
		return o
	}
	sign := float64(sideSign(f.game.ToMove()))
	o = opinion{sign * result.Root.TreeLead, sign * result.Root.TreeWinLoss}
	f.seen[komi] = o
	return o
}

func (f *fairKomi) round(komi float64) float64 {
	most := 20 + float64(f.game.Size().Area())
	return math.Round(2*min(max(komi, -most), most)) / 2
}

// even returns the komi that makes White's chances even. It first follows the leads of searches,
// then bisects.
func (f *fairKomi) even(komi float64) float64 {
	komi = f.approach(komi)
	value := func(more float64) float64 { return f.ask(komi + more).value }
	var low, high, atLow, atHigh float64
	if v := value(0); v < 0 {
		atLow = v
		for i := range 6 {
			high = math.Exp2(float64(i))
			if atHigh = value(high); atHigh >= 0 {
				break
			}
		}
	} else {
		atHigh = v
		for i := range 6 {
			low = -math.Exp2(float64(i))
			if atLow = value(low); atLow <= 0 {
				break
			}
		}
	}
	for high-low > 0.5 {
		middle := (low + high) / 2
		if v := value(middle); v < 0 {
			low, atLow = middle, v
		} else {
			high, atHigh = middle, v
		}
	}
	switch {
	case atLow >= atHigh:
		return komi + (low+high)/2
	case atHigh <= 0:
		return komi + high
	case atLow >= 0:
		return komi + low
	}
	return komi + low + (high-low)*-atLow/(atHigh-atLow)
}

// approach changes komi by the lead up to three times, while that makes it more even.
func (f *fairKomi) approach(komi float64) float64 {
	const near = 16 // points; after a shorter step, bisection finds the rest
	var shift float64
	var last opinion
	for i := range 3 {
		o := f.ask(komi)
		if i > 0 && astray(last, o) {
			return f.round(komi - shift/2)
		}
		last = o
		next := -o.lead
		if i > 0 && math.Abs(next) > math.Abs(shift) {
			next = math.Copysign(shift, next)
		}
		shift = next
		if shift > 0 && o.value > 0 || shift < 0 && o.lead < 0 {
			break
		}
		komi = f.round(komi + shift)
		if math.Abs(shift) < near {
			break
		}
	}
	return komi
}

// astray reports whether a step made the position clearly less even.
func astray(was, now opinion) bool {
	return was.lead > 0 && now.lead > was.lead+5 && now.value < 0.75 || was.lead < 0 && now.lead < was.lead-5 && now.value > -0.75 ||
		was.value > 0 && now.value > was.value+0.1 || was.value < 0 && now.value < was.value-0.1
}

// smooth corrects komi by averages over neighbouring half points, since nearly all area scores have the
// same parity.
func (f *fairKomi) smooth(komi float64) float64 {
	rules := f.game.Rules()
	if rules.Scoring != board.ScoringArea || rules.Button || komi == math.Trunc(komi) {
		return komi
	}
	low := math.Floor(2*komi) / 2
	high := low + 0.5
	atLow := (f.ask(high).value + f.ask(low-0.5).value) / 2
	atHigh := (f.ask(high+0.5).value + f.ask(low).value) / 2
	if atLow >= atHigh {
		return (low + high) / 2
	}
	return min(max(low+(high-low)*-atLow/(atHigh-atLow), low-0.5), high+0.5)
}
