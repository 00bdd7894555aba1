package learn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/train/rows"
)

// RunConfig has the settings of a run. Learn, Data, Out and one of Steps and Epochs are required.
type RunConfig struct {
	Learn Config
	// Data are folders and files of rows: .npz, .sgf and .sgfs.
	Data []string
	// Shares maps entries of Data to the share of the batches, above 0 and up to 1, that comes from
	// each. Entries not in Shares split the rest in proportion to their rows.
	Shares map[string]float64
	// Validate are folders and files of rows to measure on, in place of a share of Data. Measuring
	// on rows that the run trains on tells nothing.
	Validate []string
	// Beside are files of other networks. Run measures them on the held-back rows when it starts,
	// for comparison in the report.
	Beside []string
	// Out is the folder of the run: checkpoints, metrics, curves, report and
	// networks. An interrupted run resumes from its newest checkpoint.
	Out string
	// Steps is the number of steps of the run. If it is 0, the run ends when each row has been used
	// Epochs times on average.
	Steps  int64
	Epochs float64

	// Size is the one board size to train on; the zero value takes all.
	Size board.Size
	// Validation is the share of games held back to measure on; 0: none. With few games at least
	// one is held back.
	Validation float64
	// ValidationRows bounds the rows of a measurement; 0 means 4,096.
	ValidationRows int
	// ValidateEvery is the number of steps between measurements; 0 means ten measurements in a run,
	// or more, so that at most 1,000 steps lie between two. The step with the best measurement is exported,
	// if enough rows are held back to tell whether it is better than the last step.
	ValidateEvery int64
	// CheckpointEvery is the number of steps between checkpoints; 0 means about every five minutes.
	CheckpointEvery int64
	// LogEvery is the number of steps that a line of the metrics sums up; 0 means 10.
	LogEvery int64

	// Seed shuffles the data and draws symmetries.
	Seed uint64
	// NoSymmetries and NoHistoryDropout turn off the random changes of rows; see rows.Options.
	NoSymmetries, NoHistoryDropout bool
	// WindowRows bounds the rows of a pass by leaving out the oldest files; 0: all files.
	WindowRows int
	// MemoryBytes bounds the rows in memory; 0 means 256 MiB.
	MemoryBytes int64

	// Progress, unless nil, is called after every step and before every measurement and save.
	Progress func(Progress)
}

type Progress struct {
	Step, Total int64
	Resumed     int64   // step resumed from; 0 for a fresh run
	Recent      Result  // result of the steps since the last line of metrics
	Speed       float64 // recent samples per second
	Left        time.Duration
	// Doing is "" after a step, else "saving", "measuring", or "measuring FILE" for a file of Beside.
	Doing string
}

// Report is the result of a run.
type Report struct {
	Counters    Counters          `json:"counters"`
	Source      Source            `json:"source"`
	Seconds     float64           `json:"seconds"`            // of this call
	Speed       float64           `json:"samples_per_second"` // of this call, steps alone
	Before      *Result           `json:"before,omitempty"`   // on the games held back
	After       *Result           `json:"after,omitempty"`
	Averaged    *Result           `json:"averaged,omitempty"` // the averaged weights, which are exported
	Best        *Mark             `json:"best,omitempty"`     // the measurement whose weights are exported, if they are not the last weights
	Exported    int64             `json:"exported,omitempty"` // step whose weights are exported
	Beside      []Beside          `json:"beside,omitempty"`
	Held        int               `json:"games_held_back,omitempty"`
	Notes       []string          `json:"notes,omitempty"`   // remarks on the run
	Files       []string          `json:"files"`             // networks written
	Skipped     map[string]string `json:"skipped,omitempty"` // data files left out, with reasons
	Interrupted bool              `json:"interrupted,omitempty"`
}

// Beside is the result of another network on the rows held back.
type Beside struct {
	File   string `json:"file"`
	Result Result `json:"result"`
}

