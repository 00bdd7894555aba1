package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kosumi/nn"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// Host is the loop that a server works for.
type Host interface {
	// File writes games into the loop's folder, synced.
	File(w loop.Work, games []*selfplay.Finished) ([]error, error)
	// Wanted is how many rows of games may come in now; where there are none, no
	// games are handed out.
	Wanted() int64
}

// bounded is a host of which no more than so many games may be played: Left counts those
// to come, the numbers that workers hold included; unbounded: there is no such end.
type bounded interface {
	Left() (games int64, unbounded bool)
}

// ServerConfig says how a server works. Dir, Host and Open are needed.
type ServerConfig struct {
	Dir  string // for the book and the list of workers set aside
	Host Host
	// Open opens a network to ask again; what it returns is closed by close.
	Open func(path string) (e nn.Evaluator, close func(), err error)
	// Known are the games that lie in the loop's folder.
	Known []selfplay.Filed
	// Linger is how long a game may wait for others to share its file; 0 means 5 s.
	Linger time.Duration
	// Local plays on this machine while the loop waits for games; nil: nobody.
	Local func(ctx context.Context) error
	// MaxWorkers bounds those that are known at a time; 0 means 16384.
	MaxWorkers int
	Version    string
	Log        *slog.Logger
	Now        func() time.Time // nil: time.Now
}

// Server hands out a loop's work and takes in what was played. It is a
// loop.Exchange.
type Server struct {
	conf    ServerConfig
	conn    *nats.Conn
	subs    []*nats.Subscription
	began   time.Time
	jobs    chan *job
	checked chan *job
	filing  sync.WaitGroup
	tally   tally

	mu      sync.Mutex
	book    *book
	net     []byte // file of the present network
	netSHA  string
	members map[string]*member
	aside   map[string]string // why, by worker
	trusted map[string]string // when, by worker: those whose first games were found right
	judges  []*judge          // newest last
	desk    *desk
	vouched string // a worker of this machine
	spent   spent
}

const (
	queueLength = 4096
	fileGames   = 64 // in one file, at most
)

