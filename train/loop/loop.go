// Package loop is the whole circle on one machine and in one process: games of
// the newest network against itself, a window of their rows, training, export, a
// gating match, promotion, and again.
//
// The state on disk is the truth. Everything that is counted is counted when its
// file is there as a whole, so that the process may be killed at any moment and
// started again: nothing that was counted is lost, and nothing is counted twice.
// Unfinished games and the steps since the last checkpoint are done again.
package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"kosumi/handout"
	"kosumi/internal/file"
	"kosumi/nn/fresh"
	"kosumi/train/selfplay"
)

// Options say how a loop is run; they are no part of its recipe.
type Options struct {
	Log    *slog.Logger
	Status func(line string) // one line a stage, and some within; nil: silent
	// Progress, where there is one, is told of stages that go on, twice a second,
	// instead of Status.
	Progress func(p Progress)
	Done     func(s *State) // after each iteration; nil: nobody
	// Exchange, where others play for the loop, is asked for the games instead
	// of playing here; nil: the loop plays.
	Exchange Exchange
	// The loop ends after exactly so many games more, played here, or so much
	// time, whatever it is at then; 0: no such end. An iteration that these games
	// complete is trained on.
	Games int64
	Time  time.Duration
}

// Loop is the circle in one folder: its stages in turns, one goroutine at a time.
// Left, Wanted and File, which an exchange needs, may be called at any time.
type Loop struct {
	*workspace
	generator generator
	trainer   trainer
	guard     guard
	intake    *intake
	done      func(s *State)
	time      time.Duration // of a run; 0: no bound
	lock      *file.Hold
}

// Open takes up the loop in a folder where the last run left it.
func Open(dir string, o Options) (*Loop, error) {
	conf, err := loadRecipe(dir)
	if err != nil {
		return nil, err
	}
	// The lock ends with the process, however it ends.
	lock, err := file.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	w := &workspace{dir: dir, conf: conf, others: o.Exchange, log: o.Log,
		out: reporter{status: o.Status, progress: o.Progress, beat: time.Minute}}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	l := &Loop{workspace: w, done: o.Done, time: o.Time, lock: lock}
	l.generator = generator{workspace: w, budget: budget{games: o.Games}}
	l.trainer = trainer{workspace: w}
	l.guard = guard{workspace: w, trainer: &l.trainer}
	if err := l.load(); err != nil {
		lock.Release()
		return nil, err
	}
	return l, nil
}

// load reads the state, or makes a new one, and counts what came after it.
func (l *Loop) load() error {
	left, err := l.conf.Selfplay.LoadPositions(l.dir)
	if err != nil {
		return fmt.Errorf("%w: selfplay: %w", ErrRecipe, err)
	}
	if left > 0 {
		l.log.Warn("game records from which no game can begin are left out", "records", left, "used", len(l.conf.Selfplay.Positions.Lines))
	}
	s, err := loadState(l.dir)
	if err != nil {
		return err
	}
	if s == nil {
		s = &State{Version: stateVersion, Arch: l.conf.Arch, Seed: l.conf.Seed, Started: time.Now().UTC().Truncate(time.Second), Stage: stageSelfplay}
		if err := l.begin(s); err != nil {
			return err
		}
	}
	if s.Start == "" && l.conf.Start.Network != "" {
		return fmt.Errorf("%w: the loop in %s was begun with random weights, the recipe names %s to start from; take another folder",
			ErrRecipe, l.dir, l.conf.Start.Network)
	}
	if s.Seed != l.conf.Seed || s.Arch != l.conf.Arch && !(fresh.IsKataGo(s.Arch) && fresh.IsKataGo(l.conf.Arch)) {
		return fmt.Errorf("%w: the loop in %s was begun with arch %s and seed %d, the recipe says %s and %d; take another folder",
			ErrRecipe, l.dir, s.Arch, s.Seed, l.conf.Arch, l.conf.Seed)
	}
	if err := l.openEarlier(); err != nil {
		return err
	}
	l.state, l.out.iteration = s, &s.Iteration
	if base := s.base(); base == freshName(s.Arch) {
		if err := writeFresh(l.model(base), s.Arch, s.Seed, l.conf.Selfplay.Boards); err != nil {
			return err
		}
	}
	if s.Current == "" && l.conf.Bootstrap.Games == 0 {
		s.Current = freshName(s.Arch)
	}
	l.files = openRowFiles(l.dir, s.Seed)
	if err := l.files.clean(); err != nil {
		return err
	}
	s.catchUp(l.dir)
	for _, bad := range s.recount(l.files) {
		l.log.Warn("a file of self-play is skipped", "error", bad)
	}
	l.intake = newIntake(l.dir, uint64(s.Games), l.others != nil)
	l.generator.intake = l.intake
	if s.Arch != l.conf.Arch {
		return l.trainer.grow()
	}
	return l.save()
}

