package features

import (
	"math"

	"kosumi/board"
)

// The planes that V3, V4, V6 and V7 share.
const (
	planeOnBoard    = 0
	planeOwn        = 1
	planeOpp        = 2
	planeLiberties  = 3 // chains with 1, 2, 3 liberties
	planeBanned     = 6
	planeBlocked    = 7
	planeHistory    = 9  // the last five moves, newest first
	planeLadders    = 14 // now, one and two moves ago
	planeWorking    = 17
	planeOwnArea    = 18
	planeOppArea    = 19
	planeSecondOwn  = 20
	planeSecondOpp  = 21
	historyTurns    = 5
	globalKomi      = 5
	globalRules     = 6
	globalPassEndV7 = 14
)

func (w *writer) v7() {
	loss := w.scoringArea()
	turns, hideEnd := w.turnsV7(loss)
	w.modernPlanes(turns)
	w.modernGlobals(hideEnd, float32(w.area+20))
	if d := w.o.PlayoutDoublingAdvantage; d != 0 {
		w.global[15], w.global[16] = 1, d/2
	}
	w.global[17] = indicator(w.g.HasButton())
	w.global[18] = w.parityWave(float32(w.area + 20))
}

// v6 writes KataGo's V6 inputs: V7 without playout doubling and button, with komi limited to a
// smaller range, and with a history that ends at illegal moves in the record.
func (w *writer) v6() {
	loss := w.scoringArea()
	turns, hideEnd := w.turnsV7(loss)
	w.modernPlanes(min(turns, w.turnsLegal()))
	w.modernGlobals(hideEnd, float32(w.area+1))
	w.global[15] = w.parityWave(float32(w.area + 1))
}

// v3 writes KataGo's V3 inputs. If v4 is true it writes V4, whose area planes
// are the pass-alive areas under all rules.
func (w *writer) v3(v4 bool) {
	turns, hidden := w.turnsOld()
	w.modernPlanes(turns)
	sui := w.g.Rules().Suicide || w.areaModes().PassAliveUnderSuicide
	if v4 || w.g.Rules().Scoring == board.ScoringTerritory {
		w.colors(planeOwnArea, planeOppArea, w.b.PassAliveBig(w.s.owners[:0], sui))
	} else {
		w.colors(planeOwnArea, planeOppArea, w.b.FullArea(w.s.owners[:0], sui))
	}
	w.oldGlobals()
	w.global[12] = indicator(!hidden && w.g.PassWouldEndPhase())
	w.global[13] = w.parityWave(float32(w.area + 1))
}

// v5 writes KataGo's V5 inputs, which have no planes for liberties, ladders and areas.
func (w *writer) v5() {
	turns, _ := w.turnsOld()
	w.fill(0, 1)
	w.stones(1, 2)
	w.banned(3, 4)
	w.history(6, turns)
	w.second(11, 12)
	w.oldGlobals()
}

// modernPlanes writes the 22 planes except those of areas.
func (w *writer) modernPlanes(turns int) {
	w.fill(planeOnBoard, 1)
	own, opp := w.plane(planeOwn), w.plane(planeOpp)
	for p, q := range w.turn {
		switch w.b.At(board.Point(p)) {
		case w.own:
			own[q] = 1
		case w.opp:
			opp[q] = 1
		default:
			continue
		}
		if n := w.b.Liberties(board.Point(p)); n <= 3 {
			w.spatial[(planeLiberties+n-1)*w.area+int(q)] = 1
		}
	}
	w.banned(planeBanned, planeBlocked)
	shown := w.history(planeHistory, turns)
	w.ladderPlanes(shown)
	w.second(planeSecondOwn, planeSecondOpp)
}

// banned marks points that ko rules forbid, and stones that may not be retaken.
func (w *writer) banned(ban, block int) {
	if w.g.Phase() == 0 {
		w.set(ban, w.b.KoPoint())
		if w.g.Rules().Ko == board.KoSimple {
			return
		}
	}
	for p := range board.Point(w.area) {
		if w.g.SuperkoBanned(p) {
			w.set(ban, p)
		}
		if w.g.KoRecapBlocked(p) {
			w.set(block, p)
		}
	}
}

// second marks the stones that were on the board when the second clean-up phase began.
func (w *writer) second(own, opp int) {
	if w.g.Phase() < 2 {
		return
	}
	for p := range board.Point(w.area) {
		switch w.g.SecondEncoreStart(p) {
		case w.own:
			w.set(own, p)
		case w.opp:
			w.set(opp, p)
		}
	}
}

// turnsV7 returns how many turns of history to show, and whether the inputs hide that a pass ends
// the game.
func (w *writer) turnsV7(lossIfEnded bool) (turns int, hideEnd bool) {
	turns = historyTurns
	switch {
	case w.g.PassWouldEndGame() && (w.o.ConservativePassRoot || w.g.FriendlyPassSuppressed() || w.o.PassingHacks && lossIfEnded):
		turns, hideEnd = 0, true
	case w.g.Ended():
		turns = 1
	}
	return min(w.limitTurns(turns), w.g.ValidTurns()), hideEnd
}

