package board

// GameOptions answer questions that the rules leave open.
type GameOptions struct {
	// PreventEncore keeps territory games out of the clean-up phases: after two passes such a game
	// is Ended but not Finished.
	PreventEncore bool
	// StartBlackMovesAreHandicap counts the moves that Black makes before
	// White's first as handicap stones.
	StartBlackMovesAreHandicap bool
	// ForgetOutOfTurn makes the position a new start when a colour moves out of turn or the turn
	// is changed: earlier moves count only for Undo and handicap stones.
	ForgetOutOfTurn bool
	AreaModes
}

// AreaModes change how areas are scored, as in the training of some networks. KataGo keeps the modes
// with a game's history. Under some rules they have no effect.
type AreaModes struct {
	// PassAliveUnderSuicide judges pass-alive areas as if suicide were legal.
	PassAliveUnderSuicide bool
	// ExcludeTerritoryAdjacentToAtari applies to territory scoring without a tax: an empty point of a
	// seki-like part of a colour's area (see [Board.IndependentLife]) is neutral if a neighbouring
	// chain of its owner is in atari (KataGo's rules version 3).
	ExcludeTerritoryAdjacentToAtari bool
}

// under returns those modes that have an effect under the rules.
func (m AreaModes) under(r *Rules) AreaModes {
	m.PassAliveUnderSuicide = m.PassAliveUnderSuicide && !r.Suicide
	m.ExcludeTerritoryAdjacentToAtari = m.ExcludeTerritoryAdjacentToAtari && r.Scoring == ScoringTerritory && r.Tax == TaxNone
	return m
}

// ending records how far a game has come towards its end.
type ending struct {
	passes       int // passes in a row that count towards the end
	validTurns   int
	finished     bool
	noResult     bool
	pastPhaseEnd bool
}

// points holds White's bonuses and what decides them.
type points struct {
	bonus      float32 // points for the button and, under territory scoring, a point to the opponent for each stone played
	handicap   float32
	stones     int    // number of handicap stones as set, -1 to infer it
	first      [2]int // initial numbers of black and white stones
	whiteMoved bool   // White has made a move that is not a pass
	// leading is the number of Black's stones before White's first. White's passes between them do not end the
	// count, but two turns of White in a row show that Black's stones are no handicap: then it is 0.
	leading      int
	counted      bool // leading is final
	buttonOnSide bool // the button is not yet taken
}

// encore is the state of the clean-up phases of territory scoring.
type encore struct {
	blocked     pointSet // stones that may not be retaken in ko without a pass for ko
	blockedHash Hash
	captures    []koCapture
	second      []Color // colours at the start of the second phase; empty before that phase
}

// koCapture is a ko capture of a clean-up phase. A player may make it only once in the same
// position.
type koCapture struct {
	stones Hash
	at     Point
	player Color
}

func (e *encore) copyFrom(src *encore) {
	e.blocked, e.blockedHash = src.blocked, src.blockedHash
	e.captures = append(e.captures[:0], src.captures...)
	e.second = append(e.second[:0], src.second...)
}

func (e *encore) reset() {
	e.blocked, e.blockedHash = pointSet{}, Hash{}
	e.captures = e.captures[:0]
	e.second = e.second[:0]
}

// unblock lets the stone on p be retaken.
func (e *encore) unblock(p Point) {
	e.blocked.remove(p)
	e.blockedHash = e.blockedHash.xor(zobrist.blocked[p])
}

// position is the state that decides legality, the effect of a pass, and the score. The
// moves that led to it belong to Game.
type position struct {
	board   Board
	rules   Rules
	options GameOptions
	toMove  Color
	phase   int
	end     ending
	points  points
	ko      koMemory
	encore  encore
}

// Board returns the board of the game, for reading only.
func (g *position) Board() *Board { return &g.board }

func (g *position) Size() Size { return g.board.geo.size }

// Rules returns the rules with the present komi.
func (g *position) Rules() Rules         { return g.rules }
func (g *position) Options() GameOptions { return g.options }
func (g *position) ToMove() Color        { return g.toMove }

func (g *position) At(p Point) Color { return g.board.cells[p].color }

// Finished reports whether the game has ended under its rules. Moves may still be played; the game
// then continues.
func (g *position) Finished() bool { return g.end.finished }

// NoResult reports whether the game ended without result by a repetition that the
// rules do not forbid. Finished is true then.
func (g *position) NoResult() bool { return g.end.noResult }

// Ended reports whether the game is over: Finished or, if PreventEncore keeps it out of the next
// clean-up phase, at the end of a phase.
func (g *position) Ended() bool { return g.end.finished || g.end.pastPhaseEnd }

// Phase returns 0 in the main phase, 1 and 2 in the clean-up phases of
// territory scoring.
func (g *position) Phase() int { return g.phase }

// ConsecutivePasses returns how many of the last moves were passes that count
// towards the end of the phase.
func (g *position) ConsecutivePasses() int { return g.end.passes }

// ValidTurns returns how many moves, counted back from the last one, networks may see: the moves of the
// present phase or, if play went on after the game had Ended, the last move before that and all since.
func (g *position) ValidTurns() int { return g.end.validTurns }

// HasButton reports whether the button can still be taken.
func (g *position) HasButton() bool { return g.points.buttonOnSide }

// BonusScore returns the points that the button and the moves of a territory
// game have given to White so far.
func (g *position) BonusScore() float32 { return g.points.bonus }

// HandicapBonusScore returns the points that White has for handicap stones.
func (g *position) HandicapBonusScore() float32 { return g.points.handicap }

// KoRecapBlocked reports whether the stone on p may not be retaken in ko without a pass for ko.
// This is possible only in the clean-up phases.
func (g *position) KoRecapBlocked(p Point) bool { return g.encore.blocked.has(p) }

// SecondEncoreStart returns the colour that stood on p when the second clean-up
// phase began, Empty before that phase.
func (g *position) SecondEncoreStart(p Point) Color {
	if len(g.encore.second) == 0 {
		return Empty
	}
	return g.encore.second[p]
}

// PastBoard copies the board as it was a number of moves ago (0 to 8) to dst, with its simple ko
// point. It returns false and leaves dst unchanged if it cannot go back that far.
func (g *position) PastBoard(dst *Board, ago int) bool {
	if ago < 0 || ago > min(keptUndo, g.board.CanUndo()) {
		return false
	}
	dst.CopyFrom(&g.board)
	for range ago {
		dst.Undo()
	}
	return true
}

// PassWouldEndPhase reports whether a pass by the side to move ends the phase.
func (g *position) PassWouldEndPhase() bool {
	if g.points.buttonOnSide {
		return false
	}
	return g.passesCount() && g.end.passes+1 >= 2 || g.passWouldRepeat()
}

// passWouldRepeat reports whether a pass by the side to move ends the phase because that side has
// passed in this position before.
func (g *position) passWouldRepeat() bool {
	return !g.points.buttonOnSide && g.passLiftsBans() && g.ko.passKeys[g.toMove].has(g.koKey(g.toMove))
}

// PassWouldEndGame reports whether a pass by the side to move ends the game.
func (g *position) PassWouldEndGame() bool {
	return g.PassWouldEndPhase() && (g.rules.Scoring == ScoringArea || g.phase == 2)
}

// FriendlyPassSuppressed reports whether a pass would end the game although by convention dead
// stones may still be on the board. Then players should judge the pass as if the game went on.
func (g *position) FriendlyPassSuppressed() bool {
	return g.rules.FriendlyPassOk && g.rules.Scoring == ScoringArea &&
		g.passesCount() && g.end.passes+1 == 2 && !g.passWouldRepeat()
}
