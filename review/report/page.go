// Package report writes what reviews found: pages for people, and the folder that
// everything about many games is kept in.
package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kosumi/review"
	"kosumi/review/drill"
)

//go:embed page.html
var pageText string

//go:embed summary.html
var summaryText string

//go:embed drill.html
var drillText string

// WritePage writes one self-contained HTML page about a game: a board to go
// through, the graph, the mistakes, the tables. It needs no network and no other
// file.
func WritePage(w io.Writer, res *review.Result) error { return writePage(w, pageText, res) }

// WriteSummaryPage writes one self-contained HTML page about many games.
func WriteSummaryPage(w io.Writer, s *review.Summary) error { return writePage(w, summaryText, s) }

// WriteDrillPage writes one self-contained HTML page that asks problems.
func WriteDrillPage(w io.Writer, d *drill.Set) error { return writePage(w, drillText, d) }

// writePage puts data into a page. encoding/json escapes what could end a script.
func writePage(w io.Writer, page string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, strings.Replace(page, "/*DATA*/null", string(text), 1)); err != nil {
		return fmt.Errorf("cannot write the page: %w", err)
	}
	return nil
}
