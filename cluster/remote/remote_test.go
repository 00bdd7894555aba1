package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

var drops = flag.Int64("drops", 5, "how many connections TestGamesOutliveConnections breaks, at least")

// fakeEngine speaks as much GTP as the tests need: its moves encode how many were played before,
// and "position" lists them.
func fakeEngine(ctx context.Context, _, kind string, in io.Reader, out io.Writer) error {
	if kind == Analysis {
		return fakeAnalysis(in, out)
	}
	var moves []string
	komi := "0"
	for scan := bufio.NewScanner(in); scan.Scan(); {
		words := strings.Fields(scan.Text())
		id := ""
		if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
			id, words = words[0], words[1:]
		}
		if len(words) == 0 {
			continue
		}
		text := ""
		switch words[0] {
		case "clear_board":
			moves = nil
		case "komi":
			komi = words[1]
		case "play":
			moves = append(moves, words[1]+words[2])
		case "undo":
			moves = moves[:len(moves)-1]
		case "genmove":
			time.Sleep(time.Millisecond)
			text = fmt.Sprint("A", len(moves)+1)
			moves = append(moves, words[1]+text)
		case "kata-genmove_analyze":
			fmt.Fprintf(out, "=%s\ninfo move A1\ninfo move A2\n", id)
			move := fmt.Sprint("A", len(moves)+1)
			moves = append(moves, words[1]+move)
			fmt.Fprintf(out, "play %s\n\n", move)
			continue
		case "position":
			text = komi + " " + strings.Join(moves, " ")
		case "quit":
			fmt.Fprintf(out, "=%s\n\n", id)
			return nil
		}
		if _, err := fmt.Fprintf(out, "=%s %s\n\n", id, text); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func fakeAnalysis(in io.Reader, out io.Writer) error {
	for scan := bufio.NewScanner(in); scan.Scan(); {
		var q queryKeys
		if err := json.Unmarshal(scan.Bytes(), &q); err != nil {
			return err
		}
		for _, turn := range q.Turns {
			time.Sleep(time.Millisecond)
			if _, err := fmt.Fprintf(out, "{\"id\":%q,\"turnNumber\":%d}\n", q.ID, turn); err != nil {
				return err
			}
		}
	}
	return nil
}

// place is a host that can be reached, cut off and restarted.
type place struct {
	t     testing.TB
	conf  HostConfig
	mu    sync.Mutex
	addr  string
	conns []net.Conn
	stop  context.CancelFunc
	done  chan error
	host  *Host
}

func newPlace(t testing.TB) *place {
	p := &place{t: t, conf: HostConfig{Users: []User{{"ann", "token of ann", 2}, {"bob", "token of bob", 0}}, Sit: fakeEngine}}
	p.start()
	t.Cleanup(p.end)
	return p
}

func (p *place) start() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(p.t, err)
	ctx, stop := context.WithCancel(context.Background())
	host, done := NewHost(p.conf), make(chan error, 1)
	p.mu.Lock()
	p.addr, p.stop, p.done, p.host = l.Addr().String(), stop, done, host
	p.mu.Unlock()
	go func() { done <- host.Serve(ctx, l) }()
}

func (p *place) end() {
	p.stop()
	require.NoError(p.t, <-p.done)
}

func (p *place) cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.conns)
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
	return n
}

func (p *place) dial(ctx context.Context) (net.Conn, error) {
	p.mu.Lock()
	addr := p.addr
	p.mu.Unlock()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		p.mu.Lock()
		p.conns = append(p.conns, c)
		p.mu.Unlock()
	}
	return c, err
}

type gui struct {
	t    testing.TB
	to   io.WriteCloser
	from *bufio.Reader
	done chan error
}

func (p *place) gui(t testing.TB, token, kind string) *gui {
	in, to := io.Pipe()
	from, out := io.Pipe()
	g := &gui{t: t, to: to, from: bufio.NewReader(from), done: make(chan error, 1)}
	go func() {
		err := Run(t.Context(), ClientConfig{Dial: p.dial, Token: token, Kind: kind}, in, out)
		out.CloseWithError(io.EOF)
		g.done <- err
	}()
	return g
}

