package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/cluster"
	"kosumi/cluster/remote"
	"kosumi/nn/open"
)

// place is an engine server in the test's process.
type place struct {
	engines *userEngines
	address func(token string) string
}

// serveHere serves engines to users on a free port.
func serveHere(t testing.TB, s *settings, users []remote.User) *place {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	n := openNetwork(s, s.Play.Size, log)
	t.Cleanup(func() { n.Close() })
	require.NoError(t, n.Wait())
	cert, pin, err := cluster.Certificate(t.TempDir(), nil)
	require.NoError(t, err)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}})
	require.NoError(t, err)
	d := newUserEngines(s, n, 2, log)
	host := remote.NewHost(remote.HostConfig{Users: users, Sit: d.sit, Log: log})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- host.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return &place{d, func(token string) string {
		return remoteAddress(token, l.Addr().String(), "127.0.0.1:0", pin)
	}}
}

// player acts as an engine's GUI.
type player struct {
	to   io.Writer
	from *bufio.Reader
}

// ask sends a command and returns its answer.
func (p *player) ask(command string) (string, error) {
	if _, err := io.WriteString(p.to, command+"\n"); err != nil {
		return "", err
	}
	text := ""
	for {
		line, err := p.from.ReadString('\n')
		if err != nil {
			return text, fmt.Errorf("%s: %q: %w", command, text, err)
		}
		if line == "\n" {
			break
		}
		text += line
	}
	if !strings.HasPrefix(text, "=") {
		return text, fmt.Errorf("%s: %q", command, text)
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "=")), nil
}

// move makes the engine play the n-th move. A pass, a resignation or 120 moves end the game.
func (p *player) move(n int) error {
	if n%120 == 0 {
		if _, err := p.ask("clear_board"); err != nil {
			return err
		}
	}
	v, err := p.ask("genmove " + []string{"b", "w"}[n%2])
	if err == nil && (v == "resign" || v == "pass") {
		_, err = p.ask("clear_board")
	}
	return err
}

// far returns the GUI of a user who plays through engine remote.
func far(t testing.TB, address string) *player {
	p := start(t, nil, "remote", address, "gtp")
	return &player{p.in, bufio.NewReader(p.out)}
}

// near returns the GUI of an engine in the test's process, without the server.
func near(t testing.TB, d *userEngines) *player {
	in, to := io.Pipe()
	from, out := io.Pipe()
	alone := *d
	alone.fair = open.NewFair(d.net, 1<<20) // no limit, so that nothing waits
	ended := make(chan error, 1)
	go func() { ended <- alone.sit(t.Context(), "local", remote.GTP, in, out) }()
	t.Cleanup(func() {
		to.Close()
		out.Close()
		<-ended
	})
	return &player{to, bufio.NewReader(from)}
}

// TestRemoteSeat plays through engine remote against an engine of the server.
func TestRemoteSeat(t *testing.T) {
	s := defaultSettings()
	s.Play.Limits.Visits, s.Sessions, s.Batch, s.Precision = 2, 1, 4, "fp32"
	users, err := remote.ReadUsers(strings.NewReader("# two\nann " + strings.Repeat("a", 16) + " 1\nbob " + strings.Repeat("b", 16) + "\n"))
	require.NoError(t, err)
	here := serveHere(t, &s, users)
	for _, u := range users {
		p := far(t, here.address(u.Token))
		name, err := p.ask("name")
		require.NoError(t, err)
		require.Contains(t, name, "Kosumi")
		require.NoError(t, p.move(0))
		require.NoError(t, p.move(1))
		board, err := p.ask("showboard")
		require.NoError(t, err)
		require.NotEmpty(t, board)
	}
	require.Len(t, here.engines.fair.Evaluations(), 2)
}

// BenchmarkRemoteGenmove measures the latency that engine remote adds to a genmove of one visit,
// over loopback: it asks a local engine and a remote one in turn.
func BenchmarkRemoteGenmove(b *testing.B) {
	s := defaultSettings()
	s.Model = realNetwork(b)
	s.Play.Limits.Visits = 1
	here := serveHere(b, &s, []remote.User{{Name: "ann", Token: "token"}})
	players := []*player{near(b, here.engines), far(b, here.address("token"))}
	var took [2][]time.Duration
	for n := 0; b.Loop(); n++ {
		for i, p := range players {
			began := time.Now()
			require.NoError(b, p.move(n))
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	at := func(i int, q float64) float64 {
		return took[i][int(q*float64(len(took[i])-1))].Seconds() * 1000
	}
	b.ReportMetric(at(0, 0.5), "ms-local")
	b.ReportMetric(at(1, 0.5), "ms-remote")
	b.ReportMetric(at(1, 0.5)-at(0, 0.5), "ms-added")
	b.ReportMetric(at(1, 0.99)-at(0, 0.99), "ms-added-p99")
}

// BenchmarkManyGUIs compares 64 users, whose GUIs ask for moves all the time, with one local user.
// It measures the evaluations per second, and how evenly the users share them.
func BenchmarkManyGUIs(b *testing.B) {
	const guis = 64
	s := defaultSettings()
	s.Model = realNetwork(b)
	s.Play.Limits.Visits = 100
	var users []remote.User
	for i := range guis {
		users = append(users, remote.User{Name: fmt.Sprint("user", i), Token: fmt.Sprint("token", i)})
	}
	here := serveHere(b, &s, users)
	for b.Loop() {
		ctx, stop := context.WithCancel(b.Context())
		one := near(b, here.engines)
		ended := make(chan int, guis)
		go play(ctx, b, one, ended)
		time.Sleep(2 * time.Second)
		rows, began := here.engines.net.Stats().Rows, time.Now()
		time.Sleep(8 * time.Second)
		alone := float64(here.engines.net.Stats().Rows-rows) / time.Since(began).Seconds()
		stop()
		<-ended

		ctx, stop = context.WithCancel(b.Context())
		for _, u := range users {
			go play(ctx, b, far(b, here.address(u.Token)), ended)
		}
		for len(here.engines.fair.Evaluations()) < guis {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		before := here.engines.fair.Evaluations()
		rows, began = here.engines.net.Stats().Rows, time.Now()
		time.Sleep(16 * time.Second)
		together := float64(here.engines.net.Stats().Rows-rows) / time.Since(began).Seconds()
		var got []float64
		for user, n := range here.engines.fair.Evaluations() {
			got = append(got, float64(n-before[user]))
		}
		stop()
		moves := 0
		for range guis {
			moves += <-ended
		}
		slices.Sort(got)
		b.ReportMetric(alone, "evals/s-one-local")
		b.ReportMetric(together, "evals/s-64")
		b.ReportMetric(together/alone, "ratio")
		b.ReportMetric(got[0]/got[guis/2], "slowest/median")
		b.ReportMetric(float64(moves), "moves")
	}
}

// play asks for moves until the context ends, and sends their number on a channel.
func play(ctx context.Context, t testing.TB, p *player, ended chan<- int) {
	n := 0
	for ; ctx.Err() == nil; n++ {
		if err := p.move(n); err != nil {
			t.Error(err)
			break
		}
	}
	ended <- n
}
