package board

// koKey returns the key of the present position if side is to move. For superko, repetition and
// passes, positions with equal keys are the same.
func (g *position) koKey(side Color) Hash {
	h := g.board.state.hash.xor(g.encore.blockedHash)
	if g.phase > 0 || g.rules.Ko == KoSimple || g.rules.Ko == KoSituational {
		h = h.xor(zobrist.toMove[side])
	}
	return h
}

// passLiftsBans reports whether a pass empties the list of earlier positions.
func (g *position) passLiftsBans() bool {
	return g.phase > 0 || g.rules.Ko == KoSimple || g.rules.Ko == KoSpight
}

// passesCount reports whether passes in a row end the phase. Under Spight's rule
// only passing twice in the same position does.
func (g *position) passesCount() bool { return g.phase > 0 || g.rules.Ko != KoSpight }

// advance plays a move that PlayTolerant would allow. The order of the steps is that of KataGo's
// rules.
func (g *position) advance(c Color, p Point) {
	if g.Ended() {
		g.end.validTurns = min(g.end.validTurns, 1)
	}
	g.end.finished, g.end.pastPhaseEnd, g.end.noResult = false, false, false

	repeatedPass := false
	if p == Pass {
		repeatedPass = g.countPass(c)
	} else {
		g.end.passes = 0
	}
	passForKo := g.placeStone(c, p)
	if b := &g.board; len(b.marks) >= 32 { // the undo record stays short in a long game
		b.copyUndo(b.marks, b.log)
	}
	g.end.validTurns++
	g.toMove = c.Opponent()
	key := g.koKey(g.toMove)
	repeated := g.ko.keys.mayHave(key)
	g.ko.keys.add(key)

	if g.rules.Scoring == ScoringTerritory && g.phase <= 1 && p != Pass && !passForKo {
		g.points.bonus += pointFor(c.Opponent())
	}
	if p != Pass && c == White {
		g.points.whiteMoved = true
	}
	if g.end.passes >= 2 || repeatedPass {
		g.endPhase()
	}
	if repeated && p != Pass && (g.phase > 0 || g.rules.Ko == KoSimple) && g.ko.keys.count(key) >= 3 {
		g.end.noResult, g.end.finished = true, true
	}
}

// pointFor returns the worth of a point of c in White's view: 1 or -1.
func pointFor(c Color) float32 {
	if c == White {
		return 1
	}
	return -1
}

// countPass counts a pass by c before it is made on the board. It reports whether c had
// passed before in the same position, which ends the phase.
func (g *position) countPass(c Color) (repeated bool) {
	if g.points.buttonOnSide {
		g.points.buttonOnSide = false
		g.points.bonus += pointFor(c) / 2
		g.end.passes = 0
		g.ko.reset()
		g.board.vacated = pointSet{}
		return false
	}
	key := g.koKey(c)
	if g.passLiftsBans() {
		g.ko.keys.reset()
		g.board.vacated = pointSet{}
		repeated = g.ko.passKeys[c].has(key)
	}
	if g.passesCount() {
		g.end.passes++
	} else {
		g.end.passes = 0
	}
	g.ko.passKeys[c].add(key)
	return repeated
}

// forgetAll makes the present position the only one that superko, repetition and passes know.
func (g *position) forgetAll() {
	g.ko.reset()
	g.board.vacated = pointSet{}
	g.ko.keys.add(g.koKey(g.toMove))
}

// placeStone makes the move on the board. In the clean-up phases a move may be a
// pass for ko, which only lifts a block, and every ko capture sets one.
func (g *position) placeStone(c Color, p Point) (passForKo bool) {
	if g.phase == 0 || p == Pass {
		g.board.Play(c, p)
		return false
	}
	if q := g.passForKo(c, p); q != NoPoint {
		g.encore.unblock(q)
		g.board.Play(c, Pass)
		return true
	}
	before := g.board.state.hash
	g.board.Play(c, p)
	if g.board.state.ko != NoPoint {
		g.encore.blocked.add(p)
		g.encore.blockedHash = g.encore.blockedHash.xor(zobrist.blocked[p])
		g.encore.captures = append(g.encore.captures, koCapture{before, p, c})
		g.board.ClearKo()
	}
	for q := g.encore.blocked.next(0); q != NoPoint; q = g.encore.blocked.next(q + 1) {
		if g.board.cells[q].color == Empty {
			g.encore.unblock(q)
		}
	}
	return false
}

// passForKo returns the blocked stone that a move of c on p would unblock as a
// pass for ko, or NoPoint if it is no such move.
func (g *position) passForKo(c Color, p Point) Point {
	if g.phase == 0 || p < 0 || g.encore.blocked.empty() {
		return NoPoint
	}
	b := &g.board
	if b.cells[p].color != Empty {
		if g.encore.blocked.has(p) && b.cells[p].color == c.Opponent() && b.ChainSize(p) == 1 && b.Liberties(p) == 1 {
			return p
		}
		return NoPoint
	}
	if q := b.koCapture(c, p); q != NoPoint && g.encore.blocked.has(q) {
		return q
	}
	return NoPoint
}

// koCapture returns the stone that c would capture in ko on the empty point p: all neighbours of p
// are the opponent's stones, and just one of them is in atari and alone. NoPoint if c would capture
// none in ko.
func (b *Board) koCapture(c Color, p Point) Point {
	found := NoPoint
	for _, q := range &b.geo.near[p] {
		a := b.cells[q]
		if a.color == wall {
			continue
		}
		if a.color != c.Opponent() {
			return NoPoint
		}
		if head := b.cells[a.head]; head.libs == 1 {
			if head.size > 1 || found != NoPoint {
				return NoPoint
			}
			found = q
		}
	}
	return found
}

// endPhase does what two passes do: it ends the game or begins a new phase.
func (g *position) endPhase() {
	if g.rules.Scoring == ScoringArea || g.phase == 2 {
		g.end.finished = true
		return
	}
	if g.options.PreventEncore {
		g.end.pastPhaseEnd = true
		g.end.validTurns = min(g.end.validTurns, 1)
		return
	}
	g.phase++
	g.end.validTurns, g.end.passes = 0, 0
	g.encore.reset()
	if g.phase == 2 {
		g.encore.second = g.board.appendColors(g.encore.second)
	}
	g.forgetAll()
}

func (b *Board) appendColors(dst []Color) []Color {
	for _, a := range b.cells[:b.geo.area] {
		dst = append(dst, a.color)
	}
	return dst
}
