package jobs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/cluster"
	"kosumi/internal/file"
	"kosumi/internal/testshared"
	"kosumi/match"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/review"
	"kosumi/sgf"
	"kosumi/train/loop"
	"kosumi/train/loop/duel"
	"kosumi/train/selfplay"
)

// TestMain turns the test binary into the engine when its first argument is gtp.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "gtp" {
		if err := play(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is a player over GTP: it draws moves from the policy of a network.
func play(args []string) error {
	fl := flag.NewFlagSet("gtp", flag.ExitOnError)
	seed, path := fl.Uint64("seed", 1, ""), fl.String("model", "", "")
	fl.Parse(args)
	net, err := open(*path)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	var g *board.Game
	size, komi := board.Square(5), 0.0
	var out nn.Output
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		text := ""
		switch words[1] {
		case "name":
			text = "test"
		case "komi":
			if komi, err = strconv.ParseFloat(words[2], 32); err == nil {
				g, err = board.NewGame(size, board.Rules{Ko: board.KoSimple, Komi: float32(komi)})
			}
		case "play":
			var p board.Point
			if p, err = size.ParseVertex(words[3]); err == nil {
				err = g.Play(g.ToMove(), p)
			}
		case "genmove":
			err = net.Evaluator.Evaluate(context.Background(), &nn.Query{Game: g}, &out)
			draw, p := rng.Float32(), board.Pass
			for i := range size.Area() {
				if draw -= max(0, out.Policy[i]); draw < 0 {
					p = size.FromIndex(i)
					break
				}
			}
			text = size.Vertex(p)
			err = errors.Join(err, g.Play(g.ToMove(), p))
		case "quit":
			fmt.Printf("=%s\n\n", words[0])
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Printf("=%s %s\n\n", words[0], text)
	}
	return nil
}

// open opens a network: a hash with the seed that stands in the file.
func open(path string) (*cluster.Model, error) {
	var seed uint64
	data, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscan(string(data), &seed)
	}
	if err != nil {
		return nil, err
	}
	s, err := nn.NewServer(nntest.HashModel(seed), nn.ServerConfig{MaxBatch: 8, CacheBytes: 1 << 20, FixedSymmetry: true})
	if err != nil {
		return nil, err
	}
	return &cluster.Model{Evaluator: s, Close: func() { s.Close() }}, nil
}

func networkFile(t testing.TB, seed int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("hash%d.bin", seed))
	require.NoError(t, os.WriteFile(path, []byte(fmt.Sprint(seed)), 0o644))
	return path
}

// idle is a host that wants no games of self-play.
type idle struct{}

func (idle) File(loop.Work, []*selfplay.Finished) ([]error, error) {
	return nil, errors.New("nobody asked")
}
func (idle) Wanted() int64 { return 0 }

// site is a cluster with some workers.
type site struct {
	t       testing.TB
	address string
	token   string
	broker  *cluster.Broker
	server  *cluster.Server
	calls   atomic.Int64 // tasks begun
	log     testshared.Log
	ahead   atomic.Int64 // how far the server's clock is, in ns
}

func newSite(t testing.TB, workers int) *site {
	t.Helper()
	s := &site{t: t, token: cluster.NewID()}
	var err error
	s.broker, err = cluster.StartBroker("127.0.0.1:0", s.token, nil)
	require.NoError(t, err)
	t.Cleanup(s.broker.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	s.address = cluster.Address{Token: s.token, Host: s.broker.Addr()}.String()
	s.start(t.TempDir())
	for range workers {
		s.worker(nil)
	}
	return s
}

func (s *site) start(dir string) {
	conn, err := s.broker.Connect()
	require.NoError(s.t, err)
	s.server, err = cluster.NewServer(cluster.ServerConfig{Dir: dir, Host: idle{},
		Log: slog.New(slog.NewTextHandler(&s.log, nil)),
		Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }})
	require.NoError(s.t, err)
	require.NoError(s.t, s.server.Serve(conn))
	s.t.Cleanup(func() { s.server.Close(); conn.Close() })
}

// helper is a worker, until stop is called or the test ends.
type helper struct {
	conn *cluster.Conn
	stop func()
}

