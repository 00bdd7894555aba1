package learn

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// String formats losses, speed and time left.
func (s *Progress) String() string {
	if s.Doing != "" {
		return s.Doing
	}
	parts := []string{fmt.Sprintf("loss %.4f", s.Recent.Loss)}
	for _, name := range []string{TermPolicy, TermValue, TermOwnership, TermScoreMean} {
		if t, ok := s.Recent.Term(name); ok && t.Weight > 0 {
			parts = append(parts, fmt.Sprintf("%s %.3f", strings.ReplaceAll(name, "_", " "), t.Mean))
		}
	}
	if t, ok := s.Recent.Term(MeasureTaughtKL); ok && t.Weight > 0 {
		parts = append(parts, fmt.Sprintf("off the teacher %.3f", t.Mean))
	}
	if t, ok := s.Recent.Term(MeasurePolicyTop1); ok && t.Weight > 0 {
		parts = append(parts, fmt.Sprintf("top-1 %.0f %%", 100*t.Mean))
	}
	if s.Speed > 0 {
		parts = append(parts, fmt.Sprintf("%.0f samples/s", s.Speed))
	}
	if s.Left > 0 {
		parts = append(parts, "left "+s.Left.Round(time.Second).String())
	}
	return strings.Join(parts, ", ")
}

// Print prints the report for people, one loss a line.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%d steps, %d samples, %.0f samples/s\n", r.Counters.Steps, r.Counters.Samples, r.Speed)
	if r.Counters.Skipped > 0 {
		fmt.Fprintf(w, "%d steps were skipped: their loss or gradient was no finite number\n", r.Counters.Skipped)
	}
	if r.Before != nil && r.After != nil {
		r.printMeasurements(w)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	if n := len(r.Skipped); n > 0 {
		fmt.Fprintf(w, "files of which not all was used: %d; report.json says why\n", n)
	}
	for _, path := range r.Files {
		fmt.Fprintln(w, "wrote", path)
	}
}

func (r *Report) printMeasurements(w io.Writer) {
	type column struct {
		name string
		of   *Result
	}
	columns := []column{{"before", r.Before}, {"after", r.After}, {"averaged", r.Averaged}}
	if r.Best != nil {
		columns = append(columns, column{fmt.Sprintf("step %d", r.Best.Step), &r.Best.Result})
	}
	for i := range r.Beside {
		b := &r.Beside[i]
		columns = append(columns, column{filepath.Base(b.File), &b.Result})
	}
	fmt.Fprintf(w, "on %d rows held back, of %d games:\n  %-16s", r.After.Rows, r.Held, "")
	for _, c := range columns {
		if c.of != nil {
			fmt.Fprintf(w, " %9s", c.name)
		}
	}
	fmt.Fprintln(w)
	for _, t := range r.After.Terms {
		sure := (t.Name == MeasurePolicyEntropy || t.Name == MeasureValueEntropy) && t.Mean == 0 // entropy 0: every target is certain
		if t.Weight == 0 || sure {
			continue
		}
		fmt.Fprintf(w, "  %-16s", t.Name)
		for _, c := range columns {
			if c.of == nil {
				continue
			}
			text := "-" // the network lacks the output
			if term, ok := c.of.Term(t.Name); ok && term.Weight > 0 {
				text = fmt.Sprintf("%.4f", term.Mean)
			}
			fmt.Fprintf(w, " %*s", max(9, len(c.name)), text)
		}
		fmt.Fprintln(w)
	}
}