// ask sends a command and returns the answer.
func (g *gui) ask(command string) string {
	g.t.Helper()
	_, err := io.WriteString(g.to, command+"\n")
	require.NoError(g.t, err)
	var b strings.Builder
	for {
		line, err := g.from.ReadString('\n')
		require.NoError(g.t, err, "%s: %q", command, b.String())
		if line == "\n" {
			return b.String()
		}
		b.WriteString(line)
	}
}

// TestGamesOutliveConnections plays on while connections keep breaking and the host restarts: the
// engine always has the position of the GUI.
func TestGamesOutliveConnections(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(testshared.Seed(t), 0))
	for _, restarts := range []bool{false, true} {
		p := newPlace(t)
		g := p.gui(t, "token of bob", GTP)
		var wild sync.WaitGroup
		stop := make(chan struct{})
		var cuts atomic.Int64
		wild.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(5+rng.IntN(20)) * time.Millisecond):
				}
				cuts.Add(int64(p.cut()))
				if restarts && n%10 == 9 {
					p.end()
					p.start()
				}
			}
		})
		require.Equal(t, "= \n", g.ask("clear_board"))
		require.Equal(t, "=7 \n", g.ask("7 komi 6.5"))
		want := "6.5"
		for n := 1; n <= 60 || cuts.Load() < *drops; n += 3 {
			require.Equal(t, fmt.Sprintf("=%d A%d\n", n, n), g.ask(fmt.Sprint(n, " genmove b")))
			require.Equal(t, "= \n", g.ask("play w Q16"))
			require.Equal(t, "= \n", g.ask("undo"))
			require.Equal(t, "= \n", g.ask("play w Q17"))
			answer := g.ask("kata-genmove_analyze b 10")
			require.Equal(t, 1, strings.Count(answer, "=\n"), answer)
			require.True(t, strings.HasSuffix(answer, fmt.Sprintf("play A%d\n", n+2)), answer)
			want += fmt.Sprintf(" bA%d wQ17 bA%d", n, n+2)
		}
		close(stop)
		wild.Wait()
		require.Equal(t, "= "+want+"\n", g.ask("position"))
		require.Equal(t, "=\n", g.ask("quit"))
		require.NoError(t, <-g.done)
		t.Logf("%d connections were broken (host started anew: %v), %d moves", cuts.Load(), restarts, strings.Count(want, " "))
	}
}

// TestEndsWithoutAServer: a client that cannot connect ends when its input ends, with an error if
// a request has no answer. Until then the client logs warnings.
func TestEndsWithoutAServer(t *testing.T) { synctest.Test(t, endsWithoutAServer) }

func endsWithoutAServer(t *testing.T) {
	refused := errors.New("connection refused")
	for _, test := range []struct {
		kind, input string
		want        error
	}{
		{GTP, "", nil},
		{GTP, "genmove b\n", ErrUnreachable},
		{Analysis, "", nil},
		{Analysis, "{\"id\":\"q\",\"analyzeTurns\":[0]}\n", ErrUnreachable},
		{Analysis, "no query\n", ErrUnreachable},
	} {
		conf := ClientConfig{Kind: test.kind, Dial: func(context.Context) (net.Conn, error) { return nil, refused }}
		err := Run(t.Context(), conf, strings.NewReader(test.input), io.Discard)
		require.ErrorIs(t, err, test.want, "%s %q", test.kind, test.input)
		if test.want != nil {
			require.ErrorIs(t, err, refused)
		}
	}

	var log strings.Builder
	in, to := io.Pipe()
	tries := 0
	conf := ClientConfig{Kind: GTP, Log: slog.New(slog.NewTextHandler(&log, nil)), Dial: func(context.Context) (net.Conn, error) {
		if tries++; tries == triesWarned+triesAgain+1 {
			to.Close()
		}
		return nil, refused
	}}
	require.NoError(t, Run(t.Context(), conf, in, io.Discard))
	require.Equal(t, 2, strings.Count(log.String(), "cannot be reached"), log.String())
}

