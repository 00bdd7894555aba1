// Package hub runs what a training loop adds to a cluster: the broker (a NATS server inside the
// program, or a connection to the user's own), the server that hands out the loop's work, a worker
// on the same machine, status and metrics.
package hub

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kosumi/cluster"
	"kosumi/nn"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// Config holds the settings of a hub. Dir, Listen and OpenJudge are needed.
type Config struct {
	Dir string // folder of the cluster's files, DIR/cluster for a loop in DIR
	// Listen is HOST:PORT for the hub's own broker, or nats://HOST:PORT of a NATS cluster, which
	// may need Creds and CA.
	Listen, Creds, CA string
	Metrics           string // HOST:PORT for the live page and metrics over HTTP; "": none
	Card              cluster.Card
	// OpenJudge opens networks to check games with.
	OpenJudge func(path string) (nn.Evaluator, func(), error)
	// OpenModel opens networks for the worker of this machine; nil: no worker.
	OpenModel func(ctx context.Context, path string, o *cluster.Offer) (*cluster.Model, error)
	Log       *slog.Logger
}

// Hub is a [loop.Exchange] and plays a loop's matches. Make one with [New], then
// call Open for a loop.
type Hub struct {
	conf    Config
	address string
	key     cluster.Key // for a NATS cluster that the user runs
	server  *cluster.Server
	broker  *cluster.Broker
	conns   []*cluster.Conn
	web     *http.Server

	worker *cluster.Worker
	helps  helper
	done   chan struct{}
	notes  sync.WaitGroup
}

// New makes a hub, which begins to serve when Open is called.
func New(c Config) *Hub {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return &Hub{conf: c, done: make(chan struct{})}
}

// Config returns the configuration, to be completed before Open.
func (h *Hub) Config() *Config                { return &h.conf }
func (h *Hub) Offer(w loop.Work) error        { return h.server.Offer(w) }
func (h *Hub) Play(ctx context.Context) error { return h.server.Play(ctx) }

// Game implements loop.Matches: workers play the game, among them the worker of this machine, if any.
func (h *Hub) Game(ctx context.Context, g loop.GateGame, a, b string) (loop.GateOutcome, error) {
	if h.worker != nil {
		defer h.helps.begin(h.worker)()
	}
	return h.server.Game(ctx, g, a, b)
}

// Players implements loop.Exchange.
func (h *Hub) Players() map[string]int64 {
	games := map[string]int64{}
	st := h.server.Status()
	for i := range st.Workers {
		games[st.Workers[i].Name] += st.Workers[i].Stored
	}
	return games
}

// helper runs the worker of this machine while matches are played.
type helper struct {
	mu    sync.Mutex
	users int
	stop  context.CancelFunc
	work  sync.WaitGroup
}

func (h *helper) begin(w *cluster.Worker) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users++; h.users == 1 {
		ctx, stop := context.WithCancel(context.Background())
		h.stop = stop
		h.work.Go(func() { w.PlayMatches(ctx) })
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.users--; h.users == 0 {
			h.stop()
			h.work.Wait()
		}
	}
}

// Open begins to serve a host and returns the address for workers. The games in known are already
// in the host's folder.
func (h *Hub) Open(host cluster.Host, known []selfplay.Filed) (string, error) {
	c := &h.conf
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", err
	}
	conf := cluster.ServerConfig{Dir: c.Dir, Host: host, Known: known, Version: c.Card.Version, Log: c.Log, Open: c.OpenJudge}
	if c.OpenModel != nil {
		conf.Local = func(ctx context.Context) error { return h.worker.Run(ctx) }
	}
	var err error
	if h.server, err = cluster.NewServer(conf); err != nil {
		return "", err
	}
	conn, err := h.listen()
	if err != nil {
		return "", err
	}
	if err := h.server.Serve(conn); err != nil {
		return "", err
	}
	if c.OpenModel != nil {
		if err := h.startWorker(); err != nil {
			return "", err
		}
	}
	if c.Metrics != "" {
		if err := h.show(); err != nil {
			return "", err
		}
	}
	h.notes.Go(h.note)
	return h.address, nil
}

// listen starts the broker, or connects to the user's own NATS cluster.
func (h *Hub) listen() (*cluster.Conn, error) {
	c := &h.conf
	note := func(text string) { c.Log.Warn(text) }
	var err error
	if a, noAddress := cluster.ParseAddress(c.Listen); noAddress == nil {
		h.address = a.String()
		if h.key, err = cluster.KeyIn(c.Dir, note); err != nil {
			return nil, err
		}
		return h.connect()
	}
	token, err := cluster.Token(c.Dir, note)
	if err != nil {
		return nil, err
	}
	a := cluster.Address{Token: token}
	var cert *tls.Certificate
	if !Loopback(c.Listen) {
		pair, pin, err := cluster.Certificate(c.Dir, note)
		if err != nil {
			return nil, err
		}
		cert, a.Pin = &pair, pin
	}
	if h.broker, err = cluster.StartBroker(c.Listen, token, cert); err != nil {
		return nil, fmt.Errorf("--serve: %w", err)
	}
	a.Host = cluster.Reachable(c.Listen, h.broker.Addr(), false)
	h.address = a.String()
	if _, err := cluster.KeepAddress(c.Dir, h.address); err != nil {
		return nil, err
	}
	return h.connect()
}

// Loopback reports whether HOST:PORT can only be reached from this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// connect joins the hub's own broker in-process, or an external one with the loop's key.
func (h *Hub) connect() (*cluster.Conn, error) {
	var conn *cluster.Conn
	var err error
	if h.broker != nil {
		conn, err = h.broker.Connect()
	} else {
		conn, err = cluster.Dial(cluster.DialConfig{Address: h.conf.Listen, Creds: h.conf.Creds, CA: h.conf.CA, Key: h.key, Log: h.conf.Log})
	}
	if err == nil {
		h.conns = append(h.conns, conn)
	}
	return conn, err
}

// startWorker makes the worker of this machine. The server treats it as any other.
func (h *Hub) startWorker() error {
	c := &h.conf
	card := c.Card
	card.Name = "here"
	conn, err := h.connect()
	if err != nil {
		return err
	}
	h.worker, err = cluster.NewWorker(cluster.WorkerConfig{Conn: conn, Dir: c.Dir, InMemory: true, Log: c.Log, Open: c.OpenModel,
		Poll: time.Second, Card: card})
	return err
}

// note writes the cluster's status into the loop's folder every ten seconds, for the loop's report.
func (h *Hub) note() {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-h.done:
			return
		}
		st := h.server.Status()
		if err := loop.NoteCluster(filepath.Dir(h.conf.Dir), st.Public()); err != nil {
			h.conf.Log.Warn("the report gets no news of the cluster", "error", err)
		}
	}
}

// Close stops serving after all received games are filed and confirmed.
func (h *Hub) Close() error {
	var errs []error
	close(h.done)
	h.notes.Wait()
	if h.worker != nil {
		h.worker.Close(5 * time.Second)
	}
	if h.server != nil {
		errs = append(errs, h.server.Close())
	}
	for _, c := range h.conns {
		c.Close()
	}
	if h.broker != nil {
		h.broker.Close()
	}
	if h.web != nil {
		errs = append(errs, h.web.Close())
	}
	return errors.Join(errs...)
}
