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

// owed is what a game has to write and could not. Pages are told that it is not saved, and
// it is tried again until it is.
type owed struct {
	step  func() error // of the engine or of the clock; nil: none
	rev   int          // that the step follows
	sgf   bool         // the record beside the journal
	level bool         // what the game says of the player's level
	why   *api.Error   // what pages are told; nil: all is written
	pause time.Duration
	timer *time.Timer
}

// owe makes a step of the engine or of the clock. If it cannot be written, it is tried again
// until something else happens in the game. The caller holds mu.
func (g *game) owe(step func() error) {
	err := step()
	if err == nil {
		return
	}
	if said := api.AsError(err); said.Code != "not_saved" {
		g.trouble = said.Text
		return
	}
	g.owed.step, g.owed.rev = step, g.rec.Rev
	g.later(err)
}

// later tells pages why something is not saved, and schedules another try. The caller
// holds mu.
func (g *game) later(err error) {
	o := &g.owed
	o.why = api.AsError(err)
	o.pause = store.LongerPause(o.pause)
	if o.timer != nil {
		o.timer.Stop()
	}
	o.timer = time.AfterFunc(o.pause, g.settle)
	g.home.warnings.Warn("game "+g.rec.Head.ID+": "+o.why.Text+"; it is tried again", "unsaved")
}

// settle writes what is owed.
func (g *game) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.removed || g.home.ctx.Err() != nil {
		return
	}
	g.pay()
	g.advance()
}

// pay writes what is owed, as far as that goes. The caller holds mu.
func (g *game) pay() {
	o := &g.owed
	var errs []error
	if step := o.step; step != nil {
		if o.step = nil; o.rev == g.rec.Rev {
			g.owe(step)
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
		g.later(api.NotSaved(err))
		return
	}
	if o.timer != nil {
		o.timer.Stop()
	}
	g.owed = owed{}
}

// saveSGF writes the game as SGF beside its journal: for other programs, and to restore a
// damaged journal from.
func (g *game) saveSGF() error {
	data, err := sgf.Marshal(g.rec.SGF().Tree())
	if err == nil {
		err = file.WritePrivate(g.home.folder.Path("games", g.rec.Head.ID, ".sgf"), data)
	}
	g.owed.sgf = err != nil
	return err
}

// countForLevel updates the player's rating after a game at the level that fits. Help makes
// a won game count less. After an error nothing is written. The caller holds mu.
func (g *game) countForLevel() error {
	g.owed.level = false
	if !g.rec.Head.Seat.Auto || g.rec.Board.NumMoves() < g.rec.Size().Area()*3/10 {
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
		weight = max(0, 1-0.25*float64(g.rec.Undos)-0.5*float64(g.rec.Hints))
	case strings.Contains(g.rec.Result, "+"):
		points = 0
		if strings.HasSuffix(g.rec.Result, "+T") {
			weight = 0.5
		}
	case g.rec.Result != "0":
		return nil
	}
	fit, err := g.home.levels.Count(g.rec.Size(), against, g.rec.HeadStart(), points, weight)
	if err != nil {
		g.owed.level = true
		return fmt.Errorf("the game does not count for your level yet: %w", err)
	}
	g.fit = fit
	return nil
}
