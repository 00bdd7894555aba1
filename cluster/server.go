package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kosumi/nn"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// Host is the loop that a server works for.
type Host interface {
	// File writes games into the loop's folder and syncs them.
	File(w loop.Work, games []*selfplay.Finished) ([]error, error)
	// Wanted is how many rows of games are still wanted; at 0 no numbers are leased.
	Wanted() int64
	// Left is how many games are still to be stored, leased ones included. unbounded is true if
	// the loop wants no fixed number of games.
	Left() (games int64, unbounded bool)
}

// ServerConfig holds the settings of a server. Dir, Host and Open are needed.
type ServerConfig struct {
	Dir  string // folder for leases and the list of banned workers
	Host Host
	// Open opens a network to check games with, and returns the function that closes it.
	Open func(path string) (e nn.Evaluator, close func(), err error)
	// Known lists the games already in the loop's folder.
	Known []selfplay.Filed
	// Linger is how long a game may wait for others to share its file; 0 means 5 s.
	Linger time.Duration
	// Local plays on this machine while the loop waits for games; may be nil.
	Local   func(ctx context.Context) error
	Version string
	Log     *slog.Logger
	Now     func() time.Time // nil: time.Now
}

// Server leases a loop's games to workers and takes in the played ones. It is a loop.Exchange.
type Server struct {
	conf    ServerConfig
	conn    *Conn
	sub     *nats.Subscription
	began   time.Time
	calls   *queue // all calls except uploads of games
	games   *queue
	checked chan *job
	filing  sync.WaitGroup
	serving sync.WaitGroup
	ctx     context.Context // ends with Close
	end     context.CancelFunc
	tally   tally
	shown   shown

	judges judges

	mu     sync.Mutex
	leases *leases
	roster *roster
	most   int // limit on known workers
	gate   gate
	spent  Spending
}

const (
	fileGames  = 64   // maximum number of games in one file
	crowded    = 512  // number of queued games above which only one game in eight is checked
	servers    = 4    // number of goroutines that answer requests
	fullBanned = 4096 // banned workers that are remembered
)

// NewServer reads leases and roster. Serve starts the server.
func NewServer(c ServerConfig) (*Server, error) {
	c.Linger = cmp.Or(c.Linger, 5*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	b, err := openLeases(c.Dir, c.Known, c.Now())
	if err != nil {
		return nil, err
	}
	r, err := openRoster(c.Dir, c.Log, c.Now)
	if err != nil {
		return nil, err
	}
	s := &Server{conf: c, leases: b, roster: r, most: maxConnections, judges: judges{open: c.Open}, began: time.Now(),
		calls: newQueue(1), games: newQueue(0), checked: make(chan *job, 4096)}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Serve answers requests that come over a connection, until Close.
func (s *Server) Serve(conn *Conn) error {
	s.conn = conn
	var err error
	if s.sub, err = conn.nats.Subscribe(subjectOf("*", "*"), s.receive); err != nil {
		return err
	}
	if err := s.sub.SetPendingLimits(1<<17, 1<<29); err != nil {
		return err
	}
	for range servers {
		s.serving.Go(s.answerCalls)
	}
	s.serving.Go(s.tend)
	var checkers sync.WaitGroup
	for range max(2, nn.Cores()) {
		checkers.Go(s.check)
	}
	s.filing.Go(s.file)
	s.filing.Go(func() {
		checkers.Wait()
		close(s.checked)
	})
	return conn.nats.Flush()
}

func (s *Server) receive(m *nats.Msg) {
	c, ok := readCall(m)
	if !ok {
		return
	}
	q := s.calls
	if c.verb == verbGame {
		q = s.games
	}
	for _, c := range q.push(c) {
		if c.verb == verbGame { // other requests time out at the client, which repeats them
			busy := receipt{later, "the server is busy"}
			s.tally.count(c.who, busy)
			s.conn.reply(c.reply, busy)
		}
	}
}

// answerCalls serves requests until the queue is closed and empty.
func (s *Server) answerCalls() {
	verbs := map[string]func(*call){
		verbHello: s.hello, verbLease: s.lease, verbExam: s.exam, verbNet: s.piece, verbStatus: s.status, verbBeat: s.beat, verbRelease: s.release,
		verbGate: s.handGames, verbOutcome: s.takeOutcome,
	}
	for c := s.calls.pop(); c != nil; c = s.calls.pop() {
		if serve := verbs[c.verb]; serve != nil {
			serve(c)
		}
		s.calls.done(c)
	}
}

// tend ends gating games that no worker can play, and saves the list of banned workers, once a second.
func (s *Server) tend() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		s.gate.tend(s.roster, s.conf.Now())
		s.roster.saveBanned()
		s.mu.Unlock()
	}
}

