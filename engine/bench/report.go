package bench

import (
	"fmt"
	"io"

	"kosumi/board"
	"kosumi/nn"
)

// Report is the result of a benchmark, written as JSON or, by Print, as text.
type Report struct {
	Subject
	Plan
	Speed
	Work
	Rounds      int     `json:"rounds"`
	Recommended string  `json:"recommended,omitempty"` // flags
	Tuning      []Trial `json:"tuning,omitempty"`
}

// Subject names the network and board that were measured.
type Subject struct {
	Model     string `json:"model"`
	Board     string `json:"board"`
	Provider  string `json:"provider"`
	Precision string `json:"precision"`
}

// SubjectOf describes a network on boards of a size.
func SubjectOf(d nn.Description, size board.Size) Subject {
	return Subject{d.Name, fmt.Sprintf("%dx%d", size.W, size.H), d.Provider, d.Precision}
}

func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s, %s, %s\n", r.Model, r.Board, r.Provider, r.Precision)
	for _, t := range r.Tuning {
		fmt.Fprintf(w, "  %d sessions, batch %2d, %3d workers: %8.0f evaluations/s in search, %.2f of the default\n", t.Sessions, t.Batch, t.Threads, t.Evals, t.Ratio)
	}
	fmt.Fprintf(w, "%d sessions, batch %d, %d workers (medians of %d rounds)\n", r.Sessions, r.Batch, r.Threads, r.Rounds)
	fmt.Fprintf(w, "  network alone  %8.0f evaluations/s\n", r.RawEvals)
	fmt.Fprintf(w, "  in search      %8.0f evaluations/s, %.0f visits/s (%.0f %% of the network alone)\n", r.SearchEvals, r.Visits, 100*r.Ratio)
	if r.ProcessorRatio > 0 {
		fmt.Fprintf(w, "  processor time %8.1f us an evaluation alone, %.1f us in search (%.0f %%)\n", r.RawMicros, r.SearchMicros, 100*r.ProcessorRatio)
	}
	fmt.Fprintf(w, "  mean batch %.1f, %.1f %% cached, %.1f %% collisions, %.2f us of tree work and %.0f bytes a visit, peak memory %.0f MiB\n",
		r.MeanBatch, 100*r.CacheHitRate, 100*r.Collisions, r.OwnMicros, r.BytesPerNode, float64(r.PeakRSS)/(1<<20))
	if r.Recommended != "" {
		fmt.Fprintf(w, "recommended: %s\nkept for later starts\n", r.Recommended)
	}
}