// NewServer reads the book. Serve starts it.
func NewServer(c ServerConfig) (*Server, error) {
	if c.Linger == 0 {
		c.Linger = 5 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxWorkers == 0 {
		c.MaxWorkers = 16384
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	b, err := openBook(c.Dir, c.Known, c.Now())
	if err != nil {
		return nil, err
	}
	s := &Server{conf: c, book: b, began: time.Now(), members: map[string]*member{},
		desk: newDesk(),
		jobs: make(chan *job, queueLength), checked: make(chan *job, queueLength)}
	if s.aside, err = loadList(filepath.Join(c.Dir, asideFile)); err != nil {
		return nil, err
	}
	if s.trusted, err = loadList(filepath.Join(c.Dir, trustedFile)); err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers requests that come over a connection, until Close.
func (s *Server) Serve(conn *nats.Conn) error {
	s.conn = conn
	for subject, handle := range map[string]func(m *nats.Msg){
		subjectHello: s.hello, subjectLease: s.lease, subjectExam: s.exam, subjectNet: s.piece, subjectStatus: s.status,
		subjectGame: s.game, subjectBeat: s.beat, subjectRelease: s.release,
		subjectPut: s.put, subjectTake: s.take, subjectDone: s.done, subjectDrop: s.dropTasks,
	} {
		sub, err := conn.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		if err := sub.SetPendingLimits(1<<17, 1<<29); err != nil {
			return err
		}
		s.subs = append(s.subs, sub)
	}
	var checkers sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		checkers.Go(s.check)
	}
	s.filing.Go(s.file)
	s.filing.Go(func() {
		checkers.Wait()
		close(s.checked)
	})
	return conn.Flush()
}

// Close takes no more, files what has been checked and answers for it.
func (s *Server) Close() error {
	var errs []error
	for _, sub := range s.subs {
		errs = append(errs, sub.Unsubscribe())
	}
	s.mu.Lock()
	jobs := s.jobs
	s.jobs = nil
	s.mu.Unlock()
	if jobs != nil {
		close(jobs)
		if s.conn != nil {
			s.filing.Wait()
			errs = append(errs, s.conn.FlushTimeout(2*time.Second))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.judges {
		j.close()
	}
	s.judges = nil
	return errors.Join(errs...)
}

// Offer implements loop.Exchange.
func (s *Server) Offer(w loop.Work) error {
	o := Offer{Network: w.Network, SHA256: w.SHA256, Seed: w.Seed, Recipe: w.Recipe}
	if w.SHA256 != "" && w.SHA256 != s.netSHA {
		data, err := os.ReadFile(w.Path)
		if err != nil {
			return err
		}
		j := &judge{sha256: w.SHA256}
		if j.eval, j.close, err = s.conf.Open(w.Path); err != nil {
			return fmt.Errorf("opening %s to check games with: %w", w.Path, err)
		}
		s.mu.Lock()
		s.net, s.netSHA = data, w.SHA256
		s.judges = append(s.judges, j)
		var old *judge
		if len(s.judges) > 3 {
			old, s.judges = s.judges[0], s.judges[1:]
		}
		s.mu.Unlock()
		if old != nil {
			old.retire()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Bytes = int64(len(s.net))
	if w.SHA256 == "" {
		o.Bytes = 0
	} else {
		o.File = filepath.Base(w.Path)
	}
	before := s.book.present()
	now, err := s.book.offer(o, w.Closed)
	if err == nil && (before == nil || before.ID != now.ID) {
		s.conf.Log.Info("offer", "network", w.Network, "offer", now.ID)
	}
	return err
}

// Play implements loop.Exchange.
func (s *Server) Play(ctx context.Context) error {
	if s.conf.Local == nil {
		<-ctx.Done()
		return nil
	}
	return s.conf.Local(ctx)
}

func reply(m *nats.Msg, v any) {
	if m.Reply != "" {
		m.Respond(pack(v)) // whoever asked asks again
	}
}

// read unpacks a request of a worker and finds the worker.
func read[T any](s *Server, m *nats.Msg, worker func(*T) string) (*T, *member, bool) {
	v := new(T)
	if err := unpack(m.Data, v); err != nil {
		reply(m, receipt{rejected, err.Error()})
		return nil, nil, false
	}
	w := s.members[worker(v)]
	if w != nil {
		w.seen = s.conf.Now()
	}
	return v, w, true
}

func (s *Server) hello(m *nats.Msg) {
	var c Card
	if err := unpack(m.Data, &c); err != nil {
		reply(m, welcome{Refused: err.Error()})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := welcome{Run: s.book.disk.Run, Protocol: min(c.Protocol[1], Protocol)}
	reason, banned := s.aside[c.ID]
	switch {
	case w.Protocol < max(c.Protocol[0], ProtocolMin):
		w.Refused = fmt.Sprintf("the server speaks protocol %d to %d, the worker %d to %d; update the older of the two", ProtocolMin, Protocol, c.Protocol[0], c.Protocol[1])
	case !inboxName.MatchString(c.ID):
		w.Refused = "a worker's id is 32 hex digits"
	case banned:
		w.Refused = "set aside: " + reason
	case s.members[c.ID] == nil && len(s.members) >= s.conf.MaxWorkers && !s.dropIdle():
		w.Refused, w.WaitMS = fmt.Sprintf("%d workers are at work, no more are taken", len(s.members)), 60_000
	}
	if w.Refused == "" {
		if s.members[c.ID] == nil {
			s.members[c.ID] = &member{passed: map[string]bool{}, vouched: c.ID == s.vouched, beaten: s.conf.Now()}
			if s.trusted[c.ID] != "" {
				s.members[c.ID].good.Store(probation)
			}
			s.conf.Log.Info("worker joins", "worker", c.ID[:8], "name", c.Name, "processor", c.Processor, "provider", c.Provider, "precision", c.Precision)
		}
		s.members[c.ID].card, s.members[c.ID].seen = c, s.conf.Now()
	}
	reply(m, w)
}

// dropIdle forgets the workers that were not heard of for long.
func (s *Server) dropIdle() bool {
	n := len(s.members)
	for id, w := range s.members {
		if s.conf.Now().Sub(w.seen) > 10*time.Minute {
			delete(s.members, id)
		}
	}
	return len(s.members) < n
}

func (s *Server) lease(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, w, ok := read(s, m, func(r *request) string { return r.Worker })
	if !ok {
		return
	}
	if w == nil {
		reply(m, lease{Hello: true, Refused: s.aside[r.Worker]})
		return
	}
	o, now := s.book.present(), s.conf.Now()
	if o == nil {
		reply(m, lease{WaitMS: 1000})
		return
	}
	s.book.renew(r.Worker, r.Held, now)
	l := lease{Offer: o}
	want := min(r.Want, maxLease, 4*maxLease-len(r.Held))
	switch {
	case o.SHA256 != "" && !w.passed[o.SHA256]:
		l.Exam = true
	case want <= 0:
		l.WaitMS = 1000
	case s.conf.Host.Wanted() <= 0:
		l.WaitMS = 2000
	default:
		var err error
		if l.Numbers, err = s.book.take(r.Worker, s.room(want, now), now); err != nil {
			s.conf.Log.Error("no numbers can be reserved", "error", err)
			l.WaitMS = 5000
		} else if len(l.Numbers) == 0 { // others have them
			l.WaitMS = 1000
		}
	}
	reply(m, l)
}

// room is how many of the games that a worker wants the host has left.
func (s *Server) room(want int, now time.Time) int {
	h, ok := s.conf.Host.(bounded)
	if !ok {
		return want
	}
	left, unbounded := h.Left()
	s.book.exact = !unbounded
	if unbounded {
		return want
	}
	s.book.expire(now)
	return max(0, min(want, int(left)-len(s.book.out)))
}

func (s *Server) beat(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, w, ok := read(s, m, func(b *beat) string { return b.Worker }); ok && w != nil {
		now := s.conf.Now()
		s.spent.add(w, b, max(0, now.Sub(w.beaten)))
		w.beaten = now
		w.last = *b
		w.last.Held = nil
		s.book.renew(b.Worker, b.Held, s.conf.Now())
	}
}

func (s *Server) release(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, w, ok := read(s, m, func(b *beat) string { return b.Worker }); ok && w != nil {
		s.book.release(b.Worker, b.Held)
	}
}

// piece sends a part of the present network.
func (s *Server) piece(m *nats.Msg) {
	var r wanted
	if err := unpack(m.Data, &r); err != nil {
		return
	}
	s.mu.Lock()
	data, sha, source := s.net, s.netSHA, ""
	if r.SHA256 != sha {
		source = s.source(r.SHA256)
	}
	s.mu.Unlock()
	if source != "" { // the client that has it answers
		s.conn.PublishMsg(&nats.Msg{Subject: filesOf(source), Reply: m.Reply, Data: m.Data})
		return
	}
	if r.SHA256 != sha || r.Offset < 0 || r.Offset >= int64(len(data)) {
		m.Respond(nil)
		return
	}
	m.Respond(data[r.Offset:min(int64(len(data)), r.Offset+piece)])
}

// Vouch has a worker trusted from the start: one of the server's own machine.
func (s *Server) Vouch(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vouched = worker
}
