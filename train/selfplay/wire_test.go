package selfplay

import (
	"bytes"
	"context"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
	"kosumi/train/rows"
)

// playNumbers plays the games with the given numbers, and returns these and their forks by ID.
func playNumbers(t testing.TB, c Config, seed uint64, e nn.Evaluator, numbers ...uint64) map[ID]*Finished {
	t.Helper()
	s, got := sessionOf(t, c, seed, numbers...)
	require.NoError(t, s.Play(t.Context(), e, Goal{}))
	return got
}

// sessionOf returns a session that plays the games with the given numbers, and the map that receives the games.
func sessionOf(t testing.TB, c Config, seed uint64, numbers ...uint64) (*Session, map[ID]*Finished) {
	t.Helper()
	got := map[ID]*Finished{}
	var at atomic.Int64
	s, err := NewSessionOf(c, seed, func(context.Context) (uint64, bool) {
		i := int(at.Add(1)) - 1
		if i >= len(numbers) {
			return 0, false
		}
		return numbers[i], true
	}, func(f *Finished) (int, error) {
		got[f.ID] = f
		return 0, nil
	})
	require.NoError(t, err)
	return s, got
}

func exactServer(t testing.TB, seed uint64) *nn.Server {
	t.Helper()
	return nntest.Server(t, nntest.HashModel(seed), nn.ServerConfig{Sessions: 2, MaxBatch: 8, CacheBytes: 8 << 20, Reproducible: true, Seed: seed})
}

// TestGamesAreFunctionsOfTheirNumber: the same numbers give the same games in another order, and with
// another number of games at a time.
func TestGamesAreFunctionsOfTheirNumber(t *testing.T) {
	for _, method := range []string{Gumbel, PUCT, Random} {
		t.Run(method, func(t *testing.T) {
			c := small(method)
			c.Opening.Forks = 0.6
			want := playNumbers(t, c, 5, exactServer(t, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
			require.Greater(t, len(want), 10, "some branch off")
			c.Parallel = 2
			got := map[ID]*Finished{}
			for _, part := range [][]uint64{{9, 7, 5, 3, 1}, {0, 2, 4, 6, 8}} {
				e := exactServer(t, 3)
				e.ClearCache()
				maps.Copy(got, playNumbers(t, c, 5, e, part...))
			}
			same(t, want, got)
		})
	}
}

// interrupted is an evaluator that cancels the session and fails at every 997th evaluation.
type interrupted struct {
	nn.Evaluator
	n    atomic.Int64
	stop atomic.Pointer[context.CancelFunc]
}

func (e *interrupted) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if e.n.Add(1)%997 == 0 {
		(*e.stop.Load())()
		return context.Canceled
	}
	return e.Evaluator.Evaluate(ctx, q, out)
}

func TestInterruptedGamesAreTheSame(t *testing.T) {
	c := small(PUCT)
	want := playNumbers(t, c, 5, exactServer(t, 3), 0, 1, 2, 3, 4, 5)
	s, got := sessionOf(t, c, 5, 0, 1, 2, 3, 4, 5)
	e := &interrupted{Evaluator: exactServer(t, 3)}
	rounds := 0
	for ; len(got) < len(want) && rounds < 10000; rounds++ {
		ctx, cancel := context.WithCancel(t.Context())
		e.stop.Store(&cancel)
		require.NoError(t, s.Play(ctx, e, Goal{}))
		cancel()
	}
	require.Greater(t, rounds, 3)
	same(t, want, got)
}

func same(t testing.TB, want, got map[ID]*Finished) {
	t.Helper()
	require.Len(t, got, len(want))
	for id, f := range want {
		require.Contains(t, got, id)
		a, err := Marshal(f)
		require.NoError(t, err)
		b, err := Marshal(got[id])
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), "game %v", id)
	}
}

// TestWire packs and unpacks games of each method: the end, the rows and the evaluations stay the same.
func TestWire(t *testing.T) {
	for _, method := range []string{Gumbel, PUCT, Random} {
		t.Run(method, func(t *testing.T) {
			c := small(method)
			e := exactServer(t, 3)
			size, turns := 0, 0
			for _, f := range playNumbers(t, c, 5, e, 0, 1, 2, 3, 4, 5, 6, 7) {
				data, err := Marshal(f)
				require.NoError(t, err)
				size, turns = size+len(data), turns+len(f.Game.Turns)
				back, err := Unmarshal(data)
				require.NoError(t, err)
				require.NoError(t, c.Verify(back, 5))
				require.Equal(t, f.Game.End, back.Game.End)
				require.Equal(t, rowsOf(t, &c, f), rowsOf(t, &c, back))
				if method == Random {
					same, err := c.Derive(t.Context(), back, 5)
					require.NoError(t, err)
					require.True(t, same)
					continue
				}
				n, off, err := c.Recheck(t.Context(), back, 5, e, 5)
				require.NoError(t, err)
				require.Positive(t, n)
				require.Zero(t, off)
			}
			t.Logf("%d bytes a turn", size/turns)
		})
	}
}

