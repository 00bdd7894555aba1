package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/train/loop"
)

// defaultServe is where a loop offers its work if --serve has no value.
const defaultServe = "127.0.0.1:4222"

type loopServeFlags struct {
	addr, metrics, creds, ca string
	idle, jsonLog            bool
}

func (f *loopServeFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.addr, "serve", "", "let other machines play too (engine work): listen on `HOST:PORT` ("+defaultServe+" if none is named), or nats://HOST:PORT to use a NATS cluster of your own; the address for workers goes to stdout")
	fl.Lookup("serve").NoOptDefVal = defaultServe
	fl.BoolVar(&f.idle, "serve-only", false, "with --serve: this machine trains and plays no games itself")
	fl.StringVar(&f.metrics, "metrics", "", "with --serve: Prometheus metrics over HTTP on `HOST:PORT`, at /metrics")
	fl.StringVar(&f.creds, "creds", "", "with --serve nats://...: `FILE` of NATS credentials")
	fl.StringVar(&f.ca, "ca", "", "with --serve nats://...: `FILE` of roots for TLS")
	fl.BoolVar(&f.jsonLog, "json-log", false, "with --serve: log one JSON object a line")
}

// hub is everything that a serving loop has open.
type hub struct {
	server  *cluster.Server
	broker  *cluster.Broker
	conns   []*nats.Conn
	worker  *cluster.Worker
	metrics *http.Server
}

// exchange stands in for the hub until the loop, which the hub needs, is open.
type exchange struct{ *hub }

func (e *exchange) Offer(w loop.Work) error        { return e.server.Offer(w) }
func (e *exchange) Play(ctx context.Context) error { return e.server.Play(ctx) }

// open begins to serve a loop's work.
func (e *exchange) open(cmd *cobra.Command, f *loopServeFlags, dir string, l *loop.Loop, log *slog.Logger) error {
	h := new(hub)
	e.hub = h
	at := filepath.Join(dir, "cluster")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	compute := l.Config().Compute
	conf := cluster.ServerConfig{Dir: at, Host: l, Known: l.Stored(), Version: version, Log: log, Open: openJudge(&compute)}
	if !f.idle {
		conf.Local = h.play
	}
	var err error
	if h.server, err = cluster.NewServer(conf); err != nil {
		return err
	}
	address, conn, err := h.listen(f, at, log)
	if err != nil {
		return err
	}
	if !f.idle {
		if err := h.seatWorker(at, &compute, conn, log); err != nil {
			return err
		}
	}
	if err := h.server.Serve(conn); err != nil {
		return err
	}
	if f.metrics != "" {
		if err := h.serveMetrics(f.metrics); err != nil {
			return err
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), address)
	return nil
}

// listen starts the broker, or connects to the user's own, and returns the
// address for workers.
func (h *hub) listen(f *loopServeFlags, dir string, log *slog.Logger) (string, *nats.Conn, error) {
	if a, err := cluster.ParseAddress(f.addr); err == nil {
		conn, err := cluster.Dial(cluster.DialConfig{Address: f.addr, Creds: f.creds, CA: f.ca, ID: cluster.NewID(), Log: log})
		if err != nil {
			return "", nil, err
		}
		h.conns = append(h.conns, conn)
		return a.String(), conn, nil
	}
	token, err := cluster.Token(dir)
	if err != nil {
		return "", nil, err
	}
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return "", nil, usagef("--serve %q: HOST:PORT to listen on, or nats://HOST:PORT of a NATS cluster", f.addr)
	}
	a := cluster.Address{Token: token}
	var cert *tls.Certificate
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		pair, pin, err := cluster.Certificate(dir)
		if err != nil {
			return "", nil, err
		}
		cert, a.Pin = &pair, pin
	}
	if h.broker, err = cluster.StartBroker(f.addr, token, cert); err != nil {
		return "", nil, err
	}
	a.Host = h.broker.Addr()
	if _, port, err := net.SplitHostPort(a.Host); err == nil {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			if name, err := os.Hostname(); err == nil {
				a.Host = net.JoinHostPort(name, port)
			}
		}
	}
	conn, err := h.broker.Connect()
	if err == nil {
		h.conns = append(h.conns, conn)
	}
	return a.String(), conn, err
}

// seatWorker makes the worker of this machine. Its games go the same way as those
// of all others.
func (h *hub) seatWorker(dir string, c *loop.Compute, conn *nats.Conn, log *slog.Logger) error {
	own := conn
	if h.broker != nil {
		var err error
		if own, err = h.broker.Connect(); err != nil {
			return err
		}
		h.conns = append(h.conns, own)
	}
	s := seatSettings(c)
	var err error
	h.worker, err = cluster.NewWorker(cluster.WorkerConfig{Conn: own, Dir: dir, InMemory: true, Log: log,
		Open: s.openSeat(log), Poll: time.Second, Card: cluster.Card{ID: cluster.NewID(), Name: "here", Version: version, Processor: processorName()}})
	return err
}

// seatSettings are those of a loop's own worker.
func seatSettings(c *loop.Compute) *settings {
	s := defaultSettings()
	s.Provider, s.Precision, s.Sessions, s.Batch, s.Cache = c.Provider, c.Precision, c.Sessions, max(1, c.Batch), int64(c.CacheMiB)<<20
	return &s
}

func (h *hub) play(ctx context.Context) error { return h.worker.Run(ctx) }

func (h *hub) serveMetrics(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", h.server)
	h.metrics = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go h.metrics.Serve(l)
	return nil
}

// close ends serving: what has come in is filed and confirmed.
func (h *hub) close() error {
	var errs []error
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
	if h.metrics != nil {
		errs = append(errs, h.metrics.Close())
	}
	return errors.Join(errs...)
}

// openJudge opens networks in fp32 to check games with.
func openJudge(c *loop.Compute) func(path string) (nn.Evaluator, func(), error) {
	return func(path string) (nn.Evaluator, func(), error) {
		m, err := model.Open(path, model.Config{Provider: c.Provider, Precision: "fp32"})
		if err != nil {
			return nil, nil, err
		}
		server, err := nn.NewServer(m, nn.ServerConfig{Sessions: 1, MaxBatch: max(1, c.Batch), CacheBytes: 8 << 20, Reproducible: true})
		if err != nil {
			m.Close()
			return nil, nil, err
		}
		return server, func() { server.Close(); m.Close() }, nil
	}
}
