package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"kosumi/internal/file"
	"kosumi/nn/autodiff"
	"kosumi/nn/fresh"
	"kosumi/train/learn"
	"kosumi/train/rows"
)

func writeFile(path string, data []byte) error {
	return file.WriteBytes(path, data)
}

func (l *Loop) checkpoints() string { return filepath.Join(l.dir, "checkpoints") }

// openLearner resumes the learner from its newest checkpoint, or makes it. With
// settings other than the checkpoint's, or where checkpoints are gone, it begins
// anew, which the state tells.
func (l *Loop) openLearner() error {
	if l.learner != nil {
		return nil
	}
	learner, extra, err := learn.Resume(l.checkpoints(), l.learnerConfig())
	var changed *learn.SettingsError
	why := ""
	switch {
	case errors.As(err, &changed):
		why = "other settings of the learner (" + changed.Names() + ")"
	case errors.Is(err, learn.ErrNoCheckpoint) && l.state.Samples > 0:
		why = "no checkpoint is left in " + l.checkpoints()
	}
	if why != "" {
		if err := l.renew(why); err != nil {
			return err
		}
	}
	if why != "" || errors.Is(err, learn.ErrNoCheckpoint) {
		learner, err = learn.New(l.learnerConfig())
	}
	if err != nil {
		return err
	}
	l.learner, l.resumed = learner, extra
	return nil
}

func (l *Loop) learnerConfig() learn.Config {
	t := &l.conf.Train
	return learn.Config{Model: modelPath(l.dir, l.state.Arch, l.state.base()), Batch: t.Batch, Method: autodiff.Method(t.Method),
		Momentum: t.Momentum, WeightDecay: t.WeightDecay, ClipNorm: t.ClipNorm, Rate: t.Rate,
		Schedule: learn.Schedule{Warmup: t.WarmupSteps}, HeadRate: t.HeadRate, Losses: t.Losses, Aux: t.Aux && fresh.IsKataGo(l.state.Arch),
		Average: learn.Average{Every: t.AverageEvery, Window: t.AverageWindow}, Threads: l.conf.Compute.Threads, Seed: l.state.Seed, Log: l.o.Log}
}

const (
	extraStream    = "stream"
	extraIteration = "iteration"
)

// train takes steps until as many samples are trained as are due.
func (l *Loop) train(ctx context.Context) error {
	s, c := l.state, l.stageConfig()
	if err := l.openLearner(); err != nil {
		return err
	}
	if err := l.learner.SetRate(l.rate(&c), learn.Schedule{Warmup: c.Train.WarmupSteps}); err != nil {
		return err
	}
	stream, err := rows.Open(l.streamOptions(&c), l.newest)
	if err != nil {
		return err
	}
	defer stream.Close()
	if string(l.resumed[extraIteration]) == strconv.Itoa(s.Iteration) {
		if err := stream.Restore(l.resumed[extraStream]); err != nil {
			return err
		}
	}
	l.resumed = nil
	sum, err := l.steps(ctx, &c, stream)
	if errors.Is(err, learn.ErrDiverged) {
		return l.goBack(&c, err)
	}
	if err != nil || l.learner.Counters().Samples < s.Target {
		return errors.Join(err, s.save(l.dir))
	}
	l.noteTraining(&c, sum, stream.WindowRows())
	return l.enter(stageExport)
}

// steps trains, and saves now and then and at the end.
func (l *Loop) steps(ctx context.Context, c *Config, stream *rows.Folder) (*learn.Result, error) {
	s := l.state
	began, saved := time.Now(), time.Now()
	first := l.learner.Counters().Samples
	defer func() { s.Seconds.Train += time.Since(began).Seconds() }()
	var batch rows.Batch
	sum := new(learn.Result)
	beat := l.pulse()
	for l.learner.Counters().Samples < s.Target && ctx.Err() == nil {
		if err := stream.Next(&batch); err != nil {
			return nil, err
		}
		result, err := l.learner.Step(&batch)
		if err != nil {
			return nil, err
		}
		if !result.Skipped {
			sum.Add(&result)
		}
		if err := l.watch.see(&result, batch.Size); err != nil {
			return nil, err
		}
		now := time.Now()
		if now.Sub(saved).Seconds() >= c.Train.Checkpoint {
			if err := l.save(stream); err != nil {
				return nil, err
			}
			saved = now
		}
		if beat.due(now) {
			l.tell(l.trainProgress(sum, first, began))
		}
	}
	if l.learner.Counters().Samples > first || l.learner.Counters().Samples == 0 {
		if err := l.save(stream); err != nil {
			return nil, err
		}
	}
	l.record.Seconds.Train += time.Since(began).Seconds()
	if ctx.Err() == nil {
		p := l.trainProgress(sum, first, began)
		l.say("training: %d samples, %d in all, %s, window %d rows", p.Done, l.learner.Counters().Samples, p.Text, stream.WindowRows())
	}
	return sum, nil
}

