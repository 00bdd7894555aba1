package search

import (
	"math"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// rootRules holds rules for the root only, computed again for each search: symmetric copies,
// moves that need no search, ending bonuses, and the network's answers from which they follow.
type rootRules struct {
	out      nn.Output               // network's evaluation of the root
	humanOut nn.Output               // human network's evaluation, if human is set
	human    humanBits               // policy of the human network
	weighted bool                    // the network predicts its errors, by which evaluations may be weighted
	policy   [board.MaxMoves]float32 // policy after temperature and noise

	position *position
	// bonus is the change of the score, in White's points, by each move at the root, indexed by
	// Size.Index.
	bonus    [board.MaxMoves]float32
	hasBonus bool
	useless  [board.MaxMoves]bool // moves that need not be searched
	// copyOf has for each symmetric copy, by Size.Index, the move that is searched in its place;
	// NoPoint for all other moves.
	copyOf     [board.MaxMoves]board.Point
	symmetries []board.Symmetry // symmetries by which the copies were found
}

// mark computes the rules for the root's moves: symmetric copies, useless moves and the ending
// bonus. The network's answer must be present.
func (ru *rootRules) mark(p *Root) {
	g := &ru.position.base
	for i := range ru.copyOf {
		ru.copyOf[i] = board.NoPoint
	}
	clear(ru.useless[:])
	clear(ru.bonus[:])
	ru.hasBonus = false
	if p.SymmetryPruning {
		ru.markCopies(p.LooseImages)
	}
	if p.PruneUselessMoves || p.EndingBonusPoints != 0 {
		suicide := g.Rules().Suicide || g.Options().PassAliveUnderSuicide
		safe := g.Board().PassAlive(make([]board.Color, 0, board.MaxPoints), suicide)
		if p.PruneUselessMoves {
			ru.markUseless(safe)
		}
		if p.EndingBonusPoints != 0 && ru.out.HasOwnership {
			ru.markBonus(safe, p.EndingBonusPoints)
		}
	}
}

// markCopies finds moves that symmetries of the position map to each other, and keeps one move of
// each such set: for Black the one furthest to the right and then to the top, for White the
// opposite, so that games begin in the usual corners. A move's subtree is valid for its image only
// if restrictions are symmetric too; loose assumes that they are.
func (ru *rootRules) markCopies(loose bool) {
	symmetries := positionSymmetries(&ru.position.base)
	if !loose {
		symmetries = slices.DeleteFunc(symmetries, func(k board.Symmetry) bool { return !sameBelow(ru.position.bans, &ru.position.base, k) })
	}
	ru.symmetries = symmetries
	if len(symmetries) == 0 {
		return
	}
	size := ru.position.base.Size()
	for k := range size.Area() {
		x, y := size.W-1-k/size.H, k%size.H
		if ru.position.base.ToMove() == board.White {
			x, y = k/size.H, size.H-1-k%size.H
		}
		p := size.Point(x, y)
		if !ru.position.allows(p) || ru.copyOf[p] != board.NoPoint {
			continue
		}
		for _, sym := range symmetries {
			if q := size.SymMap(sym, p); q != p && ru.copyOf[q] == board.NoPoint {
				ru.copyOf[q] = p
			}
		}
	}
}

// positionSymmetries returns the symmetries of the position, without the identity; none while a ko
// rule forbids a point.
func positionSymmetries(g *board.Game) []board.Symmetry {
	size := g.Size()
	if g.Board().KoPoint() != board.NoPoint {
		return nil
	}
	for p := range board.Point(size.Area()) {
		if g.SuperkoBanned(p) || g.KoRecapBlocked(p) {
			return nil
		}
	}
	var found []board.Symmetry
search:
	for k := board.Symmetry(1); int(k) < size.Symmetries(); k++ {
		for p := range board.Point(size.Area()) {
			q := size.SymMap(k, p)
			if g.At(p) != g.At(q) || g.SecondEncoreStart(p) != g.SecondEncoreStart(q) {
				continue search
			}
		}
		found = append(found, k)
	}
	return found
}

// markUseless drops moves inside pass-alive areas if the opponent's last four moves were passes.
func (ru *rootRules) markUseless(safe []board.Color) {
	opponent := ru.position.base.ToMove().Opponent()
	for i := 0; i <= 6; i += 2 {
		if m := ru.position.base.LastMove(i); m.Color != opponent || m.Point != board.Pass {
			return
		}
	}
	for p, c := range safe {
		ru.useless[p] = c != board.Empty
	}
}

// sureOwnership is the ownership beyond which a point counts as sure for the ending bonus.
const sureOwnership = 0.95

// markBonus penalises moves that only fill surely owned points, so that a won game ends soon and
// neutral points are filled before passing. While a ko is open, it penalises only the pass.
func (ru *rootRules) markBonus(safe []board.Color, points float64) {
	g := &ru.position.base
	b, size, mover := g.Board(), g.Size(), g.ToMove()
	area := g.Rules().Scoring == board.ScoringArea || g.Phase() >= 2
	sign := float32(1)
	if mover == board.Black {
		sign = -1
	}
	pass := size.Area()
	switch {
	case area && g.HasButton():
		ru.bonus[pass] = sign * float32(-points/2)
	case !area:
		ru.bonus[pass] = sign * float32(-points*2/3)
	}
	ru.hasBonus = ru.bonus[pass] != 0
	if b.KoPoint() != board.NoPoint {
		return
	}
	for p := range board.Point(size.Area()) {
		if g.At(p) != board.Empty {
			continue
		}
		own := float64(ru.out.Ownership[p])
		beyond := math.Abs(own) - sureOwnership
		switch {
		case own <= -sureOwnership && !(area && captures(b, mover, p)):
		case own >= sureOwnership && !touches(b, mover.Opponent(), p) && !connects(b, mover, p, safe):
		default:
			continue
		}
		ru.bonus[p] = sign * float32(-points*beyond/(1-sureOwnership))
		ru.hasBonus = ru.hasBonus || ru.bonus[p] != 0
	}
}

// captures reports whether a move of c takes stones.
func captures(b *board.Board, c board.Color, p board.Point) bool {
	return slices.ContainsFunc(b.Neighbors(p), func(q board.Point) bool { return b.At(q) == c.Opponent() && b.Liberties(q) == 1 })
}

// touches reports whether a point is next to a stone of c.
func touches(b *board.Board, c board.Color, p board.Point) bool {
	return slices.ContainsFunc(b.Neighbors(p), func(q board.Point) bool { return b.At(q) == c })
}

// connects reports whether a move joins a chain of its colour that is not pass-alive to another.
func connects(b *board.Board, own board.Color, p board.Point, safe []board.Color) bool {
	near := b.Neighbors(p)
	return safe[p] != own && slices.ContainsFunc(near, func(q board.Point) bool {
		return b.At(q) == own && safe[q] == board.Empty && slices.ContainsFunc(near, func(r board.Point) bool {
			return b.At(r) == own && b.ChainHead(r) != b.ChainHead(q)
		})
	})
}

// bonusUtility is the change of a root move's utility by its ending bonus, in White's view.
func (ru *rootRules) bonusUtility(p board.Point, avg *outcome, v *valuer) float64 {
	if !ru.hasBonus {
		return 0
	}
	d := float64(ru.bonus[ru.position.base.Size().Index(p)])
	if d == 0 {
		return 0
	}
	mean, stdev := float64(avg.scoreMean), avg.stdev()
	return v.ofScore(mean+d, stdev) - v.ofScore(mean, stdev)
}

// allowed reports whether a legal move is searched at the root.
func (ru *rootRules) allowed(p board.Point) bool {
	i := ru.position.base.Size().Index(p)
	return ru.position.allows(p) && !ru.useless[i] && ru.copyOf[i] == board.NoPoint
}

// neutral reports whether a point is not surely the opponent's, or touches a point that surely
// belongs to the side to move.
func (ru *rootRules) neutral(p board.Point) bool {
	own := ru.out.Ownership
	if own[p] >= -sureOwnership {
		return true
	}
	return slices.ContainsFunc(ru.position.base.Board().Neighbors(p), func(q board.Point) bool { return own[q] > sureOwnership })
}

// addCopies lists, after each searched move, its symmetric copies, which were not searched.
func (ru *rootRules) addCopies(moves []thinking.Move) []thinking.Move {
	size := ru.position.base.Size()
	all := make([]thinking.Move, 0, 2*len(moves))
	for _, m := range moves {
		all = append(all, m)
		if m.Move == board.Pass {
			continue
		}
		first := len(all)
		for _, k := range ru.symmetries {
			p := size.SymMap(k, m.Move)
			if ru.copyOf[p] != m.Move || !ru.position.allows(p) ||
				slices.ContainsFunc(all[first:], func(o thinking.Move) bool { return o.Move == p }) {
				continue
			}
			all = append(all, image(m, size, k))
		}
	}
	return all
}

// image maps a move by a symmetry, with its variation and ownership.
func image(m thinking.Move, size board.Size, k board.Symmetry) thinking.Move {
	m.SymmetryOf, m.Move = m.Move, size.SymMap(k, m.Move)
	m.PV = slices.Clone(m.PV)
	for i, p := range m.PV {
		m.PV[i] = size.SymMap(k, p)
	}
	m.Ownership, m.OwnershipStdev = turned(m.Ownership, size, k), turned(m.OwnershipStdev, size, k)
	return m
}

func turned(values []float32, size board.Size, k board.Symmetry) []float32 {
	if values == nil {
		return nil
	}
	out := make([]float32, len(values))
	for p, q := range board.SymTable(size, k) {
		out[q] = values[p]
	}
	return out
}
