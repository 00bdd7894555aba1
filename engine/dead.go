package engine

import (
	"context"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/life"
	"kosumi/nn"
	"kosumi/search"
)

// Dead stones depend on the stones on the board alone, not on komi, the side to move or passes. If
// there is a proof, it decides. Otherwise the network's ownership decides, with either side to
// move, under area rules and the komi that makes the position even, since networks judge decided
// boards badly. If this leaves a chain in doubt, ownership comes from searches with either side to
// move.

// judgement says which stones of a board are dead, with the evidence.
type judgement struct {
	at    board.Hash
	rules board.Rules
	views [2][]float32 // ownership with Black and with White to move, [-1,1], + = White; nil: unknown
	komi  [2]float64   // komi of each view
	asked int64        // evaluations, and visits of searches, so far
	dead  []board.Point
	open  []board.Point // stones of the chains in doubt; if there are none, the opponent will agree on the dead stones
	areas bool          // areas in doubt have been searched
	// fates are the proved owners of the points with stones, from [life.Fates]; nil before the search
	// for proofs.
	fates []board.Color
}

// knows reports whether the current position is judged.
func (j *judge) knows(g *board.Game) bool {
	at, rules := j.key(g)
	return j.judged.views[0] != nil && j.judged.at == at && j.judged.rules == rules
}

// key returns what a judgement depends on: the hash of the board and the rules without komi; with
// Config.ScoreByLead, the hash of the game and all its rules.
func (j *judge) key(g *board.Game) (board.Hash, board.Rules) {
	rules := g.Rules()
	if j.cfg.ScoreByLead {
		return g.Hash(), rules
	}
	rules.Komi = 0
	return g.Board().Hash(), rules
}

// Bounds of ownership, which is predicted twice: with Black and with White to move. A chain is in
// doubt if its mean ownership over both predictions is nearer to 0 than sureMean, or if their signs
// differ. A board is settled if both predictions give each counted point's owner at least settledOwner.
const (
	sureMean     = 0.5
	settledOwner = 0.25
)

// Effort of a judgement for a final count.
const (
	doubtVisits = 200     // visits of each side's search
	areaEffort  = 80_000  // maximum of visits times board points, for each search of areas in doubt
	fateNodes   = 200_000 // maximum number of positions searched for proofs; see [life.Fates]
)

// chains judges the chains by the network alone, each position once.
func (j *judge) chains(ctx context.Context, g *board.Game) (judgement, error) {
	if j.knows(g) {
		return j.judged, nil
	}
	var v judgement
	v.at, v.rules = j.key(g)
	if j.cfg.ScoreByLead {
		own, err := j.searchOwnership(ctx, g)
		if err != nil {
			return v, err
		}
		if own != nil {
			v.views = [2][]float32{own, own}
		}
	}
	for i := 0; i < 2 && v.views[i] == nil; i++ {
		if err := j.view(ctx, g, board.Color(i)+board.Black, &v); err != nil {
			return v, err
		}
	}
	j.weigh(g, &v)
	j.judged = v
	return v, nil
}

// verdict judges the chains for a count: it looks for proofs and, if a chain remains in doubt,
// searches the position.
func (j *judge) verdict(ctx context.Context, g *board.Game) (judgement, error) {
	v, err := j.chains(ctx, g)
	if err != nil || v.fates != nil || j.cfg.ScoreByLead {
		return v, err
	}
	black := func(p board.Point) (least, most float64) {
		x, y := float64(1-v.views[0][p])/2, float64(1-v.views[1][p])/2
		return min(x, y), max(x, y)
	}
	if v.fates, err = life.Fates(ctx, g, v.dead, black, fateNodes); err != nil {
		return v, err
	}
	if j.weigh(g, &v); len(v.open) > 0 {
		if err := j.search(ctx, g, &v, doubtVisits); err != nil {
			return v, err
		}
		j.weigh(g, &v)
	}
	j.judged = v
	return v, nil
}

