package loop

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ErrState marks a state with contradictions.
var ErrState = errors.New("the state of the loop contradicts itself")

// mostCounted bounds every count, so that sums do not overflow.
const mostCounted = 1 << 53

// check returns every contradiction of a state.
func (s *State) check() error {
	var f faults
	f.counts("", "iteration", int64(s.Iteration))
	s.Ledger.check(&f)
	f.seconds("", &s.Seconds)
	stages := []string{stageSelfplay, stageTrain, stageExport, stageGate}
	f.note(!slices.Contains(stages, s.Stage), "stage is %q, must be one of %s", s.Stage, strings.Join(stages, ", "))
	f.note(s.Stage == stageGate && s.Candidate == "", "stage is %s, and candidate names no network", stageGate)
	f.note(s.Version < 1, "version is %d, must be 1 or more", s.Version)
	f.note(s.Arch == "", "arch is missing")
	f.name("current", s.Current)
	f.name("candidate", s.Candidate)
	f.name("base", s.Base)
	f.name("start", s.Start)
	for i := range s.Networks {
		f.network(fmt.Sprintf("networks[%d].", i), &s.Networks[i], s)
	}
	for i := range s.History {
		f.record(fmt.Sprintf("history[%d].", i), &s.History[i], s)
	}
	if len(f) > 3 {
		f = append(f[:3], "and more")
	}
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrState, strings.Join(f, "; "))
}

// faults collects errors of a state.
type faults []string

func (f *faults) note(bad bool, format string, args ...any) {
	if bad {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// counts reports numbers that are negative or too large; names has one word for each value.
func (f *faults) counts(where, names string, values ...int64) {
	for i, name := range strings.Fields(names) {
		f.note(values[i] < 0 || values[i] > mostCounted, "%s%s is %d, must be from 0 to 2^53", where, name, values[i])
	}
}

func (f *faults) seconds(where string, t *Seconds) {
	for name, v := range map[string]float64{"selfplay": t.Selfplay, "train": t.Train, "gate": t.Gate} {
		f.note(!(v >= 0 && v <= mostCounted), "%sseconds.%s is %g, must be 0 or more", where, name, v)
	}
}

// name reports a name that cannot be a network's folder.
func (f *faults) name(key, network string) {
	f.note(network != "" && (network != filepath.Base(network) || !filepath.IsLocal(network) || network == "."), "%s is %q, which is not the name of a network", key, network)
}

func (f *faults) network(where string, n *Network, s *State) {
	f.counts(where, "games rows samples played", n.Games, n.Rows, n.Samples, int64(n.Played))
	f.note(n.Name == "", "%sname is missing", where)
	f.name(where+"name", n.Name)
	f.note(n.Games > s.Games || n.Rows > s.Rows, "%sgames and rows are %d and %d, of %d and %d in all", where, n.Games, n.Rows, s.Games, s.Rows)
}

func (f *faults) record(where string, r *Record, s *State) {
	f.counts(where, "iteration games rows samples window", int64(r.Iteration), r.Games, r.Rows, r.Samples, int64(r.Window))
	f.seconds(where, &r.Seconds)
	f.note(r.Games > s.Games || r.Rows > s.Rows, "%sgames and rows are %d and %d, of %d and %d in all", where, r.Games, r.Rows, s.Games, s.Rows)
	f.note(r.Iteration >= max(1, s.Iteration), "%siteration is %d, the state's own is %d", where, r.Iteration, s.Iteration)
}