// worker adds a worker; change may give it other handlers.
func (s *site) worker(change func(handlers map[string]cluster.Handler)) *helper {
	s.t.Helper()
	conn, err := cluster.Dial(cluster.DialConfig{Address: s.address})
	require.NoError(s.t, err)
	id := conn.ID
	s.server.Trust(id)
	handlers, closeHandlers := Handlers(Config{Open: func(_ context.Context, path string) (*cluster.Model, error) { return open(path) }, Engine: os.Args[0], Games: 2})
	for kind, h := range handlers {
		do := h.Do
		h.Do = func(ctx context.Context, body json.RawMessage, files map[string]string) (any, error) {
			s.calls.Add(1)
			return do(ctx, body, files)
		}
		handlers[kind] = h
	}
	if change != nil {
		change(handlers)
	}
	w, err := cluster.NewWorker(cluster.WorkerConfig{Conn: conn, Dir: s.t.TempDir(), Handlers: handlers})
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	var once atomic.Bool
	stop := func() {
		if once.Swap(true) {
			return
		}
		cancel()
		require.NoError(s.t, <-ended)
		w.Close(0)
		conn.Close()
		closeHandlers()
	}
	s.t.Cleanup(stop)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, k := range s.server.Status().Workers {
			if k.ID == id {
				return &helper{conn, stop}
			}
		}
	}
	s.t.Fatal("the worker does not join")
	return nil
}

func (s *site) pool() *cluster.Pool {
	s.t.Helper()
	p, done, err := cluster.OpenPool(cluster.DialConfig{Address: s.address})
	require.NoError(s.t, err)
	s.t.Cleanup(done)
	return p
}

const game = `(;GM[1]FF[4]SZ[7]KM[7]RU[Japanese]AB[bb]PB[Ada]PW[Bob];B[dd]C[mine];W[de];B[ed];W[ee];B[cd];W[fd];B[fc];W[ge])`

