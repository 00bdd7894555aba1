// Package report writes what reviews found: pages for people, and the folder that
// everything about many games is kept in.
package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kosumi/handout"
	"kosumi/review"
	"kosumi/review/drill"
)

//go:embed summary.html
var summaryText string

// page is what a page of a game, or of problems, is given.
type page struct {
	Kind    string         `json:"kind"` // review or drills
	Loss    []float64      `json:"loss"` // bounds between the classes, in points
	Classes []review.Class `json:"classes"`
	Data    any            `json:"data"`
}

// WritePage writes one self-contained HTML page about a game: a board to go
// through, the graph, the mistakes, the tables. It needs no network and no other
// file. The error wraps [handout.ErrNotBuilt] where the program cannot make one.
func WritePage(w io.Writer, res *review.Result) error {
	title := "Review"
	if g := res.Game; g.Black+g.White != "" {
		title = fmt.Sprintf("Review: %s – %s", g.Black, g.White)
	}
	return handout.Write(w, title, page{"review", review.ClassBounds, review.Classes, res})
}

// WriteDrillPage writes one self-contained HTML page that asks problems, as WritePage
// does.
func WriteDrillPage(w io.Writer, d *drill.Set) error {
	return handout.Write(w, "Problems", page{"drills", review.ClassBounds, review.Classes, d})
}

// WriteSummaryPage writes one self-contained HTML page about many games.
func WriteSummaryPage(w io.Writer, s *review.Summary) error {
	text, err := json.Marshal(s) // escapes what could end a script
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, strings.Replace(summaryText, "/*DATA*/null", string(text), 1)); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	return nil
}
