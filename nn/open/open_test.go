package open_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/nn/open"
)

// described is a model with a given description.
type described struct {
	nn.Model
	d nn.Description
}

func (m described) Describe() nn.Description { return m.d }

// living counts the models that are open.
var living atomic.Int32

func (m described) Close() error {
	living.Add(-1)
	return m.Model.Close()
}

// models opens files by name: human networks take profiles, broken ones fail.
func models(file string) (nn.Model, error) {
	if strings.HasPrefix(filepath.Base(file), "broken") {
		return nil, errors.New("no network")
	}
	human := strings.HasPrefix(filepath.Base(file), "human")
	living.Add(1)
	return described{nntest.HashModel(1), nn.Description{File: file, TakesProfile: human}}, nil
}

func start(t *testing.T, c open.Config) (*open.Network, *strings.Builder) {
	t.Helper()
	var said strings.Builder
	c.Open, c.Size, c.Server.MaxBatch = models, board.Square(5), 4
	c.Log = slog.New(slog.NewTextHandler(&said, nil))
	n := open.Start(c)
	t.Cleanup(func() { n.Close() })
	n.Wait()
	return n, &said
}

func file(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	return path
}

// TestNetwork: a loaded network describes itself, evaluates and returns its human SL network, until it is closed.
func TestNetwork(t *testing.T) {
	n, said := start(t, open.Config{File: "main", HumanFile: file(t, "human"), Profile: true})
	require.NoError(t, n.Wait())
	ended, err := n.Loaded()
	require.True(t, ended)
	require.NoError(t, err)
	require.Equal(t, "main", n.Describe().File)
	require.True(t, n.Humans().Describe().TakesProfile)
	require.Nil(t, n.Humans().Humans())
	require.Equal(t, 4, n.BatchSize())
	require.Empty(t, said.String())
	g, err := board.NewGame(board.Square(5), board.Chinese())
	require.NoError(t, err)
	var out nn.Output
	require.NoError(t, n.Evaluate(t.Context(), &nn.Query{Game: g}, &out))
	require.EqualValues(t, 1, n.Stats().Rows)
	require.Zero(t, n.Humans().Stats().Rows)
	require.NoError(t, n.Close())
	require.NoError(t, n.Close(), "a second time")
	require.ErrorIs(t, n.Evaluate(t.Context(), &nn.Query{Game: g}, &out), nn.ErrClosed)
}

// TestWarnings: limitations of human SL networks are reported once.
func TestWarnings(t *testing.T) {
	for want, c := range map[string]open.Config{
		"no network takes profiles":      {Profile: true},
		"was not trained to play by":     {Profile: true, HumanFile: file(t, "plain")},
		"is not used until there is a p": {HumanFile: file(t, "human")},
	} {
		n, said := start(t, c)
		require.NoError(t, n.Wait())
		require.Contains(t, said.String(), want)
	}
}

// TestFailures: a network that cannot be loaded has no capabilities and reports the reason.
func TestFailures(t *testing.T) {
	for want, c := range map[string]open.Config{
		"no network":                  {File: "broken"},
		"--human-model: no network":   {HumanFile: file(t, "broken")},
		"--human-model: stat /absent": {HumanFile: "/absent"},
	} {
		n, _ := start(t, c)
		require.ErrorContains(t, n.Wait(), want)
		_, err := n.Loaded()
		require.ErrorContains(t, err, want)
		require.Error(t, n.Serves(board.Square(5)))
		require.Zero(t, n.Describe())
		require.Nil(t, n.Humans())
		require.Zero(t, n.Stats())
		n.ClearCache()
		var out nn.Output
		require.ErrorContains(t, n.Evaluate(t.Context(), new(nn.Query), &out), "the network could not be loaded")
		j := nn.Job{Done: func() {}}
		n.Submit(t.Context(), &j)
		require.ErrorContains(t, j.Err, "the network could not be loaded")
		require.NoError(t, n.Close())
		require.Zero(t, living.Load(), "a network that loaded is closed though its human network did not")
	}
}

// stub fails every query with an error whose text is the stub's name.
type stub struct {
	nn.Plain
	name   string
	closed chan struct{}
	fault  error         // of Close
	pause  time.Duration // before Close
}

func newStub(name string) *stub { return &stub{name: name, closed: make(chan struct{})} }

func (s *stub) Evaluate(context.Context, *nn.Query, *nn.Output) error { return errors.New(s.name) }

func (s *stub) Close() error {
	time.Sleep(s.pause)
	close(s.closed)
	return s.fault
}

// TestSwitch: a network is replaced only between searches, and unused ones are closed.
func TestSwitch(t *testing.T) {
	a, b, c := newStub("a"), newStub("b"), newStub("c")
	s := open.NewSwitch(a)
	first, second := s.Pin(), s.Pin()
	s.Replace(b)
	require.ErrorContains(t, s.Evaluate(t.Context(), nil, nil), "a")
	s.Replace(c)
	<-b.closed
	first()
	require.Same(t, a, s.Now())
	second()
	<-a.closed
	require.ErrorContains(t, s.Evaluate(t.Context(), nil, nil), "c")
	s.Pin()
	d := newStub("d")
	d.fault = errors.New("d cannot be closed")
	s.Replace(d)
	require.ErrorIs(t, s.Close(), d.fault, "it never came into use")
	<-c.closed
	<-d.closed

	slow := newStub("slow")
	slow.pause = 50 * time.Millisecond
	s = open.NewSwitch(slow)
	s.Replace(newStub("next"))
	require.NoError(t, s.Close())
	select {
	case <-slow.closed:
	default:
		t.Fatal("a replaced network is still open")
	}
}
