package cluster

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

var (
	audited = flag.Uint64("audited", 1, "how many games of each kind TestPrecisions looks at; from 2 on with all sets of instructions")
	window  = flag.Duration("window", 12*time.Second, "how long each half of BenchmarkTwoWorkers counts")
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

// BenchmarkTwoWorkers compares two workers with a real network and one session
// each, and the server that checks and files their games, with one process that
// plays and files the same games with two sessions, in turns.
func BenchmarkTwoWorkers(b *testing.B) {
	w := realWork(b)
	w.Recipe.MoveLimit, w.Recipe.Parallel = 2, 8
	for b.Loop() {
		one, two := oneProcess(b, w), twoWorkers(b, w)
		b.ReportMetric(one, "moves/s-alone")
		b.ReportMetric(two, "moves/s-workers")
		b.ReportMetric(two/one, "ratio")
	}
}

// counted counts the moves of games that are filed.
type counted struct {
	*disk
	games atomic.Int64
	moves atomic.Int64
}

func (c *counted) File(w loop.Work, games []*selfplay.Finished) ([]error, error) {
	c.games.Add(int64(len(games)))
	for _, g := range games {
		c.moves.Add(int64(len(g.Game.Turns)))
	}
	return c.disk.File(w, games)
}

func newCounted(b *testing.B) *counted {
	d, err := openDisk(b.TempDir())
	require.NoError(b, err)
	return &counted{disk: d}
}

// rate is moves a second in a window. It begins when games no longer end together
// because they began together.
func (c *counted) rate() float64 {
	for c.games.Load() < 32 {
		time.Sleep(time.Millisecond)
	}
	before, began := c.moves.Load(), time.Now()
	time.Sleep(*window)
	return float64(c.moves.Load()-before) / time.Since(began).Seconds()
}

func oneProcess(b *testing.B, w loop.Work) float64 {
	s, err := openNetwork(w.Path, "auto", 2)
	require.NoError(b, err)
	defer s.Close()
	w.Recipe.Parallel *= 2
	c := newCounted(b)
	var next atomic.Uint64
	session, err := selfplay.NewSessionOf(w.Recipe, w.Seed, func(context.Context) (uint64, bool) { return next.Add(1) - 1, true },
		func(f *selfplay.Finished) (int, error) {
			_, err := c.File(w, []*selfplay.Finished{f})
			return 0, err
		})
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(b.Context())
	var work sync.WaitGroup
	work.Go(func() { session.Play(ctx, s.Evaluator, selfplay.Goal{}) })
	defer work.Wait()
	defer cancel()
	return c.rate()
}

func twoWorkers(b *testing.B, w loop.Work) float64 {
	s := newSite(b, newFolder(0))
	s.stop()
	s.startBroker()
	conn, err := s.broker.Connect()
	require.NoError(b, err)
	defer conn.Close()
	c := newCounted(b)
	judge, err := openNetwork(w.Path, "fp32", 1)
	require.NoError(b, err)
	defer judge.Close()
	server, err := NewServer(ServerConfig{Dir: b.TempDir(), Host: c, Linger: 100 * time.Millisecond, Open: func(string) (nn.Evaluator, func(), error) { return judge.Evaluator, func() {}, nil }})
	require.NoError(b, err)
	require.NoError(b, server.Offer(w))
	require.NoError(b, server.Serve(conn))
	defer server.Close()
	for range 2 {
		cmd := (&child{Part: "worker", Dir: b.TempDir(), Address: s.address(), ID: NewID(), Model: w.Path, Precision: "auto"}).start(b)
		defer kill(cmd)
	}
	for server.tally.audits.Load() < 2*probation { // every game of a new worker is searched again
		time.Sleep(time.Millisecond)
	}
	defer func() { require.Empty(b, server.Status().Aside) }()
	return c.rate()
}
