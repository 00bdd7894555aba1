package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// Progress shows how far long work is: bars on a terminal, else a line now and
// then. Its methods may be called from several goroutines.
type Progress struct {
	out  io.Writer
	bars *mpb.Progress // nil without a terminal

	mu     sync.Mutex
	rows   map[string]*row
	closed bool
}

// row is one thing that is counted.
type row struct {
	name string // of a stage; "" if there is one only
	bar  *mpb.Bar
	said int64     // done when the last line was written
	next time.Time // before then no line is written unless a tenth is done

	mu          sync.Mutex // guards what follows, which the bar reads on its own time
	unit        string     // such as "games"
	text        string
	done, total int64
	first       int64         // done when the counting began, at began
	began       time.Time     // anew where less is done than before
	left        time.Duration // that is known; 0: as fast as until now
}

// LineEvery is the longest time between two lines while something happens.
const LineEvery = 10 * time.Second

// NewProgress shows progress on a file, which is standard error but in tests.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, rows: map[string]*row{}}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithRefreshRate(200*time.Millisecond))
	}
	return p
}

// Show says that so much of a stage is done, in units such as "games". Stage may
// be empty, and total 0 if nobody knows it. Text, if there is any, follows the
// count.
func (p *Progress) Show(stage string, done, total int64, unit, text string) {
	p.ShowLeft(stage, done, total, unit, text, 0)
}

// ShowLeft is show where it is known how long the rest will take.
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

// line is what is said where there is no terminal.
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

// bar adds a bar. It has no total yet: one that has ends by itself.
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

// timeLeft is how long the rest takes, "" while nobody can tell.
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

// Columns that the time left takes, and that the bar itself keeps, with the spaces
// around it, however long the text is.
const leftWidth, shortestBar = 8, 12

// fit leaves off the last parts of a text, which commas divide, until it is no
// longer than so many columns.
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

// Share says how much of everything is done, 0 to 1, where nothing is counted.
func (p *Progress) Share(done float64, text string) {
	p.Show("", int64(1000*done), 1000, ofAll, text)
}

// ofAll is the unit of a share, whose count says nothing.
const ofAll = "‰"

// Note writes a line of its own, above the bars.
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

// Close ends the bars; they stay as they are. It may be called again.
func (p *Progress) Close() {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	bars := make([]*mpb.Bar, 0, len(p.rows))
	for _, r := range p.rows {
		bars = append(bars, r.bar)
	}
	p.mu.Unlock()
	for _, b := range bars {
		b.Abort(false)
	}
	p.bars.Wait()
}
