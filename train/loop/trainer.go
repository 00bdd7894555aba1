package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"kosumi/board"
	"kosumi/nn/autodiff"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/train/learn"
	"kosumi/train/rows"
)

// trainer trains the learner of a loop in one stage and exports the learner's network in the next. After
// divergence or a change of the recipe, a new learner replaces the old one.
type trainer struct {
	*workspace
	learner *learn.Learner // nil: not open
	watch   watch
	resumed learn.Extra // Extra of the checkpoint that the learner resumed from, kept until train uses it
}

// checkpoints is the folder of the learner's checkpoints.
const checkpoints = "checkpoints"

func (t *trainer) checkpoints() string { return filepath.Join(t.dir, checkpoints) }

func (t *trainer) close() error {
	if t.learner == nil {
		return nil
	}
	return t.learner.Close()
}

// resume opens the learner at its newest checkpoint. If there is none, or settings have changed, a
// new learner starts.
func (t *trainer) resume() error {
	if t.learner != nil {
		return nil
	}
	learner, extra, err := learn.Resume(t.checkpoints(), t.config())
	var changed *learn.SettingsError
	why := ""
	switch {
	case errors.As(err, &changed):
		why = "other settings of the learner (" + changed.Names() + ")"
	case errors.Is(err, learn.ErrNoCheckpoint) && t.state.Samples > 0:
		why = "no checkpoint is left in " + t.checkpoints()
	}
	if why != "" {
		if err := t.renew(why); err != nil {
			return err
		}
	}
	if why != "" || errors.Is(err, learn.ErrNoCheckpoint) {
		learner, err = learn.New(t.config())
	}
	if err != nil {
		return err
	}
	t.learner, t.resumed = learner, extra
	return nil
}

func (t *trainer) config() learn.Config {
	c := &t.conf.Train
	return learn.Config{Model: t.model(t.state.base()), Batch: c.Batch, Method: autodiff.Method(c.Method),
		Momentum: c.Momentum, WeightDecay: c.WeightDecay, ClipNorm: c.ClipNorm, Rate: c.Rate,
		Schedule: learn.Schedule{Warmup: c.WarmupSteps}, HeadRate: c.HeadRate, Losses: c.Losses, Aux: c.Aux && fresh.IsKataGo(t.state.Arch),
		Average: learn.Average{Every: c.AverageEvery, Window: c.AverageWindow}, Threads: t.conf.Compute.Threads, Seed: t.state.Seed, Log: t.log}
}

// extraIteration is the key of the iteration in a checkpoint's Extra.
const extraIteration = "iteration"

func (t *trainer) train(ctx context.Context) error {
	s, c := t.state, t.stageConfig()
	if err := t.resume(); err != nil {
		return err
	}
	if err := t.learner.SetRate(t.rate(&c), learn.Schedule{Warmup: c.Train.WarmupSteps}); err != nil {
		return err
	}
	stream, err := rows.Open(t.streamOptions(&c), t.newest)
	if err != nil {
		return err
	}
	defer stream.Close()
	steps := learn.Steps{Learner: t.learner, Stream: stream}
	if string(t.resumed[extraIteration]) == strconv.Itoa(s.Iteration) {
		if err := steps.Restore(t.resumed); err != nil {
			return err
		}
	}
	t.resumed = nil
	sum, err := t.steps(ctx, &c, &steps, stream.WindowRows())
	if errors.Is(err, learn.ErrDiverged) {
		return t.goBack(&c, err)
	}
	if err != nil || t.learner.Counters().Samples < s.Target {
		return errors.Join(err, t.save())
	}
	t.note(&c, sum, stream.WindowRows())
	return t.enter(stageExport)
}

func (t *trainer) streamOptions(c *Recipe) rows.Options {
	return rows.Options{Batch: c.Train.Batch, Wants: t.learner.Wants(), Encoding: t.learner.Encoding(),
		Seed: t.state.Seed*1_000_003 + uint64(t.state.Iteration), Symmetries: c.Train.Symmetries, HistoryDropout: c.Train.HistoryDropout,
		WindowRows: t.windowRows(c), MemoryBytes: int64(c.Window.MemoryMB) << 20, Log: t.log}
}

