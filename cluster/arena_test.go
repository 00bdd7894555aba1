package cluster

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
)

// connectLine reads what a broker says first and returns the line by which a client
// logs in.
func connectLine(t testing.TB, conn net.Conn, k Key, token string) string {
	t.Helper()
	line, err := bufio.NewReaderSize(conn, 4096).ReadString('\n')
	require.NoError(t, err)
	var info struct{ Nonce string }
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info))
	sig, err := k.pair.Sign([]byte(info.Nonce))
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{"verbose": false, "pedantic": false, "auth_token": token, "nkey": k.id, "sig": base64.RawURLEncoding.EncodeToString(sig)})
	require.NoError(t, err)
	return "CONNECT " + string(text)
}

var megabytes = flag.Int("parked", 60, "how many megabytes of tasks TestAttacks parks")

// arena is a cluster with an honest worker and an honest client, and somebody who has
// the token and a key of his own.
type arena struct {
	*site
	t      *testing.T
	worker *Worker
	client *Pool
	raider *Conn
	seen   map[string]*nats.Subscription
}

func newArena(t *testing.T) *arena {
	s := newSite(t, newFolder(1<<40))
	a := &arena{site: s, t: t, seen: map[string]*nats.Subscription{}}
	a.worker = s.worker(t.TempDir(), echoes)
	a.start(a.worker)
	var err error
	a.client, err = NewPool(s.dial(newKey(t)), nil)
	require.NoError(t, err)
	k := newKey(t)
	conn, err := nats.Connect("nats://"+s.addr, nats.Token(s.token), nats.Nkey(k.id, k.pair.Sign), nats.CustomInboxPrefix(inboxOf(k.id)), nats.SkipSubjectValidation())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	a.raider = &Conn{conn, k.id}
	return a
}

// echoes gives a worker a hand that sends back what it gets.
func echoes(c *WorkerConfig) {
	c.Handlers = map[string]Handler{"echo": {Most: 4, Do: func(_ context.Context, body json.RawMessage, _ map[string]string) (any, error) { return body, nil }}}
}

// start lets a worker do tasks until the test ends.
func (a *arena) start(w *Worker) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.TakeTasks(ctx) }()
	a.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			a.t.Errorf("the honest worker: %v", err)
		}
	})
	a.until(func() bool { return a.server.tasks.parked[w.conf.Conn.ID] != nil })
}

// until waits for what the server knows.
func (a *arena) until(holds func() bool) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		return holds()
	}, 30*time.Second, time.Millisecond)
}

// do has the client's task done.
func (a *arena) do(c *Pool, kind string, files ...File) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	text := NewID()
	body, err := json.Marshal(text)
	require.NoError(a.t, err)
	var got string
	require.NoError(a.t, c.Do(ctx, Task{Kind: kind, Body: body, Files: files}, &got))
	require.Equal(a.t, text, got)
	return text
}

// check finds the honest as they were: not set aside, and served.
func (a *arena) check() {
	a.t.Helper()
	a.do(a.client, "echo")
	st := a.server.Status()
	require.NotContains(a.t, st.Aside, a.worker.conf.Conn.ID)
	for _, w := range st.Workers {
		if w.ID == a.worker.conf.Conn.ID {
			require.Zero(a.t, w.Rejected)
		}
	}
	for subject, sub := range a.seen {
		m, err := sub.NextMsg(time.Millisecond)
		require.Error(a.t, err, "%s has brought %v", subject, m)
	}
}

// asks sends a request of a key's owner.
func asks[T any](a *arena, c *Conn, verb string, v any) T {
	a.t.Helper()
	r, err := ask[T](a.t.Context(), c, verb, pack(v), 20*time.Second)
	require.NoError(a.t, err, verb)
	return *r
}

// join has somebody become a worker.
func (a *arena) join(c *Conn) {
	a.t.Helper()
	require.Empty(a.t, asks[welcome](a, c, verbHello, Card{Name: "raider", Protocol: [2]int{ProtocolMin, Protocol}}).Refused)
}

// listen tries to read what is not the raider's.
func (a *arena) listen(subject, group string) {
	a.t.Helper()
	sub, err := a.raider.nats.QueueSubscribeSync(subject, group)
	if group == "" {
		sub, err = a.raider.nats.SubscribeSync(subject)
	}
	require.NoError(a.t, err)
	require.NoError(a.t, a.raider.nats.Flush())
	a.seen[subject+" "+group] = sub
}

// forge publishes what the broker must not pass on.
func (a *arena) forge(subject, reply string, data []byte) {
	a.t.Helper()
	require.NoError(a.t, a.raider.nats.PublishRequest(subject, reply, data))
	require.NoError(a.t, a.raider.nats.Flush())
}

// login connects by hand and reports whether the broker lets it.
func (a *arena) login(line func(conn net.Conn) string) bool {
	a.t.Helper()
	conn, err := net.Dial("tcp", a.addr)
	require.NoError(a.t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, line(conn)+"\r\nPING\r\n")
	require.NoError(a.t, err)
	for r := bufio.NewReaderSize(conn, 4096); ; {
		text, err := r.ReadString('\n')
		if err != nil || strings.HasPrefix(text, "-ERR") {
			return false
		}
		if strings.HasPrefix(text, "PONG") {
			return true
		}
	}
}

// garbage is an upload that bans its sender.
func (a *arena) garbage() []byte {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	return append(pack(upload{a.server.leases.present().ID}), "\ngarbage"...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// raiderKey is a pair that is not another's.
func (a *arena) raiderKey() nkeys.KeyPair { return newKey(a.t).pair }

// pass lets somebody have passed the exam.
func (a *arena) pass(c *Conn) {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	a.server.roster.members[c.ID].passed[a.work.SHA256] = true
}

// held has the client's task be under way with the honest worker while f runs.
func (a *arena) held(f func(e *task), files ...File) {
	a.t.Helper()
	release := make(chan struct{})
	a.start(a.site.worker(a.t.TempDir(), func(c *WorkerConfig) {
		c.Handlers = map[string]Handler{"held": {Most: 1, Do: func(_ context.Context, body json.RawMessage, _ map[string]string) (any, error) {
			<-release
			return body, nil
		}}}
	}))
	done := make(chan bool)
	go func() {
		defer close(done)
		a.do(a.client, "held", files...)
	}()
	var under *task
	a.until(func() bool {
		for _, e := range a.server.tasks.tasks {
			if e.worker != "" && e.reply != "" {
				under = e
			}
		}
		return under != nil
	})
	free := sync.OnceFunc(func() { close(release) })
	defer free() // where f fails too
	f(under)
	free()
	<-done
}
