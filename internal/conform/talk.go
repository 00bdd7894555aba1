package conform

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patience is how long a test waits for a line unless it sets another limit: long enough to load a
// network on a busy machine.
const Patience = 60 * time.Second

// Talk is a test's conversation with one engine by lines of text.
type Talk struct {
	T     testing.TB
	In    io.WriteCloser // the engine's input
	Out   io.ReadCloser  // the engine's output
	Exit  <-chan error   // yields the engine's end: nil for success
	Lines <-chan Line    // lines of the engine's output; closed at its end
}

// Line is one line of output, without its line end.
type Line struct {
	Text string
	At   time.Time
}

// newTalk starts to read the engine's output, and closes the conversation when the test ends. wait is
// called once and returns when the engine has ended.
func newTalk(t testing.TB, in io.WriteCloser, out io.ReadCloser, wait func() error) *Talk {
	exit, lines := make(chan error, 1), make(chan Line, 1<<16)
	go func() { exit <- wait() }()
	go read(out, lines)
	t.Cleanup(func() {
		in.Close()
		out.Close()
	})
	return &Talk{T: t, In: in, Out: out, Exit: exit, Lines: lines}
}

func read(out io.Reader, lines chan<- Line) {
	defer close(lines)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := r.ReadString('\n')
		if err != nil {
			if text != "" {
				lines <- Line{text + " (without line end)", time.Now()}
			}
			return
		}
		lines <- Line{strings.TrimSuffix(text, "\n"), time.Now()}
	}
}

// Send writes text to the engine unchanged.
func (t *Talk) Send(text string) {
	_, err := io.WriteString(t.In, text)
	require.NoError(t.T, err)
}

func (t *Talk) Line() Line {
	select {
	case l, ok := <-t.Lines:
		require.True(t.T, ok, "the engine closed its output")
		return l
	case <-time.After(Patience):
		require.FailNow(t.T, "no output", "for %v", Patience)
	}
	return Line{}
}

// Ends waits until the engine ends. If success is set, the engine must end without an error.
func (t *Talk) Ends(success bool) {
	select {
	case err := <-t.Exit:
		require.False(t.T, success && err != nil, "exit status: %v", err)
	case <-time.After(Patience):
		require.FailNow(t.T, "still running", "after %v", Patience)
	}
}
