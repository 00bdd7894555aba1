package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
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
			e := &task{key: "client/1", client: "client", asked: start, failed: []string{"a"}, failure: failure, failedAt: start}
			silent := &member{seen: start.Add(-time.Second)}
			q := newTaskQueue(new(sync.Mutex), &roster{members: map[string]*member{"a": {seen: start}, "b": silent}})
			q.checked = start
			q.add(e, 1)

			begin := start.Add(c.jump)
			for at := time.Duration(0); at <= 3*taskLease; at += step {
				now := begin.Add(at)
				e.asked = now // the client asks again
				if c.heard > 0 && at >= c.heard {
					silent.seen = now
				}
				q.expire(now)
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

// TestTasksThatNobodyWantsEnd has workers busy with tasks without an end: those of a
// client that has gone, and those that take long while another client waits. Neither
// keeps a worker from the tasks of others.
func TestTasksThatNobodyWantsEnd(t *testing.T) {
	testshared.Slow(t)
	a := newArena(t)
	a.start(a.site.worker(t.TempDir(), func(c *WorkerConfig) {
		c.Handlers = map[string]Handler{"search": {Most: 2, Do: func(ctx context.Context, body json.RawMessage, _ map[string]string) (any, error) {
			if string(body) == `"endless"` {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return body, nil
		}}}
	}))
	occupy := func() {
		for id := range 2 {
			task := &Task{Kind: "search", Body: json.RawMessage(`"endless"`)}
			require.NoError(t, a.raider.nats.PublishRequest(a.raider.subject(verbSubmit), inboxOf(a.raider.ID)+".x", packSubmission(submission{ID: fmt.Sprint(id)}, task)))
		}
		a.until(func() bool {
			n := 0
			for _, e := range a.server.tasks.tasks {
				if e.client == a.raider.ID && e.worker != "" {
					n++
				}
			}
			return n == 2
		})
	}
	occupy()
	require.NoError(t, a.raider.nats.Publish(a.raider.subject(verbDrop), pack(drop{})))
	a.do(a.client, "search")

	occupy()
	done := make(chan bool)
	go func() {
		defer close(done)
		a.do(a.client, "search")
	}()
	a.until(func() bool { return len(a.server.tasks.waiting[a.client.conn.ID]) == 1 })
	a.server.mu.Lock()
	for _, e := range a.server.tasks.tasks {
		if e.client == a.raider.ID {
			e.began = e.began.Add(-2 * taskSlow)
		}
	}
	a.server.mu.Unlock()
	<-done
}

// TestWorkersFilesAreBounded: of the networks that a worker has fetched those go that
// were used longest ago, and none that is in use.
func TestWorkersFilesAreBounded(t *testing.T) {
	c := &fileCache{dir: t.TempDir(), kept: map[string]int{}}
	require.NoError(t, os.Remove(c.dir))
	c.makeRoom(0) // nothing is there yet
	sums := make([]string, 4)
	for i := range sums {
		sums[i] = strings.Repeat(fmt.Sprint(i), 64)
		dir := filepath.Join(c.dir, sums[i])
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "net.onnx"), make([]byte, 100), 0o600))
		used := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(dir, used, used))
	}
	there := func() (n []string) {
		entries, err := os.ReadDir(c.dir)
		require.NoError(t, err)
		for _, e := range entries {
			n = append(n, e.Name())
		}
		return n
	}
	done := c.use(sums[0])
	c.makeRoom(400)
	require.Equal(t, sums, there())
	c.makeRoom(299)
	require.Equal(t, []string{sums[0], sums[3]}, there())
	c.makeRoom(-1)
	require.Equal(t, sums[:1], there())
	done()
	c.makeRoom(-1)
	require.Empty(t, there())
	for i := range mostKept + 3 {
		require.NoError(t, os.MkdirAll(filepath.Join(c.dir, fmt.Sprintf("%064x", i)), 0o755))
	}
	c.makeRoom(1)
	require.Len(t, there(), mostKept)
}

// TestBoundsOfATask: a worker's question of more kinds, programs or bytes than it may
// have is refused and takes no task; a worker does no task of too many files.
func TestBoundsOfATask(t *testing.T) {
	a := newArena(t)
	a.join(a.raider)
	kinds, programs := map[string]int{"echo": 1}, make([][]string, MostPrograms+1)
	for i := range mostKinds {
		kinds[fmt.Sprint(i)] = 1
	}
	for name, question := range map[string]poll{
		"kinds":    {Free: kinds},
		"programs": {Free: map[string]int{"echo": 1}, Programs: programs},
		"bytes":    {Free: map[string]int{"echo": 1}, Held: []string{strings.Repeat("x", maxPoll)}},
	} {
		got := asks[pollReply](a, a.raider, verbPoll, question)
		require.Contains(t, got.Refused, "more than", name)
		require.Empty(t, got.Tasks, name)
	}
	_, err := a.worker.do(t.Context(), &Task{Kind: "echo", Files: make([]File, mostFiles+1)})
	require.ErrorContains(t, err, "9 files; a task has 8 at most")
	a.do(a.client, "echo")
}
