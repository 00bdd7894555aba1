package remote

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"time"
)

// ErrRefused reports that the host refuses this client.
var ErrRefused = errors.New("the server refuses the connection")

// ErrUnreachable reports that the input ended while no connection could be made.
var ErrUnreachable = errors.New("the engine cannot be reached")

// Numbers of failed tries to connect, in a row.
const (
	triesWarned = 3 // number of failures before the first warning; another follows every triesAgain failures
	triesAgain  = 6
	triesLast   = 6 // number of attempts after the end of the input
)

// ClientConfig describes an engine to connect to. Dial, Token and Kind are required.
type ClientConfig struct {
	Dial  func(ctx context.Context) (net.Conn, error)
	Token string
	Kind  string
	Log   *slog.Logger
}

// talk records a conversation, so that it can be resumed with a new engine.
type talk interface {
	// sent records a line to the engine.
	sent(line []byte)
	// came records a line of the engine and returns the part that the user gets.
	came(line []byte) []byte
	// again returns the lines that restore the old engine's state in a new one, with the
	// unanswered requests.
	again() []byte
	// waits reports whether a request is unanswered.
	waits() bool
}

// Run passes lines between the user and a remote engine until either side ends.
// Broken connections are made again; if the engine itself is gone, a new one is brought to the
// same position. If no connection can be made, Run returns soon after the end of the input,
// with [ErrUnreachable] if a request has no answer.
func Run(ctx context.Context, c ClientConfig, in io.Reader, out io.Writer) error {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &client{conf: c, out: out, stream: clientStream(), over: make(chan struct{}), session: rand.Text()}
	r.talk = &analysisTalk{open: map[string]*query{}}
	if c.Kind == GTP {
		r.talk = new(gtpTalk)
	}
	go func() { cancel(r.connect(ctx)) }()
	go r.read(in)
	stop := context.AfterFunc(ctx, func() { r.current().close() })
	defer stop()
	err := r.write()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r *client) connect(ctx context.Context) error {
	over := r.over
	for n := 1; ctx.Err() == nil; n++ {
		connected, err := r.once(ctx)
		if errors.Is(err, ErrRefused) {
			return err
		}
		if connected {
			n = 0
		}
		r.conf.Log.Debug("not connected", "error", err)
		waits, ended, engineEnded := r.state()
		if engineEnded || n > 0 && ended && !waits {
			return nil
		} else if ended && n >= triesLast {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		if n%triesAgain == triesWarned {
			r.conf.Log.Warn("the engine cannot be reached: is engine serve running there? The program tries again", "error", err)
		}
		if n > 1 {
			d := min(10*time.Second, 20*time.Millisecond<<min(n, 9))
			select {
			case <-time.After(d/2 + mathrand.N(d/2)):
			case <-over:
				over = nil // the end of the input shortens only one pause
			case <-ctx.Done():
			}
		}
	}
	return ctx.Err()
}

// once makes one connection and uses it while it lasts.
func (r *client) once(ctx context.Context) (connected bool, err error) {
	conn, err := r.conf.Dial(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	s := r.current()
	text, err := json.Marshal(greeting{Token: r.conf.Token, Kind: r.conf.Kind, Session: r.session, Received: s.position()})
	if err != nil {
		return false, err
	}
	if _, err := conn.Write(append(text, '\n')); err != nil {
		return false, err
	}
	br := bufio.NewReaderSize(conn, maxFrame)
	line, err := br.ReadSlice('\n')
	if err != nil {
		return false, err
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return false, err
	}
	if a.Error != "" && !a.Later {
		return false, fmt.Errorf("%w: %s", ErrRefused, a.Error)
	}
	if a.Error != "" {
		return false, errors.New(a.Error)
	}
	if r.seat != "" && r.seat != a.Seat {
		r.conf.Log.Warn("the engine was lost; another one takes up the game")
		s = r.restart()
	}
	r.seat = a.Seat
	conn.SetDeadline(time.Time{})
	return true, s.carry(conn, br, a.Received)
}