// Files and folders of a run.
const (
	CheckpointsDir = "checkpoints"
	MetricsFile    = "metrics.jsonl"
	CurvesFile     = "curves.svg"
	ReportFile     = "report.json"
	NetworkName    = "model" // model.onnx, and model.bin.gz for KataGo networks
)

const (
	defaultValidationMax = 4096
	defaultLogEvery      = 10
	checkpointInterval   = 5 * time.Minute
)

type run struct {
	RunConfig
	l       *Learner
	train   *rows.Mix
	catalog rows.Catalog
	metrics *metrics
	state   runState
	report  Report
	asked   float64 // Validation as the caller set it, before holdBack changed it

	resumed   int64
	recent    Result  // since the last line of metrics
	loss      float64 // loss of the last step
	updates   int64   // number of updates in the saved weights
	steps     Steps
	saved     time.Time
	speed     speedometer
	heldEmpty bool
	held      struct{ rows, games int } // held-back rows and games of one measurement
	judged    bool                      // the loss on training rows was measured again, to detect divergence
	lost      int                       // consecutive measurements with an excessive loss
}

// runState is the state of a run in its checkpoints, in addition to the learner's.
type runState struct {
	Total  int64   `json:"total"`
	Epochs float64 `json:"epochs,omitempty"` // if the length was given in epochs
	Held   float64 `json:"held,omitempty"`   // share of games held back
	First  float64 `json:"first,omitempty"`  // loss of the first step
	Before *Result `json:"before,omitempty"`
	Seen   float64 `json:"seen,omitempty"` // loss on some training rows before the run
	// Best is the measurement with the lowest loss so far. Measured counts the measurements
	// except that before the first step.
	Best       *Mark `json:"best,omitempty"`
	Measured   int   `json:"measured,omitempty"`
	MeasuredAt int64 `json:"measured_at,omitempty"` // step of the last measurement
	// Course and Chosen are settings of the previous call of Run, to report changes.
	Course *course  `json:"course,omitempty"`
	Chosen []Change `json:"chosen,omitempty"`
}

// extraRun is the key of the run's state in a checkpoint's Extra.
const extraRun = "run"

// Run trains until its steps are done or ctx ends. If ctx ends, it saves a checkpoint and sets
// Interrupted in the report. If Out holds checkpoints of the same run, it resumes from the newest.
// Errors wrap ErrConfig if settings are wrong.
func Run(ctx context.Context, c RunConfig) (*Report, error) {
	began := time.Now()
	c.Learn = c.Learn.WithDefaults()
	r := &run{RunConfig: c, asked: c.Validation, saved: began}
	if err := r.check(); err != nil {
		return nil, err
	}
	lock, err := file.LockFolder(r.Out)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	err = r.open()
	defer r.close()
	if err == nil {
		err = r.loop(ctx)
	}
	if err != nil {
		return nil, r.failed(err)
	}
	r.report.Seconds = time.Since(began).Seconds()
	r.report.Counters, r.report.Source, r.report.Before = r.l.Counters(), r.l.source, r.state.Before
	if r.steps.Took > 0 {
		r.report.Speed = float64(r.steps.Samples) / r.steps.Took.Seconds()
	}
	switch {
	case !r.report.Interrupted:
		err = r.failed(r.finish())
	case r.usable():
		err = r.export()
	}
	return &r.report, err
}

