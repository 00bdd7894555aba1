package selfplay

import (
	"context"
	"fmt"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
	"kosumi/train/rows"
)

// turn chooses a move, records its search and plays it.
func (p *player) turn(ctx context.Context, banned []board.Point) error {
	var buf [board.MaxMoves]board.Point
	moves := p.sensibleMoves(buf[:0], banned)
	var turn rows.Turn
	var err error
	switch {
	case len(moves) == 0:
		turn = p.forcedPass()
	case p.c.Search.Method == Random:
		turn = p.randomTurn(moves)
	case p.c.Search.Method == Policy:
		turn, err = p.drawnTurn(ctx, banned)
	default:
		turn, err = p.searchedTurn(ctx, banned)
	}
	if err != nil {
		return err
	}
	p.record.Turns = append(p.record.Turns, turn)
	if err := p.game.Play(p.game.ToMove(), turn.Move); err != nil {
		return fmt.Errorf("self-play chose %s: %w", p.game.Size().Vertex(turn.Move), err)
	}
	return nil
}

// forcedPass is the turn of a side without a sensible move.
func (p *player) forcedPass() rows.Turn {
	pass := uint16(p.game.Size().Area())
	share := p.c.Rows.Share
	if p.c.Search.Method != Random {
		share *= 1 - p.c.Search.CheapShare
	}
	return rows.Turn{Move: board.Pass, Policy: []rows.MoveWeight{{Index: pass, Weight: 1}}, Weight: p.chance(share)}
}

// chance returns 1 with probability x, else 0.
func (p *player) chance(x float64) float64 {
	if p.rng.Float64() < x {
		return 1
	}
	return 0
}

// randomTurn plays any of the moves; all are equally good targets.
func (p *player) randomTurn(moves []board.Point) rows.Turn {
	t := rows.Turn{Move: moves[p.rng.IntN(len(moves))], Weight: p.chance(p.c.Rows.Share)}
	if t.Weight > 0 {
		for _, m := range moves {
			t.Policy = append(t.Policy, rows.MoveWeight{Index: uint16(p.game.Size().Index(m)), Weight: 1})
		}
	}
	return t
}

// drawnTurn draws a move, which may be a pass, from the network's policy. The weight of the turn falls
// in decided games, like that of searched turns.
func (p *player) drawnTurn(ctx context.Context, banned []board.Point) (rows.Turn, error) {
	if err := p.evaluate(ctx); err != nil {
		return rows.Turn{}, err
	}
	size, s, own := p.game.Size(), &p.c.Search, p.game.ToMove()
	value := float64(p.out.Value())
	p.resigning.see(own, value, &p.c.Ending)
	if own == board.Black {
		value = -value
	}
	p.recent = append(p.recent, value)
	turn := rows.Turn{Move: board.Pass}
	_, turn.Weight = p.soften(0, p.c.Rows.Share)
	weights := p.out.Policy[:size.Area()+1]
	for _, q := range banned {
		weights[size.Index(q)] = 0
	}
	choice := search.Choice{Temperature: s.MoveTemperature, TemperatureEarly: s.MoveTemperature0, TemperatureHalflife: s.TemperatureHalflife}
	if at := nn.Draw(weights, choice.TemperatureAt(p.game.NumMoves(), size), p.rng); at >= 0 {
		turn.Move = size.FromIndex(at)
	}
	return turn, nil
}

func (p *player) searchedTurn(ctx context.Context, banned []board.Point) (rows.Turn, error) {
	s := &p.c.Search
	full := p.rng.Float64() >= s.CheapShare
	visits, weight := s.CheapVisits, 0.0
	if full {
		visits, weight = s.Visits, p.chance(p.c.Rows.Share)
	}
	visits, weight = p.soften(visits, weight)
	greedy := !full && float64(p.game.NumMoves()) >= s.GumbelNoise*float64(p.game.Size().Area())
	r, err := p.search(ctx, &p.game, full, greedy, visits, banned)
	if err != nil {
		return rows.Turn{}, err
	}
	turn := p.report(&r)
	turn.Weight = weight
	temperature := 0.0
	if s.Method == PUCT {
		choice := p.c.params(full, greedy, 0).Choice
		temperature = choice.TemperatureAt(p.game.NumMoves(), p.game.Size())
	}
	turn.Move = r.Choose(temperature, p.rng)
	own := turn.Root.FromWhite(p.game.ToMove())
	p.resigning.see(p.game.ToMove(), float64(own.Win-own.Loss), &p.c.Ending)
	return turn, nil
}

