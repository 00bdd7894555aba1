package learn

import (
	"fmt"
	"math"
)

// Schedule changes the learning rate over a run. The zero value keeps it constant.
type Schedule struct {
	// Warmup is the number of steps in which the rate rises from 1/(Warmup+1) of its
	// full value, linearly.
	Warmup int64 `json:"warmup"`
	// Shape is "constant" (or ""), "cosine" or "linear".
	Shape string `json:"shape"`
	// Total is the number of steps of the whole run, at the end of which cosine and
	// linear reach Final, a fraction of the rate.
	Total int64   `json:"total"`
	Final float64 `json:"final"`
}

// Validate reports settings out of range.
func (s *Schedule) Validate() error {
	switch s.Shape {
	case "", "constant":
	case "cosine", "linear":
		if s.Total < 1 {
			return fmt.Errorf("schedule %s: the number of steps of the run is needed", s.Shape)
		}
	default:
		return fmt.Errorf("schedule %q: use constant, cosine or linear", s.Shape)
	}
	if s.Warmup < 0 || !(s.Final >= 0 && s.Final <= 1) {
		return fmt.Errorf("schedule: warm-up %d, final %v: use 0 or more, and 0 to 1", s.Warmup, s.Final)
	}
	return nil
}

// At returns the factor of the learning rate in step t, counted from 1.
func (s *Schedule) At(t int64) float64 {
	f := 1.0
	if t <= s.Warmup {
		f = float64(t) / float64(s.Warmup+1)
	}
	if s.Total < 1 {
		return f
	}
	// p is the progress through the steps after the warm-up, 0 to 1.
	p := float64(t-s.Warmup-1) / float64(max(s.Total-s.Warmup-1, 1))
	p = min(max(p, 0), 1)
	switch s.Shape {
	case "cosine":
		f *= s.Final + (1-s.Final)*(1+math.Cos(math.Pi*p))/2
	case "linear":
		f *= 1 - (1-s.Final)*p
	}
	return f
}

// String names a schedule and its settings, for messages.
func (s *Schedule) String() string {
	text := s.Shape
	switch s.Shape {
	case "":
		text = "constant"
	case "cosine", "linear":
		text += fmt.Sprintf(" down to %g", s.Final)
	}
	if s.Warmup > 0 {
		text += fmt.Sprintf(" after %d steps of warm-up", s.Warmup)
	}
	return text
}
