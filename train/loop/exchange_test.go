package loop

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/train/selfplay"
)

// others delivers games to a loop as a cluster does: all games of random moves that the bootstrap
// still needs, and some more of these too late, when a network plays already.
type others struct {
	mu    sync.Mutex
	loop  *Loop
	work  Work
	next  atomic.Uint64
	late  int // random games still under way when the first network takes over
	games int64
}

func (o *others) Offer(w Work) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.work = w
	return nil
}

func (o *others) Players() map[string]int64 { return map[string]int64{"box": o.games} }

func (o *others) Play(ctx context.Context) error {
	o.mu.Lock()
	work := o.work
	o.mu.Unlock()
	if work.Network == randomPlayer {
		for {
			left, any := o.loop.Left()
			if any || left == 0 || ctx.Err() != nil {
				return nil
			}
			if err := o.play(work, int(min(left, 16))); err != nil {
				return err
			}
		}
	}
	if o.late > 0 {
		random := work
		random.Network, random.Recipe.Search.Method = randomPlayer, selfplay.Random
		if err := o.play(random, o.late); err != nil {
			return err
		}
		o.late = 0
	}
	for ctx.Err() == nil {
		named := work
		named.Recipe.Search.Method = selfplay.Random // fast random moves under the network's name
		if err := o.play(named, 4); err != nil {
			return err
		}
	}
	return nil
}

// play plays a number of games for w and files them.
func (o *others) play(w Work, games int) error {
	text := w.Recipe
	text.Opening.Forks = 0
	var done []*selfplay.Finished
	s, err := selfplay.NewSessionOf(text, w.Seed, func(context.Context) (uint64, bool) { return o.next.Add(1), true },
		func(f *selfplay.Finished) (int, error) { done = append(done, f); return 0, nil })
	if err != nil {
		return err
	}
	if err := s.Play(context.Background(), nil, selfplay.Goal{Games: games}); err != nil {
		return err
	}
	o.games += int64(len(done))
	_, err = o.loop.File(w, done)
	return err
}

// TestBootstrapByOthers: an exchange plays exactly the random games of the recipe. Late ones count
// as games, but not towards the samples owed or the goal of the present network. The log names the
// players.
func TestBootstrapByOthers(t *testing.T) {
	dir := trainableLoop(t, tiny)
	o := &others{late: 50}
	var lines []string
	l := opened(t, dir, Options{Exchange: o, Status: func(line string) { lines = append(lines, line) }})
	o.loop = l
	require.NoError(t, l.generator.offer())
	left, any := l.Left()
	require.EqualValues(t, 60, left)
	require.False(t, any)
	require.NoError(t, l.generator.run(t.Context()))
	s := l.state
	require.EqualValues(t, 60, s.Games)
	require.EqualValues(t, 60, s.Random)
	require.EqualValues(t, 320, s.Target)
	left, any = l.Left()
	require.Zero(t, left, "nothing more of it while the learner is at work")
	require.False(t, any)
	require.Contains(t, lines[len(lines)-1], "self-play by random moves: 60 games")
	require.Contains(t, lines[len(lines)-1], "; played 60 on box")

	s.Current, s.Stage, s.Iteration = freshName(s.Arch), stageSelfplay, 1
	rows := s.Rows
	require.NoError(t, l.generator.offer())
	_, any = l.Left()
	require.True(t, any)
	require.NoError(t, l.generator.run(t.Context()))
	require.EqualValues(t, 110, s.Random)
	random := s.RandRow
	own := s.Rows - random
	require.GreaterOrEqual(t, own, int64(60), "the goal is one of rows by the network")
	require.Greater(t, s.Rows, rows+60)
	require.EqualValues(t, 320+2*own, s.Target, "the ratio counts rows of the network alone")
	line := lines[len(lines)-1]
	require.Contains(t, line, "self-play by "+s.Current+" (")
	require.Contains(t, line, "random moves (50 games)")
	require.False(t, strings.Contains(line, "random moves ("+"0"))
	require.NoError(t, s.check())
}

// stopped is an exchange that ends before any game has arrived.
type stopped struct {
	others
	stop context.CancelFunc
}

func (o *stopped) Play(context.Context) error {
	o.stop()
	return nil
}

// TestLastGamesOfOthers: games filed after Run has ended, while an exchange shuts down, are counted by
// Settle, and the saved state has them.
func TestLastGamesOfOthers(t *testing.T) {
	dir := trainableLoop(t, tiny)
	ctx, stop := context.WithCancel(t.Context())
	o := &stopped{stop: stop}
	l := opened(t, dir, Options{Exchange: o})
	o.loop = l
	require.NoError(t, l.Run(ctx))
	require.NoError(t, o.play(o.work, 7))
	require.Zero(t, l.State().Games)
	require.NoError(t, l.Settle())
	require.EqualValues(t, 7, l.State().Games)
	require.NoError(t, l.Close())
	s, err := loadState(dir)
	require.NoError(t, err)
	require.EqualValues(t, 7, s.Games)
}
