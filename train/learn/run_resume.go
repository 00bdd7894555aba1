package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// course is the plan of the learning rate.
type course struct {
	Rate     float64  `json:"rate"`
	Schedule Schedule `json:"schedule"`
}

// tellCourse notes changes of the rate or its schedule in a resumed run.
func (r *run) tellCourse(now course) {
	now.Schedule.Total = 0 // Total follows from the number of steps
	was := r.state.Course
	r.state.Course = &now
	if was == nil {
		return
	}
	step := r.l.Counters().Steps
	if was.Rate != now.Rate {
		r.told("from step %d on --lr is %g; it was %g before", step, now.Rate, was.Rate)
	}
	if was.Schedule != now.Schedule {
		r.told("from step %d on the schedule of the rate is %s; it was %s before", step, &now.Schedule, &was.Schedule)
	}
}

// newTotal sets the length of a resumed run, and notes a change.
func (r *run) newTotal() {
	was := r.state.Total
	switch {
	case r.Steps > 0:
		r.state.Total = r.Steps
	case r.Epochs != r.state.Epochs:
		r.state.Total = r.total()
	}
	r.state.Epochs = r.Epochs
	if r.state.Total != was {
		r.told("the run is one of %d steps now; it was one of %d", r.state.Total, was)
	}
}

// check refuses values that no run has.
func (s *runState) check() error {
	if s.Total < 1 || s.Total > 1<<53 || s.Measured < 0 || !(s.First >= 0) || !(s.Seen >= 0) || !(s.Epochs >= 0) ||
		!(s.Held >= 0 && s.Held < 1) || s.Best != nil && (s.Best.Step < 1 || s.Best.Step > 1<<53) {
		return errors.New("the state of the run contradicts itself")
	}
	return nil
}

// chosen returns the settings that choose rows, with their values as JSON. They must not change in a
// resumed run.
func (r *run) chosen() (list []Change) {
	absolute := func(list []string) (paths []string) {
		for _, path := range list {
			abs, err := filepath.Abs(path)
			if err != nil {
				abs = path
			}
			if share, given := r.Shares[path]; given {
				abs = fmt.Sprintf("%s=%g", abs, share)
			}
			paths = append(paths, abs)
		}
		return paths
	}
	paths, size := absolute(r.Data), ""
	if len(r.Shares) == 0 {
		slices.Sort(paths) // so that their order does not matter
	}
	if r.Size.W > 0 {
		size = r.Size.String()
	}
	for _, c := range []struct {
		name  string
		value any
	}{
		{"data", paths}, {"boardsize", size}, {"validation", r.asked}, {"seed", r.Seed}, {"no_symmetries", r.NoSymmetries},
		{"no_history_dropout", r.NoHistoryDropout}, {"window", r.WindowRows}, {"memory", r.MemoryBytes >> 20}, {"validate", absolute(r.Validate)},
	} {
		text, _ := json.Marshal(c.value)
		list = append(list, Change{Name: c.name, Was: string(text)})
	}
	return list
}

// changed returns the chosen settings that differ from those in the checkpoint.
func (r *run) changed() (list []Change) {
	for i, now := range r.chosen() {
		was := ""
		if i < len(r.state.Chosen) {
			was = r.state.Chosen[i].Was
		}
		if was != now.Was {
			list = append(list, Change{Name: now.Name, Was: was, Is: now.Was})
		}
	}
	return list
}