// steps trains, and saves checkpoints at intervals and at the end.
func (t *trainer) steps(ctx context.Context, c *Recipe, steps *learn.Steps, window int) (*learn.Result, error) {
	s := t.state
	began, saved := time.Now(), time.Now()
	first := t.learner.Counters().Samples
	defer func() { s.Seconds.Train += time.Since(began).Seconds() }()
	sum := new(learn.Result)
	beat := t.out.pulse()
	save := func(bool) error {
		saved = time.Now()
		err := steps.Save(t.checkpoints(), learn.Extra{extraIteration: []byte(strconv.Itoa(s.Iteration))})
		if err != nil {
			return err
		}
		s.trained(t.learner.Counters().Samples)
		return t.save()
	}
	steps.Goal = func(n learn.Counters) bool { return n.Samples >= s.Target }
	steps.Pause = func(learn.Counters) bool { return time.Since(saved).Seconds() >= c.Train.Checkpoint }
	steps.After = save
	steps.See = func(r *learn.Result, size board.Size) error {
		if !r.Skipped {
			sum.Add(r)
		}
		if beat.due(time.Now()) {
			t.out.tell(t.progress(sum, first, began))
		}
		return t.watch.see(r, size)
	}
	interrupted, err := steps.Train(ctx)
	if err == nil && t.learner.Counters().Steps == 0 {
		err = save(interrupted) // the export needs a checkpoint, and no step has written one
	}
	if err != nil {
		return nil, err
	}
	t.record.Seconds.Train += time.Since(began).Seconds()
	if ctx.Err() == nil {
		p := t.progress(sum, first, began)
		t.out.say("training: %d samples, %d in all, %s, window %d rows", p.Done, t.learner.Counters().Samples, p.Text, window)
	}
	return sum, nil
}

// catchUp counts the samples of a checkpoint that is newer than the state. The program may have ended
// after writing the checkpoint and before writing the state.
func (s *State) catchUp(dir string) {
	list, err := learn.Checkpoints(filepath.Join(dir, checkpoints))
	if err != nil || len(list) == 0 || s.Stage != stageTrain {
		return
	}
	var at struct{ Counters learn.Counters }
	if data, err := os.ReadFile(filepath.Join(list[0], "state.json")); err == nil && json.Unmarshal(data, &at) == nil {
		s.trained(max(s.Samples, at.Counters.Samples))
	}
}

// progress returns the progress of training; first is the number of samples when the stage began.
func (t *trainer) progress(sum *learn.Result, first int64, began time.Time) Progress {
	n := t.learner.Counters().Samples
	speed := float64(n-first) / time.Since(began).Seconds()
	line := fmt.Sprintf("%.0f/s, loss %.3f", speed, sum.Loss)
	for _, name := range []string{learn.TermPolicy, learn.MeasurePolicyEntropy, learn.TermValue, learn.TermOwnership, learn.TermScoreMean} {
		if term, ok := sum.Term(name); ok && term.Weight > 0 {
			line += fmt.Sprintf(", %s %.3f", name, term.Mean)
		}
	}
	p := Progress{Stage: "training", Unit: "samples", Done: n - t.state.samplesThen(), Goal: t.state.Target - t.state.samplesThen(), Text: line}
	if left := t.state.Target - n; left > 0 && speed > 0 {
		p.Left = max(time.Second, time.Duration(float64(left)/speed*float64(time.Second)))
	}
	return p
}

// note writes the number of samples into the ledger, and window, rate and losses into the iteration's record.
func (t *trainer) note(c *Recipe, sum *learn.Result, window int) {
	t.state.trained(t.learner.Counters().Samples)
	r := &t.record
	r.Iteration, r.Window, r.Rate = t.state.Iteration, window, t.rate(c)
	r.Losses, r.Parts = map[string]float64{}, map[string]float64{}
	if sum.Rows > 0 {
		r.Losses["loss"] = sum.Loss
	}
	for _, term := range sum.Terms {
		if term.Weight > 0 && !math.IsNaN(term.Mean) {
			r.Losses[term.Name] = term.Mean
			if term.Coef > 0 {
				r.Parts[term.Name] = term.Coef * term.Mean
			}
		}
	}
}

