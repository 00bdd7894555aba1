package learn

import (
	"crypto/sha256"
	"encoding/hex"
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
	now.Schedule.Total = 0 // follows from the steps
	was := r.state.Course
	r.state.Course = &now
	if was == nil {
		return
	}
	step := r.l.Counters().Steps
	if was.Rate != now.Rate {
		r.told("from step %d on --lr is %g; it was %g before", step, now.Rate, was.Rate)
	}
	before, _ := json.Marshal(was.Schedule)
	after, _ := json.Marshal(now.Schedule)
	if string(before) != string(after) {
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
	switch {
	case s.Total < 1 || s.Total > 1<<53 || s.Measured < 0 || !(s.First >= 0) || !(s.Seen >= 0) || !(s.Epochs >= 0),
		!(s.Held >= 0 && s.Held < 1), s.Best != nil && (s.Best.Step < 1 || s.Best.Step > 1<<53):
		return errors.New("the state of the run contradicts itself")
	}
	return nil
}

// choice returns the settings that choose rows. They must not change in a resumed run.
func (r *run) choice() (names []string, values []any) {
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
	paths := absolute(r.Data)
	if len(r.Shares) == 0 {
		slices.Sort(paths) // the order does not matter
	}
	return []string{"data", "boardsize", "validation", "seed", "no_symmetries", "no_history_dropout", "window", "memory", "validate"},
		[]any{paths, r.Size, r.asked, r.Seed, r.NoSymmetries, r.NoHistoryDropout, r.WindowRows, r.MemoryBytes, absolute(r.Validate)}
}

// dataIdentity is a digest of the choice.
func (r *run) dataIdentity() string {
	_, values := r.choice()
	text, _ := json.Marshal(values)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// chosen returns the choice with the names of settings and values as JSON, for messages.
func (r *run) chosen() []Change {
	var list []Change
	names, values := r.choice()
	for i, name := range names {
		switch name {
		case "boardsize":
			values[i] = ""
			if r.Size.W > 0 {
				values[i] = r.Size.String()
			}
		case "memory":
			values[i] = r.MemoryBytes >> 20 // MiB
		}
		text, _ := json.Marshal(values[i])
		list = append(list, Change{Name: name, Was: string(text)})
	}
	return list
}

// changed returns the settings of the choice that differ from the checkpoint's.
func (r *run) changed() []Change {
	var list []Change
	now := r.chosen()
	for i, c := range r.state.Chosen {
		if i < len(now) && now[i].Name == c.Name && now[i].Was != c.Was {
			list = append(list, Change{Name: c.Name, Was: c.Was, Is: now[i].Was})
		}
	}
	return list
}
