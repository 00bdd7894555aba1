package cluster

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
	"kosumi/train/loop"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

var rounds = flag.Int("rounds", 5, "how many outages TestChaos makes")

// part names the environment variable that describes a child process: its role (broker, server or
// worker) and its settings.
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

// child is a broker, server or worker in a separate process.
type child struct {
	Part, Dir, Listen, Address string
	Seed                       string   // seed of the child's key; "" means a random key
	Users                      []string // for a broker: the keys of the server, then of the workers
	Work                       loop.Work
	Wait                       time.Duration // duration of an evaluation
}

// start runs the child. Its log comes through a pipe, so that a full disk does not lose it.
func (c *child) start(t testing.TB) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), part+"="+string(pack(c)))
	log, err := os.OpenFile(filepath.Join(c.Dir, c.Part+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	cmd.Stderr = struct{ io.Writer }{log}
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
	signal.Ignore(syscall.SIGXFSZ) // so that a write beyond the limit is an error
	switch c.Part {
	case "broker":
		return c.broker()
	case "server":
		return c.serve(log)
	}
	conn, err := c.dial(log)
	if err != nil {
		return err
	}
	w, err := NewWorker(WorkerConfig{Conn: conn, Dir: c.Dir, Poll: 200 * time.Millisecond, Log: log,
		Open: func(context.Context, string, *Offer) (*Model, error) {
			s, err := nn.NewServer(nntest.HashModel(3), nn.ServerConfig{MaxBatch: 8, CacheBytes: 4 << 20, Reproducible: true})
			if err != nil {
				return nil, err
			}
			slow := chosen(func(*nn.Query) nn.Evaluator { time.Sleep(c.Wait); return s })
			return &Model{Evaluator: slow, Precision: "fp32", Close: func() {}}, nil
		}})
	if err != nil {
		return err
	}
	return w.Run(context.Background())
}

func (c *child) dial(log *slog.Logger) (*Conn, error) {
	conf := DialConfig{Address: c.Address, Log: log}
	if c.Seed != "" {
		var err error
		if conf.Key, err = keyOf(nkeys.FromSeed([]byte(c.Seed))); err != nil {
			return nil, err
		}
	}
	return Dial(conf)
}

// broker is a plain NATS server with a user for each key.
func (c *child) broker() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	o := &server.Options{Host: host, NoSigs: true, NoLog: true, MaxPayload: maxGame + 4096}
	if o.Port, err = strconv.Atoi(port); err != nil {
		return err
	}
	for i, id := range c.Users {
		u := &server.NkeyUser{Nkey: id}
		if i > 0 {
			u.Permissions = permissions(id)
		}
		o.Nkeys = append(o.Nkeys, u)
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
	conn, err := c.dial(log)
	if err != nil {
		return err
	}
	s, err := NewServer(ServerConfig{Dir: filepath.Join(c.Dir, "cluster"), Host: disk, Known: disk.known, Linger: 20 * time.Millisecond, Log: log, Now: wrongClock(),
		Open: func(string) (nn.Evaluator, func(), error) {
			e, err := nn.NewServer(nntest.HashModel(3), nn.ServerConfig{MaxBatch: 8, Reproducible: true})
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

// disk imitates a loop's folder of games: synced rows and records.
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

func (d *disk) Wanted() int64       { return 1 << 40 }
func (d *disk) Left() (int64, bool) { return 0, true }

// wrongClock returns a clock without monotonic time that jumps with each SIGUSR1: an hour ahead,
// an hour behind, right again.
func wrongClock() func() time.Time {
	var off atomic.Int64
	jump := make(chan os.Signal, 1)
	signal.Notify(jump, syscall.SIGUSR1)
	go func() {
		for range jump {
			switch off.Load() {
			case 0:
				off.Store(int64(time.Hour))
			case int64(time.Hour):
				off.Store(-int64(time.Hour))
			default:
				off.Store(0)
			}
		}
	}()
	return func() time.Time { return time.Now().Round(0).Add(time.Duration(off.Load())) }
}

// fillDisk limits the files of a process to 700 bytes, to imitate a full disk, until free is
// called.
func fillDisk(t testing.TB, cmd *exec.Cmd) (free func()) {
	t.Helper()
	set := func(most uint64) error {
		return unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil)
	}
	require.NoError(t, set(700))
	return func() { require.NoError(t, set(unix.RLIM_INFINITY)) }
}

// chaos is a cluster of processes, with the games seen so far.
type chaos struct {
	t       *testing.T
	dir     string
	near    string // the broker's address without the proxy
	proxy   *proxy
	parts   map[string]*child
	running map[string]*exec.Cmd
	stored  map[selfplay.ID]bool // games seen in the server's folder
	kept    map[selfplay.ID]bool // games seen on a worker's disk
}

func newChaos(t *testing.T, seed uint64) *chaos {
	base := newSite(t, newFolder(0)) // base has the network's file
	listen := freeAddr(t)
	c := &chaos{t: t, dir: t.TempDir(), proxy: newProxy(t, listen, seed), running: map[string]*exec.Cmd{}, stored: map[selfplay.ID]bool{}, kept: map[selfplay.ID]bool{}}
	c.near = Address{Host: listen}.String()
	far := Address{Host: c.proxy.l.Addr().String()}.String()
	c.parts = map[string]*child{
		"broker": {Part: "broker", Dir: c.dir, Listen: listen},
		"server": {Part: "server", Dir: c.dir, Address: c.near, Work: base.work},
	}
	key := func(of *child) {
		k := newKey(t)
		seed, err := k.pair.Seed()
		require.NoError(t, err)
		of.Seed = string(seed)
		c.parts["broker"].Users = append(c.parts["broker"].Users, k.id)
	}
	key(c.parts["server"])
	for i := range 2 {
		name := fmt.Sprint("worker", i)
		at := filepath.Join(c.dir, name)
		require.NoError(t, os.MkdirAll(at, 0o755))
		c.parts[name] = &child{Part: name, Dir: at, Address: far, Wait: time.Millisecond}
		key(c.parts[name])
	}
	for name, p := range c.parts {
		c.running[name] = p.start(t)
	}
	t.Cleanup(func() {
		for _, cmd := range c.running {
			kill(cmd)
		}
	})
	return c
}

// outages are the faults that TestChaos causes.
var outages = []string{"broker", "server", "worker0", "worker1", "all", "cut", "slow", "doubled", "reordered", "freeze", "full server", "full workers", "clock"}

// check counts the games and requires that none is stored twice and no stored one is lost.
func (c *chaos) check() int {
	spooled, err := filepath.Glob(filepath.Join(c.dir, "worker*", "spool", "*", "*.game"))
	require.NoError(c.t, err)
	for _, path := range spooled {
		var id selfplay.ID
		_, err := fmt.Sscanf(filepath.Base(path), "%d.%d.", &id.Number, &id.Fork)
		require.NoError(c.t, err)
		c.kept[id] = true
	}
	games, err := readDisk(filepath.Join(c.dir, "games"))
	require.NoError(c.t, err)
	now := map[selfplay.ID]bool{}
	for _, g := range games {
		require.False(c.t, now[g.ID], "game %v is stored twice", g.ID)
		now[g.ID] = true
	}
	for id := range c.stored {
		require.True(c.t, now[id], "game %v was stored and is gone", id)
	}
	c.stored = now
	return len(games)
}

func (c *chaos) strike(what string, rng *rand.Rand) {
	while := time.Duration(100+rng.IntN(400)) * time.Millisecond
	switch what {
	case "cut":
		c.proxy.set(weather{cut: true})
		time.Sleep(while)
	case "slow":
		c.proxy.set(weather{slow: 30 * time.Millisecond})
		time.Sleep(while)
	case "doubled":
		c.proxy.set(weather{doubled: 0.5})
		time.Sleep(2 * while)
	case "reordered":
		c.proxy.set(weather{reordered: 0.5, doubled: 0.1})
		time.Sleep(2 * while)
	case "freeze":
		for _, cmd := range c.running {
			cmd.Process.Signal(syscall.SIGSTOP)
		}
		time.Sleep(while)
		for _, cmd := range c.running {
			cmd.Process.Signal(syscall.SIGCONT)
		}
	case "full server", "full workers":
		var free []func()
		for name, cmd := range c.running {
			if (what == "full server") == (name == "server") && name != "broker" {
				free = append(free, fillDisk(c.t, cmd))
			}
		}
		time.Sleep(while)
		for _, f := range free {
			f()
		}
	case "clock":
		c.running["server"].Process.Signal(syscall.SIGUSR1)
	default:
		for name, cmd := range c.running {
			if name == what || what == "all" {
				kill(cmd)
				c.running[name] = c.parts[name].start(c.t)
			}
		}
	}
	c.proxy.set(weather{})
}

// TestChaos runs broker, server and two workers as processes. It kills and pauses them at random
// moments, fills their disks and sets the server's clock wrong; it cuts and slows the network,
// duplicates and reorders messages; and requires that no game is lost or stored twice.
func TestChaos(t *testing.T) {
	testshared.Long(t) // not parallel: the broker's port must stay free while it restarts
	seed := testshared.Seed(t)
	c := newChaos(t, seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	order := rng.Perm(len(outages))
	times := map[string]int{}
	for round := range *rounds {
		time.Sleep(time.Duration(100+rng.IntN(700)) * time.Millisecond)
		if round%len(outages) == 0 {
			order = rng.Perm(len(outages))
		}
		what := outages[order[round%len(outages)]]
		times[what]++
		c.strike(what, rng)
		t.Logf("round %d: %s, %d games", round+1, what, c.check())
	}
	// After the last outage games must still arrive.
	before := c.check()
	require.Eventually(t, func() bool { return c.check() > before }, 60*time.Second, 200*time.Millisecond, "the cluster goes on")
	for i := range 2 {
		kill(c.running[fmt.Sprint("worker", i)])
	}
	c.check()
	left := 0
	for i := range 2 {
		left += c.bringIn(c.parts[fmt.Sprint("worker", i)])
	}
	n := c.check()
	for id := range c.kept {
		require.True(t, c.stored[id], "game %v was kept by a worker and did not come in", id)
	}
	log, err := os.ReadFile(filepath.Join(c.dir, "server.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), "set aside")
	require.NotContains(t, string(log), "is rejected")
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	t.Logf("%d games after %d outages (%v), %d messages doubled and %d reordered: none twice, none lost of %d that were seen on workers' disks, %d of them at the end",
		n, *rounds, times, c.proxy.count.doubled, c.proxy.count.reordered, len(c.kept), left)
}

// bringIn sends the games that a killed worker left on its disk.
func (c *chaos) bringIn(worker *child) int {
	t := c.t
	near := *worker
	near.Address = c.near
	conn, err := near.dial(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer conn.Close()
	w, err := NewWorker(WorkerConfig{Conn: conn, Dir: worker.Dir})
	require.NoError(t, err)
	require.NoError(t, w.hello(t.Context()))
	at := filepath.Join(worker.Dir, "spool", w.run)
	kept, err := filepath.Glob(filepath.Join(at, "*.game"))
	require.NoError(t, err)
	w.spool, err = openSpool(at)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	w.hangUp = cancel
	w.sending.Go(func() { w.upload(ctx) })
	w.Close(30 * time.Second)
	require.Zero(t, w.spool.len(), "%d games were kept", len(kept))
	left, err := filepath.Glob(filepath.Join(worker.Dir, "spool", "*", "*.game"))
	require.NoError(t, err)
	require.Empty(t, left)
	return len(kept)
}
