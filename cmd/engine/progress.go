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
)

// display shows how far long work is: bars on a terminal, else a line now and
// then. Its methods may be called from several goroutines.
type display struct {
	out  io.Writer
	bars *mpb.Progress // nil without a terminal

	mu   sync.Mutex
	rows map[string]*progressRow
}

// progressRow is one thing that is counted.
type progressRow struct {
	name string // of a stage; "" if there is one only
	unit string // such as "games"
	bar  *mpb.Bar
	said int64     // done when the last line was written
	next time.Time // before then no line is written unless a tenth is done

	mu   sync.Mutex // guards text, which the bar reads on its own time
	text string
}

// lineEvery is the longest time between two lines while something happens.
const lineEvery = 10 * time.Second

// newDisplay shows progress on a file, which is standard error but in tests.
func newDisplay(out io.Writer) *display {
	d := &display{out: out, rows: map[string]*progressRow{}}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.bars = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(200*time.Millisecond))
	}
	return d
}

// show says that so much of a stage is done, in units such as "games". Stage may
// be empty, and total 0 if nobody knows it. Text, if there is any, follows the
// count.
func (d *display) show(stage string, done, total int64, unit, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rows[stage]
	if r == nil {
		r = &progressRow{name: stage, unit: unit, next: time.Now().Add(lineEvery)}
		d.rows[stage] = r
		if d.bars != nil {
			r.bar = d.bar(r)
		}
	}
	r.mu.Lock()
	r.text = text
	r.mu.Unlock()
	if r.bar != nil {
		r.bar.SetTotal(total, false)
		r.bar.SetCurrent(done)
		return
	}
	if now := time.Now(); now.After(r.next) || total > 0 && (done-r.said)*10 >= total || done == total && done > r.said {
		r.next, r.said = now.Add(lineEvery), done
		fmt.Fprintln(d.out, r.line(done, total))
	}
}

// line is what is said where there is no terminal.
func (r *progressRow) line(done, total int64) string {
	if r.unit == ofAll {
		return r.text
	}
	s := fmt.Sprintf("%d of %d %s", done, total, r.unit)
	if total == 0 {
		s = fmt.Sprintf("%d %s", done, r.unit)
	}
	s = strings.TrimRight(s, " ")
	if r.name != "" {
		s = r.name + ": " + s
	}
	if r.text != "" {
		s += ", " + r.text
	}
	return s
}

// bar adds a bar. It has no total yet: one that has ends by itself.
func (d *display) bar(r *progressRow) *mpb.Bar {
	count := decor.CountersNoUnit("%d/%d " + r.unit)
	if r.unit == ofAll {
		count = decor.Percentage(decor.WC{W: 5})
	}
	before := []decor.Decorator{count}
	if r.name != "" {
		before = append([]decor.Decorator{decor.Name(r.name, decor.WC{W: 22, C: decor.DindentRight})}, before...)
	}
	return d.bars.AddBar(0, mpb.PrependDecorators(before...), mpb.AppendDecorators(
		decor.Any(func(decor.Statistics) string {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.text
		}), decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8})))
}

// share says how much of everything is done, 0 to 1, where nothing is counted.
func (d *display) share(done float64, text string) {
	d.show("", int64(1000*done), 1000, ofAll, text)
}

// ofAll is the unit of a share, whose count says nothing.
const ofAll = "‰"

// note writes a line of its own, above the bars.
func (d *display) note(line string) {
	if d.bars != nil {
		fmt.Fprintln(d.bars, line)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintln(d.out, line)
}

// terminal tells whether bars are shown.
func (d *display) terminal() bool { return d.bars != nil }

// close ends the bars; they stay as they are.
func (d *display) close() {
	if d.bars == nil {
		return
	}
	d.mu.Lock()
	bars := make([]*mpb.Bar, 0, len(d.rows))
	for _, r := range d.rows {
		bars = append(bars, r.bar)
	}
	d.mu.Unlock()
	for _, b := range bars {
		b.Abort(false)
	}
	d.bars.Wait()
}
