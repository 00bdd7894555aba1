package main

import (
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/cluster/hub"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/train/loop"
)

// defaultServe is the address at which a loop offers its work if --serve has no value.
const defaultServe = "127.0.0.1:4222"

type loopServeFlags struct {
	addr, metrics, creds, ca string
	idle, jsonLog            bool
}

func (f *loopServeFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.addr, "serve", "", "let other machines play too (engine work). Listen on `HOST:PORT`, by default "+defaultServe+", or use a NATS cluster: nats://HOST:PORT, a file with its address, or env:NAME. The address for workers goes to stdout and to DIR/cluster/address")
	fl.Lookup("serve").NoOptDefVal = defaultServe
	fl.BoolVar(&f.idle, "serve-only", false, "with --serve: this machine trains and plays no games itself")
	fl.StringVar(&f.metrics, "metrics", "", "with --serve: a live page of the workers over HTTP on `HOST:PORT`, its data at /status.json, Prometheus metrics at /metrics")
	fl.StringVar(&f.creds, "creds", "", "with --serve nats://...: `FILE` of NATS credentials or of a seed")
	fl.StringVar(&f.ca, "ca", "", "with --serve nats://...: `FILE` of roots for TLS")
	fl.BoolVar(&f.jsonLog, "json-log", false, "with --serve: log one JSON object per line")
}

// check accepts HOST:PORT to listen on, and looks up the address of a NATS cluster; anything else
// is an error.
func (f *loopServeFlags) check(log *slog.Logger) error {
	_, port, err := net.SplitHostPort(f.addr)
	if _, noNumber := strconv.Atoi(port); err == nil && noNumber == nil && !strings.Contains(f.addr, "://") {
		return nil
	}
	address, err := findAddress(f.addr, log)
	if err != nil {
		return usagef("--serve %q: HOST:PORT to listen on, or the address of a NATS cluster (nats://HOST:PORT, a file, env:NAME): %w", f.addr, err)
	}
	f.addr = address
	return nil
}

// hub returns the server of a loop's work. It cannot serve before the loop is open.
func (f *loopServeFlags) hub(dir string, log *slog.Logger) *hub.Hub {
	return hub.New(hub.Config{Dir: filepath.Join(dir, "cluster"), Listen: f.addr, Creds: f.creds, CA: f.ca, Metrics: f.metrics, Log: log,
		Card: cluster.Card{Version: version, Processor: processorName()}})
}

// serveLoop begins to serve an open loop's work and prints the address.
func (f *loopServeFlags) serveLoop(cmd *cobra.Command, h *hub.Hub, l *loop.Loop, log *slog.Logger) error {
	c := l.Config().Compute
	conf := h.Config()
	conf.OpenJudge = openJudge(&c)
	if !f.idle {
		conf.OpenModel = workerSettings(&c).openWorkerModel(log)
	}
	address, err := h.Open(l, l.Stored())
	if err == nil {
		fmt.Fprintln(cmd.OutOrStdout(), address)
	}
	return err
}

// workerSettings are the settings of the worker inside a loop.
func workerSettings(c *loop.Compute) *settings {
	s := defaultSettings()
	s.Provider, s.Precision, s.Sessions, s.Batch, s.Cache = c.Provider, c.Precision, c.Sessions, max(1, c.Batch), int64(c.CacheMiB)<<20
	return &s
}

// openJudge returns a function that opens a network in fp32, to check games.
func openJudge(c *loop.Compute) func(path string) (nn.Evaluator, func(), error) {
	return func(path string) (nn.Evaluator, func(), error) {
		conf := nn.ServerConfig{Sessions: 1, MaxBatch: max(1, c.Batch), CacheBytes: 8 << 20}
		_, server, closeBoth, err := reproducible(path, model.Config{Provider: c.Provider, Precision: "fp32"}, conf)
		if err != nil {
			return nil, nil, err // not server: a nil *nn.Server makes an nn.Evaluator that is not nil
		}
		return server, closeBoth, nil
	}
}