// TestReview reviews a game here and over workers: one fails at everything, one
// leaves in the middle of its task, one is cut off with its task.
func TestReview(t *testing.T) {
	path := networkFile(t, 7)
	roots, err := sgf.Parse([]byte(game))
	require.NoError(t, err)
	g, err := review.Load(roots[0], board.Chinese())
	require.NoError(t, err)
	c := review.Defaults()
	c.First, c.Visits = 4, 16
	net, err := open(path)
	require.NoError(t, err)
	defer net.Close()
	want, err := review.Run(t.Context(), g, net.Evaluator, c, nil, nil)
	require.NoError(t, err)
	s := newSite(t, 0)
	s.worker(func(handlers map[string]cluster.Handler) {
		handlers[kindReview] = cluster.Handler{Most: 1, Do: func(context.Context, json.RawMessage, map[string]string) (any, error) {
			return nil, errors.New("broken")
		}}
	})
	begun := make(chan bool, 100)
	endless := func(handlers map[string]cluster.Handler) {
		handlers[kindReview] = cluster.Handler{Most: 1, Do: func(ctx context.Context, _ json.RawMessage, _ map[string]string) (any, error) {
			begun <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}}
	}
	leaves, lost := s.worker(endless), s.worker(endless)
	var rest sync.WaitGroup
	defer rest.Wait()
	rest.Go(func() {
		for range 2 { // both have a task
			select {
			case <-begun:
			case <-t.Context().Done():
				return
			}
		}
		s.worker(nil)
		leaves.stop()
		lost.conn.Close()
		s.ahead.Add(int64(31 * time.Second)) // nothing was heard of it
		s.worker(nil)
	})
	c.Remote, err = Positions(s.pool(), path, c.Search)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, err := review.Run(ctx, g, nil, c, nil, nil)
	require.NoError(t, err)
	require.Equal(t, asJSON(t, want), asJSON(t, got))
	require.Positive(t, s.calls.Load())
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// TestNetworksPlayTheSameGames plays games between networks here and over workers.
func TestNetworksPlayTheSameGames(t *testing.T) {
	a, b := networkFile(t, 3), networkFile(t, 4)
	s := newSite(t, 2)
	m := &Matches{s.pool()}
	one, err := open(a)
	require.NoError(t, err)
	defer one.Close()
	two, err := open(b)
	require.NoError(t, err)
	defer two.Close()
	for k := range 6 {
		g := duel.Game{Number: k, Seed: 5, Visits: 6, Temperature: 1, Komi: 7, Board: selfplay.BoardShare{Width: 5, Height: 5, Share: 1}}
		want, err := g.Play(t.Context(), one.Evaluator, two.Evaluator)
		require.NoError(t, err)
		got, err := m.Game(t.Context(), g, a, b)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NotEmpty(t, got.Moves)
	}
	require.EqualValues(t, 6, s.calls.Load())
}

// TestMatchOverWorkers plays a match here and over workers, with openings: the
// games are the same, down to the moves.
func TestMatchOverWorkers(t *testing.T) {
	path := networkFile(t, 3)
	size := board.Square(5)
	c := match.Config{A: match.Program{Command: "engine gtp --seed 1 --model " + path, Name: "six"},
		B:     match.Program{Command: "engine gtp --seed=2 --model=" + path},
		Games: 6, Parallel: 2, Size: size, Rules: "chinese", MaxMoves: 30, MoveTimeout: time.Minute,
		Openings: [][]board.Move{{{Color: board.Black, Point: size.Point(2, 2)}}, {{Color: board.Black, Point: size.Point(1, 2)}, {Color: board.White, Point: size.Point(3, 2)}}}}
	here := c
	here.A.Command = strings.Replace(c.A.Command, "engine", file.Quote(os.Args[0]), 1)
	here.B.Command = strings.Replace(c.B.Command, "engine", file.Quote(os.Args[0]), 1)
	here.Dir, here.Fresh = t.TempDir(), true
	want, err := match.Run(t.Context(), here)
	require.NoError(t, err)
	s := newSite(t, 2)
	c.Dir, c.Remote = t.TempDir(), Programs(s.pool())
	got, err := match.Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, want.Reasons, got.Reasons)
	require.Equal(t, want.A.Wins, got.A.Wins)
	require.Equal(t, want.Pairs, got.Pairs)
	require.Equal(t, "six", got.A.Name)
	require.Equal(t, "test", got.B.Name)
	for k := range c.Games {
		name := fmt.Sprintf("game-%05d.sgf", k+1)
		require.Equal(t, moves(t, filepath.Join(here.Dir, name)), moves(t, filepath.Join(c.Dir, name)), name)
	}
	require.EqualValues(t, 6, s.calls.Load())
}

func moves(t testing.TB, path string) []board.Move {
	t.Helper()
	roots, err := sgf.ReadFile(path)
	require.NoError(t, err)
	r, err := sgf.RecordOf(roots[0])
	require.NoError(t, err)
	return r.Moves()
}

