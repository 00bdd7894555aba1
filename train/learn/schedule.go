package learn

import (
	"fmt"
	"math"
)

// Schedule bends the learning rate over a run. The zero value keeps it constant.
type Schedule struct {
	// Warmup is the number of steps over which the rate rises to its full
	// height, in even parts from 1/(Warmup+1) on.
	Warmup int64 `json:"warmup"`
	// Shape is "constant" (or ""), "cosine", "linear" or "steps".
	Shape string `json:"shape"`
	// Total is the number of steps of the whole run: where cosine and linear
	// end, and what Drops are fractions of.
	Total int64 `json:"total"`
	// Final is the fraction of the rate that cosine and linear end at.
	Final float64 `json:"final"`
	// Drops are fractions of the run at which "steps" multiplies by Factor.
	Drops  []float64 `json:"drops,omitempty"`
	Factor float64   `json:"factor,omitempty"`
}

// Validate reports what makes no sense.
func (s *Schedule) Validate() error {
	switch s.Shape {
	case "", "constant":
	case "cosine", "linear", "steps":
		if s.Total < 1 {
			return fmt.Errorf("schedule %s: the number of steps of the run is needed", s.Shape)
		}
	default:
		return fmt.Errorf("schedule %q: use constant, cosine, linear or steps", s.Shape)
	}
	if s.Warmup < 0 || !(s.Final >= 0 && s.Final <= 1) {
		return fmt.Errorf("schedule: warm-up %d, final %v: use 0 or more, and 0 to 1", s.Warmup, s.Final)
	}
	for _, d := range s.Drops {
		if !(d > 0 && d < 1) {
			return fmt.Errorf("schedule: a drop at %v: use fractions between 0 and 1", d)
		}
	}
	if s.Shape == "steps" && !(s.Factor > 0 && s.Factor < 1) {
		return fmt.Errorf("schedule steps: factor %v: use a number between 0 and 1", s.Factor)
	}
	return nil
}

// At returns what the learning rate is multiplied by in step t, counted from 1.
func (s *Schedule) At(t int64) float64 {
	f := 1.0
	if t <= s.Warmup {
		f = float64(t) / float64(s.Warmup+1)
	}
	if s.Total < 1 {
		return f
	}
	// Progress through what comes after the warm-up.
	p := float64(t-s.Warmup-1) / float64(max(s.Total-s.Warmup-1, 1))
	p = min(max(p, 0), 1)
	switch s.Shape {
	case "cosine":
		f *= s.Final + (1-s.Final)*(1+math.Cos(math.Pi*p))/2
	case "linear":
		f *= 1 - (1-s.Final)*p
	case "steps":
		for _, d := range s.Drops {
			if float64(t-1) >= d*float64(s.Total) {
				f *= s.Factor
			}
		}
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
	case "steps":
		text += fmt.Sprintf(" at %v", s.Drops)
	}
	if s.Warmup > 0 {
		text += fmt.Sprintf(" after %d steps of warm-up", s.Warmup)
	}
	return text
}
