package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/train/loop"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

var (
	rounds  = flag.Int("rounds", 3, "how many outages TestChaos makes")
	crowd   = flag.Int("crowd", 50, "how many workers TestCrowd simulates")
	uploads = flag.Int("uploads", 4, "how many games each of them sends")
)

// part is what a child process is: broker, server or worker.
const part = "KOSUMI_CLUSTER_TEST"

func TestMain(m *testing.M) {
	if text := os.Getenv(part); text != "" {
		var c child
		err := json.Unmarshal([]byte(text), &c)
		if err == nil {
			err = c.run()
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child is a part of a cluster that runs as a process of its own.
type child struct {
	Part, Dir, Listen, Token, Address, ID string
	Work                                  loop.Work
	Wait                                  time.Duration // of an evaluation
}

func (c *child) start(t testing.TB) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), part+"="+string(pack(c)))
	log, err := os.OpenFile(filepath.Join(c.Dir, c.Part+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer log.Close()
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	return cmd
}

func kill(cmd *exec.Cmd) {
	if cmd != nil && cmd.Process != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

func (c *child) run() error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	switch c.Part {
	case "broker":
		return c.broker()
	case "server":
		return c.serve(log)
	}
	conn, err := Dial(DialConfig{Address: c.Address, ID: c.ID, Log: log})
	if err != nil {
		return err
	}
	w, err := NewWorker(WorkerConfig{Conn: conn, Dir: c.Dir, Poll: 200 * time.Millisecond, Card: Card{ID: c.ID}, Log: log,
		Open: func(context.Context, string, *Offer) (*Seat, error) {
			s, err := nn.NewServer(nn.HashModel(3), nn.ServerConfig{MaxBatch: 8, CacheBytes: 4 << 20, ExactCache: true})
			if err != nil {
				return nil, err
			}
			return &Seat{Evaluator: &waiting{s, c.Wait}, Precision: "fp32", Close: func() {}}, nil
		}})
	if err != nil {
		return err
	}
	return w.Run(context.Background())
}

// waiting is a network that takes its time and no processor.
type waiting struct {
	nn.Evaluator
	d time.Duration
}

func (w *waiting) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	pause(ctx, w.d)
	return w.Evaluator.Evaluate(ctx, q, out)
}

// broker is a NATS server that is not the program's own.
func (c *child) broker() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	o := &server.Options{Host: host, NoSigs: true, NoLog: true, Authorization: c.Token, MaxPayload: maxGame + 4096}
	if o.Port, err = strconv.Atoi(port); err != nil {
		return err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	select {}
}

func (c *child) serve(log *slog.Logger) error {
	disk, err := openDisk(filepath.Join(c.Dir, "games"))
	if err != nil {
		return err
	}
	conn, err := Dial(DialConfig{Address: c.Address, ID: NewID(), Log: log})
	if err != nil {
		return err
	}
	s, err := NewServer(ServerConfig{Dir: filepath.Join(c.Dir, "cluster"), Host: disk, Known: disk.known, Linger: 20 * time.Millisecond, Log: log,
		Open: func(string) (nn.Evaluator, func(), error) {
			e, err := nn.NewServer(nn.HashModel(3), nn.ServerConfig{MaxBatch: 8, ExactCache: true})
			return e, func() {}, err
		}})
	if err != nil {
		return err
	}
	if err := s.Offer(c.Work); err != nil {
		return err
	}
	if err := s.Serve(conn); err != nil {
		return err
	}
	select {}
}

// disk is a folder of games as a loop has it: rows and records, synced.
type disk struct {
	mu     sync.Mutex
	dir    string
	filing selfplay.Filing
	known  []selfplay.Filed
}

func openDisk(dir string) (*disk, error) {
	d := &disk{dir: dir}
	var err error
	d.known, err = readDisk(dir)
	d.filing.Next = uint64(len(d.known))
	return d, err
}

// readDisk lists the games of a folder.
func readDisk(dir string) ([]selfplay.Filed, error) {
	var all []selfplay.Filed
	paths, err := filepath.Glob(filepath.Join(dir, "tdata", "*.npz"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		f, err := rows.OpenFile(path)
		if err != nil {
			return nil, err
		}
		for _, id := range f.Info.IDs {
			all = append(all, selfplay.Filed{ID: selfplay.ID{Number: id[0], Fork: int(id[1])}, More: id[2] == 1})
		}
		f.Close()
	}
	return all, nil
}

func (d *disk) File(w loop.Work, games []*selfplay.Finished) ([]error, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	writer, err := selfplay.NewWriter(selfplay.WriterConfig{Dir: d.dir, Encoding: features.V7, Side: w.Recipe.Side(), PerFile: 1 << 20,
		Filing: &d.filing, Network: w.Network, SHA256: w.SHA256, Seed: w.Seed, Settings: w.Recipe})
	if err != nil {
		return nil, err
	}
	faults := make([]error, len(games))
	for i, g := range games {
		_, faults[i] = writer.Add(g)
	}
	return faults, writer.Flush()
}

func (d *disk) Wanted() bool { return true }

// freeAddr is a loopback address that nobody listens on.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// proxy passes connections on, until it is told to break them.
type proxy struct {
	to    string
	l     net.Listener
	mu    sync.Mutex
	conns map[net.Conn]bool
	slow  time.Duration
	cut   bool
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{to: to, l: l, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); p.set(true, 0) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

// set cuts all connections and takes no new ones, or delays what passes.
func (p *proxy) set(cut bool, slow time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.slow = cut, slow
	if cut {
		for c := range p.conns {
			c.Close()
		}
	}
}

func (p *proxy) pass(c net.Conn) {
	out, err := net.Dial("tcp", p.to)
	p.mu.Lock()
	if err != nil || p.cut {
		p.mu.Unlock()
		c.Close()
		if out != nil {
			out.Close()
		}
		return
	}
	p.conns[c], p.conns[out] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	move := func(dst, src net.Conn) {
		defer dst.Close()
		defer src.Close()
		buf := make([]byte, 4096)
		for {
			n, err := src.Read(buf)
			p.mu.Lock()
			slow := p.slow
			p.mu.Unlock()
			time.Sleep(slow)
			if _, werr := dst.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}
	both.Go(func() { move(out, c) })
	both.Go(func() { move(c, out) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	delete(p.conns, out)
}

// TestChaos runs broker, server and two workers as processes, kills them with
// SIGKILL at random moments, stops their clocks, cuts and slows the network, and
// counts at the end.
func TestChaos(t *testing.T) {
	base := newSite(t, newFolder(0)) // for its network's file
	dir, token, listen := t.TempDir(), NewID(), freeAddr(t)
	p := newProxy(t, listen)
	near, far := Address{Token: token, Host: listen}.String(), Address{Token: token, Host: p.l.Addr().String()}.String()
	parts := map[string]*child{"broker": {Part: "broker", Dir: dir, Listen: listen, Token: token}}
	parts["server"] = &child{Part: "server", Dir: dir, Address: near, Work: base.work}
	for i := range 2 {
		name := fmt.Sprint("worker", i)
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(at, 0o755))
		parts[name] = &child{Part: name, Dir: at, Address: far, ID: NewID(), Wait: time.Millisecond}
	}
	running := map[string]*exec.Cmd{}
	for name, c := range parts {
		running[name] = c.start(t)
	}
	defer func() {
		for _, cmd := range running {
			kill(cmd)
		}
	}()
	seen := map[selfplay.ID]bool{}
	names := []string{"broker", "server", "worker0", "worker1", "cut", "slow", "freeze", "all"}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	check := func() int {
		games, err := readDisk(filepath.Join(dir, "games"))
		require.NoError(t, err)
		now := map[selfplay.ID]bool{}
		for _, g := range games {
			require.False(t, now[g.ID], "game %v is stored twice", g.ID)
			now[g.ID] = true
		}
		for id := range seen {
			require.True(t, now[id], "game %v was stored and is gone", id)
		}
		seen = now
		return len(games)
	}
	for round := range *rounds {
		time.Sleep(time.Duration(100+rng.IntN(700)) * time.Millisecond)
		what := names[(round+rng.IntN(2))%len(names)]
		switch what {
		case "cut":
			p.set(true, 0)
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		case "slow":
			p.set(false, 30*time.Millisecond)
			time.Sleep(300 * time.Millisecond)
		case "freeze":
			for _, cmd := range running {
				cmd.Process.Signal(syscall.SIGSTOP)
			}
			time.Sleep(200 * time.Millisecond)
			for _, cmd := range running {
				cmd.Process.Signal(syscall.SIGCONT)
			}
		default:
			for name, cmd := range running {
				if name == what || what == "all" {
					kill(cmd)
					running[name] = parts[name].start(t)
				}
			}
		}
		p.set(false, 0)
		t.Logf("round %d: %s, %d games", round+1, what, check())
	}
	// Workers start no new games now, what they have finished comes in.
	before := check()
	require.Eventually(t, func() bool { return check() > before }, 60*time.Second, 200*time.Millisecond, "the cluster goes on")
	for i := range 2 {
		kill(running[fmt.Sprint("worker", i)])
	}
	for i := range 2 {
		c := parts[fmt.Sprint("worker", i)]
		conn, err := Dial(DialConfig{Address: near, ID: c.ID})
		require.NoError(t, err)
		w, err := NewWorker(WorkerConfig{Conn: conn, Dir: c.Dir, Card: Card{ID: c.ID}})
		require.NoError(t, err)
		require.NoError(t, w.hello(t.Context()))
		kept, err := filepath.Glob(filepath.Join(c.Dir, "spool", w.run, "*.game"))
		require.NoError(t, err)
		w.spool, err = openSpool(filepath.Join(c.Dir, "spool", w.run))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		w.hangUp = cancel
		w.sending.Go(func() { w.upload(ctx) })
		w.Close(30 * time.Second)
		conn.Close()
		require.Zero(t, w.spool.len(), "%d games were kept", len(kept))
		check()
		for _, path := range kept {
			var id selfplay.ID
			_, err := fmt.Sscanf(filepath.Base(path), "%d.%d.", &id.Number, &id.Fork)
			require.NoError(t, err)
			require.True(t, seen[id], "game %v was kept and did not come in", id)
		}
		left, err := filepath.Glob(filepath.Join(c.Dir, "spool", "*", "*.game"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
	log, err := os.ReadFile(filepath.Join(dir, "server.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), "set aside")
	require.NotContains(t, string(log), "is rejected")
	t.Logf("%d games after %d outages, none twice, none lost", check(), *rounds)
}

// TestCrowd lets many workers send recorded games at once to the real server and
// folder: all are stored once.
func TestCrowd(t *testing.T) {
	c := recipe()
	c.Boards = []selfplay.BoardShare{{Width: 9, Height: 9, Share: 1}}
	c.Opening.Forks = 0
	s := newSite(t, newFolder(0))
	s.stop()
	s.work.Recipe = c
	s.startBroker()
	store, err := openDisk(filepath.Join(s.dir, "games"))
	require.NoError(t, err)
	conn, err := s.broker.Connect()
	require.NoError(t, err)
	defer conn.Close()
	server, err := NewServer(ServerConfig{Dir: filepath.Join(s.dir, "crowd"), Host: store, Linger: 100 * time.Millisecond,
		Open: func(string) (nn.Evaluator, func(), error) { return stub(t, 3), func() {}, nil }})
	require.NoError(t, err)
	require.NoError(t, server.Offer(s.work))
	offer := server.book.present().ID

	recorded := alone(t, c, s.work.Seed, uint64(*crowd**uploads))
	size := 0
	for _, data := range recorded {
		size += len(data)
	}
	_, err = server.book.take("", len(recorded), time.Now())
	require.NoError(t, err)
	require.NoError(t, server.Serve(conn))
	defer server.Close()
	ids := make([]string, *crowd)
	for i := range ids {
		ids[i] = NewID()
		server.members[ids[i]] = &member{card: Card{ID: ids[i], Precision: "fp32"}, passed: map[string]bool{}}
		server.members[ids[i]].good.Store(probation) // the figure is about those that are known
	}
	var clients sync.WaitGroup
	cpu := usage()
	began := time.Now()
	for i, id := range ids {
		clients.Go(func() {
			conn, err := Dial(DialConfig{Address: s.address(), ID: id})
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			w := &Worker{conf: WorkerConfig{Conn: conn, Card: Card{ID: id}, Log: slog.New(slog.DiscardHandler)}, held: map[uint64]bool{}}
			w.spool = &spool{news: make(chan struct{}, 1)}
			for k := range *uploads {
				n := selfplay.ID{Number: uint64(k**crowd + i)}
				w.send(t.Context(), &spooled{id: n, offer: offer, data: recorded[n]})
			}
		})
	}
	clients.Wait()
	took := time.Since(began)
	games, err := readDisk(store.dir)
	require.NoError(t, err)
	require.Len(t, games, len(recorded))
	st := server.Status()
	require.Zero(t, st.Rejected)
	require.Empty(t, st.Aside)
	var mem syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &mem))
	t.Logf("%d workers, %d games of %d bytes: %.0f games/s, %.1f ms of processor a game (server and workers), lag p50 %.0f ms, p99 %.0f ms, %d put off, %d MB resident at most",
		*crowd, len(games), size/len(recorded), float64(len(games))/took.Seconds(), 1000*(usage()-cpu).Seconds()/float64(len(games)),
		1000*st.LagP50, 1000*st.LagP99, st.Later, mem.Maxrss>>10)
}

func usage() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWorkers measures games an hour with 1, 2, 4 and 8 worker processes
// whose network waits instead of computing.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			host := newFolder(1 << 40)
			s := newSite(b, host)
			var running []*exec.Cmd
			defer func() {
				for _, cmd := range running {
					kill(cmd)
				}
			}()
			for range n {
				c := &child{Part: "worker", Dir: b.TempDir(), Address: s.address(), ID: NewID(), Wait: 5 * time.Millisecond}
				running = append(running, c.start(b))
			}
			for host.count() < 8*n {
				time.Sleep(time.Millisecond)
			}
			for b.Loop() {
				before, began := host.count(), time.Now()
				time.Sleep(6 * time.Second)
				b.ReportMetric(float64(host.count()-before)/time.Since(began).Hours(), "games/h")
			}
		})
	}
}

// TestSpoolOnAFullDisk keeps games in memory where they cannot be written.
func TestSpoolOnAFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := openSpool(dir)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o644)) // nothing can be written below a file
	require.Error(t, s.put(&selfplay.Finished{}, strings.Repeat("a", 16), []byte("game")))
	g := s.next()
	data, err := g.read()
	require.NoError(t, err)
	require.True(t, bytes.Equal([]byte("game"), data))
	s.drop(g)
	require.Zero(t, s.len())
}
