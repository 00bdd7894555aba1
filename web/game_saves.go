package web

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kosumi/engine/level"
	"kosumi/internal/file"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/store"
)

// pending is the part of a game that could not be written yet. Pages show the game as unsaved, and
// the writes are retried until they succeed.
type pending struct {
	step  func() error // retries a step of the engine or of the clock; nil: none
	rev   int          // rev before the step
	sgf   bool         // the record beside the journal is still to be written
	level bool         // the player's rating after the game is still to be written
	why   *api.Error   // the reason that pages show; nil: all is written
	pause time.Duration
	timer *time.Timer
}

// tryStep makes a step of the engine or of the clock. If the step cannot be written, it is retried
// unless the game changes in another way. The caller holds mu.
func (g *game) tryStep(step func() error) {
	err := step()
	if err == nil {
		return
	}
	if said := api.AsError(err); said.Code != "not_saved" {
		g.trouble = said.Text
		return
	}
	g.pending.step, g.pending.rev = step, g.rec.Rev
	g.retryLater(err)
}

// retryLater records for pages why something is not saved, and schedules another try. The
// caller holds mu.
func (g *game) retryLater(err error) {
	o := &g.pending
	o.why = api.AsError(err)
	o.pause = store.LongerPause(o.pause)
	if o.timer != nil {
		o.timer.Stop()
	}
	o.timer = time.AfterFunc(o.pause, g.retry)
	g.home.warnings.Warn("game "+g.rec.Head.ID+": "+o.why.Text+"; it is tried again", "unsaved")
}

// retry writes what is pending.
func (g *game) retry() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.removed || g.home.ctx.Err() != nil {
		return
	}
	g.writePending()
	g.advance()
}

// writePending writes what is pending, as far as it can. The caller holds mu.
func (g *game) writePending() {
	o := &g.pending
	var errs []error
	if step := o.step; step != nil {
		if o.step = nil; o.rev == g.rec.Rev {
			g.tryStep(step)
		}
		if o.step != nil {
			return
		}
	}
	if o.sgf {
		errs = append(errs, g.saveSGF())
	}
	if o.level {
		errs = append(errs, g.countForLevel())
	}
	if err := errors.Join(errs...); err != nil {
		g.retryLater(api.NotSaved(err))
		return
	}
	if o.timer != nil {
		o.timer.Stop()
	}
	g.pending = pending{}
}

// saveSGF writes the game as SGF beside its journal: for other programs, and for restoring a
// damaged journal.
func (g *game) saveSGF() error {
	data, err := sgf.Marshal(g.rec.SGF().Tree())
	if err == nil {
		err = file.WritePrivate(g.home.folder.Path("games", g.rec.Head.ID, ".sgf"), data)
	}
	g.pending.sgf = err != nil
	return err
}

// countForLevel updates the player's rating after an adaptive game, unless the player had help or
// the game was short. After an error the rating is still pending. The caller holds mu.
func (g *game) countForLevel() error {
	g.pending.level = false
	if g.rec.Counts() != "yes" {
		return nil
	}
	against, err := level.ParseRank(g.rec.Head.Seat.Level)
	if err != nil {
		return nil
	}
	points, weight := 0.5, 1.0
	switch {
	case strings.HasPrefix(g.rec.Result, strings.ToUpper(g.rec.Head.Colour)+"+"):
		points = 1
	case strings.Contains(g.rec.Result, "+"):
		points = 0
		if strings.HasSuffix(g.rec.Result, "+T") {
			weight = 0.5
		}
	case g.rec.Result != "0":
		return nil
	}
	fit, err := g.home.levels.Count(g.rec.Head.ID, g.rec.Changed, g.rec.Size(), against, g.rec.HeadStart(), points, weight)
	if err != nil {
		g.pending.level = true
		return fmt.Errorf("the game does not count for your level yet: %w", err)
	}
	g.fit = fit
	return nil
}
