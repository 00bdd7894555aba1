package main

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vbauerster/mpb/v8"
)

// TestDisplayLines: without a terminal there is a line for each tenth at most, one
// at the end, and the stages do not mix.
func TestDisplayLines(t *testing.T) {
	var out strings.Builder
	d := newDisplay(&out)
	require.False(t, d.terminal())
	for n := range int64(100) {
		d.show("", n+1, 100, "games", "fine")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 10)
	require.Equal(t, "10 of 100 games, fine", lines[0])
	require.Equal(t, "100 of 100 games, fine", lines[9])

	out.Reset()
	d.show("reading", 1, 2, "", "")
	d.show("writing", 3, 3, "", "")
	d.share(0.5, "half of it")
	d.note("a note")
	d.close()
	require.Equal(t, "reading: 1 of 2\nwriting: 3 of 3\n", strings.Join(strings.SplitAfter(out.String(), "\n")[:2], ""))
	require.Contains(t, out.String(), "a note\n")
}

// TestDisplayBars: bars are counted and closed from several goroutines at once, and
// a bar that is full can go on.
func TestDisplayBars(t *testing.T) {
	d := &display{out: io.Discard, rows: map[string]*progressRow{}, bars: mpb.New(mpb.WithOutput(io.Discard), mpb.WithRefreshRate(time.Millisecond), mpb.WithAutoRefresh())}
	var all sync.WaitGroup
	for _, stage := range []string{"", "reading", "writing"} {
		all.Go(func() {
			for n := range int64(50) {
				d.show(stage, n, 40, "games", "fine")
				d.share(0.5, "half of it")
				d.note("a note")
			}
		})
	}
	all.Wait()
	d.close()
}