// export writes the candidate network. Its name contains the numbers of samples and rows so far.
func (t *trainer) export() error {
	s := t.state
	name := fmt.Sprintf("%s-s%d-d%d", s.Arch, s.Samples, s.Rows)
	path := t.model(name)
	if _, err := os.Stat(path); err != nil {
		if err := t.resume(); err != nil || s.Stage != stageExport {
			return err
		}
		if got := t.learner.Counters().Samples; got != s.Samples {
			return fmt.Errorf("the newest checkpoint in %s has %d samples, the state says %d", t.checkpoints(), got, s.Samples)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := t.learner.Export(path, name, true); err != nil {
			return err
		}
	}
	s.Candidate = name
	return t.enter(stageGate)
}

// goBack replaces a diverged learner (see renew) and halves the rate. If that is too low, it returns an error.
func (t *trainer) goBack(c *Recipe, why error) error {
	s := t.state
	rate := t.rate(c) / 2
	if rate < leastRate*c.Train.Rate {
		s.limit(0) // once the user has changed the recipe, training begins at its rate again
		why = fmt.Errorf("%w, at a rate of %g still: look at the other settings of [train] in %s", why, 2*rate, RecipeFile)
		return errors.Join(why, t.save())
	}
	if err := t.close(); err != nil {
		return err
	}
	t.learner, t.watch = nil, watch{}
	s.limit(rate)
	return t.renew(fmt.Sprintf("%v; the rate is %g at most from now on", why, rate))
}

// grow replaces the learner by one with the recipe's architecture, to be trained on the rows so far. The new
// learner begins with the weights of the current network if they can be converted, else with random
// weights. The current network plays until the new one passes the gate.
func (t *trainer) grow() error {
	s, arch := t.state, t.conf.Arch
	base, from := freshName(arch), "random weights"
	switch net, err := t.grown(arch); {
	case err == nil && net != nil:
		base, from = fmt.Sprintf("grown-%s-d%d", arch, s.Rows), "its weights"
		if err := writeNetwork(modelPath(t.dir, arch, base), net); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, katago.ErrGrow):
		return err
	default:
		if err := writeFresh(modelPath(t.dir, arch, base), arch, s.Seed, t.conf.Selfplay.Boards); err != nil {
			return err
		}
	}
	t.out.say("%s follows %s with %s", arch, s.Arch, from)
	s.Arch, s.Candidate = arch, ""
	s.aim(0, 0)
	target, c := int64(0), t.stageConfig()
	if t.bootstrapping() {
		s.Stage = stageSelfplay
	} else if s.Rows > 0 {
		s.Stage, target = stageTrain, int64(c.Train.Ratio*float64(t.windowRows(&c)))
	}
	return t.follow(base, target)
}

// grown returns the current network converted to another architecture; nil during the bootstrap.
func (t *trainer) grown(arch string) (*katago.Network, error) {
	s := t.state
	if s.Current == "" {
		return nil, nil
	}
	net, err := katago.ReadFile(t.model(s.Current))
	if err != nil {
		return nil, err
	}
	return katago.Grow(net, arch, s.Seed)
}

// renew replaces a learner without a usable checkpoint. The new one begins with the weights of the current
// network if the old learner made it, else of the old learner's base, and repeats the training since then.
func (t *trainer) renew(why string) error {
	s := t.state
	base, trained := s.base(), int64(0)
	if s.ownPlays() && s.Current != base {
		base = s.Current
		if n := s.network(base); n != nil {
			trained = n.Samples
		}
	}
	t.out.say("%s: the learner restarts from %s", why, base)
	if s.Stage != stageSelfplay {
		s.Stage = stageTrain
	}
	return t.follow(base, max(0, s.Target-trained))
}

// follow makes the next learner begin with the network base and train until it reaches target samples.
func (t *trainer) follow(base string, target int64) error {
	// The old checkpoints are removed first, so that after an interruption the next run gets here again.
	if err := os.RemoveAll(t.checkpoints()); err != nil {
		return err
	}
	t.state.Base = base
	t.state.succeed(target)
	return t.save()
}