// search searches a position in an empty tree. The evaluator's cache still has earlier evaluations.
func (p *player) search(ctx context.Context, g *board.Game, full, greedy bool, visits int, banned []board.Point) (search.Result, error) {
	params := p.c.params(full, greedy, p.rng.Uint64())
	if p.tree == nil {
		t, err := search.New(params, p.eval, nil)
		if err != nil {
			return search.Result{}, err
		}
		p.tree = t
	} else if err := p.tree.SetParams(params); err != nil {
		return search.Result{}, err
	}
	p.tree.Reset(g)
	if len(banned) > 0 {
		p.tree.Restrict(thinking.Restriction{Color: g.ToMove(), Points: banned, Depth: 1})
	}
	r, err := p.tree.Search(ctx, search.Limits{Visits: int64(visits)})
	if err == nil && r.Stop == search.StopCancelled {
		err = context.Cause(ctx)
	}
	return r, err
}

// soften lowers visits and weight in decided games.
func (p *player) soften(visits int, weight float64) (int, float64) {
	e := &p.c.Ending
	if e.SoftResign >= 1 || len(p.recent) < 3 {
		return visits, weight
	}
	least := math.Inf(1)
	last := p.recent[len(p.recent)-3:]
	for _, v := range last {
		if v*last[0] <= 0 {
			return visits, weight
		}
		least = min(least, math.Abs(v))
	}
	if least <= e.SoftResign {
		return visits, weight
	}
	q := (least - e.SoftResign) / (1 - e.SoftResign)
	q *= q
	if e.SoftVisits < visits {
		visits = int(math.Round(float64(visits) + q*float64(e.SoftVisits-visits)))
	}
	return visits, weight * (1 + q*(e.SoftWeight-1))
}

func (p *player) report(r *search.Result) rows.Turn {
	t := rows.Turn{HasRoot: true, Visits: int(r.Root.Visits)}
	win := r.Root.Winrate - r.Root.NoResult/2
	own := rows.Value{Win: float32(win), NoResult: float32(r.Root.NoResult),
		Loss: float32(1 - win - r.Root.NoResult), Score: float32(r.Root.ScoreMean)}
	own.Win, own.Loss = max(0, own.Win), max(0, own.Loss)
	t.Root = own.FromWhite(r.ToMove)
	sign := float32(1)
	if r.ToMove == board.Black {
		sign = -1
	}
	p.recent = append(p.recent, float64(t.Root.Win-t.Root.Loss))
	t.RawWinLoss = sign * float32(2*r.Root.Raw.Winrate-1)
	t.RawScore = sign * float32(r.Root.Raw.ScoreMean)
	t.Policy = target(r)
	p.compare(&t, r)
	return t
}

// topWeight is the weight of the likeliest move of a policy target.
const topWeight = 30000

// target returns the policy target of a search: the improved policy of a Gumbel search, else the
// weights by which the search chooses a move.
func target(r *search.Result) []rows.MoveWeight {
	var list []rows.MoveWeight
	if r.Improved != nil {
		most := slices.Max(r.Improved)
		for i, x := range r.Improved {
			if w := math.Round(float64(topWeight * x / most)); w >= 1 {
				list = append(list, rows.MoveWeight{Index: uint16(i), Weight: int16(w)})
			}
		}
		return list
	}
	most := 0.0
	for i := range r.Moves {
		most = max(most, r.Moves[i].Selection)
	}
	if most <= 0 {
		return nil
	}
	scale := min(max(1, 10/most), topWeight/most)
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.SymmetryOf != board.NoPoint || m.Selection < min(1, most/64) {
			continue
		}
		if w := math.Round(m.Selection * scale); w >= 1 {
			list = append(list, rows.MoveWeight{Index: uint16(r.Size.Index(m.Move)), Weight: int16(w)})
		}
	}
	return list
}

// compare sets the divergence of the target from the prior that the search used, and the entropies
// of the target and of the network's policy.
func (p *player) compare(t *rows.Turn, r *search.Result) {
	prior := func(i int) float64 { return max(1e-9, float64(r.Policy[i])) }
	noised := map[int]float64{}
	for k := range r.Moves {
		noised[r.Size.Index(r.Moves[k].Move)] = float64(r.Moves[k].Prior)
	}
	total := 0.0
	for _, m := range t.Policy {
		total += float64(m.Weight)
	}
	for _, m := range t.Policy {
		x := float64(m.Weight) / total
		q := prior(int(m.Index))
		if n, ok := noised[int(m.Index)]; ok && r.Improved == nil {
			q = max(1e-9, n)
		}
		t.PolicySurprise += float32(x * math.Log(x/q))
		t.TargetEntropy -= float32(x * math.Log(x))
	}
	t.PolicySurprise = max(0, t.PolicySurprise)
	for _, x := range r.Policy {
		if x > 0 {
			t.RawEntropy -= x * float32(math.Log(float64(x)))
		}
	}
	t.PriorEntropy = t.RawEntropy
}
