package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/train/selfplay"
)

type selfplayFlags struct {
	out, recipe, size, method, encoder string
	games, rows, perFile               int
	visits, cheapVisits, parallel      int
	cheapShare                         float64
	json                               bool
}

func selfplayCommand() *cobra.Command {
	s := defaultSettings()
	s.Cache, s.Batch = 64<<20, 16
	var f selfplayFlags
	c := &cobra.Command{
		Use:   "selfplay --out DIR",
		Short: "Play a network against itself and write training rows",
		Long: `Plays games of a network against itself, many at once, and writes
DIR/tdata/*.npz (training rows as KataGo writes them) and DIR/sgfs/*.sgfs (the
games, one per line). Files appear whole or not at all. ^C keeps every finished game, and
the same command adds new games.

--recipe FILE.toml sets the rest: board sizes, komi, rules, opening, temperatures,
noise, ending, rows. --recipe show prints the recipe in use. --method random plays
without a network.`,
		Example: `  engine selfplay --model net.bin.gz --out games --games 1000
  engine selfplay --method random --out start --games 5000 --boardsize 9`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conf, err := f.config(cmd)
			if err != nil {
				return err
			}
			if f.recipe == "show" {
				return toml.NewEncoder(cmd.OutOrStdout()).Encode(conf)
			}
			if f.out == "" {
				return usagef("give --out DIR, the folder for the rows")
			}
			if err := cmp.Or(
				must(f.games >= 0, "games", f.games, "0 or more"),
				must(f.rows >= 0, "rows", f.rows, "0 or more"),
				must(f.perFile >= 1, "games-per-file", f.perFile, "1 or more")); err != nil {
				return err
			}
			return runSelfplay(cmd, &s, &f, conf)
		},
	}
	s.oneNetworkFlags(c.Flags())
	fl := c.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "`DIR` for rows and games")
	fl.StringVar(&f.recipe, "recipe", "", "recipe `FILE`.toml, or \"show\" to print the one in use")
	fl.IntVar(&f.games, "games", 0, "games to play; 0: until ^C")
	fl.IntVar(&f.rows, "rows", 0, "rows to write; 0: no limit")
	fl.IntVar(&f.perFile, "games-per-file", 64, "games in a file")
	fl.StringVar(&f.size, "boardsize", "", "one board `SIZE` instead of the recipe's: 2 to 25, or for example 9x13")
	fl.StringVar(&f.method, "method", "", "puct, gumbel, or random (no network)")
	fl.StringVar(&f.encoder, "rows-encoder", "", "encoding of the rows: v7, seed22, mini7, agz17 or agz17-split; default: the network's, else v7")
	fl.IntVar(&f.visits, "visits", 0, "visits of a full search")
	fl.IntVar(&f.cheapVisits, "cheap-visits", 0, "visits of a cheap search")
	fl.Float64Var(&f.cheapShare, "cheap-share", 0, "fraction of turns with a cheap search")
	fl.IntVar(&f.parallel, "parallel", 0, "games at the same time")
	fl.BoolVar(&f.json, "json", false, "print the summary as JSON")
	return c
}

// config reads the recipe and overrides it with the flags.
func (f *selfplayFlags) config(cmd *cobra.Command) (selfplay.Config, error) {
	conf, err := readRecipe(f.recipe, f.size, selfplay.Defaults())
	if err != nil {
		return conf, err
	}
	conf.Search.Method = cmp.Or(f.method, conf.Search.Method)
	for name, set := range map[string]func(){
		"visits":       func() { conf.Search.Visits = f.visits },
		"cheap-visits": func() { conf.Search.CheapVisits = f.cheapVisits },
		"cheap-share":  func() { conf.Search.CheapShare = f.cheapShare },
		"parallel":     func() { conf.Parallel = f.parallel },
	} {
		if cmd.Flags().Changed(name) {
			set()
		}
	}
	if err := conf.Validate(); err != nil {
		return conf, usageError{err}
	}
	return conf, nil
}

