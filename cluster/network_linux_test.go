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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	window  = flag.Duration("window", 12*time.Second, "how long each half of BenchmarkTwoWorkers counts")
	atATime = flag.Int("at-a-time", 0, "games that a worker of BenchmarkTwoWorkers plays at a time, half as many as one process; 0: both as the recipe says")
)

// openNetwork opens a real network as engine work does.
func openNetwork(path, precision string, sessions int) (*Seat, error) {
	m, err := model.Open(path, model.Config{Precision: precision})
	if err != nil {
		return nil, err
	}
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: sessions, MaxBatch: 16, CacheBytes: 64 << 20, Reproducible: true})
	if err != nil {
		m.Close()
		return nil, err
	}
	return &Seat{Evaluator: s, Provider: m.Describe().Provider, Precision: m.Describe().Precision, Close: func() { s.Close(); m.Close() }}, nil
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
	o := &Offer{SHA256: c.Work.SHA256, Seed: c.Work.Seed, Recipe: c.Work.Recipe}
	out := played{Precision: s.Precision}
	if out.Exam, err = answerExam(context.Background(), o, s.Evaluator); err != nil {
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

func realWork(t testing.TB) loop.Work {
	t.Helper()
	path := testshared.Path(t, "models/katago/g170-b6c96-s175395328-d26788732.bin.gz")
	sum, err := fileSum(path)
	require.NoError(t, err)
	w := loop.Work{Network: "g170", SHA256: sum, Path: path, Seed: 11, Recipe: recipe()}
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
	want, err := answerExam(t.Context(), &Offer{SHA256: w.SHA256, Recipe: w.Recipe}, judge.Evaluator)
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
			var policy, root, value float64
			for _, data := range got.Games {
				f, err := selfplay.Unmarshal(data)
				require.NoError(t, err)
				require.NoError(t, w.Recipe.Verify(f, w.Seed))
				a, err := w.Recipe.Recheck(t.Context(), f, w.Seed, judge.Evaluator, 8, 6)
				require.NoError(t, err)
				require.NoError(t, m.assess(&a, tol, true, false))
				policy, root, value = max(policy, a.Policy), max(root, a.Root), max(value, a.Value)
			}
			t.Logf("%s: %d games, at most %.4f off in policy (%.2f allowed), %.4f in the root's value (%.2f), %.4f in raw values (%.2f)",
				got.Precision, len(got.Games), policy, tol.policy, root, tol.root, value, tol.game)
		})
	}
}

// BenchmarkTwoWorkers compares two workers with the network inside the program and
// one session each, and the server that checks and files their games, with one
// process that plays and files the same games with two sessions, in turns. Each
// plays as many games at a time as the default recipe says.
func BenchmarkTwoWorkers(b *testing.B) {
	path := filepath.Join(b.TempDir(), models.Default().File)
	require.NoError(b, os.WriteFile(path, models.Default().Data, 0o644))
	sum, err := fileSum(path)
	require.NoError(b, err)
	w := loop.Work{Network: "embedded", SHA256: sum, Path: path, Seed: 11, Recipe: selfplay.Defaults()}
	for b.Loop() {
		alone := w
		if *atATime > 0 {
			alone.Recipe.Parallel, w.Recipe.Parallel = 2**atATime, *atATime
		}
		one, two := oneProcess(b, alone), twoWorkers(b, w)
		b.ReportMetric(one.rate(), "moves/s-alone")
		b.ReportMetric(two.rate(), "moves/s-workers")
		b.ReportMetric(two.rate()/one.rate(), "ratio")
		b.ReportMetric(one.cost(one.here), "ms/move-alone")
		b.ReportMetric(two.cost(two.children), "ms/move-workers")
		b.ReportMetric(two.cost(two.here), "ms/move-server")
		b.ReportMetric((two.here+two.children).Seconds()/two.took.Seconds(), "cores-workers")
		b.ReportMetric(one.here.Seconds()/one.took.Seconds(), "cores-alone")
	}
}

// counted is a loop's folder that counts the games in it.
type counted struct {
	writer *selfplay.Writer
	games  atomic.Int64
}

func newCounted(b *testing.B, w loop.Work) *counted {
	c := new(counted)
	var err error
	c.writer, err = selfplay.NewWriter(selfplay.WriterConfig{Dir: b.TempDir(), Encoding: features.V7, Side: w.Recipe.Side(), Network: w.Network,
		SHA256: w.SHA256, Seed: w.Seed, Settings: w.Recipe, Written: func(f selfplay.FileInfo) { c.games.Add(int64(f.Games)) }})
	require.NoError(b, err)
	return c
}

