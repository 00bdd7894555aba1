package learn

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"kosumi/internal/file"
)

func (r *run) finish() error {
	var err error
	if r.report.After, err = r.measure(false); err != nil {
		return err
	}
	r.report.Held = r.held.games
	if err := r.ended(); err != nil {
		return err
	}
	if r.l.average != nil {
		if r.report.Averaged, err = r.measure(true); err != nil {
			return err
		}
	}
	r.choose()
	if err := r.export(); err != nil {
		return err
	}
	r.judge()
	r.report.Skipped = map[string]string{}
	for path, err := range r.train.Skipped() {
		r.report.Skipped[path] = err.Error()
	}
	if err := r.metrics.f.Close(); err != nil {
		return err
	}
	if err := DrawCurves(filepath.Join(r.Out, MetricsFile), filepath.Join(r.Out, CurvesFile)); err != nil {
		return err
	}
	return file.WriteJSON(filepath.Join(r.Out, ReportFile), &r.report, "  ")
}

// export writes the network, with averaged weights if there are any.
func (r *run) export() error {
	names := []string{NetworkName + ".onnx"}
	if r.l.KataGo() {
		names = append(names, NetworkName+".bin.gz")
	}
	for _, name := range names {
		path := filepath.Join(r.Out, name)
		if err := r.l.Export(path, trainedName(r.l.source.Name, r.l.Counters().Samples), true); err != nil {
			return err
		}
		r.report.Files = append(r.report.Files, path)
	}
	return nil
}

// samplesInName finds the samples in names like KataGo's: kb6c96-s6648960-d1616146 has learnt from
// 6,648,960 samples of 1,616,146 rows.
var samplesInName = regexp.MustCompile(`-s(\d+)\b`)

func trainedName(name string, samples int64) string {
	at := samplesInName.FindStringSubmatchIndex(name)
	if at == nil {
		return fmt.Sprintf("%s-s%d", name, samples)
	}
	before, err := strconv.ParseInt(name[at[2]:at[3]], 10, 64)
	if err != nil {
		return name // out of range
	}
	return fmt.Sprintf("%s%d%s", name[:at[2]], before+samples, name[at[3]:])
}

// usable reports whether training can resume from the present weights.
func (r *run) usable() bool { return !r.grown(r.loss) && r.l.Counters().InARow == 0 }

// ended returns an error if the run has diverged: its last steps had a loss or gradient that is not
// finite, or the loss has risen too much since the start of the run.
func (r *run) ended() error {
	before, after := r.state.Before, r.report.After
	switch {
	case r.l.Counters().InARow > 0:
		return fmt.Errorf("%w: the last %d steps had a loss or a gradient that is not a finite number", ErrDiverged, r.l.Counters().InARow)
	case before != nil && after != nil && !(after.Loss <= mostGrowth*before.Loss):
		return fmt.Errorf("%w: on rows held back the loss is %.3g, it was %.3g", ErrDiverged, after.Loss, before.Loss)
	}
	return r.risen(after, mostRise)
}

func (r *run) close() {
	if r.train != nil {
		r.train.Close()
	}
	if r.metrics != nil {
		r.metrics.f.Close() // again, after finish
	}
	if r.l != nil {
		r.l.Close()
	}
}

// mostGrowth bounds the loss as a multiple of the first step's loss or, on held-back rows, the loss before the run.
const mostGrowth = 10

func (r *run) grown(loss float64) bool {
	return r.state.First > 0 && !(loss <= mostGrowth*r.state.First)
}
