package board

// koKey returns the key of the present position with side to move: what counts
// as the same position for superko, repetition and passes.
func (g *Game) koKey(side Color) Hash {
	h := g.board.state.hash.xor(g.encore.blockedHash)
	if g.keysHaveSide() {
		h = h.xor(zobrist.toMove[side])
	}
	return h
}

func (g *Game) keysHaveSide() bool {
	return g.phase > 0 || g.rules.Ko == KoSimple || g.rules.Ko == KoSituational
}

// passLiftsBans reports whether a pass empties the list of earlier positions.
func (g *Game) passLiftsBans() bool {
	return g.phase > 0 || g.rules.Ko == KoSimple || g.rules.Ko == KoSpight
}

// passesCount reports whether passes in a row end the phase. Under Spight's rule
// only passing twice in the same position does.
func (g *Game) passesCount() bool { return g.phase > 0 || g.rules.Ko != KoSpight }

// apply plays a move that at least PlayTolerant allows. The order of the steps
// is that of KataGo's rules.
func (g *Game) apply(c Color, p Point) {
	if c != g.toMove {
		g.strays = append(g.strays, len(g.moves))
		if g.options.ForgetOutOfTurn {
			g.forget(c)
		}
	}
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
	g.board.trimUndo()
	g.moves = append(g.moves, Move{c, p})
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
	if c == Black && !g.points.whiteMoved {
		g.points.handicap = g.handicapBonus()
	}
	if g.end.passes >= 2 || repeatedPass {
		g.endPhase()
	}
	if repeated && p != Pass && (g.phase > 0 || g.rules.Ko == KoSimple) && g.ko.keys.count(key) >= 3 {
		g.end.noResult, g.end.finished = true, true
	}
}

// pointFor returns a point for c as White sees it.
func pointFor(c Color) float32 {
	if c == White {
		return 1
	}
	return -1
}

// countPass does what a pass by c does before the board sees it. It tells
// whether c had passed before in the same position, which ends the phase.
func (g *Game) countPass(c Color) (repeated bool) {
	if g.points.buttonOnSide {
		g.points.buttonOnSide = false
		g.points.bonus += pointFor(c) / 2
		g.end.passes = 0
		g.forgetPositions()
		for i := range g.ko.passKeys {
			g.ko.passKeys[i].reset()
		}
		return false
	}
	key := g.koKey(c)
	if g.passLiftsBans() {
		g.forgetPositions()
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

// forgetPositions empties the list of earlier positions.
func (g *Game) forgetPositions() {
	g.ko.keys.reset()
	g.board.vacated = pointSet{}
}

// placeStone makes the move on the board. In the clean-up phases a move may be a
// pass for ko, which only lifts a block, and every ko capture sets one.
func (g *Game) placeStone(c Color, p Point) (passForKo bool) {
	if g.phase == 0 || p == Pass {
		g.board.Play(c, p)
		return false
	}
	if q := g.passForKo(c, p); q != NoPoint {
		g.unblock(q)
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
			g.unblock(q)
		}
	}
	return false
}

func (g *Game) unblock(p Point) {
	g.encore.blocked.remove(p)
	g.encore.blockedHash = g.encore.blockedHash.xor(zobrist.blocked[p])
}

// passForKo returns the blocked stone that a move of c on p would unblock as a
// pass for ko, or NoPoint if it is no such move.
func (g *Game) passForKo(c Color, p Point) Point {
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

// koCapture returns the stone that c would capture in ko on the empty point p:
// all neighbours of p are opponent's stones, and just one of them is in atari
// and alone. NoPoint if it is no such point.
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
func (g *Game) endPhase() {
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
	g.ko.reset()
	g.board.vacated = pointSet{}
	g.ko.keys.add(g.koKey(g.toMove))
}

// appendColors appends the colours of all points.
func (b *Board) appendColors(dst []Color) []Color {
	for _, a := range b.cells[:b.geo.area] {
		dst = append(dst, a.color)
	}
	return dst
}

// PassWouldEndPhase reports whether a pass by the side to move ends the phase.
func (g *Game) PassWouldEndPhase() bool {
	if g.points.buttonOnSide {
		return false
	}
	return g.passesCount() && g.end.passes+1 >= 2 || g.passWouldRepeat()
}

// passWouldRepeat reports whether the side to move has passed in this position
// before, where that ends the phase.
func (g *Game) passWouldRepeat() bool {
	return !g.points.buttonOnSide && g.passLiftsBans() && g.ko.passKeys[g.toMove].has(g.koKey(g.toMove))
}

// PassWouldEndGame reports whether a pass by the side to move ends the game.
func (g *Game) PassWouldEndGame() bool {
	return g.PassWouldEndPhase() && (g.rules.Scoring == ScoringArea || g.phase == 2)
}

// FriendlyPassSuppressed reports whether a pass would end the game although by
// convention dead stones may still stand, so that players should judge the pass
// as if it did not.
func (g *Game) FriendlyPassSuppressed() bool {
	return g.rules.FriendlyPassOk && g.rules.Scoring == ScoringArea &&
		g.passesCount() && g.end.passes+1 == 2 && !g.passWouldRepeat()
}

// HandicapStones returns the number of handicap stones: what SetHandicapStones
// said, else what the start and the moves that Black made before White's first
// tell; 0 or at least 2.
func (g *Game) HandicapStones() int {
	if g.points.stones >= 0 {
		return g.points.stones
	}
	return g.startingStones(g.options.StartBlackMovesAreHandicap)
}

// StartingStones is HandicapStones where Black's moves before White's first always
// count.
func (g *Game) StartingStones() int {
	if g.points.stones >= 0 {
		return g.points.stones
	}
	return g.startingStones(true)
}

func (g *Game) startingStones(withMoves bool) int {
	n, white := g.points.first[0], g.points.first[1]
	if white > 0 {
		return 0
	}
	if withMoves {
		n += g.leadingBlackMoves()
	}
	if n <= 1 {
		return 0
	}
	return n
}

// leadingBlackMoves counts Black's stones before White's first move. White's
// passes between them do not end the count; two moves of White in a row tell
// that these were no handicap stones.
func (g *Game) leadingBlackMoves() int {
	n, moves := 0, g.moves[g.known:]
	for i, m := range moves {
		switch {
		case m.Color == Black && m.Point != Pass:
			n++
		case m.Color == White:
			if i+1 < len(moves) && moves[i+1].Color != Black {
				return 0
			}
			if m.Point != Pass {
				return n
			}
		}
	}
	return n
}

// handicapBonus returns White's points for handicap stones.
func (g *Game) handicapBonus() float32 {
	switch g.rules.HandicapBonus {
	case BonusN:
		return float32(g.HandicapStones())
	case BonusNMinus1:
		return float32(max(g.HandicapStones()-1, 0))
	}
	return 0
}
