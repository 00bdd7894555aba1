package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/model"
)

type workFlags struct {
	dir, name, creds, ca string
	parallel             int
	price                float64
	games                int64
	jsonLog              bool
}

func workCommand() *cobra.Command {
	s := defaultSettings()
	s.Cache, s.Batch = 64<<20, 16
	f := workFlags{}
	c := &cobra.Command{
		Use:        "work ADDRESS",
		SuggestFor: []string{"contribute"},
		Short:      "Play games for a loop on another machine",
		Long: `Plays games for a loop that was started with engine loop DIR --serve. ADDRESS is a
file with the loop's address, as in DIR/cluster/address on its machine, or env:NAME
for a variable. It may also be the address itself, nats://TOKEN@HOST:PORT#FINGERPRINT;
other users of this machine then see the token in the list of processes. The worker
fetches network and recipe, plays, and sends the games, until ^C. A finished game
stays on this machine's disk until the loop has confirmed that it has stored it. After
outages of either side or of the network the worker continues by itself.

Beside these games it plays those of the loop's gating matches.`,
		Example: `  scp trainer:run1/cluster/address .
  engine work address
  engine work address --parallel 64 --price 0.12
  engine work nats://nats.example.org --creds worker.creds`,
		Args:    cobra.ExactArgs(1),
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWork(cmd, args[0], &s, &f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.dir, "dir", "", "`FOLDER` for networks and unsent games; default: kosumi/work in the cache folder")
	fl.StringVar(&f.name, "name", "", "name shown by the loop; default: the machine's")
	fl.StringVar(&f.creds, "creds", "", "`FILE` of NATS credentials or of a seed, for a NATS cluster of your own")
	fl.StringVar(&f.ca, "ca", "", "root certificates `FILE` to check the server's certificate; default: the system's")
	fl.IntVar(&f.parallel, "parallel", 0, "games at the same time; 0: the recipe's number. Cores idle with fewer than 32 each")
	fl.Float64Var(&f.price, "price", 0, "cost of an hour of this machine, in any unit")
	fl.Int64Var(&f.games, "games", 0, "stop after this many games; 0: run until ^C")
	fl.BoolVar(&f.jsonLog, "json-log", false, "log one JSON object per line")
	s.flags(fl, "provider", "precision", "onnxruntime", "sessions", "batch", "cache", "log-level")
	return c
}

// clusterLog returns a log on standard error: JSON for programs that supervise this one, or text.
func clusterLog(level string, asJSON bool) (*slog.Logger, error) {
	l, err := parseLevel(level)
	if err != nil {
		return nil, err
	}
	if asJSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l})), nil
	}
	return console.NewLog(os.Stderr, l), nil
}

func runWork(cmd *cobra.Command, address string, s *settings, f *workFlags) error {
	log, err := clusterLog(s.LogLevel, f.jsonLog)
	if err != nil {
		return err
	}
	if address, err = findAddress(address, log); err != nil {
		return err
	}
	if err := cmp.Or(
		must(f.games >= 0, "games", f.games, "0 or more"),
		must(f.parallel >= 0, "parallel", f.parallel, "0 or more"),
		must(f.price >= 0, "price", f.price, "0 or more")); err != nil {
		return err
	}
	if f.dir == "" {
		cache, err := file.Cache()
		if err != nil {
			return fmt.Errorf("%w, or name one with --dir", err)
		}
		f.dir = filepath.Join(cache, "work")
	}
	claim, err := cluster.ClaimFolder(f.dir, warn(log))
	if err != nil {
		return err
	}
	defer claim.Close()
	host, _ := os.Hostname()
	card := cluster.Card{Name: cmp.Or(f.name, host), Version: version, Processor: processorName(), Price: f.price}
	conn, err := cluster.Dial(cluster.DialConfig{Address: address, Creds: f.creds, CA: f.ca, Key: claim.Key, Log: log})
	if err != nil {
		return err
	}
	defer conn.Close()
	w, err := cluster.NewWorker(cluster.WorkerConfig{Conn: conn, Card: card, Dir: claim.Dir, Parallel: f.parallel, Log: log, Open: s.openWorkerModel(log)})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	began := time.Now()
	line := func() string {
		games, waiting := w.Games()
		return fmt.Sprintf("%d games (%.0f/h), %d not confirmed yet", games, float64(games)/time.Since(began).Hours(), waiting)
	}
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if n%60 == 0 {
				log.Info(line())
			}
			if games, _ := w.Games(); f.games > 0 && games >= f.games {
				stop()
			}
		}
	}()
	err = w.Run(ctx)
	w.Close(10 * time.Second)
	fmt.Fprintln(cmd.OutOrStdout(), line())
	return err
}

// openWorkerModel returns a function that opens a worker's network. That function opens sessions for
// an offer's boards at once; sessions for other boards are opened when they are needed.
func (s *settings) openWorkerModel(log *slog.Logger) func(ctx context.Context, path string, o *cluster.Offer) (*cluster.Model, error) {
	return func(ctx context.Context, path string, o *cluster.Offer) (*cluster.Model, error) {
		m, server, closeBoth, err := reproducible(path, s.Config(log), s.ServerConfig(s.Play.Seed))
		if err != nil {
			return nil, err
		}
		opened := &cluster.Model{Evaluator: server, Close: closeBoth}
		if o != nil {
			for _, b := range o.Recipe.Boards {
				if err := server.Warm(b.Size()); err != nil {
					opened.Close()
					return nil, err
				}
			}
		}
		d := m.Describe()
		opened.Provider, opened.Precision = d.Provider, d.Precision
		return opened, nil
	}
}

// reproducible opens a network whose answers do not depend on earlier evaluations.
func reproducible(path string, c model.Config, sc nn.ServerConfig) (m *model.Model, server *nn.Server, closeBoth func(), err error) {
	if m, err = model.Open(path, c); err != nil {
		return nil, nil, nil, err
	}
	sc.Reproducible = true
	if server, err = nn.NewServer(m, sc); err != nil {
		m.Close()
		return nil, nil, nil, err
	}
	return m, server, func() { server.Close(); m.Close() }, nil
}

// processorName is the name of this machine's processor, if known.
func processorName() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if name, found := strings.CutPrefix(line, "model name"); found {
				return strings.TrimSpace(strings.TrimLeft(name, " \t:"))
			}
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}