func rowsOf(t testing.TB, c *Config, f *Finished) *rows.Set {
	t.Helper()
	w, err := NewWriter(WriterConfig{Dir: t.TempDir(), Encoding: features.V7, Side: c.Side(), PerFile: 2, Settings: *c})
	require.NoError(t, err)
	_, err = w.Add(f)
	require.NoError(t, err)
	return w.set
}

// TestVerifyRefuses: Verify refuses games that the recipe does not allow, and Recheck notices
// values of another network.
func TestVerifyRefuses(t *testing.T) {
	c := small(PUCT)
	e := exactServer(t, 3)
	played := playNumbers(t, c, 5, e, 0, 1, 2)
	rules := played[ID{}].Game.Start.Rules()
	rules.Suicide = !rules.Suicide
	otherRules, err := board.NewGame(board.Square(7), rules)
	require.NoError(t, err)
	for name, change := range map[string]func(f *Finished){
		"another number":   func(f *Finished) { f.ID.Number++ },
		"another hash":     func(f *Finished) { f.Game.Hash[0]++ },
		"too many visits":  func(f *Finished) { f.Game.Turns[0].Visits = 9999 },
		"no search":        func(f *Finished) { f.Game.Turns[0].HasRoot = false },
		"no policy":        func(f *Finished) { f.Game.Turns[0].Weight, f.Game.Turns[0].Policy = 1, nil },
		"cut off":          func(f *Finished) { f.Resigned, f.Final = board.Empty, f.Game.Start },
		"other rules":      func(f *Finished) { *f.Game.Start = *otherRules },
		"a longer opening": func(f *Finished) { *f.Game.Start = *f.Final },
	} {
		data, err := Marshal(played[ID{}])
		require.NoError(t, err)
		f, err := Unmarshal(data)
		require.NoError(t, err)
		require.NoError(t, c.Verify(f, 5), name)
		change(f)
		require.ErrorIs(t, c.Verify(f, 5), ErrGame, name)
	}
	f := played[ID{}]
	for i := range f.Game.Turns {
		f.Game.Turns[i].RawWinLoss = -f.Game.Turns[i].RawWinLoss
	}
	_, off, err := c.Recheck(t.Context(), f, 5, e, 5)
	require.NoError(t, err)
	require.Greater(t, off, 0.1)
	forks := 0
	c.Opening.Forks = 0.6
	for id, f := range playNumbers(t, c, 5, e, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) {
		require.NoError(t, c.Verify(f, 5), id)
		if id.Fork > 0 {
			forks++
			rules := f.Game.Start.Rules()
			rules.Suicide = !rules.Suicide
			start, err := board.NewGame(f.Game.Start.Size(), rules)
			require.NoError(t, err)
			for _, m := range f.Game.Start.Moves() {
				require.NoError(t, start.Play(m.Color, m.Point))
			}
			f.Game.Start = start
			require.ErrorIs(t, c.Verify(f, 5), ErrGame, "a fork under other rules than its game")
		}
	}
	require.Positive(t, forks)
	_, off, err = c.Recheck(t.Context(), played[ID{Number: 1}], 5, exactServer(t, 4), 5)
	require.NoError(t, err)
	require.Greater(t, off, 0.1, "another network")
}

// TestDerive: Derive recognises a game of random moves, and notices each change to it.
func TestDerive(t *testing.T) {
	c := small(Random)
	data, err := Marshal(playNumbers(t, c, 5, nil, 3)[ID{Number: 3}])
	require.NoError(t, err)
	for name, change := range map[string]func(f *Finished){
		"":                func(*Finished) {},
		"another number":  func(f *Finished) { f.ID.Number++ },
		"another move":    func(f *Finished) { f.Game.Turns[0].Move = f.Game.Turns[1].Move },
		"another policy":  func(f *Finished) { f.Game.Turns[0].Policy, f.Game.Turns[0].Weight = nil, 3 },
		"a turn left out": func(f *Finished) { f.Game.Turns = f.Game.Turns[:len(f.Game.Turns)-1] },
	} {
		f, err := Unmarshal(data)
		require.NoError(t, err)
		change(f)
		same, err := c.Derive(t.Context(), f, 5)
		require.NoError(t, err)
		require.Equal(t, name == "", same, name)
	}
}

// FuzzUnmarshal reads damaged records: an error or a game, never a panic.
func FuzzUnmarshal(f *testing.F) {
	c := small(PUCT)
	c.Parallel = 1
	for _, g := range playNumbers(f, c, 5, exactServer(f, 3), 0) {
		data, err := Marshal(g)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Unmarshal(data)
		if err != nil {
			require.ErrorIs(t, err, ErrGame)
			return
		}
		_ = c.Verify(g, 5)
	})
}
