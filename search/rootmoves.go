package search

import (
	"math"

	"kosumi/board"
)

// markRoot finds out what holds for single moves at the root: symmetric copies,
// useless moves and the ending bonus.
func (t *Tree) markRoot() {
	top := &t.top
	for i := range top.copyOf {
		top.copyOf[i] = board.NoPoint
	}
	clear(top.useless[:])
	clear(top.bonus[:])
	top.hasBonus = false
	if t.p.Root.SymmetryPruning {
		t.markCopies()
	}
	if t.p.Root.PruneUselessMoves || t.p.Root.EndingBonusPoints != 0 {
		suicide := t.base.Rules().Suicide || t.base.Options().PassAliveUnderSuicide
		safe := t.base.Board().PassAlive(make([]board.Color, 0, board.MaxPoints), suicide)
		if t.p.Root.PruneUselessMoves {
			t.markUseless(safe)
		}
		if t.p.Root.EndingBonusPoints != 0 && top.out.HasOwnership {
			t.markBonus(safe)
		}
	}
}

// markCopies finds moves that a symmetry of the position maps to each other and
// keeps one of each kind: for Black the one furthest to the right and then to
// the top, for White the opposite, so that games begin in the usual corners.
func (t *Tree) markCopies() {
	symmetries := t.positionSymmetries()
	t.top.symmetries = symmetries
	if len(symmetries) == 0 {
		return
	}
	size := t.sh.size
	for k := range size.Area() {
		x, y := size.W-1-k/size.H, k%size.H
		if t.base.ToMove() == board.White {
			x, y = k/size.H, size.H-1-k%size.H
		}
		p := size.Point(x, y)
		if !allowed(t.bans, t.base.ToMove(), p, 0) || t.top.copyOf[p] != board.NoPoint {
			continue
		}
		for _, sym := range symmetries {
			if q := size.SymMap(sym, p); q != p && t.top.copyOf[q] == board.NoPoint {
				t.top.copyOf[q] = p
			}
		}
	}
}

// positionSymmetries returns the symmetries, the identity left out, that leave
// the position as it is; none where a ko or superko ban tells points apart.
func (t *Tree) positionSymmetries() []board.Symmetry {
	g, size := &t.base, t.sh.size
	if g.Board().KoPoint() != board.NoPoint {
		return nil
	}
	for p := range board.Point(size.Area()) {
		if g.SuperkoBanned(p) || g.KoRecapBlocked(p) {
			return nil
		}
	}
	var found []board.Symmetry
	for k := board.Symmetry(1); int(k) < size.Symmetries(); k++ {
		same := true
		for p := range board.Point(size.Area()) {
			q := size.SymMap(k, p)
			if g.At(p) != g.At(q) || g.SecondEncoreStart(p) != g.SecondEncoreStart(q) {
				same = false
				break
			}
		}
		if same {
			found = append(found, k)
		}
	}
	return found
}

// markUseless drops the moves inside sure areas where the opponent's last four
// moves were passes.
func (t *Tree) markUseless(safe []board.Color) {
	opponent := t.base.ToMove().Opponent()
	for i := 0; i <= 6; i += 2 {
		if m := t.base.LastMove(i); m.Color != opponent || m.Point != board.Pass {
			return
		}
	}
	for p, c := range safe {
		t.top.useless[p] = c != board.Empty
	}
}

// Ownership beyond sureOwnership is taken for sure when endings are judged.
const sureOwnership = 0.95

// markBonus takes points from moves that only fill what is owned anyhow, so that
// a won game ends soon and neutral points are filled before passing. Nothing is
// taken while a ko is open.
func (t *Tree) markBonus(safe []board.Color) {
	g, size := &t.base, t.sh.size
	points := t.p.Root.EndingBonusPoints
	area := g.Rules().Scoring == board.ScoringArea || g.Phase() >= 2
	sign := float32(1)
	if g.ToMove() == board.Black {
		sign = -1
	}
	pass := size.Area()
	switch {
	case area && g.HasButton():
		t.top.bonus[pass] = sign * float32(-points/2)
	case !area:
		t.top.bonus[pass] = sign * float32(-points*2/3)
	}
	t.top.hasBonus = t.top.bonus[pass] != 0
	if g.Board().KoPoint() != board.NoPoint {
		return
	}
	for p := range board.Point(size.Area()) {
		if g.At(p) != board.Empty {
			continue
		}
		own := float64(t.top.out.Ownership[p])
		beyond := math.Abs(own) - sureOwnership
		switch {
		case own <= -sureOwnership && !(area && t.captures(p)):
		case own >= sureOwnership && !t.touches(p, g.ToMove().Opponent()) && !t.connects(p, safe):
		default:
			continue
		}
		t.top.bonus[p] = sign * float32(-points*beyond/(1-sureOwnership))
		t.top.hasBonus = t.top.hasBonus || t.top.bonus[p] != 0
	}
}

