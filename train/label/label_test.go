package label

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
	"kosumi/sgf"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// named is a network whose description contains the digest of a file.
type named struct {
	nn.Model
	sum string
}

func (n named) Describe() nn.Description {
	d := n.Model.Describe()
	d.SHA256 = n.sum
	return d
}

func hashModel(seed uint64) nn.Model {
	return named{nntest.HashModel(seed), fmt.Sprintf("sum-%d", seed)}
}

// small is a quick run on small boards with a teacher and a different player.
func small(t testing.TB, out string) Config {
	c := Config{Out: out, Teacher: hashModel(1), Player: hashModel(2), Games: Recipe(), Encoding: features.Mini7, Rows: 300, PerFile: 60, Seed: 7,
		Server: nn.ServerConfig{Sessions: 2, MaxBatch: 8, CacheBytes: 4 << 20}}
	c.Games.Boards = []selfplay.BoardShare{{Width: 5, Height: 5, Share: 1}, {Width: 7, Height: 7, Share: 1}, {Width: 6, Height: 5, Share: 1}}
	c.Games.Parallel = 6
	return c
}

// labelled returns the report of a run.
func labelled(t testing.TB, c Config) *Report {
	t.Helper()
	r, err := Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

// place identifies a row: its game, its turn and, because several searches may reach the same
// turn, its position.
type place struct {
	game  [6]float32
	turn  float32
	shown [sha256.Size]byte
}

// labels reads a folder and returns digests of its rows by place. Each row must be labelled by a
// teacher, complete and unique.
func labels(t testing.TB, dir string) map[place]string {
	t.Helper()
	all := map[place]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.npz"))
	require.NoError(t, err)
	games := map[[3]uint64]bool{}
	for _, path := range paths {
		set := learntest.ReadRows(t, path)
		for _, id := range set.Info.IDs {
			require.False(t, games[id], "game %v is there twice", id)
			games[id] = true
		}
		for i := range set.N {
			require.NoError(t, set.Check(i))
			require.True(t, set.Taught(i))
			g := set.Globals[i*rows.Targets : (i+1)*rows.Targets]
			one := rows.NewSet(set.Layout)
			require.NoError(t, one.Append(set, i))
			at := place{[6]float32(g[rows.TargetHash:]), g[rows.TargetTurn], sha256.Sum256(fmt.Append(nil, one.Binary, one.Global))}
			require.NotContains(t, all, at, "%s: row %d is there twice", path, i)
			text := fmt.Sprint(one.Binary, one.Global, one.Policy, one.Globals, one.Points)
			all[at] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
	}
	return all
}

// TestFreshGames: the teacher labels games played by another network, and the files name both
// networks. If the finished rows are labelled again, they get the same numbers.
func TestFreshGames(t *testing.T) {
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	c.Games.Rules = selfplay.Rules{KoPositional: 1, KoSituational: 1} // superko, which readers of mini7 rows assume
	var last atomic.Pointer[Progress]
	c.Progress = func(p Progress) { last.Store(&p) }
	r := labelled(t, c)
	require.False(t, r.Interrupted)
	require.GreaterOrEqual(t, r.Rows, c.Rows)
	require.Less(t, r.Rows, 2*c.Rows) // may exceed Rows, since games under way are finished
	require.Equal(t, r.Rows, r.Fresh)
	require.Equal(t, r.Rows, last.Load().Rows)
	fresh := labels(t, c.Out)
	require.Len(t, fresh, r.Rows)
	files, err := filepath.Glob(filepath.Join(c.Out, "*.npz"))
	require.NoError(t, err)
	require.Len(t, files, r.Files)
	f, err := rows.OpenFile(files[0])
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, []any{"hash-1", "sum-1", "hash-2", "sum-2", uint64(7)},
		[]any{f.Info.Teacher, f.Info.TeacherSHA256, f.Info.Network, f.Info.SHA256, f.Info.Seed})
	require.Positive(t, f.Info.Games)
	require.Len(t, f.Info.IDs, f.Info.Games)

	again := small(t, filepath.Join(t.TempDir(), "again"))
	again.From, again.Rows = []string{c.Out}, 0
	r = labelled(t, again)
	require.Zero(t, r.LeftOut)
	taught := labels(t, again.Out)
	for at, digest := range fresh {
		require.Equal(t, digest, taught[at])
	}
}

// TestOptimisticPolicy: rows hold the teacher's optimistic policy and its plain one, both from one
// evaluation.
func TestOptimisticPolicy(t *testing.T) {
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	c.Rows, c.PerFile = 40, 40
	c.Games.Rules = selfplay.Rules{KoPositional: 1, KoSituational: 1} // superko, which readers of mini7 rows assume
	labelled(t, c)
	paths, err := filepath.Glob(filepath.Join(c.Out, "*.npz"))
	require.NoError(t, err)
	set := learntest.ReadRows(t, paths[0])
	server := nntest.Server(t, c.Teacher, nn.ServerConfig{MaxBatch: 1})
	n := len(set.Policy) / set.N / 2
	for i := range set.N {
		shown, game, banned, err := set.Position(i)
		require.NoError(t, err)
		near := func(policy []int16, q nn.Query) bool {
			var out nn.Output
			require.NoError(t, server.Evaluate(t.Context(), &q, &out))
			for _, p := range banned {
				out.Policy[p] = 0
			}
			size, most, top := game.Size(), 0, 0
			for k := range size.Area() {
				if out.Policy[k] > out.Policy[most] {
					most = k
				}
				if policy[k/size.W*7+k%size.W] > policy[top/size.W*7+top%size.W] {
					top = k
				}
			}
			return most == top
		}
		found := false
		for sym := range int8(8) {
			q := nn.Query{Game: game, Encoded: shown, Symmetry: sym}
			lucky := q
			lucky.Optimism = 1
			found = found || near(set.Policy[2*i*n:], q) && near(set.Policy[(2*i+1)*n:], lucky)
		}
		require.True(t, found, "row %d", i)
	}
}

// TestTeacherPlays: if the teacher plays too, each labelled position is evaluated only once.
func TestTeacherPlays(t *testing.T) {
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	c.Player, c.Share = nil, 1
	c.Server.CacheBytes = 64 << 20
	r := labelled(t, c)
	require.Equal(t, "hash-1", r.Player)
	labels(t, c.Out)
	// Evaluating each position twice would cost at least two evaluations per row. The limit leaves
	// room for the games under way at the end.
	require.Less(t, r.Evals, 2*uint64(r.Rows))
}

// TestGoesOn: a run interrupted many times labels the same positions as an uninterrupted one,
// each once, with the same rows.
func TestGoesOn(t *testing.T) {
	for _, leaves := range []float64{0, 0.4} {
		t.Run(fmt.Sprint(leaves), func(t *testing.T) { goesOn(t, leaves) })
	}
}

func goesOn(t *testing.T, leaves float64) {
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 1))
	c := small(t, filepath.Join(t.TempDir(), "pieces"))
	if leaves > 0 {
		c.Leaves, c.Encoding = leaves, features.V7
	}
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := time.Duration(rng.IntN(40)) * time.Millisecond
		timer := time.AfterFunc(wait, cancel)
		r, err := Run(ctx, c)
		timer.Stop()
		cancel()
		require.NoError(t, err)
		if !r.Interrupted {
			break
		}
	}
	labelled(t, c)
	sameGames(t, c)
}