// turnsOld returns how many turns V3 to V5 show, and whether the history is hidden.
func (w *writer) turnsOld() (turns int, hidden bool) {
	hidden = w.g.Ended() ||
		w.g.PassWouldEndGame() && (w.o.ConservativePassRoot || w.g.FriendlyPassSuppressed())
	if hidden {
		return 0, true
	}
	return w.limitTurns(historyTurns), false
}

func (w *writer) limitTurns(turns int) int {
	switch {
	case w.o.HistoryHidden:
		return 0
	case w.o.MaxHistory > 0:
		return min(turns, w.o.MaxHistory)
	}
	return turns
}

// turnsLegal counts the moves, at most five, after the latest suicide or ko violation. It does not
// notice superko violations: they matter only for records that break the rules and networks that
// nobody has trained since 2020, and would take the whole record to find.
func (w *writer) turnsLegal() int {
	w.g.PastBoard(&w.s.past, 0)
	for i := range historyTurns {
		m := w.g.LastMove(i)
		if m.Point == board.NoPoint || w.s.past.CanUndo() == 0 {
			break
		}
		w.s.past.Undo()
		if m.Point == board.Pass || w.s.past.At(m.Point) != board.Empty {
			continue
		}
		if m.Point == w.s.past.KoPoint() || w.s.past.IsIllegalSuicide(m.Color, m.Point, w.g.Rules().Suicide) {
			return i
		}
	}
	return historyTurns
}

// history shows the last moves, newest first, as long as colours alternate: move i in plane first+i
// or, if it is a pass, in global i. It returns the number of moves shown.
func (w *writer) history(first, turns int) int {
	color := w.opp
	for i := range turns {
		m := w.g.LastMove(i)
		if m.Point == board.NoPoint || m.Color != color {
			return i
		}
		if m.Point == board.Pass {
			w.global[i] = 1
		} else {
			w.set(first+i, m.Point)
		}
		color = color.Opponent()
	}
	return turns
}

// areaModes returns the modes for area planes: by default the game's.
func (w *writer) areaModes() board.AreaModes { return w.o.Areas.Over(w.g.Options().AreaModes) }

// scoringArea writes the area planes of V6 and V7, and reports whether the side to move would not
// win if the game ended now (false if no area is shown).
func (w *writer) scoringArea() (lossIfEnded bool) {
	owners, groups, shown := w.g.AreaNow(w.s.owners[:0], w.areaModes())
	if !shown {
		return false
	}
	w.colors(planeOwnArea, planeOppArea, owners)
	white := -2 * groups
	for _, c := range owners {
		switch c {
		case board.White:
			white++
		case board.Black:
			white--
		}
	}
	if w.own == board.Black {
		white = -white
	}
	return float32(white)+w.g.SelfKomi(w.o.DrawWins()) <= 0
}

// modernGlobals writes the globals that V6 and V7 share, with komi limited to ±clip.
func (w *writer) modernGlobals(hideEnd bool, clip float32) {
	rules := w.g.Rules()
	w.global[globalKomi] = w.komi(clip) / 20
	w.ruleGlobals()
	if rules.Tax != board.TaxNone {
		w.global[10] = 1
	}
	w.global[11] = indicator(rules.Tax == board.TaxAll)
	w.global[12] = indicator(w.g.Phase() >= 1)
	w.global[13] = indicator(w.g.Phase() == 2)
	w.global[globalPassEndV7] = indicator(!hideEnd && w.g.PassWouldEndPhase())
}

// oldGlobals writes the globals that V3, V4 and V5 share.
func (w *writer) oldGlobals() {
	w.global[globalKomi] = w.komi(float32(w.area+1)) / 15
	w.ruleGlobals()
	w.global[10] = indicator(w.g.Phase() >= 1)
	w.global[11] = indicator(w.g.Phase() == 2)
}

// ruleGlobals writes ko, suicide and scoring, which are the same in all versions.
func (w *writer) ruleGlobals() {
	rules := w.g.Rules()
	switch rules.Ko {
	case board.KoPositional, board.KoSpight:
		w.global[globalRules], w.global[globalRules+1] = 1, 0.5
	case board.KoSituational:
		w.global[globalRules], w.global[globalRules+1] = 1, -0.5
	}
	w.global[8] = indicator(rules.Suicide)
	w.global[9] = indicator(rules.Scoring == board.ScoringTerritory)
}

// komi returns the points that the side to move gets beside those on the board, within ±clip.
func (w *writer) komi(clip float32) float32 {
	return max(-clip, min(clip, w.g.SelfKomi(w.o.DrawWins())))
}

// parityWave relates komi to the results that the board's parity allows. It is 0 for a komi
// that allows a draw, 0.5 for half a point more, -0.5 for half a point less.
func (w *writer) parityWave(clip float32) float32 {
	if w.g.Rules().Scoring == board.ScoringTerritory && w.g.Phase() < 2 {
		return 0
	}
	k := float64(w.komi(clip))
	below := 2 * math.Floor(k/2)
	if w.area%2 != 0 {
		below = 2*math.Floor((k-1)/2) + 1
	}
	switch t := float32(k - below); {
	case t < 0.5:
		return t
	case t < 1.5:
		return 1 - t
	default:
		return t - 2
	}
}
