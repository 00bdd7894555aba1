package conform

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// GTP is a conversation with an engine that speaks GTP.
type GTP struct {
	*Talk
	again Open[*GTP] // opens another conversation, for items that need several
}

// NewGTP starts to read the engine's output. wait is called once and returns
// when the engine has ended.
func NewGTP(t testing.TB, in io.WriteCloser, out io.ReadCloser, wait func() error) *GTP {
	return &GTP{Talk: newTalk(t, in, out, wait)}
}

// RunGTP runs the conformance list for GTP, or only the items with the given numbers.
func RunGTP(t *testing.T, open Open[*GTP], only ...int) {
	var each Open[*GTP]
	each = func(t testing.TB, args ...string) *GTP {
		s := open(t, args...)
		s.again = each
		return s
	}
	run(t, each, slices.Concat(protocolItems, lifeItems, positionItems, historyItems, setupItems, scoringItems, clockItems, analysisItems,
		streamItems, extensionItems), only)
}

// Silent requires that nothing is printed within d, or until the engine ends.
func (s *GTP) Silent(d time.Duration) {
	select {
	case l, ok := <-s.Lines:
		require.False(s.T, ok, "unexpected output: %q", l.Text)
	case <-time.After(d):
	}
}

type Reply struct {
	OK   bool
	ID   string
	Text string   // without status, id and final line ends
	Raw  []string // lines as received, without the final empty one
}

var firstLine = regexp.MustCompile(`^([=?])(\d*)( ?)(.*)$`)

// Next reads one reply and checks its form. Only a stream (a success whose first line has no text)
// may leave out the space after the status.
func (s *GTP) Next() Reply {
	l := s.Line()
	m := firstLine.FindStringSubmatch(l.Text)
	require.NotNil(s.T, m, "a reply begins with = or ?, got %q", l.Text)
	r := Reply{OK: m[1] == "=", ID: m[2], Text: m[4], Raw: []string{l.Text}}
	for {
		l = s.Line()
		if l.Text == "" {
			break
		}
		r.Raw = append(r.Raw, l.Text)
		r.Text += "\n" + l.Text
	}
	stream := m[1] == "=" && m[4] == "" && len(r.Raw) > 1
	require.True(s.T, m[3] == " " || stream, "no space after the status in %q", r.Raw[0])
	if r.Text == "" || m[4] == "" {
		r.Text = strings.TrimPrefix(r.Text, "\n")
	}
	return r
}

// Ask sends a command and returns its reply.
func (s *GTP) Ask(format string, args ...any) Reply {
	s.Send(fmt.Sprintf(format, args...) + "\n")
	return s.Next()
}

// OK sends a command that must succeed and returns the text.
func (s *GTP) OK(format string, args ...any) string {
	r := s.Ask(format, args...)
	require.True(s.T, r.OK, "%s: %s", fmt.Sprintf(format, args...), r.Text)
	return r.Text
}

// Refuse sends commands that must all fail, with the given error text, which the cause may follow, unless it is empty.
func (s *GTP) Refuse(text string, commands ...string) {
	for _, c := range commands {
		r := s.Ask("%s", c)
		require.False(s.T, r.OK, "%s succeeded: %s", c, r.Text)
		require.True(s.T, text == "" || text == r.Text || strings.HasPrefix(r.Text, text+": "), "%s: want %q, got %q", c, text, r.Text)
		require.Len(s.T, r.Raw, 1, "an error text is one line")
	}
}

// All sends commands that must all succeed.
func (s *GTP) All(commands ...string) {
	for _, c := range commands {
		s.OK("%s", c)
	}
}

// OpenStream sends an analysis command and requires the first line of a successful stream.
func (s *GTP) OpenStream(format string, args ...any) {
	s.Send(fmt.Sprintf(format, args...) + "\n")
	l := s.Line()
	require.Regexp(s.T, `^=\d*$`, l.Text, fmt.Sprintf(format, args...))
}

func (s *GTP) Info() string {
	l := s.Line()
	require.Regexp(s.T, `^info move \S`, l.Text)
	return l.Text
}

// StaysOpen requires that a stream does not end for a while.
func (s *GTP) StaysOpen(d time.Duration) {
	for over := time.After(d); ; {
		select {
		case l := <-s.Lines:
			require.Regexp(s.T, `^info move \S`, l.Text)
		case <-over:
			return
		}
	}
}

// CloseStream sends an empty line and reads the rest of the stream. It returns
// the last line and when the stream ended.
func (s *GTP) CloseStream() (last string, at time.Time) {
	s.Send("\n")
	return s.Rest()
}

// Rest reads a stream to its end and returns its last line.
func (s *GTP) Rest() (last string, at time.Time) {
	for {
		l := s.Line()
		if l.Text == "" {
			return last, l.At
		}
		require.Regexp(s.T, `^(info move|play) \S`, l.Text)
		last = l.Text
	}
}

// Analysis runs an analysis command, returns its first report and stops the analysis.
func (s *GTP) Analysis(format string, args ...any) Report {
	s.OpenStream(format, args...)
	info := s.Info()
	s.CloseStream()
	return parseReport(s.T, info)
}

func (s *GTP) quick() {
	s.All("kata-set-param maxVisits 8")
}

func (s *GTP) endless() {
	s.All("kata-set-param maxVisits 1000000000", "kata-set-param maxPlayouts 1000000000", "kata-set-param maxTime 1000000")
}

// unchanged runs f and requires that it leaves the position unchanged.
func (s *GTP) unchanged(f func()) {
	board, komi, rules := s.OK("showboard"), s.OK("get_komi"), s.OK("kata-get-rules")
	f()
	require.Equal(s.T, board, s.OK("showboard"))
	require.Equal(s.T, komi, s.OK("get_komi"))
	require.Equal(s.T, rules, s.OK("kata-get-rules"))
}