// weigh sets proved owners in v.views, and finds the dead chains from these views.
func (j *judge) weigh(g *board.Game, v *judgement) {
	b := g.Board()
	v.prove(g)
	v.dead, v.open = nil, nil
	var chain []board.Point
	for p := range board.Point(b.Size().Area()) {
		if b.At(p) == board.Empty || b.ChainHead(p) != p {
			continue
		}
		chain = b.Chain(chain[:0], p)
		x, xLeast := kept(v.views[0], chain, b.At(p))
		y, _ := kept(v.views[1], chain, b.At(p))
		first := x // the view with the chain's side to move
		if b.At(p) == board.White {
			first = y
		}
		dead := first < 0 && x+y < 0
		if j.cfg.ScoreByLead {
			dead = xLeast < deadStone || x < deadMean
		}
		if dead {
			v.dead = append(v.dead, chain...)
		}
		if max(x+y, -x-y) < 2*sureMean || x > 0 != (y > 0) {
			v.open = append(v.open, chain...)
		}
	}
	if j.cfg.ScoreByLead {
		return
	}
	v.dead = v.surrounded(g, v.dead)
	for p, owner := range v.fates { // a stone proved dead lives after all if the stones around it are dead
		if c := g.At(board.Point(p)); owner == c.Opponent() && c != board.Empty && !slices.Contains(v.dead, board.Point(p)) {
			v.fates[p] = c
		}
	}
	v.prove(g)
}

// prove gives, in both views, each point with a proved owner to that owner.
func (v *judgement) prove(g *board.Game) {
	for _, own := range v.views {
		give(own, g.Board().PassAlive(nil, g.Rules().Suicide))
		give(own, v.fates)
	}
}

func give(own []float32, owners []board.Color) {
	for p, c := range owners {
		if c != board.Empty {
			own[p] = sideSign(c)
		}
	}
}

// own returns the mean of the views.
func (v *judgement) own() []float32 {
	own := slices.Clone(v.views[0])
	for p := range own {
		own[p] = (own[p] + v.views[1][p]) / 2
	}
	return own
}

// settled counts an unfinished game in which nothing is left to decide: every point counted
// for a side is that side's, whoever moves first. Areas in doubt are searched under the komi
// that makes the count even.
func (j *judge) settled(ctx context.Context, g *board.Game, l search.Limits) (c count, ok bool, err error) {
	v, err := j.chains(ctx, g)
	if err != nil || j.cfg.ScoreByLead || !closed(g, g.OwnersWithDead(v.dead)) {
		return c, false, err
	}
	if v, err = j.verdict(ctx, g); err != nil || len(v.open) > 0 || !closed(g, g.OwnersWithDead(v.dead)) {
		return c, false, err
	}
	if v.least(g) < settledOwner && !v.areas {
		even := -float64(board.Balance(g.OwnersWithDead(v.dead)))
		v.komi, v.areas = [2]float64{even, even}, true
		if err := j.search(ctx, g, &v, min(8*l.Visits, int64(areaEffort/g.Size().Area()))); err != nil {
			return c, false, err
		}
		j.judged = v
	}
	if v.least(g) < settledOwner {
		return c, false, nil
	}
	c, err = j.count(ctx, g)
	return c, err == nil, err
}

// closed reports whether almost every point has an owner. A point without an owner that touches both
// sides counts as one open point, or as none under territory rules; any other counts as two.
func closed(g *board.Game, owners []board.Color) bool {
	open := 0
	for p, owner := range owners {
		if owner != board.Empty {
			continue
		}
		var beside [board.White + 1]bool
		for _, q := range g.Board().Neighbors(board.Point(p)) {
			beside[g.At(q)] = true
		}
		switch neutral := beside[board.Black] && beside[board.White]; {
		case !neutral:
			open += 2
		case g.Rules().Scoring == board.ScoringArea:
			open++
		}
	}
	return open <= max(g.Size().Area()/mostOpen, leastOpen)
}

// least returns how surely the least certain of the counted points belongs to its owner, [-1,1]: the
// lower value of the two views.
func (v *judgement) least(g *board.Game) float32 {
	least := float32(1)
	for p, owner := range g.OwnersWithDead(v.dead) {
		if owner != board.Empty {
			sign := sideSign(owner)
			least = min(least, sign*v.views[0][p], sign*v.views[1][p])
		}
	}
	return least
}