// TestServerGoneAtTheEnd: if the server is gone for good when the input ends, an unanswered
// request is an error.
func TestServerGoneAtTheEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	g := p.gui(t, "token of bob", GTP)
	require.Equal(t, "= \n", g.ask("komi 1"))
	p.mu.Lock()
	p.addr = "127.0.0.1:1"
	p.mu.Unlock()
	p.cut()
	_, err := io.WriteString(g.to, "genmove b\n")
	require.NoError(t, err)
	require.NoError(t, g.to.Close())
	require.ErrorIs(t, <-g.done, ErrUnreachable)
}

// TestAnalysesOutliveConnections asks for many positions: each is answered once.
func TestAnalysesOutliveConnections(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	g := p.gui(t, "token of bob", Analysis)
	const queries, turns = 40, 5
	go func() {
		for i := range queries {
			fmt.Fprintf(g.to, "{\"id\":\"q%d\",\"analyzeTurns\":[0,1,2,3,4]}\n", i)
		}
	}()
	got := map[string]int{}
	for n := range queries * turns {
		line, err := g.from.ReadString('\n')
		require.NoError(t, err)
		got[line]++
		switch n % 40 {
		case 10, 20:
			p.cut()
		case 30:
			p.end()
			p.start()
		}
	}
	require.Len(t, got, queries*turns)
	require.NoError(t, g.to.Close())
}

func TestHostRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	stranger := p.gui(t, "wrong", GTP)
	require.ErrorIs(t, <-stranger.done, ErrRefused)
	odd := p.gui(t, "token of ann", "chess")
	require.ErrorIs(t, <-odd.done, ErrRefused)
	a, b := p.gui(t, "token of ann", GTP), p.gui(t, "token of ann", GTP)
	a.ask("komi 1")
	b.ask("komi 1")
	require.Equal(t, map[string]int{"ann": 2}, p.host.Seats())
	c := p.gui(t, "token of ann", GTP) // waits until a seat is free
	bob := p.gui(t, "token of bob", GTP)
	bob.ask("komi 1")
	a.ask("quit")
	require.NoError(t, <-a.done)
	require.Equal(t, "= \n", c.ask("komi 2"))
	for _, junk := range []string{"", "x", "{}\n", "null\n", strings.Repeat("y", 100_000), "GET / HTTP/1.1\r\n\r\n",
		"{\"token\":\"token of bob\",\"kind\":\"gtp\",\"received\":77}\n", "{\"token\":\"token of bob\",\"kind\":\"gtp\"}\nD\xff\xff\xff\xff", "{\"token\":\"token of bob\",\"kind\":\"gtp\"}\nA\xff\xff\xff\xff\xff\xff\xff\xffZ"} {
		conn, err := p.dial(t.Context())
		require.NoError(t, err)
		conn.Write([]byte(junk))
		conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		io.Copy(io.Discard, conn)
		conn.Close()
	}
	require.Equal(t, "= 1 \n", bob.ask("position"))
}

