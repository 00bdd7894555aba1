package console

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// Progress shows the progress of long work: bars on a terminal, else a line now and then. It is safe
// for concurrent use.
type Progress struct {
	out  io.Writer
	bars *mpb.Progress // nil without a terminal

	mu     sync.Mutex
	rows   map[string]*row
	closed bool
}

type row struct {
	name string // name of the stage; "" for a single stage
	bar  *mpb.Bar
	said int64     // amount done when the last line was written
	next time.Time // earliest time of the next line, unless a tenth more is done

	mu          sync.Mutex // guards the fields below, which the bar's goroutine reads
	unit        string     // such as "games"
	text        string
	done, total int64
	first       int64         // amount done when counting began
	began       time.Time     // when counting began, or began again because done decreased or unit changed
	left        time.Duration // known remaining time; 0: extrapolated
}

// LineEvery is the least time between two lines of progress, unless a tenth more or all is done.
const LineEvery = 10 * time.Second

// NewProgress shows progress on out, as bars if it is a terminal.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, rows: map[string]*row{}}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(200*time.Millisecond))
	}
	return p
}

// Show shows how much of a stage is done, in units such as "games". stage may be empty, and total 0
// if it is unknown. text follows the count.
func (p *Progress) Show(stage string, done, total int64, unit, text string) {
	p.ShowLeft(stage, done, total, unit, text, 0)
}

// ShowLeft is Show with a known remaining time.
func (p *Progress) ShowLeft(stage string, done, total int64, unit, text string, left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rows[stage]
	if r == nil {
		r = &row{name: stage, next: time.Now().Add(LineEvery)}
		p.rows[stage] = r
		if p.bars != nil {
			r.bar = p.bar(r)
		}
	}
	r.set(done, total, unit, text, left)
	if r.bar != nil {
		r.bar.SetTotal(total, false)
		r.bar.SetCurrent(done)
		return
	}
	if now := time.Now(); now.After(r.next) || total > 0 && (done-r.said)*10 >= total || done == total && done > r.said {
		r.next, r.said = now.Add(LineEvery), done
		fmt.Fprintln(p.out, Line(r.line(done, total)))
	}
}

func (r *row) set(done, total int64, unit, text string, left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began.IsZero() || done < r.done || unit != r.unit {
		r.began, r.first = time.Now(), done
	}
	r.done, r.total, r.unit, r.text, r.left = done, total, unit, text, left
}

// line returns a line for output without bars.
func (r *row) line(done, total int64) string {
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

// bar adds a bar without a total, since a bar with a total would end by itself when it is full.
func (p *Progress) bar(r *row) *mpb.Bar {
	before := []decor.Decorator{decor.Any(func(decor.Statistics) string { return r.count() })}
	if r.name != "" {
		before = append([]decor.Decorator{decor.Name(r.name+" ", decor.WC{W: 11, C: decor.DindentRight})}, before...)
	}
	return p.bars.AddBar(0, mpb.PrependDecorators(before...), mpb.AppendDecorators(
		decor.Any(func(s decor.Statistics) string {
			r.mu.Lock()
			defer r.mu.Unlock()
			return fit(r.text, s.AvailableWidth-leftWidth-shortestBar)
		}), decor.Any(func(decor.Statistics) string { return r.timeLeft() }, decor.WC{W: leftWidth})))
}

func (r *row) count() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unit == ofAll {
		return fmt.Sprintf("%3d %%", 100*r.done/max(1, r.total))
	}
	return strings.TrimRight(fmt.Sprintf("%d/%d %s", r.done, r.total, r.unit), " ")
}

// timeLeft formats the remaining time; "" while it is unknown.
func (r *row) timeLeft() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.left
	if n := r.done - r.first; left == 0 && n > 0 && r.total > r.done {
		left = time.Duration(float64(time.Since(r.began)) / float64(n) * float64(r.total-r.done))
	}
	switch {
	case left <= 0:
		return ""
	case left >= 100*time.Hour:
		return fmt.Sprintf("%.0fd", left.Hours()/24)
	case left >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(left.Hours()), int(left.Minutes())%60)
	case left >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(left.Minutes()), int(left.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(left.Seconds()))
}

// leftWidth is the columns for the time left, shortestBar the fewest for the bar with the spaces around it.
const leftWidth, shortestBar = 8, 12

// fit removes comma-separated parts from the end of a text until it fits into the given columns.
func fit(text string, columns int) string {
	for utf8.RuneCountInString(text) > columns {
		cut := strings.LastIndex(text, ", ")
		if cut < 0 {
			return string([]rune(text)[:max(0, columns)])
		}
		text = text[:cut]
	}
	return text
}

// Share shows the fraction of the work that is done, 0 to 1.
func (p *Progress) Share(done float64, text string) {
	p.Show("", int64(1000*done), 1000, ofAll, text)
}

// ofAll is the unit of Share.
const ofAll = "‰"

// Note writes a line above the bars.
func (p *Progress) Note(line string) {
	line = Line(line)
	if p.bars != nil {
		fmt.Fprintln(p.bars, line)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, line)
}

// Terminal reports whether bars are shown.
func (p *Progress) Terminal() bool { return p.bars != nil }

// Close ends the bars in their present state. It may be called more than once.
func (p *Progress) Close() {
	p.mu.Lock()
	if p.bars == nil || p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	rows := slices.Collect(maps.Values(p.rows))
	p.mu.Unlock()
	for _, r := range rows {
		r.bar.Abort(false)
	}
	p.bars.Wait()
}

// Every calls a function at intervals, until stop is called and has waited for its end.
func Every(interval time.Duration, f func()) (stop func()) {
	end := make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		for {
			select {
			case <-time.After(interval):
				f()
			case <-end:
				return
			}
		}
	})
	return func() {
		close(end)
		calls.Wait()
	}
}
