package selfplay

import (
	"context"
	"math"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/rows"
)

func (p *player) end(e rows.End) *Finished {
	p.record.End = e
	p.reweigh()
	final := new(board.Game)
	final.CopyFrom(&p.game)
	game := p.record
	f := &Finished{ID: p.id, Game: &game, Final: final, Changed: p.changed, Resigned: p.resigning.by}
	if would := p.resigning.would; would != board.Empty {
		f.Tested, f.WrongResign = true, e.Winner == would
	}
	p.active = false
	p.branch()
	f.More = p.next != nil
	return f
}

// reweigh moves a share of the rows' weight to turns that surprised the network
// (KataGo, SelfplayTraining.md, "policy surprise weighting").
func (p *player) reweigh() {
	ps, vs := p.c.Rows.PolicySurprise, p.c.Rows.ValueSurprise
	turns := p.record.Turns
	if ps+vs <= 0 || len(turns) == 0 {
		return
	}
	var total, weighted float64
	for i := range turns {
		total += turns[i].Weight
		weighted += turns[i].Weight * float64(turns[i].PolicySurprise)
	}
	if total <= 0 {
		return
	}
	mean := weighted / total
	policy, value := make([]float64, len(turns)), make([]float64, len(turns))
	var policySum, valueSum float64
	short := p.record.ShortTerm(p.game.Size().Area())
	for i := range turns {
		t := &turns[i]
		kl := float64(t.PolicySurprise)
		policy[i] = t.Weight*kl + (1-t.Weight)*max(0, kl-1.5*mean)
		if !t.HasRoot {
			policy[i] = 0
		} else {
			value[i] = t.Weight * min(1, divergence(short[i], float64(t.RawWinLoss)))
		}
		policySum += policy[i]
		valueSum += value[i]
	}
	if meanValue := valueSum / total; meanValue < 0.01 {
		vs *= meanValue / 0.01
	}
	if policySum <= 0 {
		ps = 0
	}
	if valueSum <= 0 {
		vs = 0
	}
	for i := range turns {
		w := (1 - ps - vs) * turns[i].Weight
		if ps > 0 {
			w += ps * total * policy[i] / policySum
		}
		if vs > 0 {
			w += vs * total * value[i] / valueSum
		}
		turns[i].Weight = w
	}
}

// divergence is the Kullback-Leibler divergence of two values from -1 to 1,
// taken as chances to win.
func divergence(target, raw float64) float64 {
	p, q := 0.5+0.5*target, 0.5+0.5*raw
	p, q = max(1e-6, min(1-1e-6, p)), max(1e-6, min(1-1e-6, q))
	return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q))
}

// branch decides whether the next game branches off this one.
func (p *player) branch() {
	o := &p.c.Opening
	if p.rng.Float64() >= o.Forks {
		return
	}
	at := int(p.rng.ExpFloat64() * o.ForkDepth * float64(p.game.Size().Area()))
	if at >= len(p.record.Turns) {
		return
	}
	g := new(board.Game)
	g.CopyFrom(p.record.Start)
	for _, t := range p.record.Turns[:at] {
		if g.Play(g.ToMove(), t.Move) != nil {
			return
		}
	}
	p.next = g
}

// forkMove plays the best of a few random moves at the start of a fork.
func (p *player) forkMove(ctx context.Context) error {
	moves := p.sensibleMoves(nil, nil)
	if len(moves) == 0 {
		return nil
	}
	if p.c.Search.Method == Random {
		return p.game.Play(p.game.ToMove(), moves[p.rng.IntN(len(moves))])
	}
	best, top := board.NoPoint, math.Inf(-1)
	var g board.Game
	for range 3 + p.rng.IntN(10) {
		m := moves[p.rng.IntN(len(moves))]
		g.CopyFrom(&p.game)
		if g.Play(g.ToMove(), m) != nil {
			continue
		}
		p.query = nn.Query{Game: &g, Symmetry: nn.SymmetryRandom}
		if err := p.eval.Evaluate(ctx, &p.query, &p.out); err != nil {
			return err
		}
		v := -float64(p.out.Value()) - 0.02*float64(p.out.ScoreMean)
		if v > top {
			best, top = m, v
		}
	}
	if best == board.NoPoint {
		return nil
	}
	return p.game.Play(p.game.ToMove(), best)
}