// readRecipe overrides conf with a recipe file and with one board size; an empty argument overrides
// nothing.
func readRecipe(name, size string, conf selfplay.Config) (selfplay.Config, error) {
	if name != "" && name != "show" {
		data, err := file.Read(name, maxConfigSize)
		if err != nil {
			return conf, fmt.Errorf("recipe: %w", err)
		}
		if conf, err = selfplay.ParseConfig(data, conf); err != nil {
			return conf, usagef("recipe %s: %w", name, err)
		}
	}
	if size != "" {
		size, err := sizeOf("boardsize", size)
		if err != nil {
			return conf, err
		}
		conf.Boards = []selfplay.BoardShare{{Width: size.W, Height: size.H, Share: 1}}
	}
	return conf, nil
}

// loadPositions reads the records from which games begin, and warns about unusable ones.
func (s *settings) loadPositions(conf *selfplay.Config) error {
	left, err := conf.LoadPositions("")
	if left > 0 && err == nil {
		s.stderr.Warn("game records from which no game can begin are left out", "records", left, "used", len(conf.Positions.Lines))
	}
	return err
}

func runSelfplay(cmd *cobra.Command, s *settings, f *selfplayFlags, conf selfplay.Config) error {
	if err := s.loadPositions(&conf); err != nil {
		return err
	}
	var encoding features.Encoding
	if f.encoder != "" {
		var err error
		if encoding, err = features.Parse(f.encoder); err != nil {
			return usageError{err}
		}
	}
	lock, err := file.LockFolder(f.out)
	if err != nil {
		return err
	}
	defer lock.Release()
	first, err := selfplay.NextGame(f.out)
	if err != nil {
		return err
	}
	w := selfplay.WriterConfig{Dir: f.out, Side: conf.Side(),
		PerFile: f.perFile, Filing: &selfplay.Filing{Next: first}, Network: "random", Seed: s.ServerConfig(s.Play.Seed).Seed, Settings: conf}
	var server *nn.Server
	if conf.Search.Method != selfplay.Random {
		m, err := s.openModel(s.Model, s.stderr)
		if err != nil {
			return err
		}
		defer m.Close()
		if server, err = nn.NewServer(m, s.ServerConfig(s.Play.Seed)); err != nil {
			return err
		}
		defer server.Close()
		for _, b := range conf.Boards {
			if err := server.Warm(b.Size()); err != nil {
				return err
			}
		}
		d := m.Describe()
		w.Network, w.SHA256 = d.Name, d.SHA256
		spec, err := m.Spec(conf.Boards[0].Size())
		if err != nil {
			return err
		}
		encoding = cmp.Or(encoding, spec.Encoding)
	}
	w.Encoding = cmp.Or(encoding, features.V7)
	return playAndReport(cmd, f, conf, w, server)
}

func playAndReport(cmd *cobra.Command, f *selfplayFlags, conf selfplay.Config, w selfplay.WriterConfig, server *nn.Server) error {
	writer, err := selfplay.NewWriter(w)
	if err != nil {
		return err
	}
	session, err := selfplay.NewSession(conf, w.Seed, w.Filing.Next, writer)
	if err != nil {
		return err
	}
	began := time.Now()
	summary := func() selfplay.Summary {
		return selfplay.Summarise(w.Network, session.Stats(), server, time.Since(began))
	}
	show := console.NewProgress(os.Stderr)
	stop := console.Every(500*time.Millisecond, func() {
		if s := summary(); f.games > 0 || f.rows == 0 {
			show.Show("", int64(s.Games), int64(f.games), "games", s.Line())
		} else {
			show.Show("", int64(s.Rows), int64(f.rows), "rows", s.Line())
		}
	})
	var evaluator nn.Evaluator
	if server != nil {
		evaluator = server
	}
	err = session.Play(cmd.Context(), evaluator, selfplay.Goal{Games: f.games, Rows: f.rows})
	stop()
	show.Close()
	err = errors.Join(err, writer.Flush())
	out := summary()
	err = errors.Join(err, printResult(cmd, f.json, &out))
	if err == nil && errors.Is(cmd.Context().Err(), context.Canceled) && f.games > 0 {
		return fmt.Errorf("interrupted; %d games are in %s; run the same command to resume", out.Games, f.out)
	}
	return err
}