// TestForeignCommands: a worker starts nothing but this program with harmless
// flags, and the command lines that its owner allows.
func TestForeignCommands(t *testing.T) {
	h := &programGames{"/opt/engine", [][]string{strings.Fields("gnugo --mode gtp"), strings.Fields("gnugo --mode gtp --level *"),
		strings.Fields("/opt/pachi/pachi -e uct threads=*,pass_all* t=*s"), {"leela"}}}
	files := map[string]string{"ab": "/tmp/net.bin"}
	for text, want := range map[string]string{
		"engine gtp --visits 9":                   "/opt/engine gtp --visits 9",
		"engine gtp --model sha256:ab --seed=4":   "/opt/engine gtp --model /tmp/net.bin --seed=4",
		"engine gtp --model=sha256:ab":            "/opt/engine gtp --model=/tmp/net.bin",
		"engine gtp --model taught":               "/opt/engine gtp --model taught",
		"gnugo --mode gtp":                        "gnugo --mode gtp",
		"gnugo --mode gtp --level 1":              "gnugo --mode gtp --level 1",
		"gnugo --mode gtp --level -o":             "",
		"gnugo --mode gtp --level 1 -o x":         "",
		"gnugo --mode gtp -o /tmp/x":              "",
		"gnugo --level 1 --mode gtp":              "",
		"gnugo":                                   "",
		"gnugo --mode":                            "",
		"pachi -e uct threads=2,pass_all=1 t=5s":  "/opt/pachi/pachi -e uct threads=2,pass_all=1 t=5s",
		"pachi -e uct threads=2 t=5s":             "",
		"pachi -e uct threads=,pass_all t=s":      "/opt/pachi/pachi -e uct threads=,pass_all t=s",
		"pachi -e uct threads=2,pass_all t=5":     "",
		"/tmp/pachi -e uct threads=,pass_all t=s": "",
		"leela":                                  "leela",
		"leela -o x":                             "",
		"engine gtp --model /etc/passwd":         "",
		"engine gtp --model sha256:cd":           "",
		"engine gtp --onnxruntime /tmp/evil.so":  "",
		"engine gtp --config /tmp/x":             "",
		"engine gtp --set onnxruntime=/tmp/x.so": "",
		"engine loop /tmp/x":                     "",
		"engine":                                 "",
		"sh -c true":                             "",
		"/usr/bin/gnugo --mode gtp":              "",
		"engine gtp model":                       "",
		"engine gtp --cache 64 --threads=4":      "/opt/engine gtp --cache 64 --threads=4",
		"engine gtp --cache 1000000":             "",
		"engine gtp --max-memory=0xffffff":       "",
		"engine gtp --sessions 9999":             "",
		"engine gtp --batch many":                "",
	} {
		got, err := h.program(&program{Words: strings.Fields(text)}, files)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got.Command, text)
	}
	_, err := h.program(&program{}, files)
	require.Error(t, err)
}

// TestQuote: a word of a command line is read back as it is.
func TestQuote(t *testing.T) {
	for _, word := range []string{"", "a", "a b", `a\b`, "'", `"`, "a'b\n\\$`\"", "é\x00\xff'", "*", "$(true)"} {
		words, err := match.SplitCommand("x " + file.Quote(word))
		require.NoError(t, err)
		require.Equal(t, []string{"x", word}, words)
	}
}

// TestMemoryIsGivenBack: what a client asks for is bounded, and of a game that nobody
// reviews any more no trees stay.
func TestMemoryIsGivenBack(t *testing.T) {
	defer func(was time.Duration) { tableTime = was }(tableTime)
	tableTime = time.Millisecond
	path := networkFile(t, 7)
	n := &networks{open: func(_ context.Context, path string) (*cluster.Model, error) { return open(path) }, refs: map[string]*modelRef{}}
	defer n.close()
	r := newReviewer(n, 1)
	ask := func(visits int64) error {
		body, err := json.Marshal(position{Record: []byte(game), Rules: board.Chinese().JSON(), Komi: 7, Visits: visits, Search: review.Defaults().Search, Network: "ab"})
		require.NoError(t, err)
		_, err = r.do(t.Context(), body, map[string]string{"ab": path})
		return err
	}
	for _, visits := range []int64{-1, 0, mostVisits + 1, 1 << 30, math.MaxInt64} {
		require.ErrorContains(t, ask(visits), "visits")
	}
	require.NoError(t, ask(2))
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.games) == 0
	}, 30*time.Second, time.Millisecond)
}

// TestNoWorkerCan gives the reason where no worker can do a task.
func TestNoWorkerCan(t *testing.T) {
	s := newSite(t, 1)
	size := board.Square(5)
	c := match.Config{A: match.Program{Command: "engine gtp --model " + networkFile(t, 3)}, B: match.Program{Command: "engine gtp --config x"}, Size: size, Rules: "chinese"}
	c.Remote = Programs(s.pool())
	_, err := match.Run(t.Context(), c)
	require.ErrorIs(t, err, match.ErrConfig)
	require.ErrorContains(t, err, "--config")
	broken := networkFile(t, 3)
	require.NoError(t, os.WriteFile(broken, []byte("no number"), 0o644))
	_, err = (&Matches{s.pool()}).Game(t.Context(), duel.Game{Visits: 1, Board: selfplay.BoardShare{Width: 5, Height: 5}}, broken, broken)
	require.ErrorIs(t, err, cluster.ErrTask)
}
