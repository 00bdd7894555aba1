package cluster

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// folder replaces the loop: it keeps the packed games and reports duplicates.
type folder struct {
	mu    sync.Mutex
	games map[selfplay.ID][]byte
	filed []selfplay.Filed
	twice int
	full  atomic.Bool  // imitates a full disk
	most  atomic.Int64 // number of games wanted
}

func newFolder(most int64) *folder {
	f := &folder{games: map[selfplay.ID][]byte{}}
	f.most.Store(most)
	return f
}

func (f *folder) File(_ loop.Work, games []*selfplay.Finished) ([]error, error) {
	if f.full.Load() {
		return nil, fmt.Errorf("no space left on device")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range games {
		data, err := selfplay.Marshal(g)
		if err != nil {
			return nil, err
		}
		if f.games[g.ID] != nil {
			f.twice++
		}
		f.games[g.ID] = data
		f.filed = append(f.filed, selfplay.Filed{ID: g.ID, More: g.More})
	}
	return make([]error, len(games)), nil
}

func (f *folder) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.games)
}

// kept returns the games so far and the number of duplicates. Games that a worker has sent may be
// filed after the worker has stopped.
func (f *folder) kept() (games map[selfplay.ID][]byte, twice int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.games), f.twice
}

func (f *folder) known() []selfplay.Filed {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.filed)
}

func (f *folder) Wanted() int64       { return f.most.Load() - int64(f.count()) }
func (f *folder) Left() (int64, bool) { return 0, true }

// recipe is a recipe of short games on small boards.
func recipe() selfplay.Config {
	c := selfplay.Defaults()
	c.Boards = []selfplay.BoardShare{{Width: 5, Height: 5, Share: 1}}
	c.Parallel = 4
	c.Search.Visits, c.Search.CheapVisits = 8, 4
	c.Opening.Forks = 0.2
	return c
}

func stub(t testing.TB, seed uint64) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(nntest.HashModel(seed), nn.ServerConfig{MaxBatch: 8, CacheBytes: 4 << 20, Reproducible: true})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// site is a broker with a server.
type site struct {
	t      testing.TB
	dir    string
	host   *folder
	work   loop.Work
	broker *Broker
	server *Server
	conn   *Conn
	token  string
	addr   string
	log    *testshared.Log
}

func newSite(t testing.TB, host *folder) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), host: host, token: NewID(), addr: "127.0.0.1:0", log: new(testshared.Log)}
	path := filepath.Join(s.dir, "model.bin.gz")
	data := bytes.Repeat([]byte("network"), 100_000)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	sum, err := file.SHA256(path)
	require.NoError(t, err)
	s.work = loop.Work{Network: "stub", SHA256: sum, Path: path, Seed: 7, Recipe: recipe()}
	s.startBroker()
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *site) startBroker() {
	var err error
	s.broker, err = StartBroker(s.addr, s.token, nil)
	require.NoError(s.t, err)
	s.addr = s.broker.Addr()
}

func (s *site) start() {
	conn, err := s.broker.Connect()
	require.NoError(s.t, err)
	s.conn = conn
	s.server, err = NewServer(ServerConfig{Dir: filepath.Join(s.dir, "cluster"), Host: s.host, Known: s.host.known(), Linger: 20 * time.Millisecond,
		Open: func(string) (nn.Evaluator, func(), error) { return stub(s.t, 3), func() {}, nil }, Version: "test",
		Log: slog.New(slog.NewTextHandler(s.log, nil))})
	require.NoError(s.t, err)
	require.NoError(s.t, s.server.Offer(s.work))
	require.NoError(s.t, s.server.Serve(conn))
}

func (s *site) stop() {
	if s.server != nil {
		require.NoError(s.t, s.server.Close())
		s.conn.Close()
		s.server = nil
	}
	if s.broker != nil {
		s.broker.Close()
		s.broker = nil
	}
}

func (s *site) address() string { return Address{Token: s.token, Host: s.addr}.String() }

func newKey(t testing.TB) Key {
	t.Helper()
	k, err := NewKey()
	require.NoError(t, err)
	return k
}

