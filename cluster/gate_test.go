package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// hashFile makes a file that stands for a network: hashOf reads the seed of a stub from the file's name.
func hashFile(t testing.TB, seed uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("hash%d.bin", seed))
	require.NoError(t, os.WriteFile(path, []byte(path), 0o600))
	return path
}

func hashOf(t testing.TB, path string) nn.Evaluator {
	var seed uint64
	if n, _ := fmt.Sscanf(filepath.Base(path), "hash%d.bin", &seed); n == 0 {
		seed = 3
	}
	return stub(t, seed)
}

// newMatchSite is a cluster without self-play. A file's name chooses its network.
func newMatchSite(t *testing.T) *site {
	s := newSite(t, newFolder(0))
	s.server.judges.open = func(path string) (nn.Evaluator, func(), error) { return hashOf(t, path), func() {}, nil }
	return s
}

func opensHash(t testing.TB) func(c *WorkerConfig) {
	return opens(func(path string) nn.Evaluator { return hashOf(t, path) })
}

// run runs a worker until the test ends or stop is called; stop returns the worker's error.
func (s *site) run(w *Worker) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	var ended sync.WaitGroup
	ended.Go(func() { err = w.Run(ctx) })
	stop = sync.OnceValue(func() error {
		cancel()
		ended.Wait()
		return err
	})
	s.t.Cleanup(func() { _ = stop() })
	return stop
}

func matchGame(number int) loop.GateGame {
	return loop.GateGame{Number: number, Seed: 5, Visits: 6, Temperature: 1, Komi: 7, Board: selfplay.BoardShare{Width: 5, Height: 5, Share: 1}}
}

// TestMatchOverWorkers plays a match on workers, of which one cannot play, one leaves in the middle
// and one is cut off: the games are equal to those played without workers.
func TestMatchOverWorkers(t *testing.T) {
	t.Parallel()
	const games = 12
	s := newMatchSite(t)
	a, b := hashFile(t, 3), hashFile(t, 4)
	broken := s.worker(t.TempDir(), func(c *WorkerConfig) {
		c.Open = func(context.Context, string, *Offer) (*Model, error) { return nil, errors.New("no such provider") }
	})
	begun, release := make(chan bool, 100), make(chan bool)
	endless := opens(func(path string) nn.Evaluator { // passes the exam, and then hangs
		e := hashOf(t, path)
		return twoFaced(e, chosen(func(*nn.Query) nn.Evaluator {
			select {
			case begun <- true:
			default:
			}
			<-release // waiting for the context would not do: the context of the root's evaluation never ends
			return e
		}))
	})
	leaves, lost := s.worker(t.TempDir(), endless), s.worker(t.TempDir(), endless)
	ctx, leave := context.WithCancel(context.Background())
	var early sync.WaitGroup
	t.Cleanup(early.Wait)
	t.Cleanup(leave)
	for _, w := range []*Worker{broken, leaves, lost} {
		early.Go(func() { _ = w.PlayMatches(ctx) })
	}
	s.until(func() bool { return len(s.server.roster.members) == 3 })

	got := make([]loop.GateOutcome, games)
	var all sync.WaitGroup
	for k := range games {
		all.Go(func() {
			var err error
			if got[k], err = s.server.Game(t.Context(), matchGame(k), a, b); err != nil {
				t.Error(err)
			}
		})
	}
	<-begun
	<-begun
	lost.conf.Conn.Close()
	leave()
	close(release)
	early.Wait()
	s.server.mu.Lock()
	for _, e := range s.server.gate.games {
		if p := e.players[lost.conf.Conn.ID]; p != nil {
			p.seen = p.seen.Add(-gateSilent) // as if the worker had been silent
		}
	}
	s.server.mu.Unlock()
	s.run(s.worker(t.TempDir(), opensHash(t)))
	s.run(s.worker(t.TempDir(), opensHash(t)))
	all.Wait()
	one, two := stub(t, 3), stub(t, 4)
	for k := range games {
		g := matchGame(k)
		want, err := g.Play(t.Context(), one, two)
		require.NoError(t, err)
		require.Equal(t, want, got[k], "game %d", k)
	}
	require.Zero(t, s.server.Status().Gating)
}