// Close refuses further requests, checks and files the games that wait, and answers their uploads.
func (s *Server) Close() error {
	var errs []error
	if s.conn != nil {
		errs = append(errs, s.sub.Unsubscribe())
		s.calls.close()
		s.games.close()
		s.end()
		s.serving.Wait()
		s.filing.Wait()
		errs = append(errs, s.conn.nats.FlushTimeout(2*time.Second))
	}
	s.judges.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roster.saveBanned()
	return errors.Join(errs...)
}

func (s *Server) Offer(w loop.Work) error {
	o := Offer{Network: w.Network, Seed: w.Seed, Recipe: w.Recipe}
	if w.SHA256 != "" {
		f, err := s.judges.offer(w.Path, w.Recipe.Boards)
		if err != nil {
			return err
		}
		o.File, o.SHA256, o.Bytes = f.Name, f.SHA256, f.Bytes
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.leases.present()
	now, err := s.leases.offer(o, w.Closed)
	if err == nil && (before == nil || before.ID != now.ID) {
		s.conf.Log.Info("offer", "network", w.Network, "offer", now.ID)
	}
	return err
}

func (s *Server) Play(ctx context.Context) error {
	if s.conf.Local == nil {
		<-ctx.Done()
		return nil
	}
	return s.conf.Local(ctx)
}

// ban refuses further games of a worker.
func (s *Server) ban(worker string, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roster.ban(worker, why.Error())
}

func (s *Server) hello(c *call) {
	var card Card
	if err := unpack(c.data, &card); err != nil {
		s.conn.reply(c.reply, welcome{Refused: err.Error()})
		return
	}
	card.plain()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := welcome{Run: s.leases.disk.Run, Protocol: min(card.Protocol[1], Protocol)}
	r := s.roster
	reason, banned := r.banned[c.who]
	switch {
	case w.Protocol < max(card.Protocol[0], ProtocolMin):
		w.Refused = fmt.Sprintf("the server speaks protocol %d to %d, the worker %d to %d; update the older of the two", ProtocolMin, Protocol, card.Protocol[0], card.Protocol[1])
	case banned:
		w.Refused = "set aside: " + reason
	case r.members[c.who] == nil && len(r.members) >= s.most && !r.dropIdle():
		w.Refused, w.WaitMS = fmt.Sprintf("%d workers are at work, no more are taken", len(r.members)), 60_000
	default:
		r.join(c.who, card)
	}
	s.conn.reply(c.reply, w)
}

func (s *Server) lease(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, w := read[leaseRequest](s, c, leaseReply{Hello: true, Refused: s.roster.banned[c.who]})
	if w == nil {
		return
	}
	o, now := s.leases.present(), s.conf.Now()
	if o == nil {
		s.conn.reply(c.reply, leaseReply{WaitMS: 1000})
		return
	}
	s.leases.renew(c.who, r.Held, now)
	l := leaseReply{Offer: o}
	want := min(r.Want, maxLease, s.leases.room(c.who, w.games.Stored > 0))
	switch {
	case o.SHA256 != "" && !w.passed[o.SHA256]:
		l.Exam = s.judges.exam(o.SHA256)
	case want <= 0:
		l.WaitMS = 1000
	case s.conf.Host.Wanted() <= 0:
		l.WaitMS = 2000
	default:
		var err error
		if l.Numbers, err = s.leases.grant(c.who, s.room(want, now), now); err != nil {
			s.conf.Log.Error("no numbers can be reserved", "error", err)
			l.WaitMS = 5000
		} else if len(l.Numbers) == 0 { // other workers hold all remaining numbers
			l.WaitMS = 1000
		}
	}
	s.conn.reply(c.reply, l)
}

// room returns how many numbers a worker may get: want, or fewer if the host needs fewer games.
func (s *Server) room(want int, now time.Time) int {
	left, unbounded := s.conf.Host.Left()
	if s.leases.exact = !unbounded; unbounded {
		return want
	}
	s.leases.expire(now)
	return max(0, min(want, int(left)-len(s.leases.out)))
}

func (s *Server) beat(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, w := read[beat](s, c, receipt{later, needHello}); w != nil {
		now := s.conf.Now()
		s.spent.add(w, b, max(0, now.Sub(w.beaten)))
		w.beaten = now
		w.last = *b
		w.last.Held = nil
		s.leases.renew(c.who, b.Held, now)
	}
}

func (s *Server) release(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, w := read[beat](s, c, receipt{later, needHello}); w != nil {
		s.leases.release(c.who, b.Held)
	}
}

// piece sends a part of the file of a network in use.
func (s *Server) piece(c *call) {
	var r wanted
	if err := unpack(c.data, &r); err != nil || c.reply == "" {
		return
	}
	var data []byte
	if j := s.judges.of(r.SHA256); j != nil {
		var err error
		if data, err = readPiece(j.path, r.Offset); err != nil {
			s.conf.Log.Error("a network cannot be sent", "path", j.path, "error", err)
		}
		j.users.Done()
	}
	s.conn.nats.Publish(c.reply, data)
}
