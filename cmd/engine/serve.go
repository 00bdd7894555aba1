package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/cluster/remote"
	"kosumi/engine"
	"kosumi/engine/analysis"
	"kosumi/gtp"
	"kosumi/internal/file"
	"kosumi/nn/open"
	"kosumi/search"
)

type serveFlags struct {
	listen, dir, users, metrics string
	cert, key                   string
	seats, positions            int
	keep                        time.Duration
	jsonLog                     bool
}

func serveCommand() *cobra.Command {
	s := defaultSettings()
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Offer this machine's engine to GUIs on other machines",
		Long: `Serves engines over TLS, for GTP and for KataGo's analysis protocol. On another machine
a GUI starts engine remote with this machine's address. The address goes to stdout and
to the file address in --dir: kosumi://TOKEN@HOST:PORT#FINGERPRINT. All engines share
one network, and users have equal shares of it, whatever each of them asks.

--users FILE names users, one per line: NAME TOKEN [SEATS]. SEATS limits a user's
engines at a time. Without it the limit is half of --seats, and an engine waits one
minute, not --keep, for a user who lost the connection. Without --users there is one
user, with a token made at the first start.`,
		Example: `  engine serve --model net.bin.gz --listen :7777
  scp bigmachine:.config/kosumi/serve/address bigmachine
  engine remote bigmachine gtp`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runServe(cmd, &s, &f)
		},
	}
	s.networkFlags(c.Flags())
	s.playFlags(c.Flags())
	fl := c.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:7777", "`HOST:PORT` to listen on")
	fl.StringVar(&f.dir, "dir", "", "`FOLDER` of token and certificate; default: kosumi/serve in the config folder")
	fl.StringVar(&f.users, "users", "", "`FILE` of users, one per line: NAME TOKEN [SEATS]")
	fl.StringVar(&f.cert, "cert", "", "certificate `FILE`; default: the program's own")
	fl.StringVar(&f.key, "key", "", "key `FILE` of the certificate")
	fl.StringVar(&f.metrics, "metrics", "", "Prometheus metrics over HTTP on `HOST:PORT`, at /metrics")
	fl.IntVar(&f.seats, "seats", 64, "maximum number of engines at a time")
	fl.IntVar(&f.positions, "positions", 2, "positions that an analysis engine searches at the same time")
	fl.DurationVar(&f.keep, "keep", 30*time.Minute, "waiting time for a user who lost the connection; at most a minute for users without SEATS")
	fl.BoolVar(&f.jsonLog, "json-log", false, "log one JSON object per line")
	return c
}

func runServe(cmd *cobra.Command, s *settings, f *serveFlags) error {
	log, err := clusterLog(s.LogLevel, f.jsonLog)
	if err != nil {
		return err
	}
	if err := cmp.Or(
		checkListen("listen", f.listen), checkListen("metrics", f.metrics),
		must(f.seats >= 1, "seats", f.seats, "1 or more"),
		must(f.positions >= 1, "positions", f.positions, "1 or more"),
		must(f.keep > 0, "keep", f.keep, "above 0")); err != nil {
		return err
	}
	if (f.cert == "") != (f.key == "") {
		return usagef("--cert and --key go together: give both or neither")
	}
	if err := s.findLevelFile(); err != nil {
		return err
	}
	if f.dir == "" {
		base, err := file.Config()
		if err != nil {
			return fmt.Errorf("%w, or name one with --dir", err)
		}
		f.dir = filepath.Join(base, "serve")
	}
	users, err := serveUsers(f, log)
	if err != nil {
		return err
	}
	cert, pin, err := serveCertificate(f, log)
	if err != nil {
		return err
	}
	l, err := tls.Listen("tcp", f.listen, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}})
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer l.Close()
	s.useTuning(s.Play.Size)
	n := openNetwork(s, s.Play.Size, log)
	defer n.Close()
	d := newUserEngines(s, n, f.positions, log)
	host := remote.NewHost(remote.HostConfig{Users: users, Sit: d.sit, Keep: f.keep, Seats: f.seats, Log: log})
	if f.metrics != "" {
		stop, err := d.serveMetrics(f.metrics, host)
		if err != nil {
			return err
		}
		defer stop()
	}
	if err := n.Wait(); err != nil {
		return err
	}
	// Print the address of the first user. The author of the users' file knows the other tokens.
	address := remoteAddress(users[0].Token, l.Addr().String(), f.listen, pin)
	if f.users == "" {
		if _, err := cluster.KeepAddress(f.dir, address); err != nil {
			return err
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), address)
	return host.Serve(cmd.Context(), l)
}

// remoteAddress has the machine's name if there is no pin: the users' certificate names it.
func remoteAddress(token, addr, listen, pin string) string {
	a := cluster.Address{Token: token, Host: cluster.Reachable(listen, addr, pin == ""), Pin: pin, TLS: true}
	_, rest, _ := strings.Cut(a.String(), "://")
	return "kosumi://" + rest
}

func serveUsers(f *serveFlags, log *slog.Logger) ([]remote.User, error) {
	if f.users == "" {
		token, err := cluster.Token(f.dir, warn(log))
		return []remote.User{{Name: "user", Token: token}}, err
	}
	text, err := file.Read(f.users, 1<<20)
	if err != nil {
		return nil, err
	}
	users, err := remote.ReadUsers(bytes.NewReader(text))
	if err != nil {
		return nil, usagef("%s: %w", f.users, err)
	}
	return users, file.Exposed(f.users, warn(log))
}

func serveCertificate(f *serveFlags, log *slog.Logger) (tls.Certificate, string, error) {
	if f.cert == "" {
		return cluster.Certificate(f.dir, warn(log))
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		err = fmt.Errorf("--cert %s, --key %s: %w", f.cert, f.key, err)
	}
	return pair, "", err
}

// userEngines gives each user engines; all share one network.
type userEngines struct {
	settings  *settings
	net       *open.Network
	fair      *open.Fair
	positions int
	log       *slog.Logger
}

func newUserEngines(s *settings, n *open.Network, positions int, log *slog.Logger) *userEngines {
	return &userEngines{settings: s, net: n, fair: open.NewFair(n, 2*s.SessionCount()*s.BatchSize()), positions: positions, log: log}
}

func (u *userEngines) sit(ctx context.Context, user, kind string, in io.Reader, out io.Writer) error {
	s := *u.settings
	shared := u.fair.Of(user)
	if kind == remote.Analysis {
		conf := analysis.Defaults()
		conf.Threads = u.positions
		if s.Play.Limits.Visits > 0 {
			conf.Limits = search.Limits{Visits: s.Play.Limits.Visits}
		}
		server, err := analysis.New(s.analysisConfig(conf, u.net), shared, u.log)
		if err != nil {
			return err
		}
		return server.Serve(ctx, in, out)
	}
	conf := s.engineConfig()
	conf.Name = "Kosumi " + version
	e, err := engine.New(conf, shared, u.log)
	if err != nil {
		return err
	}
	defer e.Close()
	return gtp.NewServer(e, u.log, gtpOptions(&s, u.net)).Serve(ctx, in, out)
}

// serveMetrics serves, at addr, statistics of the resources that each user has taken.
func (u *userEngines) serveMetrics(addr string, host *remote.Host) (stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", remote.Metrics(host, u.fair))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(l)
	return func() { server.Close() }, nil
}
