package cluster

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connectLine reads the broker's greeting and returns the line that logs a client in.
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

// arena is a cluster with an honest worker and an attacker, the raider, who has the token and a
// key.
type arena struct {
	*site
	t      *testing.T
	worker *Worker
	raider *Conn
	seen   map[string]*nats.Subscription
}

func newArena(t *testing.T) *arena {
	s := newSite(t, newFolder(1<<40))
	a := &arena{site: s, t: t, seen: map[string]*nats.Subscription{}}
	a.worker = s.worker(t.TempDir(), nil)
	a.start(a.worker)
	k := newKey(t)
	conn, err := nats.Connect("nats://"+s.addr, nats.Token(s.token), nats.Nkey(k.id, k.pair.Sign), nats.CustomInboxPrefix(inboxOf(k.id)), nats.SkipSubjectValidation())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	a.raider = &Conn{conn, k.id}
	return a
}

// start runs a worker for gating matches until the test ends.
func (a *arena) start(w *Worker) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.PlayMatches(ctx) }()
	a.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			a.t.Errorf("the honest worker: %v", err)
		}
	})
	a.until(func() bool { return a.server.roster.members[w.conf.Conn.ID] != nil })
}

func (a *arena) match(games int) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for number := range games {
		g := matchGame(number)
		g.Visits, g.Board = 2, a.work.Recipe.Boards[0]
		all.Go(func() {
			_, err := a.server.Game(ctx, g, a.work.Path, a.work.Path)
			assert.NoError(a.t, err)
		})
	}
	all.Wait()
}

// check requires that the honest worker is not banned and is still served.
func (a *arena) check() {
	a.t.Helper()
	a.match(4)
	st := a.server.Status()
	require.NotContains(a.t, st.Aside, a.worker.conf.Conn.ID)
	for _, w := range st.Workers {
		if w.ID == a.worker.conf.Conn.ID {
			require.Zero(a.t, w.Rejected)
			require.Positive(a.t, w.Gating)
		}
	}
	for subject, sub := range a.seen {
		m, err := sub.NextMsg(time.Millisecond)
		require.Error(a.t, err, "%s has brought %v", subject, m)
	}
}

// asks sends a request over a connection, in the name of the connection's key.
func asks[T any](a *arena, c *Conn, verb string, v any) T {
	a.t.Helper()
	r, err := ask[T](a.t.Context(), c, verb, pack(v), 20*time.Second)
	require.NoError(a.t, err, verb)
	return *r
}

func (a *arena) join(c *Conn) {
	a.t.Helper()
	require.Empty(a.t, asks[welcome](a, c, verbHello, Card{Name: "raider", Protocol: [2]int{ProtocolMin, Protocol}}).Refused)
}

// listen subscribes the raider to a subject of another client.
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

// forge publishes a message that the broker must not deliver.
func (a *arena) forge(subject, reply string, data []byte) {
	a.t.Helper()
	require.NoError(a.t, a.raider.nats.PublishRequest(subject, reply, data))
	require.NoError(a.t, a.raider.nats.Flush())
}

// login sends the broker a hand-written login and reports whether the broker accepts it.
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

// garbage returns an upload for which the server bans the sender.
func (a *arena) garbage() []byte {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	return append(pack(upload{a.server.leases.present().ID}), "\ngarbage"...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// pass marks the exam as passed by a client.
func (a *arena) pass(c *Conn) {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	a.server.roster.members[c.ID].passed[a.work.SHA256] = true
}

// taken gives a client games of a running gating match, calls f, and waits for the match to end.
func (a *arena) taken(c *Conn, games int, f func(got []gateOffer)) {
	a.t.Helper()
	a.join(c)
	a.pass(c)
	done := make(chan bool)
	go func() {
		defer close(done)
		a.match(games)
	}()
	var got []gateOffer
	require.Eventually(a.t, func() bool {
		got = asks[gateReply](a, c, verbGate, gateRequest{Want: 1 << 30}).Games
		return len(got) > 0
	}, 30*time.Second, time.Millisecond)
	f(got)
	<-done
}