func (s *site) dial(k Key) *Conn {
	s.t.Helper()
	conn, err := Dial(DialConfig{Address: s.address(), Key: k})
	require.NoError(s.t, err)
	s.t.Cleanup(conn.Close)
	return conn
}

// opens makes a worker play with the network that a function returns for a file.
func opens(network func(path string) nn.Evaluator) func(c *WorkerConfig) {
	return func(c *WorkerConfig) {
		c.Open = func(_ context.Context, path string, _ *Offer) (*Model, error) {
			return &Model{Evaluator: network(path), Provider: "cpu", Precision: "fp32", Close: func() {}}, nil
		}
	}
}

// worker returns a worker with a new key; change may alter its settings.
func (s *site) worker(dir string, change func(c *WorkerConfig)) *Worker {
	s.t.Helper()
	return s.workerOf(newKey(s.t), dir, change)
}

func (s *site) workerOf(k Key, dir string, change func(c *WorkerConfig)) *Worker {
	s.t.Helper()
	c := WorkerConfig{Dir: dir, Poll: 50 * time.Millisecond, Card: Card{Name: "test"}, Conn: s.dial(k)}
	opens(func(string) nn.Evaluator { return stub(s.t, 3) })(&c)
	if change != nil {
		change(&c)
	}
	w, err := NewWorker(c)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { w.Close(0) })
	return w
}

func (s *site) runUntil(workers []*Worker, done func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			if err := w.Run(ctx); err != nil {
				s.t.Errorf("a worker: %v", err)
			}
		})
	}
	for !done() && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	require.NoError(s.t, ctx.Err(), "in time; the log:\n%s", s.log.String())
	cancel()
	all.Wait()
}

// until waits until a condition holds under the server's lock.
func (s *site) until(holds func() bool) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		return holds()
	}, 30*time.Second, time.Millisecond)
}

// settled returns a condition for runUntil: all games with numbers below n have arrived, with their forks.
func (s *site) settled(n uint64) func() bool {
	return func() bool {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		for number := range n {
			if !s.server.leases.complete(number) {
				return false
			}
		}
		return true
	}
}

// alone plays games in one session on this machine.
func alone(t testing.TB, c selfplay.Config, seed uint64, numbers uint64) map[selfplay.ID][]byte {
	t.Helper()
	games, err := playAll(t.Context(), c, seed, numbers, stub(t, 3))
	require.NoError(t, err)
	return games
}

// playAll plays the games with numbers below a given one.
func playAll(ctx context.Context, c selfplay.Config, seed, numbers uint64, e nn.Evaluator) (map[selfplay.ID][]byte, error) {
	games := map[selfplay.ID][]byte{}
	var next atomic.Uint64
	s, err := selfplay.NewSessionOf(c, seed, func(context.Context) (uint64, bool) {
		n := next.Add(1) - 1
		return n, n < numbers
	}, func(f *selfplay.Finished) (int, error) {
		data, err := selfplay.Marshal(f)
		games[f.ID] = data
		return 0, err
	})
	if err == nil {
		err = s.Play(ctx, e, selfplay.Goal{})
	}
	return games, err
}

