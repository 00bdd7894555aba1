package main

import (
	"fmt"
	"time"

	"kosumi/internal/console"
	"kosumi/review"
)

// reviewProgress shows the progress of a review: a bar on a terminal, otherwise a line per game
// and one every few seconds.
type reviewProgress struct {
	bars        *console.Progress
	name        string
	file, files int
}

// Game begins a game; file is the index of its file.
func (p *reviewProgress) Game(file int, name string) { p.file, p.name = file, name }

// Progress shows the state after a search.
func (p *reviewProgress) Progress(r review.Progress) {
	share := 0.0
	switch {
	case r.Budget > 0:
		share = float64(r.Visits) / float64(r.Budget)
	case r.Elapsed+r.Left > 0:
		share = float64(r.Elapsed) / float64(r.Elapsed+r.Left)
	}
	text := fmt.Sprintf("file %d of %d, %s: pass %d, %d of %d positions, %.0f %%", p.file+1, p.files, p.name, r.Pass, r.Searched, r.Positions, 100*share)
	if r.Left > 0 {
		text += ", " + r.Left.Round(time.Second).String() + " left for this game"
	}
	p.bars.Share((float64(p.file)+share)/float64(max(1, p.files)), text)
}

// Line writes a line about a game.
func (p *reviewProgress) Line(text string) { p.bars.Note(text) }
