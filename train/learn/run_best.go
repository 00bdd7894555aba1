package learn

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"kosumi/train/rows"
)

// Mark is a step of a run at which the rows held back were measured.
type Mark struct {
	Step   int64  `json:"step"`
	Result Result `json:"result"`
}

const (
	// fewHeld is the number of rows held back below which differences are likely chance.
	fewHeld = 300
	// measurements is the default minimum number of a run's measurements.
	measurements = 10
	// mostBetween bounds the steps between two measurements.
	mostBetween = 1000
	// seenRows is the number of training rows that are measured too, because their loss tells
	// overfitting from divergence.
	seenRows = 512
	// mostRise bounds the loss at the end of a run as a multiple of the loss before the run. The losses on
	// held-back and on training rows must both exceed it to count. mostRiseMeanwhile is the bound during the run.
	mostRise          = 1.1
	mostRiseMeanwhile = 2
)

func (r *run) every() int64 {
	if r.ValidateEvery > 0 {
		return r.ValidateEvery
	}
	return min(max(1, r.state.Total/measurements), mostBetween)
}

// few reports whether too little is held back to judge by.
func (r *run) few() bool { return r.held.games < 2 || r.held.rows < fewHeld }

func (r *run) heldText() string {
	return fmt.Sprintf("only %s of %s are held back", many(r.held.rows, "row"), many(r.held.games, "game"))
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mark records a measurement and keeps the checkpoint of the best. The error wraps ErrDiverged if
// the loss is far above that before the run.
func (r *run) mark(res *Result) error {
	if res == nil {
		return nil
	}
	if step := r.l.Counters().Steps; step > r.state.MeasuredAt { // not if a resumed run measures a step again
		r.state.MeasuredAt = step
		r.state.Measured++
	}
	if best := r.state.Best; best == nil || res.Loss < best.Result.Loss {
		r.state.Best = &Mark{r.l.Counters().Steps, *res}
		r.l.kept = r.l.Counters().Steps
	}
	// Running statistics lag at first, so only two high losses in a row in the second half count.
	if before := r.state.Before; before == nil || res.Loss <= mostRiseMeanwhile*before.Loss || 2*r.l.Counters().Steps < r.state.Total {
		r.lost = 0
		return nil
	}
	if r.lost++; r.lost < 2 {
		return nil
	}
	return r.risen(res, mostRiseMeanwhile)
}

// risen returns an error if the loss has risen by more than a factor (times) on held-back rows, if there are
// any, and on training rows too. If a network only overfits, its loss on training rows falls.
func (r *run) risen(after *Result, times float64) error {
	before := r.state.Before
	if after != nil && before != nil && after.Loss <= times*before.Loss || r.state.Seen == 0 {
		return nil
	}
	r.judged = true
	seen, err := r.measureSeen()
	if err != nil || seen <= times*r.state.Seen {
		return err
	}
	text := fmt.Sprintf("the loss is %.3g on rows trained on, it was %.3g", seen, r.state.Seen)
	if after != nil && before != nil {
		text += fmt.Sprintf("; on rows held back it is %.3g, it was %.3g", after.Loss, before.Loss)
	}
	return fmt.Errorf("%w: %s", ErrDiverged, text)
}

// measureSeen returns the loss of some training rows, 0 if there are none. A loss that is not
// finite is an error that wraps ErrDiverged.
func (r *run) measureSeen() (float64, error) {
	o := r.options(true)
	o.Split.Held = false
	s, err := rows.OpenFolder(o, r.Data...)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	sum, _, err := r.l.evaluateSome(s, seenRows, false)
	if err == nil && !finite(float32(sum.Loss)) {
		err = fmt.Errorf("%w: on rows trained on the loss is not a finite number", ErrDiverged)
	}
	return sum.Loss, err
}

// choose loads the weights of the best measurement for export, if the last weights are worse and enough
// rows are held back to tell.
func (r *run) choose() {
	last := r.report.After
	if r.report.Averaged != nil {
		last = r.report.Averaged
	}
	r.report.Exported = r.l.Counters().Steps
	best := r.state.Best
	if last == nil || best == nil || best.Step == r.l.Counters().Steps || best.Result.Loss >= last.Loss || r.few() {
		return
	}
	list, _ := Checkpoints(filepath.Join(r.Out, CheckpointsDir))
	for _, path := range list {
		if StepOf(path) == best.Step {
			if r.l.LoadWeights(path) == nil {
				r.report.Best, r.report.Exported = best, best.Step
				return
			}
		}
	}
	r.note("the checkpoint of step %d, which is the best, cannot be read: the network of the end is exported", best.Step)
}

func (r *run) note(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}

// told logs a remark and adds it to the report.
func (r *run) told(format string, args ...any) {
	r.note(format, args...)
	r.Learn.Log.Warn(fmt.Sprintf(format, args...))
}

// judge adds remarks on the measurements to the report.
func (r *run) judge() {
	before, after := r.report.Before, r.report.After
	if before == nil || after == nil {
		r.note("nothing is held back: whether the network has become better, only games can tell")
		return
	}
	if rose := risenTerms(before, after); after.Loss > before.Loss {
		text := fmt.Sprintf("on rows held back the loss rose from %.4g to %.4g", before.Loss, after.Loss)
		if rose != "" {
			text += " (" + rose + ")"
		}
		r.note("%s: the network does not generalise to other games: more games, fewer --epochs or a lower --lr may help", text)
	} else if rose != "" {
		r.note("on rows held back the loss fell from %.4g to %.4g, but a part of it rose: %s", before.Loss, after.Loss, rose)
	}
	if best := r.report.Best; best != nil {
		r.note("exported the weights of step %d, the best of %d measurements (loss %.4g; at the end, step %d, %.4g)",
			best.Step, r.state.Measured+1, best.Result.Loss, r.l.Counters().Steps, after.Loss)
	} else {
		r.note("exported the weights of the last step, %d", r.l.Counters().Steps)
	}
	if best := r.bestLoss(); best > before.Loss {
		r.note("no step was better on them than the network that the run began with (loss %.4g): %s stays the better one", before.Loss, r.l.source.Path)
	}
	if r.few() {
		r.note("%s: too little to judge by", r.heldText())
	}
}

// bestLoss returns the loss of the exported weights on rows held back.
func (r *run) bestLoss() float64 {
	if r.report.Best != nil {
		return r.report.Best.Result.Loss
	}
	loss := r.report.After.Loss
	if r.report.Averaged != nil {
		loss = min(loss, r.report.Averaged.Loss)
	}
	return loss
}

// risenTerms lists the parts of the loss that rose by more than a hundredth.
func risenTerms(before, after *Result) string {
	var list []string
	for _, t := range after.Terms {
		was, ok := before.Term(t.Name)
		if ok && t.Weight > 0 && was.Weight > 0 && t.Coef > 0 && t.Mean > was.Mean+0.01*math.Abs(was.Mean) {
			list = append(list, fmt.Sprintf("%s %.4g to %.4g", strings.ReplaceAll(t.Name, "_", " "), was.Mean, t.Mean))
		}
	}
	return strings.Join(list, ", ")
}

// failed returns the error that Run ends with. After divergence it removes the diverged checkpoints,
// and the error names the one to resume from.
func (r *run) failed(err error) error {
	if !errors.Is(err, ErrDiverged) {
		return err
	}
	dir := filepath.Join(r.Out, CheckpointsDir)
	list, _ := Checkpoints(dir)
	for i, path := range list {
		if !r.sound(path, i == 0) {
			if gone := os.RemoveAll(path); gone != nil {
				return errors.Join(err, gone)
			}
		}
	}
	if list, _ = Checkpoints(dir); len(list) > 0 {
		return fmt.Errorf("%w; nothing is exported; run the same command with a lower --lr than %g to resume from step %d, before that", err, r.Learn.Rate, StepOf(list[0]))
	}
	return fmt.Errorf("%w; nothing is exported; take a lower --lr than %g", err, r.Learn.Rate)
}

// sound reports whether a checkpoint is from before the divergence. If nothing was measured, all are sound
// except the newest if it holds the present weights. Otherwise those up to the best measurement or the start
// of this call are sound, or none if even the best loss is far above the loss before the run.
func (r *run) sound(path string, newest bool) bool {
	best, before := r.state.Best, r.state.Before
	switch {
	case r.report.After == nil && r.state.Measured == 0 && !r.judged:
		return !newest || r.l.Counters().Updates != r.updates
	case before == nil:
		return StepOf(path) <= r.resumed
	case best == nil || best.Result.Loss > mostRise*before.Loss:
		return false
	}
	return StepOf(path) <= max(best.Step, r.resumed)
}
