package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/nn/model"
	"kosumi/nn/ort"
)

// use puts a plan into the settings.
func (s *settings) use(p bench.Plan) {
	s.Sessions, s.Batch, s.Play.Search.Parallel.Workers = p.Sessions, p.Batch, p.Threads
}

// planned reports whether sessions, batch or threads are set.
func (s *settings) planned() bool {
	return s.Sessions != 0 || s.Batch != 0 || s.Play.Search.Parallel.Workers != 0
}

// tuningUse returns the network, board size, provider and precision for which a tuning is valid.
func (s *settings) tuningUse(size board.Size) bench.Use {
	return bench.Use{File: s.Model, Size: size, Provider: s.Provider, Precision: s.Precision}
}

// tune measures plans, and sets and stores the best.
func (s *settings) tune(ctx context.Context, setup *bench.Setup, out *bench.Report) (err error) {
	if _, err := s.tuningUse(setup.Games[0].Size()).MakeFolder(); err != nil {
		return err
	}
	d := *s // without tuning or flags
	d.use(bench.Plan{})
	plans := bench.Plans(bench.Plan{Sessions: d.SessionCount(), Batch: d.BatchSize(), Threads: d.workers()}, slices.Contains([]string{ort.CPU, model.Kernel, model.OnnxGo}, out.Provider))
	out.Tuning, err = setup.Tune(ctx, plans, func(round int) {
		s.stderr.Info(fmt.Sprintf("trying %d settings, round %d of %d", len(plans), round+1, out.Rounds))
	})
	if err != nil {
		return err
	}
	best := bench.Best(out.Tuning)
	s.use(best.Plan)
	out.Recommended = best.Plan.String()
	return s.tuningUse(setup.Games[0].Size()).Keep(bench.Tuned{Plan: best.Plan, Subject: out.Subject, Evals: best.Evals})
}

// useTuning chooses the device that runs the network. If none of --sessions, --batch and --threads
// is given, it applies the result of an earlier `engine benchmark --tune` for this network, machine
// and board.
func (s *settings) useTuning(size board.Size) {
	s.Settle(size, s.stderr)
	if s.planned() {
		return
	}
	t, path, err := s.tuningUse(size).Kept()
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		with := *s
		with.use(t.Plan)
		err = errors.Join(append(table.Check(&with), with.check())...)
	}
	if err != nil {
		s.stderr.Warn("the result of engine benchmark --tune cannot be used", "file", path, "error", err)
		return
	}
	s.use(t.Plan)
	s.stderr.Debug("settings by engine benchmark --tune", "settings", t.Plan)
}
