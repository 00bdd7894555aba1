package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

var (
	audited = flag.Uint64("audited", 1, "how many games of each kind TestPrecisions looks at; from 2 on with all sets of instructions")
	window  = flag.Duration("window", 6*time.Second, "how long a turn of BenchmarkTwoWorkers is")
	turns   = flag.Int("turns", 10, "turns of each side in BenchmarkTwoWorkers")
	atATime = flag.Int("at-a-time", 32, "games that a worker of BenchmarkTwoWorkers plays at a time; the process alone plays 64")
	ownCore = flag.Bool("own-core", false, "each worker of BenchmarkTwoWorkers has a core of its own, as on machines of one core")
)

// openNetwork opens a real network as engine work does.
func openNetwork(path, precision string, sessions int) (*Model, error) {
	m, err := model.Open(path, model.Config{Precision: precision})
	if err != nil {
		return nil, err
	}
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: sessions, MaxBatch: 16, CacheBytes: 64 << 20, Reproducible: true})
	if err != nil {
		m.Close()
		return nil, err
	}
	return &Model{Evaluator: s, Provider: m.Describe().Provider, Precision: m.Describe().Precision, Close: func() { s.Close(); m.Close() }}, nil
}

// played is what a child that plays prints.
type played struct {
	Precision string
	Exam      answers
	Games     [][]byte
}

// play answers the exam and plays numbers from 0 on.
func (c *child) play() error {
	s, err := openNetwork(c.Model, c.Precision, 1)
	if err != nil {
		return err
	}
	defer s.Close()
	out := played{Precision: s.Precision}
	if out.Exam, err = answerExam(context.Background(), examOf(c.Work), s.Evaluator); err != nil {
		return err
	}
	var next atomic.Uint64
	session, err := selfplay.NewSessionOf(c.Work.Recipe, c.Work.Seed, func(context.Context) (uint64, bool) {
		n := next.Add(1) - 1
		return n, n < c.Games
	}, func(f *selfplay.Finished) (int, error) {
		data, err := selfplay.Marshal(f)
		out.Games = append(out.Games, data)
		return 0, err
	})
	if err == nil {
		err = session.Play(context.Background(), s.Evaluator, selfplay.Goal{})
	}
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return err
	}
	os.Exit(0)
	return nil
}

func examOf(w loop.Work) *Exam {
	return &Exam{File: File{SHA256: w.SHA256}, Boards: w.Recipe.Boards}
}

func realWork(t testing.TB) loop.Work {
	t.Helper()
	path := testshared.Network(t)
	sum, err := fileSum(path)
	require.NoError(t, err)
	w := loop.Work{Network: "real", SHA256: sum, Path: path, Seed: 11, Recipe: recipe()}
	w.Recipe.Boards = []selfplay.BoardShare{{Width: 9, Height: 9, Share: 1}}
	w.Recipe.Search.Visits, w.Recipe.Search.CheapVisits = 16, 8
	w.Recipe.MoveLimit = 0.3 // short games
	w.Recipe.Opening.Forks = 0
	return w
}

// TestPrecisions lets a real network play in fp32 and by automatic precision (and
// with -audited 2 in 16 bits with all sets of instructions that there are): an honest
// worker passes the exam and the checks of its games.
func TestPrecisions(t *testing.T) {
	w := realWork(t)
	judge, err := openNetwork(w.Path, "fp32", 1)
	require.NoError(t, err)
	defer judge.Close()
	want, err := answerExam(t.Context(), examOf(w), judge.Evaluator)
	require.NoError(t, err)
	kinds := map[string][2]string{"fp32": {"fp32", ""}, "auto": {"auto", ""}}
	for _, isa := range kernel.Available() {
		if isa.Integers() && *audited > 1 {
			kinds["int16 "+isa.String()] = [2]string{"int16", isa.String()}
		}
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			c := child{Part: "player", Model: w.Path, Precision: kind[0], Work: w, Games: *audited}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), part+"="+string(pack(c)), kernel.EnvISA+"="+kind[1])
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			require.NoError(t, err)
			var got played
			require.NoError(t, json.Unmarshal(text, &got))
			card := Card{Precision: got.Precision}
			tol := card.tolerance()
			require.NoError(t, compareAnswers(&want, &got.Exam, tol))
			m := &member{}
			var value float64
			for _, data := range got.Games {
				f, err := selfplay.Unmarshal(data)
				require.NoError(t, err)
				require.NoError(t, w.Recipe.Verify(f, w.Seed))
				n, off, err := w.Recipe.Recheck(t.Context(), f, w.Seed, judge.Evaluator, 8)
				require.NoError(t, err)
				require.Positive(t, n)
				require.NoError(t, m.assess(n, off, tol))
				value = max(value, off)
			}
			t.Logf("%s: %d games, raw values at most %.4f off (%.2f allowed)", got.Precision, len(got.Games), value, tol.game)
		})
	}
}

