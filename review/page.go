package review

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kosumi/internal/handout"
)

//go:embed summary.html
var summaryText string

// Page is the data of an HTML page about a game or problems.
type Page struct {
	Kind    string    `json:"kind"` // review or drills
	Loss    []float64 `json:"loss"` // bounds between the classes, in points of loss
	Classes []Class   `json:"classes"`
	Data    any       `json:"data"`
}

// WritePage writes a self-contained HTML page about a game: a board to step through, the
// graph, the mistakes, the tables. The error wraps [handout.ErrNotBuilt] if the program was
// built without the page.
func WritePage(w io.Writer, res *Result) error {
	title := "Review"
	if g := res.Game; g.Black+g.White != "" {
		title = fmt.Sprintf("Review: %s – %s", g.Black, g.White)
	}
	return handout.Write(w, title, Page{"review", ClassBounds, Classes, res})
}

func WriteSummaryPage(w io.Writer, s *Summary) error {
	text, err := json.Marshal(s) // escapes text that could end a script element
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Replace(summaryText, "/*DATA*/null", string(text), 1))
	return err
}
