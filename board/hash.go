package board

import (
	"math"
	"slices"
)

// DefaultRepBound is KataGo's bound for GraphHash: the hash depends on the move order if captures
// could bring the position before the last move back in at most this number of further moves.
const DefaultRepBound = 11

// PastHash is the hash of stones, size and simple ko point a number of moves ago (0 to 8). It
// returns false if it cannot go back that far.
func (g *position) PastHash(ago int) (Hash, bool) {
	b := &g.board
	if ago < 0 || ago > min(keptUndo, b.CanUndo()) {
		return Hash{}, false
	}
	s := &b.state
	if ago > 0 {
		s = &b.marks[len(b.marks)-ago].state
	}
	h := s.hash
	if s.ko != NoPoint {
		h = h.xor(zobrist.ko[s.ko])
	}
	return h, true
}

// Hash identifies the state for caches: stones, board size, side to move, phase, ko point, points
// banned by superko, blocked and initial stones of the clean-up phases, White's bonus points, rules,
// options, and the effect of passes. It depends on earlier moves only through these, so networks, which
// also see the last moves, may answer differently for states with equal hashes.
func (g *position) Hash() Hash {
	h := g.board.state.hash.xor(zobrist.toMove[g.toMove]).xor(g.encore.blockedHash)
	if k := g.board.state.ko; k != NoPoint {
		h = h.xor(zobrist.ko[k])
	}
	h = g.hashBans(h)
	for p, c := range g.encore.second {
		if c != Empty {
			h = h.xor(zobrist.second[c][p])
		}
	}
	r := &g.rules
	word := uint64(g.phase) | uint64(min(g.end.passes, 3))<<2 |
		uint64(r.Ko)<<4 | uint64(r.Scoring)<<6 | uint64(r.Tax)<<7 | uint64(r.HandicapBonus)<<9
	modes := g.options.under(r)
	for i, flag := range [...]bool{
		r.Suicide, r.Button, r.FriendlyPassOk, g.points.buttonOnSide, g.end.finished, g.end.noResult,
		g.end.pastPhaseEnd, g.options.PreventEncore, modes.PassAliveUnderSuicide, g.PassWouldEndPhase(),
		modes.ExcludeTerritoryAdjacentToAtari,
	} {
		if flag {
			word |= 1 << (16 + i)
		}
	}
	white := g.points.bonus + g.points.handicap + r.Komi
	word |= uint64(uint32(int32(math.Round(float64(white)*256)))) << 32
	hi := mix64(word ^ 0x5851f42d4c957f2d)
	return h.xor(Hash{hi, mix64(hi + word)})
}

// hashBans adds the points that are banned for the side to move.
func (g *position) hashBans(h Hash) Hash {
	if g.phase > 0 {
		for i, k := range g.encore.captures {
			// Each point counts once, however often it was captured on.
			if g.SuperkoBanned(k.at) && !slices.ContainsFunc(g.encore.captures[:i], func(o koCapture) bool { return o.at == k.at }) {
				h = h.xor(zobrist.banned[k.at])
			}
		}
		return h
	}
	if g.rules.Ko == KoSimple {
		return h
	}
	if g.rules.Suicide {
		h = g.hashSuicideBans(h)
	}
	for p := g.board.vacated.next(0); p != NoPoint; p = g.board.vacated.next(p + 1) {
		if g.SuperkoBanned(p) {
			h = h.xor(zobrist.banned[p])
		}
	}
	return h
}

// hashSuicideBans adds banned points that hashBans misses: those where superko bans a suicide. Such
// a point is the last liberty of a chain of the side to move.
func (g *position) hashSuicideBans(h Hash) Hash {
	b := &g.board
	var counted pointSet
	for i := range b.geo.area {
		a, p := &b.cells[i], Point(i)
		if a.libs != 1 || a.head != p || a.color != g.toMove {
			continue
		}
		var buf [1]Point
		last := b.LibertyPoints(buf[:0], p)[0]
		if !counted.has(last) && !b.vacated.has(last) && g.SuperkoBanned(last) {
			counted.add(last)
			h = h.xor(zobrist.banned[last])
		}
	}
	return h
}

// GraphHash identifies a node of a search graph. prev is the graph hash before the last move, the
// zero Hash at the root. The hash depends on the move order after a pass, and where captures could
// soon restore the position before the last move, so that the graph has no cycles; elsewhere it is
// Hash, so that transpositions share a node (KataGo, docs/GraphSearch.md).
func (g *Game) GraphHash(prev Hash) Hash { return g.GraphHashWithin(prev, DefaultRepBound) }

// GraphHashWithin is GraphHash with another bound: the hash depends on the move order if captures
// could bring the position before the last move back in at most bound further moves.
func (g *Game) GraphHashWithin(prev Hash, bound int) Hash {
	h := g.Hash()
	last := g.LastMove(0)
	if last.Point == NoPoint {
		return h
	}
	if last.Point != Pass && g.board.movesToReturn(last.Point, bound) > bound {
		return h
	}
	return Hash{
		mix64(prev.Hi+0x9e3779b97f4a7c15) + h.Hi,
		mix64(prev.Lo^prev.Hi<<1) + h.Lo,
	}
}

// movesToReturn returns a lower bound for the number of moves after which the position before the
// last move could stand again; p is the point of that move. The bound counts the stones of the chain
// on p and all points of the empty regions next to it or, after a suicide, of the region around p.
// Counting stops once the count exceeds enough.
func (b *Board) movesToReturn(p Point, enough int) int {
	var seen pointSet
	var list [MaxPoints]Point
	n, i := 0, 0
	total := 0
	if b.cells[p].color == Empty {
		list[0], n = p, 1
		seen.add(p)
	} else {
		total = int(b.cells[b.cells[p].head].size + b.cells[b.cells[p].head].libs)
		if total > enough {
			return total
		}
		total = int(b.cells[b.cells[p].head].size)
		for q := p; ; {
			n = b.addEmpty(&list, n, &seen, q)
			if q = b.cells[q].next; q == p {
				break
			}
		}
	}
	for ; i < n && total+n <= enough; i++ {
		n = b.addEmpty(&list, n, &seen, list[i])
	}
	return total + n
}

// addEmpty appends the unseen empty neighbours of p to a list of length n and
// returns its new length.
func (b *Board) addEmpty(list *[MaxPoints]Point, n int, seen *pointSet, p Point) int {
	for _, q := range &b.geo.near[p] {
		if b.cells[q].color == Empty && !seen.has(q) {
			seen.add(q)
			list[n] = q
			n++
		}
	}
	return n
}