// TestRestartsLoseNothing repeatedly stops the server, the broker and workers, fills the server's
// disk, and sends every message twice: the games are those of a single session.
func TestRestartsLoseNothing(t *testing.T) {
	const numbers = 60
	s := newSite(t, newFolder(1<<40))
	dirs := []string{t.TempDir(), t.TempDir()}
	keys := []Key{newKey(t), newKey(t)}
	for round := range 6 {
		var workers []*Worker
		for i := range dirs {
			workers = append(workers, s.workerOf(keys[i], dirs[i], nil))
		}
		before := s.host.count()
		var flip sync.WaitGroup
		flip.Go(func() { // an outage during the work
			time.Sleep(30 * time.Millisecond)
			switch round {
			case 1, 4:
				s.stop()
				s.startBroker()
				s.start()
			case 2:
				s.host.full.Store(true)
				time.Sleep(100 * time.Millisecond)
				s.host.full.Store(false)
			}
		})
		s.runUntil(workers, func() bool { return s.host.count() >= before+8 })
		flip.Wait()
	}
	last := []*Worker{s.workerOf(keys[0], dirs[0], nil), s.workerOf(keys[1], dirs[1], nil)}
	s.server.mu.Lock()
	for number := range s.server.leases.out { // as if the workers had crashed and stayed away
		s.server.leases.lease(number, lease{})
	}
	s.server.mu.Unlock()
	s.runUntil(last, s.settled(numbers))
	games, twice := s.host.kept()
	require.Zero(t, twice)
	for id, data := range alone(t, recipe(), 7, numbers) {
		require.True(t, bytes.Equal(data, games[id]), "game %v", id)
	}
	require.Empty(t, s.server.Status().Aside)
}

func TestAddress(t *testing.T) {
	pin := strings.Repeat("ab", 32)
	for text, want := range map[string]Address{
		"nats://tok@host":             {Token: "tok", Host: "host:4222"},
		"nats://tok@[::1]:5":          {Token: "tok", Host: "[::1]:5"},
		"tls://tok@host:1":            {Token: "tok", Host: "host:1", TLS: true},
		"nats://tok@host:4222#" + pin: {Token: "tok", Host: "host:4222", Pin: pin, TLS: true},
		"nats://127.0.0.1:4222":       {Host: "127.0.0.1:4222"},
	} {
		got, err := ParseAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := ParseAddress(got.String())
		require.NoError(t, err)
		require.Equal(t, want, again)
		require.NotContains(t, got.Hidden(), "tok")
	}
	for _, text := range []string{"", "host:1", "http://host", "nats://", "nats://a:b@host", "nats://t@host#12", "nats://[::1", "nats://secret@ho st", "nats://secret@host:po", "http://secret@host",
		"nats:/secret@host", "nats://secret@", "nats://sec/secret@host", "nats://secret@host/path", "nats://secret@host?x", "nats://%secret@host", "nats://secret@host:1\n"} {
		_, err := ParseAddress(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "secret")
	}
}

// TestReachable: a server on all of a machine's addresses is reached by one that is not of this machine alone.
func TestReachable(t *testing.T) {
	require.Equal(t, "127.0.0.1:7", Reachable("127.0.0.1:0", "127.0.0.1:7", false))
	if _, err := net.Dial("udp", "192.0.2.1:9"); err != nil {
		testshared.Absent(t, "no network: %v", err)
	}
	for _, listen := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		host, port, err := net.SplitHostPort(Reachable(listen, "[::]:7", false))
		require.NoError(t, err)
		require.Equal(t, "7", port)
		ips, err := net.LookupIP(host)
		require.NoError(t, err)
		require.False(t, slices.ContainsFunc(ips, net.IP.IsLoopback), "%s is %v", host, ips)
	}
	name, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, name+":7", Reachable(":0", "[::]:7", true), "a certificate of the user's names the machine")
}

// TestFindAddress: an address comes from a text, a file or a variable; a file that others can read causes a note.
func TestFindAddress(t *testing.T) {
	const address = "nats://a-token-of-sixteen@host:1"
	dir := t.TempDir()
	kept, err := KeepAddress(dir, address)
	require.NoError(t, err)
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	t.Setenv("KOSUMI_TEST_ADDRESS", " "+address+"\n")
	t.Setenv("KOSUMI_TEST_EMPTY", "")
	for text, note := range map[string]string{address: "", kept: "", "env:KOSUMI_TEST_ADDRESS": "", write("open", address+"\n", 0o644): "chmod 600"} {
		notes := ""
		got, err := FindAddress(text, func(text string) { notes += text })
		require.NoError(t, err, text)
		require.Equal(t, address, got, text)
		if runtime.GOOS != "windows" {
			require.Equal(t, note == "", notes == "", notes)
			require.Contains(t, notes, note)
		}
	}
	require.NotContains(t, strings.Join(os.Environ(), " "), "a-token-of-sixteen", "programs that are started do not get it")
	for _, text := range []string{"env:KOSUMI_TEST_EMPTY", "env:", "nosuch", "a-token-of-sixteen@host:1", "nats:a-token-of-sixteen@host", "", dir, write("empty", " \n", 0o600), write("two", address+"\n"+address+"\n", 0o600), write("none", "a-token-of-sixteen", 0o644)} {
		_, err := FindAddress(text, func(text string) { t.Error(text) })
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), "a-token-of-sixteen")
	}
}

