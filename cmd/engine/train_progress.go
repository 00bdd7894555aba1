package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"kosumi/train/learn"
)

// trainProgress shows how far a run is: a bar on a terminal, else a line every few
// seconds.
type trainProgress struct {
	out  io.Writer
	bars *mpb.Progress // nil without a terminal
	bar  *mpb.Bar
	next time.Time

	mu   sync.Mutex // guards text, which the bar reads on its own time
	text string
}

// trainLineEvery is the time between lines where there is no terminal.
const trainLineEvery = 5 * time.Second

func newTrainProgress(out io.Writer, c *learn.RunConfig) *trainProgress {
	p := &trainProgress{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(200*time.Millisecond))
	}
	c.Progress = p.show
	return p
}

func (p *trainProgress) show(s learn.Progress) {
	text := trainLine(&s)
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
	if p.bars == nil {
		if now := time.Now(); now.After(p.next) || s.Step == s.Total {
			p.next = now.Add(trainLineEvery)
			fmt.Fprintf(p.out, "step %d/%d %s\n", s.Step, s.Total, text)
		}
		return
	}
	if p.bar == nil {
		p.bar = p.bars.AddBar(s.Total,
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d steps ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.text
			})))
	}
	p.bar.SetCurrent(s.Step)
}

// trainLine says losses, speed and time left.
func trainLine(s *learn.Progress) string {
	if s.Doing != "" {
		return s.Doing
	}
	parts := []string{fmt.Sprintf("loss %.4f", s.Recent.Loss)}
	for _, name := range []string{learn.TermPolicy, learn.TermValue, learn.TermOwnership, learn.TermScoreMean} {
		if t, ok := s.Recent.Term(name); ok && t.Weight > 0 {
			parts = append(parts, fmt.Sprintf("%s %.3f", strings.ReplaceAll(name, "_", " "), t.Mean))
		}
	}
	if t, ok := s.Recent.Term(learn.MeasurePolicyTop1); ok {
		parts = append(parts, fmt.Sprintf("top-1 %.0f %%", 100*t.Mean))
	}
	if s.Speed > 0 {
		parts = append(parts, fmt.Sprintf("%.0f samples/s", s.Speed), "left "+s.Left.Round(time.Second).String())
	}
	return strings.Join(parts, ", ")
}

func (p *trainProgress) done() {
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(false)
	}
	p.bars.Wait()
}