// captures tells whether a move of the side to move takes stones.
func (t *Tree) captures(p board.Point) bool {
	b := t.base.Board()
	for _, q := range b.Neighbors(p) {
		if b.At(q) == t.base.ToMove().Opponent() && b.Liberties(q) == 1 {
			return true
		}
	}
	return false
}

func (t *Tree) touches(p board.Point, c board.Color) bool {
	b := t.base.Board()
	for _, q := range b.Neighbors(p) {
		if b.At(q) == c {
			return true
		}
	}
	return false
}

// connects tells whether a move joins a chain of the mover that is not
// pass-alive to another chain.
func (t *Tree) connects(p board.Point, safe []board.Color) bool {
	b, own := t.base.Board(), t.base.ToMove()
	if safe[p] == own {
		return false
	}
	head := board.NoPoint
	for _, q := range b.Neighbors(p) {
		if b.At(q) == own && safe[q] == board.Empty {
			head = b.ChainHead(q)
			break
		}
	}
	if head == board.NoPoint {
		return false
	}
	for _, q := range b.Neighbors(p) {
		if b.At(q) == own && b.ChainHead(q) != head {
			return true
		}
	}
	return false
}

// bonusUtility is what the ending bonus of a root move changes its utility by,
// in White's view.
func (t *Tree) bonusUtility(p board.Point, avg *outcome) float64 {
	if !t.top.hasBonus {
		return 0
	}
	d := float64(t.top.bonus[t.sh.size.Index(p)])
	if d == 0 {
		return 0
	}
	mean, stdev := float64(avg.scoreMean), avg.stdev()
	return t.sh.value.ofScore(mean+d, stdev) - t.sh.value.ofScore(mean, stdev)
}

// plainRoot tells whether moves at the root are selected like everywhere else.
func (t *Tree) plainRoot() bool {
	r := &t.p.Root
	return !t.top.hasBonus && r.WideNoise == 0 && r.DesiredPerChildVisitsCoeff == 0 && t.p.Stop.FutileVisitsThreshold == 0
}

// selectSpecial is selectMove with what holds only at the root (ending bonus,
// futile moves, forced visits and wide noise) and only against mirror Go.
func (t *Tree) selectSpecial(n *node, edges []edge, x *explorer, root bool) int {
	best, at := math.Inf(-1), selectNone
	radius := t.sh.value.radius()
	var total float64
	for i := range edges {
		total += float64(edges[i].weight)
	}
	for i := range edges {
		e := &edges[i]
		if e.prior < 0 {
			continue
		}
		u, w := x.fpu, float64(e.weight)
		if w > 0 {
			u = float64(e.utility)
			if root {
				u += t.bonusUtility(e.move, &t.a.node(e.child).avg)
			}
		}
		if e.inFlight != 0 {
			u, w = t.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		if s := t.specialScore(n, e, x, float64(e.prior), u, w, total, root); s > best {
			best, at = s, i
		}
	}
	return t.orNew(n, edges, x, root, best, at)
}

// specialScore is the selection value of an edge with a prior, a utility and a
// weight.
func (t *Tree) specialScore(n *node, e *edge, x *explorer, prior, utility, weight, total float64, root bool) float64 {
	if root {
		switch k := t.p.Root.DesiredPerChildVisitsCoeff; {
		case t.p.Stop.FutileVisitsThreshold > 0 && t.futile(n, e):
			return futileScore
		case k > 0 && prior > 0 && weight < math.Sqrt(k*prior*total):
			return forcedScore
		}
		prior, utility = t.widen(prior, utility, x.sign)
	}
	if c := &t.counter; c.on {
		prior = float64(c.prior(e.move, float32(prior)))
		gain := x.sign * (utility - n.utility)
		utility += x.sign * c.bonus(e.move, gain, n.utility, weight, total)
	}
	return x.score(utility, weight, prior)
}

// orNew returns the place of the best edge, or selectNew if the best move without
// one scores more.
func (t *Tree) orNew(n *node, edges []edge, x *explorer, root bool, best float64, at int) int {
	prior, ok := t.nextPrior(n)
	place := int(n.edgeCount)
	if t.counter.on {
		place, prior, ok = t.counter.next(t, n)
	}
	if !ok {
		return at
	}
	u := x.fpu
	if root {
		prior, u = t.widen(prior, u, x.sign)
	}
	if x.score(u, 0, prior) <= best || root && t.futileNew(n) {
		return at
	}
	if place != int(n.edgeCount) {
		p, _ := t.a.priorAt(n, place)
		t.bringForward(n, p)
		n.flags |= flagUnsorted
	}
	return selectNew
}

const (
	forcedScore = 1e20
	futileScore = -1e40
)

// widen applies the noise that makes analysis look at more moves.
func (t *Tree) widen(prior, utility, sign float64) (float64, float64) {
	q := t.p.Root.WideNoise
	if q == 0 {
		return prior, utility
	}
	prior = math.Pow(prior, 1/(4*q+1))
	if t.rng.Uint64()&1 == 0 {
		utility += sign * q * math.Abs(t.rng.NormFloat64())
	}
	return prior, utility
}