// save writes a checkpoint with the stream's place.
func (l *Loop) save(stream *rows.Folder) error {
	state, err := stream.State()
	if err != nil {
		return err
	}
	_, err = l.learner.Save(l.checkpoints(), learn.Extra{extraStream: state, extraIteration: []byte(strconv.Itoa(l.state.Iteration))})
	return err
}

// trainProgress is how far training has come that began with so many samples.
func (l *Loop) trainProgress(sum *learn.Result, first int64, began time.Time) Progress {
	n := l.learner.Counters().Samples
	speed := float64(n-first) / time.Since(began).Seconds()
	line := fmt.Sprintf("%.0f/s, loss %.3f", speed, sum.Loss)
	for _, name := range []string{learn.TermPolicy, learn.MeasurePolicyEntropy, learn.TermValue, learn.TermOwnership, learn.TermScoreMean} {
		if t, ok := sum.Term(name); ok && t.Weight > 0 {
			line += fmt.Sprintf(", %s %.3f", name, t.Mean)
		}
	}
	p := Progress{Stage: "training", Unit: "samples", Done: n - l.state.Samples, Goal: l.state.Target - l.state.Samples, Text: line}
	if left := l.state.Target - n; left > 0 && speed > 0 {
		p.Left = max(time.Second, time.Duration(float64(left)/speed*float64(time.Second)))
	}
	return p
}

// noteTraining adds what was learnt to the record of the iteration.
func (l *Loop) noteTraining(c *Config, sum *learn.Result, window int) {
	s := l.state
	s.Samples = l.learner.Counters().Samples
	r := &l.record
	r.Iteration, r.Window, r.Rate = s.Iteration, window, l.rate(c)
	r.Losses, r.Parts = map[string]float64{}, map[string]float64{}
	if sum.Rows > 0 {
		r.Losses["loss"] = sum.Loss
	}
	for _, t := range sum.Terms {
		if t.Weight > 0 && !math.IsNaN(t.Mean) {
			r.Losses[t.Name] = t.Mean
			if t.Coef > 0 {
				r.Parts[t.Name] = t.Coef * t.Mean
			}
		}
	}
}

