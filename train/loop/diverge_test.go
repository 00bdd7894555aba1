package loop

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/train/learn"
)

// TestWatch: a learner has diverged if its mean policy loss or value loss over twenty steps is more
// than twice that of a uniform guess on the same boards.
func TestWatch(t *testing.T) {
	step := func(policy, value float64) learn.Result {
		return learn.Result{Rows: 8, Terms: []learn.Term{{Name: learn.TermPolicy, Mean: policy, Weight: 8}, {Name: learn.TermValue, Mean: value, Weight: 8}}}
	}
	skipped := step(math.NaN(), math.NaN())
	skipped.Skipped = true
	for name, c := range map[string]struct {
		size  int
		steps []learn.Result // repeated as needed
		lost  string         // the error's text; "": no error
	}{
		"learns":                     {9, []learn.Result{step(2.5, 0.6)}, ""},
		"knows nothing":              {9, []learn.Result{step(math.Log(82), math.Log(3))}, ""},
		"begins on a larger board":   {19, []learn.Result{step(9, 0.6)}, ""},
		"the same is lost on 9x9":    {9, []learn.Result{step(9, 0.6)}, "policy is 9, an even guess has 4.41"},
		"value":                      {9, []learn.Result{step(2.5, 40)}, "value is 40"},
		"no number":                  {9, []learn.Result{step(math.NaN(), 0.6)}, "policy is NaN"},
		"skipped steps are not its":  {9, []learn.Result{step(2.5, 0.6), skipped}, ""},
		"one bad step is not an end": {9, append([]learn.Result{step(30, 0.6)}, slices.Repeat([]learn.Result{step(2.5, 0.6)}, watched-1)...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var w watch
			var err error
			for k := 0; k < 5*watched && err == nil; k++ {
				err = w.see(&c.steps[k%len(c.steps)], board.Square(c.size))
			}
			if c.lost == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, learn.ErrDiverged)
			require.ErrorContains(t, err, c.lost)
		})
	}
}

// TestDivergedLoopGoesBack: after divergence another learner begins with the current network at
// half the rate, and makes up for the lost steps. The lower rate stays; if no rate works, the loop
// ends.
func TestDivergedLoopGoesBack(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, tiny)
	first := runToFirstNetwork(t, dir)

	var lines []string
	l := opened(t, dir, Options{Games: 12, Status: func(line string) { lines = append(lines, line) }})
	rate := l.conf.Train.Rate
	require.Equal(t, 0.002, rate)
	l.trainer.watch = watch{steps: watched - 1, recent: learn.Result{Rows: 32, Terms: []learn.Term{{Name: learn.TermPolicy, Mean: 1e17, Weight: 32}}}}
	require.NoError(t, l.Run(t.Context()))
	s := l.state
	require.Contains(t, strings.Join(lines, "\n"), "the rate is 0.001 at most from now on: the learner restarts from "+first.Current)
	require.Equal(t, rate/2, s.MostRate)
	require.Equal(t, first.Current, s.Base)
	require.Equal(t, first.Samples, s.Before)
	require.Greater(t, s.Games, first.Games)
	require.Greater(t, len(s.Networks), len(first.Networks))
	last := s.History[len(s.History)-1]
	require.Equal(t, rate/2, last.Rate)
	require.EqualValues(t, s.Before+s.Samples, last.Samples)
	require.NoError(t, l.Close())
	checkFolder(t, dir, *s)
	require.Equal(t, rate/2, runLoop(t, dir, 3).MostRate)

	l = opened(t, dir, Options{})
	for range 8 {
		require.NoError(t, l.trainer.goBack(&l.conf, learn.ErrDiverged))
	}
	require.Equal(t, rate/512, l.rate(&l.conf))
	require.ErrorIs(t, l.trainer.goBack(&l.conf, learn.ErrDiverged), learn.ErrDiverged)
	require.NoError(t, l.Close())
	require.Zero(t, runLoop(t, dir, 0).MostRate, "another recipe begins with its own rate")
}

// refuser reports an invalid answer in every match game, so that each new network is refused.
type refuser struct{ Exchange }

func (refuser) Game(ctx context.Context, g GateGame, _, _ string) (GateOutcome, error) {
	e := nntest.HashModel(uint64(g.Number))
	server, err := nn.NewServer(e, nn.ServerConfig{MaxBatch: 1})
	if err != nil {
		return GateOutcome{}, err
	}
	defer server.Close()
	o, err := g.Play(ctx, server, server)
	o.Invalid++
	return o, err
}

// TestRefusedNetworksGoBack: a learner whose networks are refused three times in a row counts as
// diverged.
func TestRefusedNetworksGoBack(t *testing.T) {
	testshared.Long(t)
	dir := trainableLoop(t, tiny)
	first := runToFirstNetwork(t, dir)
	l := opened(t, dir, Options{})
	for range mostRefused {
		require.Zero(t, l.state.MostRate)
		l.others = nil
		var err error
		for l.state.Stage != stageGate {
			switch l.state.Stage {
			case stageSelfplay:
				err = l.generator.run(t.Context())
			case stageTrain:
				err = l.trainer.train(t.Context())
			case stageExport:
				err = l.trainer.export()
			}
			require.NoError(t, err)
		}
		l.others = refuser{}
		require.NoError(t, l.gating.run(t.Context()))
	}
	s := l.state
	require.Equal(t, l.conf.Train.Rate/2, s.MostRate)
	require.Equal(t, first.Current, s.Current)
	require.Equal(t, first.Current, s.Base)
	require.Zero(t, s.Samples)
	require.Positive(t, s.Target, "what the refused ones had learnt is learnt again")
	require.Equal(t, stageSelfplay, s.Stage)
	require.NoError(t, l.Close())
	last := runLoop(t, dir, 12)
	require.Equal(t, s.MostRate, last.MostRate)
	require.Greater(t, len(last.Networks), len(s.Networks))
	checkFolder(t, dir, State{})
}
