package match

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// lateID is how long to wait for an answer with an id after an answer without one, which may be a
// greeting that looks like an answer.
const lateID = 200 * time.Millisecond

// hello sends a program's first command, with an id. If the answer has the id, later answers must
// have the ids of their commands, and answers without them are skipped. A program may be silent while
// it loads; if it prints something other than GTP, the error is errForeign. If the answer takes long,
// hello calls the function waits once.
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

// Limits while a program has not answered its first command.
const (
	glance      = 50 * time.Millisecond  // time between two checks
	soon        = 5 * time.Second        // time after which the user is told that the program is slow
	quiet       = time.Second            // silence before a probe
	prompt      = 300 * time.Millisecond // time to answer a probe
	mostProbes  = 10
	mostAnswers = 3                // answers in a row that are not GTP
	mostSilence = 30 * time.Second // longest silence after output that is not GTP
)

// suspicion watches a program that has not answered yet. It sends probes, empty lines, which GTP
// does not answer: a program that answers them talks to people or speaks another protocol, and so
// does one that prints control characters. A greeting alone is accepted for a while, since the
// program may be loading.
type suspicion struct {
	seen    int64     // bytes of output so far
	at      time.Time // time of the last output or probe
	probing bool
	probes  int
	answers int
}

// foreign reports whether the program speaks something other than GTP. Call it repeatedly:
// it sends the probes.
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

// wrote returns the end of the program's output for a message; "" without output.
func (c *client) wrote() string {
	const most = 300
	last := c.stdout.raw()
	if len(last) == 0 {
		return ""
	}
	return fmt.Sprintf("; it wrote %q", last[max(0, len(last)-most):])
}

// noText reports whether a byte is a control character that coloured text does not contain.
func noText(b byte) bool {
	return b < ' ' && !slices.Contains([]byte("\a\b\t\n\v\f\r\x1b"), b)
}
