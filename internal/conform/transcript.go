package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// transcripts returns the recorded conversations whose names match a pattern.
func transcripts(t testing.TB, pattern string) []string {
	files, err := filepath.Glob(filepath.Join(testshared.Checkout(t), "testdata", "gtp", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// Transcripts replays every transcript, each as a subtest.
func Transcripts(t *testing.T, open Open[*GTP]) {
	for _, f := range transcripts(t, "*.gtp") {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".gtp"), func(t *testing.T) { Replay(open(t), f) })
	}
}

// Replay runs one transcript; testdata/gtp/README.md describes the format.
func Replay(s *GTP, path string) {
	data, err := os.ReadFile(path)
	require.NoError(s.T, err)
	r := replay{s: s, end: "\n"}
	for i, line := range strings.Split(string(data), "\n") {
		r.where = fmt.Sprintf("%s:%d: %s", filepath.Base(path), i+1, line)
		r.step(line)
	}
	s.Silent(20 * time.Millisecond)
}

type replay struct {
	s     *GTP
	end   string // line end of the input
	where string
	next  *Line // read, but not matched yet
	inner bool  // the previous step was an expected line
}

func (r *replay) step(line string) {
	t := r.s.T
	mark, rest, _ := strings.Cut(line, " ")
	inner := false
	switch mark {
	case "":
		if r.inner {
			require.Equal(t, "", r.take(), "%s: want the end of the reply", r.where)
		}
	case "#":
	case "!crlf":
		r.end = "\r\n"
	case "!wait":
		d, err := time.ParseDuration(rest)
		require.NoError(t, err, r.where)
		time.Sleep(d)
	case ">":
		r.s.Send(rest + r.end)
	case "<":
		require.Equal(t, rest, r.take(), r.where)
		inner = true
	case "~":
		require.Regexp(t, whole(rest), r.take(), r.where)
		inner = true
	case "*":
		pattern := whole(rest)
		for r.peek() != "" && pattern.MatchString(r.peek()) {
			r.take()
		}
		inner = true
	default:
		require.FailNow(t, "not a line of a transcript", r.where)
	}
	r.inner = inner
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }

func (r *replay) peek() string {
	if r.next == nil {
		l := r.s.Line()
		r.next = &l
	}
	return r.next.Text
}

func (r *replay) take() string {
	text := r.peek()
	r.next = nil
	return text
}