// BenchmarkTwoWorkers compares two workers with the network inside the program and
// one session each, and the server that checks and files their games, with one
// process that plays and files the same games with two sessions. Both go on by turns,
// the other is stopped meanwhile, so that what else the machine does meets both.
func BenchmarkTwoWorkers(b *testing.B) {
	zero, err := models.Zero().Data()
	require.NoError(b, err)
	path := filepath.Join(b.TempDir(), models.Zero().File)
	require.NoError(b, os.WriteFile(path, zero, 0o644))
	sum, err := fileSum(path)
	require.NoError(b, err)
	w := loop.Work{Network: "embedded", SHA256: sum, Path: path, Seed: 11, Recipe: selfplay.Defaults()}
	for b.Loop() {
		one := &arm{b: b}
		one.add(&child{Part: "alone", Dir: b.TempDir(), Model: w.Path, Precision: "auto", Work: w})
		one.warmUp()
		w.Recipe.Parallel = *atATime
		two := twoWorkers(b, w)
		two.warmUp()
		var ratios []float64
		for range *turns {
			before := [2]spell{one.done, two.done}
			one.turn()
			two.turn()
			ratios = append(ratios, two.done.since(before[1]).rate()/one.done.since(before[0]).rate())
		}
		slices.Sort(ratios)
		b.ReportMetric(one.done.rate(), "moves/s-alone")
		b.ReportMetric(two.done.rate(), "moves/s-workers")
		b.ReportMetric(ratios[len(ratios)/2], "ratio-median")
		b.ReportMetric(one.done.cost(one.done.parts), "ms/move-alone")
		b.ReportMetric(two.done.cost(two.done.parts), "ms/move-workers")
		b.ReportMetric(two.done.cost(two.done.here), "ms/move-server")
		b.ReportMetric(one.done.cores(), "cores-alone")
		b.ReportMetric(two.done.cores(), "cores-workers")
	}
}

// spell is what was done in some time, and the processor time that it took in the
// parts and here.
type spell struct {
	moves       int64
	took        time.Duration
	parts, here time.Duration
}

func (s spell) since(t spell) spell {
	return spell{s.moves - t.moves, s.took - t.took, s.parts - t.parts, s.here - t.here}
}

func (s spell) rate() float64  { return float64(s.moves) / s.took.Seconds() }
func (s spell) cores() float64 { return (s.parts + s.here).Seconds() / s.took.Seconds() }

// cost is milliseconds of processor a move.
func (s spell) cost(d time.Duration) float64 { return 1000 * d.Seconds() / float64(s.moves) }

// arm is one side of the comparison: processes that play.
type arm struct {
	b     *testing.B
	parts []*exec.Cmd
	dirs  []string
	done  spell
}

func (a *arm) add(c *child) {
	c.Count = true
	cmd := c.start(a.b)
	a.b.Cleanup(func() { kill(cmd) })
	a.parts, a.dirs = append(a.parts, cmd), append(a.dirs, c.Dir)
}

func (a *arm) signal(sig os.Signal) {
	for _, cmd := range a.parts {
		require.NoError(a.b, cmd.Process.Signal(sig))
	}
}

// warmUp waits until games no longer end together because they began together.
func (a *arm) warmUp() {
	for a.now().moves < 15_000 {
		time.Sleep(10 * time.Millisecond)
	}
	a.signal(syscall.SIGSTOP)
}

