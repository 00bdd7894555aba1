package console

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/vbauerster/mpb/v8"
)

// TestProgressLines: without a terminal there is at most one line per tenth and one at the end;
// stages do not mix.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	d := NewProgress(&out)
	require.False(t, d.Terminal())
	for n := range int64(100) {
		d.Show("", n+1, 100, "games", "fine")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 10)
	require.Equal(t, "10 of 100 games, fine", lines[0])
	require.Equal(t, "100 of 100 games, fine", lines[9])

	out.Reset()
	d.Show("reading", 1, 2, "", "")
	d.Show("writing", 3, 3, "", "")
	d.Share(0.5, "half of it")
	d.Note("a note")
	d.Close()
	require.Equal(t, "reading: 1 of 2\nwriting: 3 of 3\n", strings.Join(strings.SplitAfter(out.String(), "\n")[:2], ""))
	require.Contains(t, out.String(), "a note\n")
}

// TestBarsFit: within 80 columns a line holds the count, the bar, as many whole parts of the text
// as fit, and the time left.
func TestBarsFit(t *testing.T) {
	for _, test := range []struct{ stage, unit, text, shown string }{
		{"", "steps", "loss 40.5933, policy 2.705, value 0.495, ownership 0.361, score mean 88.990, top-1 41 %, 234 samples/s", "loss 40.5933, policy 2.705"},
		{"self-play", "games", "12,345 moves (812/s)", "12,345 moves (812/s)"},
		{"", "games", strings.Repeat("x", 200), "xxxxxxxx"},
		{"", ofAll, "game 12 of 400, " + strings.Repeat("a long name ", 9), "game 12 of 400"},
	} {
		var out strings.Builder
		d := &Progress{out: &out, rows: map[string]*row{}, bars: mpb.New(mpb.WithOutput(&out), mpb.WithWidth(80), mpb.WithRefreshRate(time.Millisecond), mpb.WithAutoRefresh())}
		d.ShowLeft(test.stage, 123_456, 9_876_543, test.unit, test.text, 185*time.Second)
		d.Close()
		lines := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' || r == '\r' || r == 0x1b })
		require.NotEmpty(t, lines)
		last := strings.TrimPrefix(lines[len(lines)-1], "[J") // the rest of the escape sequence that clears the line
		require.LessOrEqual(t, utf8.RuneCountInString(last), 80, last)
		require.Contains(t, last, test.shown)
		require.NotContains(t, last, "…")
		require.Regexp(t, `\[[=>-]{5,}\]`, last, "the bar itself")
		require.True(t, strings.HasSuffix(last, "3m05s"), last)
	}
}

// TestProgressBars: bars are advanced and closed from several goroutines at once, and a full bar
// may continue.
func TestProgressBars(t *testing.T) {
	d := &Progress{out: io.Discard, rows: map[string]*row{}, bars: mpb.New(mpb.WithOutput(io.Discard), mpb.WithRefreshRate(time.Millisecond), mpb.WithAutoRefresh())}
	var all sync.WaitGroup
	for _, stage := range []string{"", "reading", "writing"} {
		all.Go(func() {
			for n := range int64(50) {
				d.Show(stage, n, 40, "games", "fine")
				d.Share(0.5, "half of it")
				d.Note("a note")
			}
		})
	}
	all.Wait()
	d.Close()
}