func (r *run) check() error {
	bad := func(format string, args ...any) error { return fault(ErrConfig, format, args...) }
	switch {
	case len(r.Data) == 0:
		return bad("no training data is named")
	case r.Out == "":
		return bad("no folder for the results is named")
	case r.Steps < 0 || !(r.Epochs >= 0 && r.Epochs < 1e9):
		return bad("%d steps, %v epochs: use more than 0", r.Steps, r.Epochs)
	case r.Steps == 0 && r.Epochs == 0:
		return bad("the number of steps or of epochs is needed")
	case !(r.Validation == 0 || r.Validation >= rows.LeastShare && r.Validation < 1):
		return bad("--validation %v: use 0, or from %v up to, not including, 1", r.Validation, rows.LeastShare)
	case len(r.Beside) > 0 && r.Validation == 0 && len(r.Validate) == 0:
		return bad("nothing is held back to measure other networks on")
	case r.Validation > 0 && len(r.Validate) > 0:
		return bad("a share of %v for validation and a folder of its own: use one of them", r.Validation)
	case r.ValidateEvery < 0 || r.CheckpointEvery < 0 || r.LogEvery < 0 || r.ValidationRows < 0:
		return bad("intervals and rows of a measurement must not be negative")
	}
	r.LogEvery = cmp.Or(r.LogEvery, defaultLogEvery)
	r.ValidationRows = cmp.Or(r.ValidationRows, defaultValidationMax)
	if err := r.checkShares(); err != nil {
		return bad("%w", err)
	}
	for flag, paths := range map[string][]string{"data": r.Data, "validate": r.Validate, "beside": r.Beside} {
		for _, path := range paths {
			if _, err := os.Stat(path); err != nil && path != models.Name {
				return bad("--%s: %w", flag, err)
			}
		}
	}
	return nil
}

