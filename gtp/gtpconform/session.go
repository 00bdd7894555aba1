// Package gtpconform holds the tests that any GTP engine of the project must
// pass, in process or as a program of its own: a numbered list of what clients
// rely on, and transcripts of their conversations.
package gtpconform

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testtalk"
)

// Session is a conversation with one engine. New makes it ready for use.
type Session struct {
	*testtalk.Talk
}

// Open starts an engine for a test with the given arguments and has it end with
// the test. An engine that runs in process ignores arguments it has no use for.
type Open func(t testing.TB, args ...string) *Session

// New starts to read the engine's output. wait is called once and returns
// when the engine has ended.
func New(t testing.TB, in io.WriteCloser, out io.ReadCloser, wait func() error) *Session {
	return &Session{Talk: testtalk.New(t, in, out, wait)}
}

// line returns the next line of output.
func (s *Session) line() testtalk.Line {
	s.T.Helper()
	l, ok := s.Line()
	require.True(s.T, ok, "the engine closed its output")
	return l
}

// Silent requires that nothing is printed for a while, or until the end.
func (s *Session) Silent(d time.Duration) {
	s.T.Helper()
	select {
	case l, ok := <-s.Lines:
		require.False(s.T, ok, "unexpected output: %q", l.Text)
	case <-time.After(d):
	}
}

// Reply is the answer to one command.
type Reply struct {
	OK   bool
	ID   string
	Text string   // without status, id and final line ends
	Raw  []string // the lines as they came, without the empty one
}

// Lines are the lines of Text.
func (r Reply) Lines() []string {
	if r.Text == "" {
		return nil
	}
	return strings.Split(r.Text, "\n")
}

var firstLine = regexp.MustCompile(`^([=?])(\d*)( ?)(.*)$`)

// Next reads one reply and checks its frame. Only a stream, a success without
// text in its first line, may leave out the space.
func (s *Session) Next() Reply {
	s.T.Helper()
	l := s.line()
	m := firstLine.FindStringSubmatch(l.Text)
	require.NotNil(s.T, m, "a reply begins with = or ?, got %q", l.Text)
	r := Reply{OK: m[1] == "=", ID: m[2], Text: m[4], Raw: []string{l.Text}}
	for {
		l = s.line()
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
func (s *Session) Ask(format string, args ...any) Reply {
	s.T.Helper()
	s.Send(fmt.Sprintf(format, args...) + "\n")
	return s.Next()
}

// OK sends a command that must succeed and returns the text.
func (s *Session) OK(format string, args ...any) string {
	s.T.Helper()
	r := s.Ask(format, args...)
	require.True(s.T, r.OK, "%s: %s", fmt.Sprintf(format, args...), r.Text)
	return r.Text
}

// Fails sends a command that must fail, with one of the texts if there are any.
func (s *Session) Fails(command string, texts ...string) {
	s.T.Helper()
	r := s.Ask("%s", command)
	require.False(s.T, r.OK, "%s succeeded: %s", command, r.Text)
	if len(texts) > 0 {
		require.Contains(s.T, texts, r.Text, command)
	}
	require.Len(s.T, r.Raw, 1, "an error text is one line")
}

// All sends commands that must all succeed.
func (s *Session) All(commands ...string) {
	s.T.Helper()
	for _, c := range commands {
		s.OK("%s", c)
	}
}

// Ends waits for the engine's end, which has to be a success where that is told.
func (s *Session) Ends(success bool) {
	s.T.Helper()
	if err := s.End(testtalk.Patience); success {
		require.NoError(s.T, err, "exit status")
	}
}

// OpenStream sends an analysis command and requires that its reply opens.
func (s *Session) OpenStream(format string, args ...any) {
	s.T.Helper()
	s.Send(fmt.Sprintf(format, args...) + "\n")
	l := s.line()
	require.Regexp(s.T, `^=\d*$`, l.Text, fmt.Sprintf(format, args...))
}

// Info reads the next line of a stream.
func (s *Session) Info() string {
	s.T.Helper()
	l := s.line()
	require.Regexp(s.T, `^info move \S`, l.Text)
	return l.Text
}

// StaysOpen requires that a stream does not end for a while.
func (s *Session) StaysOpen(d time.Duration) {
	s.T.Helper()
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
func (s *Session) CloseStream() (last string, at time.Time) {
	s.T.Helper()
	s.Send("\n")
	return s.Rest()
}

// Rest reads a stream to its end and returns its last line.
func (s *Session) Rest() (last string, at time.Time) {
	s.T.Helper()
	for {
		l := s.line()
		if l.Text == "" {
			return last, l.At
		}
		require.Regexp(s.T, `^(info move|play) \S`, l.Text)
		last = l.Text
	}
}

// Analysis runs an analysis command, takes its first report and stops it.
func (s *Session) Analysis(format string, args ...any) Report {
	s.T.Helper()
	s.OpenStream(format, args...)
	info := s.Info()
	s.CloseStream()
	return parseReport(s.T, info)
}