// surrounded returns those of the dead stones that lie in the opponent's territory once all dead
// stones are removed. The others live, such as stones in seki; but stones that are proved dead
// stay dead unless they are part of a border of territory. All stones of a chain get the same
// answer, since their points lie in one region once the chain is removed.
func (v *judgement) surrounded(g *board.Game, dead []board.Point) []board.Point {
	off := dead
	owners := g.OwnersWithDead(off)
	for next := off; ; off, owners = next, g.OwnersWithDead(next) {
		next = slices.DeleteFunc(slices.Clone(off), func(p board.Point) bool { return owners[p] != g.At(p).Opponent() })
		if len(next) == len(off) {
			break
		}
	}
	for _, p := range dead {
		if c := g.At(p); v.fates != nil && v.fates[p] == c.Opponent() && !slices.Contains(off, p) {
			chain := g.Board().Chain(nil, p)
			without := g.OwnersWithDead(slices.Concat(off, chain))
			lost := 0
			for q, owner := range owners {
				if owner == c && without[q] != c {
					lost++
				}
			}
			if without[p] != c && lost <= 2*len(chain) {
				off, owners = slices.Concat(off, chain), without
			}
		}
	}
	return off
}

// kept returns how surely a chain's points stay with its colour c: the mean and the least
// ownership, [-1,1].
func kept(own []float32, chain []board.Point, c board.Color) (mean, least float32) {
	sign := sideSign(c)
	least = 1
	for _, p := range chain {
		mean += sign * own[p]
		least = min(least, sign*own[p])
	}
	return mean / float32(len(chain)), least
}

// bare returns a game without history that begins with the position, under area rules.
func bare(b *board.Board, suicide bool, toMove board.Color, komi float64) (*board.Game, error) {
	rules := board.Chinese()
	rules.Suicide, rules.Komi = suicide, float32(komi)
	g, err := board.NewGame(b.Size(), rules)
	if err == nil {
		err = g.SetupBoard(b, toMove)
	}
	return g, err
}

// ownershipSays is the mean absolute ownership below which a network counts as having no opinion:
// an untrained head answers about 0 everywhere.
const ownershipSays = 0.1

// mostViews bounds the evaluations for one view; each evaluation uses two orientations.
const mostViews = 4

// view evaluates a position with a given side to move: by the network, under the komi that makes
// its predicted score even, or by random games if the network predicts no ownership.
func (j *judge) view(ctx context.Context, g *board.Game, toMove board.Color, v *judgement) error {
	area := g.Size().Area()
	i := toMove - board.Black
	komi := math.Floor(-float64(board.Balance(g.Board().Area(nil)))) + 0.5
	var out nn.Output
	for n := range int8(mostViews) {
		v.komi[i] = komi
		alone, err := bare(g.Board(), g.Rules().Suicide, toMove, komi)
		if err != nil {
			return err
		}
		own := make([]float32, area)
		for sym := 2 * n; sym < 2*n+2; sym++ {
			q := nn.Query{Game: alone, Symmetry: sym, SkipCache: true, NeedOwnership: true, Meta: j.cfg.profile()}
			q.Options.Areas = j.cfg.Search.Pass.Areas
			if err := j.net.Evaluate(ctx, &q, &out); err != nil {
				return err
			}
			v.asked++
			for p := range own {
				own[p] += sideSign(toMove) * out.Ownership[p] / 2
			}
		}
		strength, sum := float32(0), 0.0
		for _, x := range own {
			strength += max(x, -x)
			sum += float64(x)
		}
		if !out.HasOwnership || strength < ownershipSays*float32(area) {
			own, sum = randomOwnership(g.Board(), toMove), -komi
		}
		v.views[i] = own
		if komi = math.Floor(-sum) + 0.5; math.Abs(komi-v.komi[i]) <= 2 {
			break
		}
	}
	return nil
}

// search replaces v.views by the ownership of searches with either side to move.
func (j *judge) search(ctx context.Context, g *board.Game, v *judgement, visits int64) error {
	for i := range v.views {
		toMove := board.Color(i) + board.Black
		alone, err := bare(g.Board(), g.Rules().Suicide, toMove, v.komi[i])
		if err != nil {
			return err
		}
		p := judging(repeatable(j.cfg.Search), visits)
		result, err := j.thinker.aside(ctx, p, nn.Uncached(j.net), alone, search.Limits{Visits: visits, Ownership: true})
		if err == nil {
			err = ctx.Err()
		}
		if v.asked += visits; err != nil || result.Ownership == nil {
			return err
		}
		v.views[i] = slices.Clone(result.Ownership)
		for p := range v.views[i] {
			v.views[i][p] *= sideSign(toMove)
		}
	}
	v.prove(g)
	return nil
}

// sideSign is the factor between the view of a side and White's.
func sideSign(c board.Color) float32 {
	if c == board.Black {
		return -1
	}
	return 1
}