// TestSecretsOfAServer: the files of token, certificate and key are reused and made readable by the user
// alone. An empty file is replaced; a damaged one is an error that advises to remove the file.
func TestSecretsOfAServer(t *testing.T) {
	for name, c := range map[string]struct {
		get    func(dir string, note func(string)) (string, error)
		reason string
	}{
		"token": {Token, "16 characters"},
		"server.pem": {func(dir string, note func(string)) (string, error) {
			_, pin, err := Certificate(dir, note)
			return pin, err
		}, "no certificate with its key"},
		"key": {func(dir string, note func(string)) (string, error) {
			k, err := KeyIn(dir, note)
			return k.id, err
		}, "holds no key"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "kosumi", "serve")
			notes := ""
			get := func() (string, error) {
				notes = ""
				return c.get(dir, func(text string) { notes += text })
			}
			first, err := get()
			require.NoError(t, err)
			again, err := get()
			require.NoError(t, err)
			require.Equal(t, first, again)
			require.Empty(t, notes)
			path := filepath.Join(dir, name)
			require.NoError(t, os.Chmod(path, 0o644))
			again, err = get()
			require.NoError(t, err)
			require.Equal(t, first, again)
			if runtime.GOOS != "windows" {
				require.Contains(t, notes, path)
				for at, mode := range map[string]os.FileMode{path: 0o600, dir: 0o700, filepath.Dir(dir): 0o700} {
					info, err := os.Stat(at)
					require.NoError(t, err)
					require.Equal(t, mode, info.Mode().Perm(), at)
				}
			}
			require.NoError(t, os.Truncate(path, 0))
			fresh, err := get()
			require.NoError(t, err)
			require.NotEqual(t, first, fresh)
			require.Contains(t, notes, "was empty")
			require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o600))
			_, err = get()
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, err, c.reason)
			require.ErrorContains(t, err, "remove")
		})
	}
}

// TestTLS connects with the pinned certificate and with no other.
func TestTLS(t *testing.T) {
	cert, pin, err := Certificate(t.TempDir(), nil)
	require.NoError(t, err)
	b, err := StartBroker("127.0.0.1:0", "a-token-of-sixteen", &cert)
	require.NoError(t, err)
	defer b.Close()
	flush := func(pin string, patience time.Duration) error {
		conn, err := Dial(DialConfig{Address: Address{Token: "a-token-of-sixteen", Host: b.Addr(), Pin: pin}.String()})
		require.NoError(t, err)
		defer conn.Close()
		return conn.nats.FlushTimeout(patience)
	}
	require.NoError(t, flush(pin, 5*time.Second))
	require.Error(t, flush(strings.Repeat("00", 32), 300*time.Millisecond))
}

// TestWorkChanges offers another network during the work: games already begun are filed too, and
// none is lost.
func TestWorkChanges(t *testing.T) {
	s := newSite(t, newFolder(1<<40))
	w := []*Worker{s.worker(t.TempDir(), nil)}
	s.runUntil(w, func() bool { return s.host.count() >= 10 })
	s.work.Recipe.Search.Visits = 10
	require.NoError(t, s.server.Offer(s.work))
	n := s.host.count()
	s.runUntil(w, func() bool { return s.host.count() >= n+30 })
	w[0].Close(5 * time.Second)
	finished, waiting := w[0].Games()
	require.Zero(t, waiting)
	games, twice := s.host.kept()
	require.Len(t, games, int(finished))
	require.Zero(t, twice)
}