// turn lets the parts go on for a while.
func (a *arm) turn() {
	before, began := a.now(), time.Now()
	a.signal(syscall.SIGCONT)
	time.Sleep(*window)
	a.signal(syscall.SIGSTOP)
	d := a.now().since(before)
	d.took = time.Since(began)
	a.done = a.done.since(spell{-d.moves, -d.took, -d.parts, -d.here})
}

func (a *arm) now() spell {
	s := spell{here: usage()}
	for i, cmd := range a.parts {
		s.parts += usageOf(a.b, cmd.Process.Pid)
		text, err := os.ReadFile(filepath.Join(a.dirs[i], movesFile))
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			s.moves += n
		} else if len(text) > 0 {
			require.NoError(a.b, err)
		}
		if !os.IsNotExist(err) {
			require.NoError(a.b, err)
		}
	}
	return s
}

// movesFile is where a part notes how many moves it has played.
const movesFile = "moves"

// countMoves notes the moves that have been played, again and again.
func (c *child) countMoves(moves func() int64) {
	f, err := os.Create(filepath.Join(c.Dir, movesFile))
	for err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%020d", moves()), 0)
		time.Sleep(20 * time.Millisecond)
	}
	panic(err)
}

// moves counts those of a worker.
func (w *Worker) moves() (n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.all {
		n += t.session.Stats().Moves
	}
	return n
}

// usageOf is the processor time of another process.
func usageOf(t testing.TB, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	require.NoError(t, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// alone plays and files games with two sessions, as a loop without workers does.
func (c *child) alone() error {
	s, err := openNetwork(c.Model, c.Precision, 2)
	if err != nil {
		return err
	}
	w, err := c.writer()
	if err != nil {
		return err
	}
	session, err := selfplay.NewSession(c.Work.Recipe, c.Work.Seed, 0, w)
	if err != nil {
		return err
	}
	go c.countMoves(func() int64 { return session.Stats().Moves })
	return session.Play(context.Background(), s.Evaluator, selfplay.Goal{})
}

func (c *child) writer() (*selfplay.Writer, error) {
	return selfplay.NewWriter(selfplay.WriterConfig{Dir: c.Dir, Encoding: features.V7, Side: c.Work.Recipe.Side(), Network: c.Work.Network,
		SHA256: c.Work.SHA256, Seed: c.Work.Seed, Settings: c.Work.Recipe})
}

// filing is a loop's folder.
type filing struct{ w *selfplay.Writer }

// File implements Host.
func (f filing) File(_ loop.Work, games []*selfplay.Finished) ([]error, error) {
	faults := make([]error, len(games))
	for i, g := range games {
		_, faults[i] = f.w.Add(g)
	}
	return faults, f.w.Flush()
}

// Wanted implements Host.
func (f filing) Wanted() int64 { return 1 << 40 }

func twoWorkers(b *testing.B, w loop.Work) *arm {
	s := newSite(b, newFolder(0))
	s.stop()
	s.startBroker()
	conn, err := s.broker.Connect()
	require.NoError(b, err)
	b.Cleanup(conn.Close)
	judge, err := openNetwork(w.Path, "fp32", 1)
	require.NoError(b, err)
	b.Cleanup(judge.Close)
	writer, err := (&child{Dir: b.TempDir(), Work: w}).writer()
	require.NoError(b, err)
	server, err := NewServer(ServerConfig{Dir: b.TempDir(), Host: filing{writer}, Linger: time.Second,
		Open: func(string) (nn.Evaluator, func(), error) { return judge.Evaluator, func() {}, nil }})
	require.NoError(b, err)
	require.NoError(b, server.Offer(w))
	require.NoError(b, server.Serve(conn))
	b.Cleanup(func() { require.NoError(b, server.Close()) })
	a := &arm{b: b}
	for i := range 2 {
		c := &child{Part: "worker", Dir: b.TempDir(), Address: s.address(), Model: w.Path, Precision: "auto"}
		if *ownCore {
			c.Core = i + 1
		}
		a.add(c)
	}
	b.Cleanup(func() { require.Empty(b, server.Status().Aside) })
	return a
}