func (r *run) open() error {
	dir := filepath.Join(r.Out, CheckpointsDir)
	c := r.Learn
	c.Schedule.Total = cmp.Or(c.Schedule.Total, max(1, r.Steps)) // a guess until the length of an epoch is known
	l, err := planned(c)
	if err != nil {
		return err
	}
	r.l = l
	if r.Size != (board.Size{}) {
		if err := l.net.Serves(r.Size); err != nil {
			return fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	extra, err := l.resume(dir)
	fresh := errors.Is(err, ErrNoCheckpoint)
	if err != nil && !fresh {
		return err
	}
	if r.train, err = r.stream(); err != nil {
		return err
	}
	if fresh {
		if err = r.holdBack(); err == nil {
			err = l.start()
		}
		r.state = runState{Total: r.total(), Epochs: r.Epochs, Held: r.Validation, Chosen: r.chosen()}
	} else {
		err = r.resume(extra)
	}
	if err == nil {
		err = r.schedule()
	}
	if err == nil {
		err = r.measureBeside()
	}
	if err == nil {
		r.metrics, err = openMetrics(filepath.Join(r.Out, MetricsFile), l.Counters().Steps)
	}
	switch {
	case err != nil:
		return err
	case fresh:
		return r.measureBefore()
	}
	return r.measureIfDue() // an interrupted run saves its last step without measuring it, even if that was due
}

func (r *run) measureBefore() (err error) {
	if r.state.Before, err = r.measure(false); err != nil {
		return err
	}
	if r.state.Before != nil && r.few() {
		r.Learn.Log.Warn(r.heldText() + ": too little to judge by; more games, or a larger --validation, would do")
	}
	r.state.Seen, err = r.measureSeen()
	return err
}

func (r *run) resume(extra Extra) error {
	if err := json.Unmarshal(extra[extraRun], &r.state); err != nil {
		return fmt.Errorf("%w: %s: the checkpoint does not belong to a run: %w", ErrCheckpoint, r.Out, err)
	}
	if changed := r.changed(); len(changed) > 0 {
		return &SettingsError{Path: r.Out, Changed: changed}
	}
	if err := r.state.check(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCheckpoint, r.Out, err)
	}
	if best := r.state.Best; best != nil {
		r.l.kept = best.Step
	}
	if held := r.state.Held; held != r.Validation {
		if err := r.split(held); err != nil {
			return err
		}
	}
	if err := r.train.Restore(extra[extraStream]); err != nil {
		return fmt.Errorf("%w: the data have changed since: %w", ErrCheckpoint, err)
	}
	r.newTotal()
	r.resumed, r.updates = r.l.Counters().Steps, r.l.Counters().Updates
	r.Learn.Log.Info("going on", "from step", r.resumed, "of", r.state.Total)
	return nil
}

func (r *run) measureIfDue() error {
	step := r.l.Counters().Steps
	if step%r.every() != 0 || step == 0 || step >= r.state.Total {
		return nil
	}
	res, err := r.measure(false)
	if err != nil {
		return err
	}
	return r.mark(res)
}

func (r *run) schedule() error {
	s := r.Learn.Schedule
	r.tellCourse(course{r.Learn.Rate, s})
	s.Total = cmp.Or(s.Total, r.state.Total)
	return r.l.SetRate(r.Learn.Rate, s)
}

func (r *run) loop(ctx context.Context) (err error) {
	r.steps.Learner, r.steps.Stream = r.l, r.train
	r.steps.Goal = func(c Counters) bool { return c.Steps >= r.state.Total }
	r.steps.Pause, r.steps.See, r.steps.After = r.pauseAfter, r.see, r.pause
	r.report.Interrupted, err = r.steps.Train(ctx)
	return err
}

// pauseAfter reports whether a checkpoint or a measurement is due after a step.
func (r *run) pauseAfter(c Counters) bool {
	due := r.CheckpointEvery > 0 && c.Steps%r.CheckpointEvery == 0 || r.CheckpointEvery == 0 && time.Since(r.saved) > checkpointInterval
	return due || c.Steps%r.every() == 0
}

func (r *run) pause(interrupted bool) error {
	if !r.usable() {
		return nil // a diverged learner is not saved, since a run must not resume from it
	}
	if !interrupted {
		if err := r.measureIfDue(); err != nil {
			return err
		}
	}
	return r.save()
}

// see adds a step to the metrics. A mean loss above mostGrowth times that of the first step is divergence.
func (r *run) see(res *Result, _ board.Size) error {
	if res.Skipped {
		r.Learn.Log.Warn("a step was skipped: its loss or gradient is not a finite number", "step", r.l.Counters().Steps)
	} else {
		r.recent.Add(res)
		r.loss = res.Loss
		r.state.First = cmp.Or(r.state.First, res.Loss)
	}
	r.speed.add(res.Rows, time.Now())
	if r.l.Counters().Steps%r.LogEvery == 0 || r.l.Counters().Steps >= r.state.Total {
		if err := r.metrics.write("step", r.l.Counters(), &r.recent, r.speed.rate()); err != nil {
			return err
		}
		r.tell("")
		if r.grown(r.recent.Loss) {
			return fmt.Errorf("%w: the loss is %.3g, at the first step it was %.3g", ErrDiverged, r.recent.Loss, r.state.First)
		}
		r.recent = Result{}
		return nil
	}
	r.tell("")
	return nil
}

func (r *run) tell(doing string) {
	if r.Progress == nil {
		return
	}
	p := Progress{Step: r.l.Counters().Steps, Total: r.state.Total, Resumed: r.resumed, Recent: r.recent, Speed: r.speed.rate(), Doing: doing}
	if done := r.l.Counters().Steps - r.resumed; done > 0 && r.steps.Samples > 0 && p.Speed > 0 {
		left := float64(r.state.Total-r.l.Counters().Steps) * float64(r.l.conf.Batch)
		p.Left = time.Duration(left / p.Speed * float64(time.Second))
	}
	r.Progress(p)
}

func (r *run) save() error {
	r.tell("saving")
	state, err := json.Marshal(&r.state)
	if err != nil {
		return err
	}
	if err := r.metrics.f.Sync(); err != nil {
		return err
	}
	err = r.steps.Save(filepath.Join(r.Out, CheckpointsDir), Extra{extraRun: state})
	r.saved, r.updates = time.Now(), r.l.Counters().Updates
	return err
}