// File implements Host.
func (c *counted) File(_ loop.Work, games []*selfplay.Finished) ([]error, error) {
	faults := make([]error, len(games))
	for i, g := range games {
		_, faults[i] = c.writer.Add(g)
	}
	return faults, c.writer.Flush()
}

// Wanted implements Host.
func (c *counted) Wanted() int64 { return 1 << 40 }

// spell is what was done in a window, and the processor time that it took here and
// in the children.
type spell struct {
	moves          int64
	took           time.Duration
	here, children time.Duration
}

func (s *spell) rate() float64 { return float64(s.moves) / s.took.Seconds() }

// cost is milliseconds of processor a move.
func (s *spell) cost(d time.Duration) float64 { return 1000 * d.Seconds() / float64(s.moves) }

// count counts the moves that are played in a window, once so many games have been
// filed that they no longer end together because they began together.
func (c *counted) count(b *testing.B, moves func() int64, children ...*exec.Cmd) *spell {
	for c.games.Load() < 192 {
		time.Sleep(time.Millisecond)
	}
	theirs := func() (sum time.Duration) {
		for _, cmd := range children {
			sum += usageOf(b, cmd.Process.Pid)
		}
		return sum
	}
	s := &spell{moves: -moves(), here: -usage(), children: -theirs()}
	began := time.Now()
	time.Sleep(*window)
	s.took = time.Since(began)
	s.moves += moves()
	s.here += usage()
	s.children += theirs()
	return s
}

// movesFile is where a worker notes how many moves it has played.
const movesFile = "moves"

// countMoves notes the moves that a worker has played, ten times a second.
func (c *child) countMoves(w *Worker) {
	f, err := os.Create(filepath.Join(c.Dir, movesFile))
	for err == nil {
		n := int64(0)
		w.mu.Lock()
		for _, t := range w.all {
			n += t.session.Stats().Moves
		}
		w.mu.Unlock()
		_, err = f.WriteAt(fmt.Appendf(nil, "%020d", n), 0)
		time.Sleep(100 * time.Millisecond)
	}
	panic(err)
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

func oneProcess(b *testing.B, w loop.Work) *spell {
	s, err := openNetwork(w.Path, "auto", 2)
	require.NoError(b, err)
	defer s.Close()
	c := newCounted(b, w)
	session, err := selfplay.NewSession(w.Recipe, w.Seed, 0, c.writer)
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(b.Context())
	var work sync.WaitGroup
	work.Go(func() { session.Play(ctx, s.Evaluator, selfplay.Goal{}) })
	defer work.Wait()
	defer cancel()
	return c.count(b, func() int64 { return session.Stats().Moves })
}

func twoWorkers(b *testing.B, w loop.Work) *spell {
	s := newSite(b, newFolder(0))
	s.stop()
	s.startBroker()
	conn, err := s.broker.Connect()
	require.NoError(b, err)
	defer conn.Close()
	c := newCounted(b, w)
	judge, err := openNetwork(w.Path, "fp32", 1)
	require.NoError(b, err)
	defer judge.Close()
	server, err := NewServer(ServerConfig{Dir: b.TempDir(), Host: c, Open: func(string) (nn.Evaluator, func(), error) { return judge.Evaluator, func() {}, nil }})
	require.NoError(b, err)
	require.NoError(b, server.Offer(w))
	require.NoError(b, server.Serve(conn))
	defer server.Close()
	var workers []*exec.Cmd
	dirs := []string{b.TempDir(), b.TempDir()}
	for _, dir := range dirs {
		cmd := (&child{Part: "worker", Dir: dir, Address: s.address(), ID: NewID(), Model: w.Path, Precision: "auto", Count: true}).start(b)
		workers = append(workers, cmd)
		defer kill(cmd)
	}
	for server.tally.audits.Load() < 2*probation { // every game of a new worker is searched again
		time.Sleep(time.Millisecond)
	}
	defer func() { require.Empty(b, server.Status().Aside) }()
	return c.count(b, func() (sum int64) {
		for _, dir := range dirs {
			text, err := os.ReadFile(filepath.Join(dir, movesFile))
			require.NoError(b, err)
			n, err := strconv.ParseInt(string(text), 10, 64)
			require.NoError(b, err)
			sum += n
		}
		return sum
	}, workers...)
}
