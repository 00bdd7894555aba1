package remote

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"
)

// Kinds of seats.
const (
	GTP      = "gtp"
	Analysis = "analysis"
)

// User may use engines of the host.
type User struct {
	Name  string
	Token string
	Seats int // limit on seats held at once; 0: half of HostConfig.Seats, each lost after shortKeep without a connection
}

// HostConfig holds the settings of a host. Users and Sit are needed.
type HostConfig struct {
	Users []User
	// Sit serves one seat of a user until its input ends.
	Sit func(ctx context.Context, user, kind string, in io.Reader, out io.Writer) error
	// Keep is how long a seat is kept for a disconnected user; 0 means 30 minutes.
	Keep time.Duration
	// Seats bounds the seats of all users together; 0 means 64.
	Seats int
	Log   *slog.Logger
}

// Host offers seats, which are engines, to clients.
type Host struct {
	conf  HostConfig
	mu    sync.Mutex
	seats map[seatKey]*seat
	work  sync.WaitGroup
}

// seatKey identifies a seat.
type seatKey struct{ user, kind, session string }

// seat is an engine in use by a client, connected or not.
type seat struct {
	id, user, kind string
	keep           time.Duration // how long the seat outlives its connection
	stream         *stream
	stop           context.CancelFunc
}

// shortKeep is how long the engine of a disconnected user is kept if the user's Seats is 0.
const shortKeep = time.Minute

// greeting is the first line of a client, answer the first line of the host; both are JSON.
type greeting struct {
	Token    string `json:"token"`
	Kind     string `json:"kind"`
	Session  string `json:"session"` // drawn by the client
	Received uint64 `json:"received"`
}

type answer struct {
	Seat     string `json:"seat"` // random id of the seat; a changed id means a new engine
	Received uint64 `json:"received"`
	Error    string `json:"error,omitempty"`
	Later    bool   `json:"later,omitempty"` // the client may try again
}

func NewHost(c HostConfig) *Host {
	c.Keep = cmp.Or(c.Keep, 30*time.Minute)
	c.Seats = cmp.Or(c.Seats, 64)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &Host{conf: c, seats: map[seatKey]*seat{}}
}

// Serve takes connections until the context ends, which is no error.
func (h *Host) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer h.work.Wait()
	h.work.Go(func() { h.sweep(ctx) })
	for n := 0; ; {
		conn, err := l.Accept()
		switch {
		case err == nil:
			n = 0
			go h.greet(ctx, conn)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // go on after an error such as too many open files: it does not affect clients with a seat
			if n++; n == 1 {
				h.conf.Log.Warn("a connection cannot be taken", "error", err)
			}
			select {
			case <-time.After(min(time.Second, 5*time.Millisecond<<min(n, 8))):
			case <-ctx.Done():
			}
		}
	}
}

// Seats counts the seats in use, by user.
func (h *Host) Seats() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := map[string]int{}
	for _, s := range h.seats {
		n[s.user]++
	}
	return n
}

// sweep ends seats whose users stay away too long.
func (h *Host) sweep(ctx context.Context) {
	tick := time.NewTicker(min(h.conf.Keep/4+1, shortKeep/6))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		h.mu.Lock()
		for _, s := range h.seats {
			if ctx.Err() != nil || s.stream.idle() > s.keep {
				s.stop()
				s.stream.close()
			}
		}
		h.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
	}
}

// greet identifies a client, finds or makes the client's seat, and connects it to the seat's stream.
func (h *Host) greet(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	r := bufio.NewReaderSize(conn, maxFrame)
	var g greeting
	line, err := r.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &g)
	}
	if err != nil {
		return
	}
	s, err := h.find(ctx, &g)
	var a answer
	if err != nil {
		a.Error = err.Error()
		a.Later = errors.Is(err, errFull) || errors.Is(err, errEnding)
	} else {
		a.Seat, a.Received = s.id, s.stream.position()
	}
	text, _ := json.Marshal(a)
	if _, werr := conn.Write(append(text, '\n')); werr != nil || err != nil {
		return
	}
	conn.SetDeadline(time.Time{})
	if err := s.stream.carry(conn, r, g.Received); err != nil {
		h.conf.Log.Debug("a connection ends", "user", s.user, "seat", s.id[:8], "error", err)
	}
}

var (
	errFull   = errors.New("all seats are taken")
	errEnding = errors.New("the host is ending")
)

// find returns the seat of a greeting's session, or a new one.
func (h *Host) find(ctx context.Context, g *greeting) (*seat, error) {
	user := h.user(g.Token)
	if user == nil {
		return nil, errors.New("this token is not known here")
	}
	if g.Kind != GTP && g.Kind != Analysis {
		return nil, fmt.Errorf("there are no seats of kind %q", g.Kind)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil { // sweep may have run for the last time and would not end a new seat
		return nil, errEnding
	}
	key := seatKey{user.Name, g.Kind, g.Session}
	if s := h.seats[key]; s != nil {
		return s, nil
	}
	own := 0
	for _, s := range h.seats {
		if s.user == user.Name {
			own++
		}
	}
	most, keep := user.Seats, h.conf.Keep
	if most == 0 {
		most, keep = max(1, h.conf.Seats/2), min(keep, shortKeep)
	}
	if len(h.seats) >= h.conf.Seats || own >= most {
		return nil, errFull
	}
	ctx, stop := context.WithCancel(ctx)
	s := &seat{id: rand.Text(), user: user.Name, kind: g.Kind, keep: keep, stream: newStream(), stop: stop}
	h.seats[key] = s
	h.conf.Log.Info("a seat is taken", "user", s.user, "kind", s.kind, "seat", s.id[:8])
	h.work.Go(func() {
		defer stop()
		err := h.conf.Sit(ctx, s.user, s.kind, s.stream, s.stream)
		if err != nil && ctx.Err() == nil && !errors.Is(err, errClosed) {
			h.conf.Log.Warn("a seat fails", "user", s.user, "error", err)
		}
		s.stream.end()
		s.stream.drained(5 * time.Second)
		h.mu.Lock()
		delete(h.seats, key)
		h.mu.Unlock()
		s.stream.close()
		h.conf.Log.Info("a seat is free", "user", s.user, "seat", s.id[:8])
	})
	return s, nil
}

// user finds the user of a token. Hashes are compared, so that timing reveals nothing.
func (h *Host) user(token string) *User {
	want := sha256.Sum256([]byte(token))
	var found *User
	for i := range h.conf.Users {
		have := sha256.Sum256([]byte(h.conf.Users[i].Token))
		if subtle.ConstantTimeCompare(have[:], want[:]) == 1 {
			found = &h.conf.Users[i]
		}
	}
	return found
}