// handed returns a gate with a number of games, and a roster of workers.
func handed(games int, now time.Time, workers ...string) (*gate, *roster) {
	t, all := new(gate), &roster{members: map[string]*member{}}
	for k := range games {
		t.games = append(t.games, &gateGame{offer: gateOffer{ID: fmt.Sprint(k)}, players: map[string]*gateLease{}, failed: map[string]string{}, done: make(chan gateOutcome, 1)})
	}
	for _, id := range workers {
		all.members[id] = &member{seen: now, passed: map[string]bool{}}
	}
	return t, all
}

// TestShares: no worker holds more than its share of games. Games that a worker no longer names,
// or that a silent or slow one holds, go to others.
func TestShares(t *testing.T) {
	now := time.Now()
	g, all := handed(10, now, "a", "b", "c")
	all.members["gone"] = &member{seen: now.Add(-time.Minute)}
	held := map[string][]string{}
	hand := func(id string, want int) (n int) {
		all.members[id].seen = now
		r := g.hand(id, &gateRequest{Want: want, Held: held[id]}, all, new(judges), now)
		require.Empty(t, r.Gone)
		for _, o := range r.Games {
			held[id] = append(held[id], o.ID)
		}
		return len(r.Games)
	}
	require.Equal(t, 4, hand("a", 1<<30))
	require.Zero(t, hand("a", 16))
	require.Zero(t, hand("b", 0))
	require.Zero(t, hand("b", -1))
	require.Equal(t, 1, hand("b", 1))
	require.Equal(t, 3, hand("b", 16))
	require.Equal(t, 2, hand("c", 16), "two are left")

	held["b"] = nil // as if worker b had restarted
	require.Equal(t, 4, hand("b", 16))
	now = now.Add(gateSilent - time.Second)
	require.Zero(t, hand("b", 16))
	require.Zero(t, hand("c", 16))
	now = now.Add(2 * time.Second)
	require.Positive(t, hand("c", 16), "nothing was heard of a")
	now = now.Add(gateSlow)
	require.Positive(t, hand("b", 16), "c takes long")
	require.Equal(t, []string{"x"}, g.hand("a", &gateRequest{Held: []string{"x"}}, all, new(judges), now).Gone)
}

// TestNobodyCanPlay: a game ends with the reason after all workers present have failed at it for a
// while, but not while another worker may play it.
func TestNobodyCanPlay(t *testing.T) {
	for name, c := range map[string]struct {
		failed []string
		heard  bool // b keeps sending requests
		ends   bool
	}{
		"all have failed":    {[]string{"a", "b"}, true, true},
		"another may":        {[]string{"a"}, true, false},
		"another went away":  {[]string{"a"}, false, true},
		"nobody has failed":  {nil, false, false},
		"failed and is gone": {[]string{"a", "b"}, false, true},
	} {
		now := time.Now()
		g, all := handed(1, now, "a", "b")
		e := g.games[0]
		for _, id := range c.failed {
			e.failed[id] = "no such provider"
		}
		for range 90 {
			now = now.Add(time.Second)
			if all.members["a"].seen = now; c.heard {
				all.members["b"].seen = now
			}
			g.tend(all, now)
		}
		require.Equal(t, c.ends, len(g.games) == 0, name)
		if c.ends {
			require.Contains(t, (<-e.done).Error, "no such provider", name)
		}
	}
}

// TestWorkersFilesAreBounded: a worker removes the least recently used networks, and none in
// use.
func TestWorkersFilesAreBounded(t *testing.T) {
	c := newFileCache(t.TempDir(), nil)
	require.NoError(t, os.Remove(c.dir))
	c.makeRoom(0) // the folder does not exist yet
	sums := make([]string, 4)
	for i := range sums {
		sums[i] = strings.Repeat(fmt.Sprint(i), 64)
		dir := filepath.Join(c.dir, sums[i])
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "net.onnx"), make([]byte, 100), 0o600))
		used := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(dir, used, used))
	}
	there := func() (n []string) {
		entries, err := os.ReadDir(c.dir)
		require.NoError(t, err)
		for _, e := range entries {
			n = append(n, e.Name())
		}
		return n
	}
	done := c.use(sums[0])
	c.makeRoom(400)
	require.Equal(t, sums, there())
	c.makeRoom(299)
	require.Equal(t, []string{sums[0], sums[3]}, there())
	c.makeRoom(-1)
	require.Equal(t, sums[:1], there())
	done()
	c.makeRoom(-1)
	require.Empty(t, there())
	for i := range mostKept + 3 {
		require.NoError(t, os.MkdirAll(filepath.Join(c.dir, fmt.Sprintf("%064x", i)), 0o755))
	}
	c.makeRoom(1)
	require.Len(t, there(), mostKept)
}
