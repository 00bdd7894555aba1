package engine

import (
	"math"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// TimeUse changes how time on a clock is spread over a game, by KataGo's keys. A
// factor of 0 is 1. Moves are those of a 19x19 game.
type TimeUse struct {
	Overall float64 // factor of every move's time; overallocateTimeFactor
	// Midgame is the factor at move MidgamePeak. Before it grows from 1 in equal
	// steps, after it tends to 1 again, e times closer every EndgameDecay moves
	// (midgameTimeFactor, midgameTurnPeakTime, endgameTurnTimeDecay).
	Midgame, MidgamePeak, EndgameDecay float64
	Obvious                            search.Obvious
	// CarryOver is the share of the time in which a kept tree was searched that
	// counts as time of the move now (treeReuseCarryOverTimeFactor).
	CarryOver float64
}

// spread changes the time that the clock recommends for a move; carried is time of
// earlier searches that counts for it.
func (u *TimeUse) spread(t time.Duration, game *board.Game, carried time.Duration) time.Duration {
	factor := 1.0
	if u.Overall > 0 {
		factor = u.Overall
	}
	if u.Midgame > 0 && u.Midgame != 1 {
		size := float64(game.Size().Area()) / 361
		peak, turn := u.MidgamePeak*size, float64(game.NumMoves())
		weight := turn / max(peak, 1e-9)
		if turn >= peak {
			weight = math.Exp((peak - turn) / max(u.EndgameDecay*size, 1e-9))
		}
		factor *= 1 + min(max(weight, 0), 1)*(u.Midgame-1)
	}
	full := float64(t) * factor
	if carried > 0 && full > 0 {
		// Softly down to nothing: a little is searched in any case.
		full *= min(1, math.Log1p(math.Exp(6*(full-float64(carried))/full))/6)
	}
	return time.Duration(full)
}

// limits combines the limits of the configuration with those of the clock.
func (e *Engine) limits(c board.Color, t turn) search.Limits {
	l, budget := e.cfg.Limits, t.budget
	switch {
	case !budget.Unlimited:
		budget.Recommended = min(e.cfg.TimeUse.spread(budget.Recommended, e.game, e.thinker.carried), budget.Maximum)
		late := min(e.timer.overrun, budget.Recommended/2)
		allowed := max(budget.Recommended-t.used()-late, time.Nanosecond)
		if l.Time == 0 || allowed < l.Time {
			l.Time = allowed
			l.Extend = min(max(budget.Maximum-budget.Recommended, 0), scale(budget.Recommended, e.cfg.Extend))
			l.WhenDecided = e.cfg.EarlyStop && !budget.UseUp
			if !budget.UseUp {
				l.Obvious = e.cfg.TimeUse.Obvious
			}
		}
	case l.Visits == 0 && l.Playouts == 0 && l.Time == 0:
		l.Time = e.cfg.DefaultTime
	}
	return shortened(l, e.cfg.Hurry.share(e.game, e.values.sureness(c, e.cfg.Hurry.Threshold)))
}

// Hurry is how much of its limits a search uses where little depends on it: a
// share, 0 to 1; 0 is all of them.
type Hurry struct {
	// AfterOnePass holds after a pass of the other side, AfterTwoPasses where its move
	// before was one too (searchFactorAfterOnePass, searchFactorAfterTwoPass).
	AfterOnePass, AfterTwoPasses float64
	// Winning holds where the last three searches found the game won; from Threshold
	// on, in wins minus losses, the share falls to it in proportion
	// (searchFactorWhenWinning, searchFactorWhenWinningThreshold).
	Winning, Threshold float64
}

// share is the part of its limits that the next search of a game uses, which is so
// surely won.
func (h *Hurry) share(game *board.Game, sureness float64) float64 {
	share := 1.0
	passed := func(back int) bool {
		return back < game.NumMoves()-game.Forgotten() && game.LastMove(back).Point == board.Pass
	}
	switch {
	case passed(0) && passed(2) && h.AfterTwoPasses > 0:
		share = h.AfterTwoPasses
	case passed(0) && !passed(2) && h.AfterOnePass > 0:
		share = h.AfterOnePass
	}
	if h.Winning > 0 {
		share *= 1 + sureness*(h.Winning-1)
	}
	return share
}

// shortened returns a share of limits, but no less than a visit.
func shortened(l search.Limits, share float64) search.Limits {
	if share >= 1 {
		return l
	}
	shorten := func(n int64) int64 {
		if n <= 0 {
			return n
		}
		return max(1, int64(math.Ceil(float64(n)*share)))
	}
	l.Visits, l.Playouts, l.Time = shorten(l.Visits), shorten(l.Playouts), time.Duration(shorten(int64(l.Time)))
	return l
}

func scale(t time.Duration, f float64) time.Duration { return time.Duration(float64(t) * f) }