// freshName is the name of a network of random weights.
func freshName(arch string) string { return "fresh-" + arch }

// State returns what the loop knows. It is only good until Run goes on.
func (l *Loop) State() *State { return l.state }

// Config returns the recipe.
func (l *Loop) Config() Recipe { return l.conf }

// Close lets go of networks and the folder.
func (l *Loop) Close() error {
	l.player.close()
	return errors.Join(l.trainer.close(), l.lock.Release())
}

// Run goes round until the context ends, which is not an error, or until the games
// or the time of the options are used up. The end comes in the middle of a stage: games
// that are not finished and the gating match are played again by the next run, training
// goes on from the checkpoint that it wrote.
func (l *Loop) Run(ctx context.Context) error {
	b := &l.generator.budget
	b.then = l.state.Games
	if l.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.time)
		defer cancel()
	}
	for ctx.Err() == nil && !(b.enough(l.state.Games) && l.state.Stage == stageSelfplay) {
		if err := l.generator.offer(); err != nil {
			return err
		}
		// Games are broken off with an error, training is not: its errors are real.
		broken := l.state.Stage == stageSelfplay || l.state.Stage == stageGate
		if err := l.step(ctx); err != nil && !(broken && ctx.Err() != nil) {
			return err
		}
	}
	return nil
}

// Settle counts the games that an exchange has filed since Run ended.
func (l *Loop) Settle() error {
	l.generator.enterFiles()
	return l.save()
}

// step goes through the stage of now, or a part of it.
func (l *Loop) step(ctx context.Context) error {
	switch l.state.Stage {
	case stageSelfplay:
		return l.generator.run(ctx)
	case stageTrain:
		return l.trainer.train(ctx)
	case stageExport:
		return l.trainer.export()
	case stageGate:
		if err := l.guard.run(ctx); err != nil {
			return err
		}
		if err := WriteReport(l.dir); errors.Is(err, handout.ErrNotBuilt) {
			l.log.Warn("no report is written", "why", err)
		} else if err != nil {
			return err
		}
		if l.done != nil {
			l.done(l.state)
		}
		return nil
	}
	return fmt.Errorf("%s: unknown stage %q", statePath(l.dir), l.state.Stage)
}

// Left is how many games of the bootstrap are to come, those that somebody plays already
// included; unbounded: it has ended. It may be called at any time.
func (l *Loop) Left() (games int64, unbounded bool) { return l.intake.left() }

// Wanted is how many rows of games may come in now; 0 where the learner is far
// behind. It may be called at any time.
func (l *Loop) Wanted() int64 { return l.intake.wanted() }

// Stored returns the games of an exchange that lie in the folder. Not while Run
// runs.
func (l *Loop) Stored() []selfplay.Filed { return l.files.stored() }

// File writes games that were played for some work into the loop's folder, synced.
// Games that make no rows are left out and have an error at their place. It may be
// called at any time between the first offer and Close.
func (l *Loop) File(w Work, games []*selfplay.Finished) ([]error, error) {
	return l.intake.file(w, games)
}