// TestUsersWithoutANumber: a user with 0 Seats gets at most half of the host's seats, and loses a
// seat after a minute without a connection; other users get their own number of Seats.
func TestUsersWithoutANumber(t *testing.T) {
	h := NewHost(HostConfig{Users: []User{{"ann", "token of ann", 5}, {"bob", "token of bob", 0}}, Sit: func(ctx context.Context, _, _ string, _ io.Reader, _ io.Writer) error {
		<-ctx.Done()
		return nil
	}, Seats: 9})
	ctx, stop := context.WithCancel(t.Context())
	defer h.work.Wait()
	defer func() {
		stop()
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, s := range h.seats {
			s.stream.close()
		}
	}()
	for user, want := range map[string]int{"bob": 4, "ann": 5} {
		for n := range 9 {
			s, err := h.find(ctx, &greeting{Token: "token of " + user, Kind: GTP, Session: fmt.Sprint(n)})
			if n >= want {
				require.ErrorIs(t, err, errFull)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, map[string]time.Duration{"bob": time.Minute, "ann": 30 * time.Minute}[user], s.keep)
		}
	}
	require.Equal(t, map[string]int{"ann": 5, "bob": 4}, h.Seats())
	_, err := h.find(ctx, &greeting{Token: "token of bob", Kind: GTP, Session: "1"})
	require.NoError(t, err, "his own seat is there")
}

// TestSeatsEnd: seats of users who do not return are freed.
func TestSeatsEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.end()
	p.conf.Keep = 30 * time.Millisecond
	p.start()
	conn, err := p.dial(t.Context())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "{\"token\":\"token of bob\",\"kind\":\"gtp\"}\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(p.host.Seats()) == 1 }, time.Minute, time.Millisecond)
	conn.Close()
	require.Eventually(t, func() bool { return len(p.host.Seats()) == 0 }, time.Minute, time.Millisecond)
}

// lateEnd is a connection that sends the end of an output late.
type lateEnd struct{ net.Conn }

func (c lateEnd) Write(p []byte) (int, error) {
	if p[len(p)-1] == frameEnd {
		time.Sleep(time.Second)
	}
	return c.Conn.Write(p)
}

// TestOneEngineUntilItEnds: a client whose engine has ended does not ask for a new engine, even if
// it learns of the end late and the user reads late.
func TestOneEngineUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var engines atomic.Int32
		h := NewHost(HostConfig{Users: []User{{"ann", "token", 2}}, Sit: func(ctx context.Context, user, kind string, in io.Reader, out io.Writer) error {
			engines.Add(1)
			return fakeEngine(ctx, user, kind, in, out)
		}})
		dial := func(context.Context) (net.Conn, error) {
			here, there := net.Pipe()
			go h.greet(t.Context(), lateEnd{there})
			return here, nil
		}
		from, out := io.Pipe()
		go func() {
			out.CloseWithError(Run(t.Context(), ClientConfig{Dial: dial, Token: "token", Kind: GTP}, strings.NewReader("quit\n"), out))
		}()
		time.Sleep(2 * time.Second)
		require.EqualValues(t, 1, engines.Load())
		_, err := io.Copy(io.Discard, from)
		require.NoError(t, err)
	})
}

// TestNoSeatAtTheEnd: a client that connects while the host shuts down gets no seat, since
// nothing would free it.
func TestNoSeatAtTheEnd(t *testing.T) {
	h := NewHost(HostConfig{Users: []User{{"ann", "token of ann", 0}}, Sit: fakeEngine})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := h.find(ctx, &greeting{Token: "token of ann", Kind: GTP, Session: "s"})
	require.ErrorIs(t, err, errEnding)
	require.Empty(t, h.Seats())
}

// TestReadUsers: an error names the number of a bad line and never repeats the line, which may
// hold a token.
func TestReadUsers(t *testing.T) {
	token := strings.Repeat("s3cret", 3)
	users, err := ReadUsers(strings.NewReader("\ufeffann " + token + " 2 # two\n\nbob x" + token))
	require.NoError(t, err)
	require.Equal(t, []User{{"ann", token, 2}, {"bob", "x" + token, 0}}, users)
	for _, line := range []string{"ann", "ann short", "ann " + token + " " + token, "ann " + token + " 3x", "ann " + token + " 1e3", "ann " + token + " 0", "ann " + token + " -1", "ann " + token + " 1 " + token, token} {
		_, err := ReadUsers(strings.NewReader("# users\n" + line))
		require.ErrorContains(t, err, "line 2", line)
		require.NotContains(t, err.Error(), "s3cret")
	}
}
