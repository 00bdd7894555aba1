package engine

import (
	"math"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// limits combines the limits of the configuration and the clock.
func (e *Engine) limits(c board.Color, t turn) search.Limits {
	l, budget := e.cfg.Limits, t.budget
	switch {
	case !budget.Unlimited:
		late := min(e.timer.overrun, budget.Recommended/2)
		allowed := max(budget.Recommended-t.used()-late, time.Nanosecond)
		if l.Time == 0 || allowed < l.Time {
			l.Time = allowed
			l.Extend = min(max(budget.Maximum-budget.Recommended, 0), scale(budget.Recommended, e.cfg.Extend))
			l.WhenDecided = e.cfg.EarlyStop && !budget.UseUp
		}
	case l.Visits == 0 && l.Playouts == 0 && l.Time == 0:
		l.Time = e.cfg.DefaultTime
	}
	return shortened(l, e.cfg.Hurry.share(e.game, e.values.sureness(c, e.cfg.Hurry.Threshold)))
}

// Hurry holds the fractions, in (0,1], to which a search's limits are reduced if little depends on
// the move; 0 means no reduction.
type Hurry struct {
	// AfterOnePass applies if the opponent has just passed, AfterTwoPasses if it passed at its last two
	// turns (searchFactorAfterOnePass, searchFactorAfterTwoPass).
	AfterOnePass, AfterTwoPasses float64
	// Winning is the fraction for a sure win. The fraction falls linearly from 1 to Winning as the lowest
	// value (win minus loss) of the last three searches rises from Threshold to 1
	// (searchFactorWhenWinning, searchFactorWhenWinningThreshold).
	Winning, Threshold float64
}

// share returns the fraction of the limits that the next search may use; sureness, 0 to 1, is how
// surely the game is won.
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

// shortened returns limits multiplied by share, at least one visit.
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
