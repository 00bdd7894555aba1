// Package loop learns by self-play in one process: in each iteration the newest network plays
// games, the learner trains on a window of their rows, and the network that it exports replaces
// the old one if it passes a gating match. A recipe (loop.toml) has the settings; they follow
// KataGo's SelfplayTraining.md and its synchronous loop, with numbers that suit a small machine.
//
// The state on disk is the truth. Games are counted once their file is whole, so the process
// may be killed at any moment: after a restart nothing is lost or counted twice. Unfinished games
// and the steps since the last checkpoint are repeated.
package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/nn/fresh"
	"kosumi/train/selfplay"
)

// Options are the settings of one run that are not in the recipe.
type Options struct {
	Log    *slog.Logger
	Status func(line string) // gets a line for each stage, and some lines within stages; nil: silent
	// Progress, unless nil, gets the progress within stages twice a second, instead of Status.
	Progress func(p Progress)
	Done     func(s *State) // called after each iteration; may be nil
	// Exchange, unless nil, brings games played on other machines.
	Exchange Exchange
	// Games is the exact number of games of the run, and Time its duration; 0: no bound. If the last
	// game completes an iteration, the learner still trains on its rows.
	Games int64
	Time  time.Duration
}

// Loop is a loop in one folder. Not safe for concurrent use, except for Left, Wanted and File,
// which an exchange calls.
type Loop struct {
	*workspace
	generator generator
	trainer   trainer
	gating    gating
	intake    *intake
	options   Options
	lock      *file.Hold
}

// Open resumes the loop in a folder, or begins it.
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
	w := &workspace{dir: dir, conf: conf, others: o.Exchange, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		out: reporter{status: o.Status, progress: o.Progress, beat: time.Minute}}
	l := &Loop{workspace: w, options: o, lock: lock}
	l.generator = generator{workspace: w, budget: budget{games: o.Games}}
	l.trainer = trainer{workspace: w}
	l.gating = gating{workspace: w, trainer: &l.trainer}
	if err := l.load(); err != nil {
		lock.Release()
		return nil, err
	}
	return l, nil
}

// load reads or makes the state, and adds files that are newer than it.
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

// freshName returns the name of a network with random weights.
func freshName(arch string) string { return "fresh-" + arch }

// State returns the state. It is valid until Run is called.
func (l *Loop) State() *State  { return l.state }
func (l *Loop) Config() Recipe { return l.conf }

// Close closes the networks and unlocks the folder.
func (l *Loop) Close() error {
	l.player.close()
	return errors.Join(l.trainer.close(), l.lock.Release())
}

// Run runs iterations until the games or the time of the options are used up, or the context ends,
// which is no error. It may stop within a stage: the next run plays unfinished games and the gating
// match again, and training resumes from a checkpoint.
func (l *Loop) Run(ctx context.Context) error {
	b := &l.generator.budget
	b.then = l.state.Games
	if l.options.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.options.Time)
		defer cancel()
	}
	for ctx.Err() == nil && !(b.enough(l.state.Games) && l.state.Stage == stageSelfplay) {
		if err := l.generator.offer(); err != nil {
			return err
		}
		// When the context ends, self-play and gating return an error; training does not.
		broken := l.state.Stage == stageSelfplay || l.state.Stage == stageGate
		if err := l.step(ctx); err != nil && !(broken && ctx.Err() != nil) {
			return err
		}
	}
	return nil
}

// Settle adds the games that an exchange has filed since Run ended.
func (l *Loop) Settle() error {
	l.generator.enterFiles()
	return l.save()
}

func (l *Loop) step(ctx context.Context) error {
	switch l.state.Stage {
	case stageSelfplay:
		return l.generator.run(ctx)
	case stageTrain:
		return l.trainer.train(ctx)
	case stageExport:
		return l.trainer.export()
	case stageGate:
		if err := l.gating.run(ctx); err != nil {
			return err
		}
		if err := WriteReport(l.dir); errors.Is(err, handout.ErrNotBuilt) {
			l.log.Warn("no report is written", "why", err)
		} else if err != nil {
			return err
		}
		if l.options.Done != nil {
			l.options.Done(l.state)
		}
		return nil
	}
	return fmt.Errorf("%s: unknown stage %q", statePath(l.dir), l.state.Stage)
}

// Left returns the games that remain of the bootstrap, including those under way; unbounded is true
// after the bootstrap. Safe for concurrent use.
func (l *Loop) Left() (games int64, unbounded bool) { return l.intake.left() }

// Wanted returns the number of rows that may be filed now: 0 if the learner is far behind. Safe
// for concurrent use.
func (l *Loop) Wanted() int64 { return l.intake.wanted() }

// Stored returns the exchange's games in the folder. Must not be called during Run.
func (l *Loop) Stored() []selfplay.Filed { return l.files.stored() }

// File writes games that were played for w into the loop's folder and syncs them. A game without
// rows is left out, with an error at its index. Safe for concurrent use from the first work
// that the loop gives out until Close.
func (l *Loop) File(w Work, games []*selfplay.Finished) ([]error, error) {
	return l.intake.file(w, games)
}
