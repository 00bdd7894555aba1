package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// lateID is how long a program's first answer without an id is kept back for one
// that has it: what came first may be a greeting that looks like an answer.
const lateID = 200 * time.Millisecond

// hello sends a program's first command with an id. A program that gives the id
// back is held to ids from then on: what carries none, or another, is junk. A program
// may be silent for as long as it loads; of one that talks, and not in GTP, the error
// is errForeign. waits is called once where the answer does not come soon.
func (c *client) hello(ctx context.Context, command string, timeout time.Duration, waits func()) (reply, error) {
	c.useIDs = true
	mine := func(r reply) bool { return r.id == c.lastID || r.id < 0 }
	start := time.Now()
	got, err := c.ask(ctx, command, min(glance, timeout), mine)
	doubt, told := suspicion{}, false
	for errors.Is(err, errSlow) && time.Since(start) < timeout {
		if doubt.foreign(c, time.Now()) {
			return reply{}, errForeign
		}
		if !told && time.Since(start) > soon {
			told = true
			waits()
		}
		got, err = c.await(ctx, min(glance, timeout), mine)
	}
	if err != nil || got.id >= 0 {
		return got, err
	}
	late, err := c.await(ctx, lateID, func(r reply) bool { return r.id == c.lastID })
	if err == nil {
		return late, nil
	}
	if !errors.Is(err, errSlow) {
		return reply{}, err
	}
	c.useIDs = false
	return got, nil
}

// How a program is watched until its first answer.
const (
	glance      = 50 * time.Millisecond // between two looks
	soon        = 5 * time.Second       // an answer that comes later is waited for aloud
	quiet       = time.Second           // without output, before it is asked again
	prompt      = 300 * time.Millisecond
	mostProbes  = 10
	mostAnswers = 3                // that are none of GTP, one after the other
	mostSilence = 30 * time.Second // after output that is none of GTP
)

// suspicion watches a program that has not answered yet. GTP has no control
// characters, and no answer to an empty line; what answers such lines promptly with
// something else is read by people, or is another protocol. A greeting alone is
// forgiven, for the program may be loading, but not for long.
type suspicion struct {
	seen    int64     // bytes of output
	at      time.Time // when that changed, or an empty line was sent
	probing bool
	probes  int
	answers int
}

// foreign reports whether the program speaks something else. It is to be asked again
// and again; it sends empty lines.
func (s *suspicion) foreign(c *client, now time.Time) bool {
	total := c.stdout.total()
	if total == 0 {
		return false
	}
	quietFor := now.Sub(s.at)
	switch {
	case slices.ContainsFunc(c.stdout.raw(), noText):
		return true
	case total != s.seen:
		if s.answers++; !s.probing {
			s.answers = 0
		}
		s.seen, s.at, s.probing = total, now, false
		return s.answers >= mostAnswers
	case s.probing && quietFor > prompt:
		s.probing, s.answers = false, 0
	case !s.probing && quietFor > quiet/time.Duration(1+s.answers) && s.probes < mostProbes:
		s.probes++
		s.at, s.probing = now, true
		_ = c.stdin.SetWriteDeadline(now.Add(glance))
		_, _ = io.WriteString(c.stdin, "\n")
	}
	return !s.probing && quietFor > mostSilence
}

// wrote says what the program wrote to its output, for messages; "" for nothing.
func (c *client) wrote() string {
	const most = 300
	last := c.stdout.raw()
	if len(last) == 0 {
		return ""
	}
	return fmt.Sprintf("; it wrote %q", last[max(0, len(last)-most):])
}

// noText reports whether a byte is a control character that no text has, not even a
// coloured one.
func noText(b byte) bool {
	return b < ' ' && !slices.Contains([]byte("\a\b\t\n\v\f\r\x1b"), b)
}
