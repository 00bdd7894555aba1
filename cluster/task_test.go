package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSilentWorkers lets one worker of two fail at a task and the other say
// nothing: the task ends once a server that listened has heard nobody for as long
// as a lease, and not before.
func TestSilentWorkers(t *testing.T) {
	start := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	const step = 2 * time.Second
	for name, c := range map[string]struct {
		jump  time.Duration // of the clock, after the failure
		heard time.Duration // of the other worker, after the jump; 0 is never
		ends  time.Duration // after the jump
	}{
		"a server that listens":       {jump: step, ends: taskLease},
		"a server that slept":         {jump: time.Hour, ends: taskLease + step},
		"a clock that was set forth":  {jump: taskLease + time.Second, ends: taskLease + step},
		"a worker that comes back":    {jump: time.Hour, heard: 10 * time.Second},
		"a worker heard of meanwhile": {jump: step, heard: 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			failure := &outcome{Error: "no such program"}
			e := &errand{key: "client/1", client: "client", asked: start, failed: []string{"a"}, failure: failure, failedAt: start}
			silent := &member{seen: start.Add(-time.Second)}
			s := &Server{members: map[string]*member{"a": {seen: start}, "b": silent}, desk: newDesk()}
			s.desk.looked = start
			s.desk.add(e, 1)

			begin := start.Add(c.jump)
			for at := time.Duration(0); at <= 3*taskLease; at += step {
				now := begin.Add(at)
				e.asked = now // the client asks again
				if c.heard > 0 && at >= c.heard {
					silent.seen = now
				}
				s.tidy(now)
				if c.heard == 0 && at >= c.ends {
					require.Equal(t, failure, e.done, "%v after the clock's step", at)
					return
				}
				require.Nil(t, e.done, "%v after the clock's step", at)
			}
			require.NotZero(t, c.heard)
		})
	}
}