// sameGames requires that the labels in c.Out equal those of an undisturbed run, as far as both have them.
func sameGames(t testing.TB, c Config) {
	t.Helper()
	got := labels(t, c.Out)
	require.GreaterOrEqual(t, len(got), c.Rows)
	c.Out, c.Progress, c.Rows = filepath.Join(t.TempDir(), "whole"), nil, c.Rows+400
	labelled(t, c)
	want, both := labels(t, c.Out), 0
	for at, text := range got {
		if whole, ok := want[at]; ok {
			require.Equal(t, whole, text)
			both++
		}
	}
	require.Greater(t, both, len(got)/2)
}

// childEnv is an environment variable that names a folder. If it is set, the test binary labels into
// that folder and exits.
const childEnv = "KOSUMI_TEST_LABEL"

func TestMain(m *testing.M) {
	dir, ok := os.LookupEnv(childEnv)
	if !ok {
		os.Exit(m.Run())
	}
	c := small(nil, dir)
	c.Rows = 3000
	if _, err := Run(context.Background(), c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKill kills a run at twenty random moments. The next run resumes, labels nothing twice, and
// loses no file.
func TestKill(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 1))
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	child := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+c.Out)
		cmd.Stderr = os.Stderr
		return cmd
	}
	whole := child()
	began := time.Now()
	require.NoError(t, whole.Run())
	took := time.Since(began)
	require.NoError(t, os.RemoveAll(c.Out))
	before := map[place]string{}
	for kills := 0; kills < 20; {
		cmd := child()
		require.NoError(t, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-time.After(time.Duration(rng.Int64N(int64(took)/8 + 1))):
			_ = cmd.Process.Kill()
			<-done
			kills++
		case err := <-done:
			require.NoError(t, err)
			sameGames(t, func() Config { c := c; c.Rows = 3000; return c }())
			require.NoError(t, os.RemoveAll(c.Out))
			clear(before)
			continue
		}
		now := labels(t, c.Out)
		for at, text := range before {
			require.Equal(t, text, now[at])
		}
		before = now
	}
	c.Rows = 3000
	labelled(t, c)
	sameGames(t, c)
	left, err := filepath.Glob(filepath.Join(c.Out, "*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// writeRecords writes games as records, one per file.
func writeRecords(t testing.TB, dir string, n int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for k := range n {
		g := learntest.RandomGame(t, board.Square(5), uint64(k))
		r := sgf.Record{Size: board.Square(5), Komi: 6.5, HasKomi: true}
		var now board.Game
		now.CopyFrom(g.Start)
		for _, turn := range g.Turns {
			require.NoError(t, now.Play(now.ToMove(), turn.Move))
		}
		r.Steps = sgf.Steps(now.Moves(), nil)
		text, err := sgf.Marshal(r.Tree())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.sgf", k)), text, 0o644))
	}
}

// TestRecords: game records are labelled once each, under any file name and after any number of
// interruptions; unusable ones are reported and skipped.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	writeRecords(t, dir, 8)
	text := []byte(testshared.Read(t, filepath.Join(dir, "3.sgf")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "copy.sgf"), text, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.sgf"), []byte("(;GM[1]"), 0o644))
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	c.From, c.Rows, c.PerFile, c.Share = []string{dir}, 0, 20, 0.5
	for k := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		left := atomic.Int32{}
		c.Progress = func(Progress) {
			if left.Add(1) == 2 && k < 5 {
				cancel()
			}
		}
		r, err := Run(ctx, c)
		cancel()
		require.NoError(t, err)
		if !r.Interrupted {
			require.Equal(t, 1, r.LeftOut)
			break
		}
	}
	got := labels(t, c.Out)
	r := labelled(t, c)
	require.Zero(t, r.Fresh, "all is labelled")
	turns := 0
	for k := range 8 {
		turns += len(learntest.RandomGame(t, board.Square(5), uint64(k)).Turns)
	}
	require.InDelta(t, 0.5, float64(len(got))/float64(turns), 0.15)
}

// TestDamagedRows: a damaged row is skipped and the others are labelled; a torn and a damaged file are
// reported.
func TestDamagedRows(t *testing.T) {
	made := small(t, filepath.Join(t.TempDir(), "made"))
	made.Rows = 60
	labelled(t, made)
	paths, err := filepath.Glob(filepath.Join(made.Out, "*.npz"))
	require.NoError(t, err)
	set := learntest.ReadRows(t, paths[0])
	set.Globals[5*rows.Targets] = float32(math.NaN())
	require.NoError(t, set.WriteFile(paths[0]))
	require.NoError(t, os.WriteFile(filepath.Join(made.Out, "torn.npz"), []byte("PK"), 0o644))
	data := []byte(testshared.Read(t, paths[0]))
	data[len(data)/2] ^= 0x55
	require.NoError(t, os.WriteFile(filepath.Join(made.Out, "flipped.npz"), data, 0o644))
	c := small(t, filepath.Join(t.TempDir(), "labels"))
	c.From, c.Rows = []string{made.Out}, 0
	r := labelled(t, c)
	require.Equal(t, 3, r.LeftOut)
	require.Len(t, labels(t, c.Out), set.N-1)
}

// TestShownRows: a real network gives the same answer for a row as for the position that
// it was made of, in every orientation.
func TestShownRows(t *testing.T) {
	m, err := model.Open(learntest.FreshKataGo(t, "kb1c16"), model.Config{})
	require.NoError(t, err)
	defer m.Close()
	server := nntest.Server(t, m, nn.ServerConfig{MaxBatch: 1})
	layout := rows.Layout{Encoding: features.V7, Side: 9}
	b, err := rows.NewBuilder(layout)
	require.NoError(t, err)
	for k, rules := range []board.Rules{board.TrompTaylor(), board.Japanese(), board.Chinese()} {
		set := rows.NewSet(layout)
		var games []*board.Game
		g := learntest.RandomGame(t, board.Square(7), uint64(k))
		now := testshared.Game(t, board.Square(7), rules)
		for _, turn := range g.Turns {
			at := new(board.Game)
			at.CopyFrom(now)
			if at.Ended() {
				break
			}
			games = append(games, at)
			require.NoError(t, b.AppendTaught(set, at, g.Hash, &rows.Taught{Policy: slices.Repeat([]float32{1}, 50), Value: rows.Value{Win: 1}}))
			if now.Play(now.ToMove(), turn.Move) != nil {
				break
			}
		}
		require.Greater(t, len(games), 30)
		for i, game := range games {
			shown, like, banned, err := set.Position(i)
			require.NoError(t, err)
			var want, got nn.Output
			sym := int8(i % 8)
			require.NoError(t, server.Evaluate(t.Context(), &nn.Query{Game: game, Symmetry: sym, NeedOwnership: true}, &want))
			require.NoError(t, server.Evaluate(t.Context(), &nn.Query{Game: like, Encoded: shown, Symmetry: sym, NeedOwnership: true}, &got))
			for p, x := range got.Policy[:50] {
				require.Equal(t, want.Policy[p] < 0, x < 0 || p < 49 && slices.Contains(banned, board.Point(p)), "move %d of row %d", p, i)
			}
			require.Equal(t, []any{want.Win, want.NoResult, want.ScoreMean, want.Lead, want.Ownership}, []any{got.Win, got.NoResult, got.ScoreMean, got.Lead, got.Ownership})
		}
	}
}

// TestNothingUsable: files without anything to label are an error, unless they were labelled
// before.
func TestNothingUsable(t *testing.T) {
	bad := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bad, "a.sgf"), []byte("torn"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(bad, "b.npz"), []byte("torn"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(bad, "c.sgf"), []byte("(;SZ[5])"), 0o644))
	c := small(t, filepath.Join(t.TempDir(), "out"))
	c.Rows, c.From = 0, []string{bad}
	r, err := Run(t.Context(), c)
	require.ErrorContains(t, err, "nothing could be labelled in "+bad)
	require.Equal(t, 3, r.LeftOut)
	require.NoDirExists(t, c.Out)
	short := c
	short.From, short.Share = []string{t.TempDir()}, 0.001
	require.NoError(t, os.WriteFile(filepath.Join(short.From[0], "short.sgf"), []byte("(;SZ[5];B[aa];W[bb])"), 0o644))
	_, err = Run(t.Context(), short)
	require.ErrorContains(t, err, "a share of 0.001 of the turns drew none; --share 1 takes all")
	writeRecords(t, bad, 2)
	for range 2 {
		labelled(t, c)
	}
}

// stops is a teacher that ends the run when it is first opened.
type stops struct {
	nn.Model
	stop context.CancelFunc
}

func (s stops) Open(size board.Size, most int) (nn.Backend, error) {
	s.stop()
	time.Sleep(50 * time.Millisecond)
	return s.Model.Open(size, most)
}

// TestStoppedAtOnce: a run that is stopped before its first label logs no warning about the teacher.
func TestStoppedAtOnce(t *testing.T) {
	var log bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	c := small(t, filepath.Join(t.TempDir(), "out"))
	c.Teacher, c.From, c.Log = stops{c.Teacher, stop}, []string{t.TempDir()}, slog.New(slog.NewTextHandler(&log, nil))
	writeRecords(t, c.From[0], 2)
	r, err := Run(ctx, c)
	require.NoError(t, err)
	require.True(t, r.Interrupted)
	require.Empty(t, log.String())
}