// export writes the network as it is now under the name that tells its samples
// and rows.
func (l *Loop) export() error {
	s := l.state
	name := fmt.Sprintf("%s-s%d-d%d", s.Arch, s.Samples, s.Rows)
	path := modelPath(l.dir, s.Arch, name)
	if _, err := os.Stat(path); err != nil {
		if err := l.openLearner(); err != nil || s.Stage != stageExport {
			return err
		}
		if got := l.learner.Counters().Samples; got != s.Samples {
			return fmt.Errorf("the newest checkpoint in %s has %d samples, the state says %d", l.checkpoints(), got, s.Samples)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := l.learner.Export(path, name, true); err != nil {
			return err
		}
	}
	s.Candidate = name
	return l.enter(stageGate)
}

// gate opens the new network, lets it play the one that plays now, and promotes
// or refuses it.
func (l *Loop) gate(ctx context.Context) error {
	s, c := l.state, l.stageConfig()
	began := time.Now()
	p, err := openPlayer(modelPath(l.dir, s.Arch, s.Candidate), s.Candidate, &c.Compute, c.Selfplay.Boards, s.Seed+uint64(s.Games), l.o.Log)
	if err != nil {
		return err
	}
	entry := Network{Name: s.Candidate, SHA256: p.sha256, Games: s.Games, Rows: s.Rows, Samples: s.Samples, Against: s.Current, Promoted: true}
	if c.Gate.Games > 0 && !l.bootstrapping() {
		if err := l.match(ctx, &c, p, &entry); err != nil {
			p.close()
			return err
		}
	}
	if n := p.server.Stats().Invalid + entry.invalid; n > 0 {
		entry.Promoted = false
		l.say("%s is refused: %d of its answers were no numbers", p.name, n)
	}
	spent := time.Since(began).Seconds()
	s.Seconds.Gate += spent
	l.record.Seconds.Gate += spent
	entry.Hours = s.Seconds.total() / 3600
	l.settle(p, entry)
	if err := l.cleanUp(&c); err != nil {
		return err
	}
	if n := l.refused(); n > 0 && n%mostRefused == 0 {
		if err := l.goBack(&c, fmt.Errorf("%w: %d networks in a row were refused", learn.ErrDiverged, n)); err != nil {
			return err
		}
	}
	if err := WriteReport(l.dir); err != nil {
		return err
	}
	if l.o.Done != nil {
		l.o.Done(s)
	}
	return nil
}

// match plays the guard match.
func (l *Loop) match(ctx context.Context, c *Config, p *player, entry *Network) error {
	s := l.state
	if m, ok := l.o.Exchange.(Matches); ok {
		return l.guard(ctx, c, remoteMatch(m, modelPath(l.dir, s.Arch, s.Candidate), modelPath(l.dir, s.Arch, s.Current)), entry)
	}
	if l.player == nil || l.player.name != s.Current {
		l.player.close()
		l.player = nil
		old, err := openPlayer(modelPath(l.dir, s.Arch, s.Current), s.Current, &c.Compute, c.Selfplay.Boards, s.Seed, l.o.Log)
		if err != nil {
			return err
		}
		l.player = old
	}
	return l.guard(ctx, c, localMatch(p.server, l.player.server), entry)
}

// guard plays the games of the guard match.
func (l *Loop) guard(ctx context.Context, c *Config, play func(ctx context.Context, g MatchGame) (MatchOutcome, error), entry *Network) error {
	s := l.state
	count := matchCount{began: time.Now(), goal: c.Gate.Games, area: c.Selfplay.Boards[0].Size().Area()}
	done := l.heartbeat(count.progress)
	r, err := playMatch(ctx, play, &c.Gate, c.Selfplay.Boards, s.Seed+uint64(s.Iteration), &count)
	done()
	if err != nil {
		return err
	}
	l.judge(c, &r, entry)
	return nil
}

// judge enters what came of a guard match.
func (l *Loop) judge(c *Config, r *matchResult, entry *Network) {
	s := l.state
	entry.Score, entry.Played, entry.invalid = r.score(), r.games(), r.invalid
	entry.Promoted = entry.Score >= c.Gate.MinScore
	n := float64(r.games())
	points := (entry.Score*n + 0.5) / (n + 1) // half a point of doubt keeps it finite
	entry.Elo = 400 * math.Log10(points/(1-points))
	if before := s.network(s.Current); before != nil { // else it is what the loop began with, which has Elo 0
		entry.Elo += before.Elo
	}
}

// settle enters the new network into the state and begins the next iteration.
func (l *Loop) settle(p *player, entry Network) {
	s := l.state
	verdict := "plays from now on"
	if !entry.Promoted {
		verdict = "is refused"
	}
	match := "no match"
	if entry.Played > 0 {
		match = fmt.Sprintf("%.1f of %d against %s, chained Elo %.0f", entry.Score*float64(entry.Played), entry.Played, entry.Against, entry.Elo)
	}
	l.say("%s %s (%s); %.2f hours, %d games, %d rows, %d samples", entry.Name, verdict, match, entry.Hours, s.Games, s.Rows, s.Samples)
	s.Networks = append(s.Networks, entry)
	if entry.Promoted {
		l.player.close()
		l.player = p
		s.Current = entry.Name
	} else {
		p.close()
	}
	r := l.record
	r.Time = time.Now().UTC().Truncate(time.Second)
	r.Games, r.Rows, r.Samples = s.Games, s.Rows, s.Before+s.Samples
	s.History = append(s.History, r)
	l.record = Record{}
	s.Candidate = ""
	s.Iteration++
	s.Stage = stageSelfplay
}

// cleanUp saves the state and then removes what is not kept.
func (l *Loop) cleanUp(c *Config) error {
	s := l.state
	var networks []string
	promoted := 0
	for i := len(s.Networks) - 1; i >= 0; i-- {
		n := &s.Networks[i]
		if n.Promoted {
			promoted++
		}
		milestone := c.Keep.Every > 0 && s.iterationOf(i)%c.Keep.Every == 0
		if n.Gone || n.Name == s.Base || n.Promoted && (promoted <= c.Keep.Networks || milestone) {
			continue
		}
		n.Gone = true
		networks = append(networks, n.Name)
	}
	s.thin(mostRecords)
	surplus := l.surplus(c)
	if err := s.save(l.dir); err != nil {
		return err
	}
	for _, name := range networks {
		if err := os.RemoveAll(filepath.Join(l.dir, "models", name)); err != nil {
			return err
		}
	}
	return l.dropRows(surplus)
}

// surplus lists the oldest files of self-play, which are not kept, and closes the
// numbers of their games.
func (l *Loop) surplus(c *Config) []dataFile {
	list, _ := dataFiles(l.dir, l.state.Seed, l.known)
	most := int(c.Keep.Rows * float64(max(l.windowRows(c), c.Window.MinRows)))
	kept := 0
	var surplus []dataFile
	for i := len(list) - 1; i >= 0; i-- {
		d := list[i]
		if kept < most {
			kept += d.rows
			continue
		}
		surplus = append(surplus, d)
		for _, id := range d.ids {
			l.state.Closed = max(l.state.Closed, id.Number+1)
		}
	}
	return surplus
}

// dropRows removes files of self-play with the records of their games.
func (l *Loop) dropRows(files []dataFile) error {
	for _, d := range files {
		games := filepath.Join(filepath.Dir(filepath.Dir(d.path)), "sgfs", filepath.Base(d.path[:len(d.path)-len(".npz")])+".sgfs")
		for _, path := range []string{d.path, games} {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		delete(l.known, d.path)
		// Folders of networks that play no longer go when they are empty.
		if folder := filepath.Dir(filepath.Dir(d.path)); filepath.Base(folder) != l.state.Current {
			for _, empty := range []string{filepath.Join(folder, "tdata"), filepath.Join(folder, "sgfs"), folder} {
				_ = os.Remove(empty) // fails where there is something in it
			}
		}
	}
	return nil
}
