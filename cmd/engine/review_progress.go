package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"kosumi/review"
)

// reviewProgress shows how far a review is: a bar on a terminal, else a line a game
// and one every few seconds.
type reviewProgress struct {
	out  *os.File
	bars *mpb.Progress // nil without a terminal
	bar  *mpb.Bar
	next time.Time

	mu          sync.Mutex // guards text, which the bar reads on its own time
	text        string
	name        string
	file, files int
}

// reviewLineEvery is the time between lines where there is no terminal.
const reviewLineEvery = 5 * time.Second

func newReviewProgress(out *os.File, files int) *reviewProgress {
	p := &reviewProgress{out: out, files: files, next: time.Now().Add(reviewLineEvery)}
	if !term.IsTerminal(int(out.Fd())) {
		return p
	}
	p.bars = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(200*time.Millisecond))
	p.bar = p.bars.AddBar(1000, mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.text
	})))
	return p
}

// game begins a game of the file with an index.
func (p *reviewProgress) game(file int, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file, p.name = file, name
}

// progress is told of every search.
func (p *reviewProgress) progress(r review.Progress) {
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
	if p.bars == nil {
		if now := time.Now(); now.After(p.next) {
			p.next = now.Add(reviewLineEvery)
			fmt.Fprintln(p.out, text)
		}
		return
	}
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
	p.bar.SetCurrent(int64(min(999, 1000*(float64(p.file)+share)/float64(max(1, p.files)))))
}

// line writes a line about a game.
func (p *reviewProgress) line(text string) {
	if p.bars != nil {
		fmt.Fprintln(p.bars, text)
		return
	}
	fmt.Fprintln(p.out, text)
}

func (p *reviewProgress) done() {
	if p.bars == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}
