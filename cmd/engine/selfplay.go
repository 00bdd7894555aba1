package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/setting/tomlfile"
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
games, one a line). Files appear whole or not at all; the same command goes on
behind the games that are there. ^C ends it and keeps every finished game.

--recipe FILE.toml sets what the flags do not: board sizes, komi, rules, opening,
temperatures, noise, ending, rows. --method random plays without any network.
Print the recipe in use with --recipe show.`,
		Example: `  engine selfplay --model net.bin.gz --out games --games 1000
  engine selfplay --method random --out start --games 5000 --boardsize 9`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			conf, err := f.config(cmd)
			if err != nil {
				return err
			}
			if f.recipe == "show" {
				return toml.NewEncoder(cmd.OutOrStdout()).Encode(conf)
			}
			switch {
			case f.out == "":
				return usagef("--out DIR is needed")
			case f.games < 0 || f.rows < 0 || f.perFile < 1:
				return usagef("--games %d, --rows %d: 0 or more; --games-per-file %d: 1 or more", f.games, f.rows, f.perFile)
			}
			return runSelfplay(cmd, &s, &f, conf)
		},
	}
	s.networkFlags(c.Flags())
	fl := c.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "`DIR` for rows and games")
	fl.StringVar(&f.recipe, "recipe", "", "`FILE`.toml with the recipe, or \"show\" to print the one in use")
	fl.IntVar(&f.games, "games", 0, "games to play; 0: until ^C")
	fl.IntVar(&f.rows, "rows", 0, "rows to write; 0: no such end")
	fl.IntVar(&f.perFile, "games-per-file", 64, "games in a file")
	fl.StringVar(&f.size, "boardsize", "", "one board `SIZE` instead of the recipe's: 2 to 25, or for example 9x13")
	fl.StringVar(&f.method, "method", "", "puct, gumbel, or random (no network)")
	fl.StringVar(&f.encoder, "rows-encoder", "", "encoding of the rows: v7, seed22 or mini7; default: the network's, else v7")
	fl.IntVar(&f.visits, "visits", 0, "visits of a full search")
	fl.IntVar(&f.cheapVisits, "cheap-visits", 0, "visits of a cheap search")
	fl.Float64Var(&f.cheapShare, "cheap-share", 0, "share of turns that are searched cheaply")
	fl.IntVar(&f.parallel, "parallel", 0, "games at the same time")
	fl.BoolVar(&f.json, "json", false, "print the summary as JSON")
	return c
}

// config reads the recipe and puts the flags over it.
func (f *selfplayFlags) config(cmd *cobra.Command) (selfplay.Config, error) {
	conf := selfplay.Defaults()
	if f.recipe != "" && f.recipe != "show" {
		data, err := file.Read(f.recipe, maxConfigSize)
		if err != nil {
			return conf, fmt.Errorf("recipe: %w", err)
		}
		conf.Boards = nil
		if err := tomlfile.Decode(data, &conf); err != nil {
			return conf, usagef("recipe %s: %w", f.recipe, err)
		}
		if conf.Boards == nil {
			conf.Boards = selfplay.Defaults().Boards
		}
	}
	if f.size != "" {
		size, err := sizeOf("boardsize", f.size)
		if err != nil {
			return conf, err
		}
		conf.Boards = []selfplay.BoardShare{{Width: size.W, Height: size.H, Share: 1}}
	}
	conf.Search.Method = orDefault(f.method, conf.Search.Method)
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

// selfplaySummary is what `engine selfplay --json` prints.
type selfplaySummary struct {
	Network      string  `json:"network"`
	Games        int     `json:"games"`
	Rows         int     `json:"rows"`
	Moves        int64   `json:"moves"`
	Seconds      float64 `json:"seconds"`
	GamesPerHour float64 `json:"games_per_hour"`
	RowsPerHour  float64 `json:"rows_per_hour"`
	Evals        uint64  `json:"evaluations"`
	EvalsPerSec  float64 `json:"evaluations_per_second"`
	CacheHits    float64 `json:"cache_hit_rate"`
	MeanBatch    float64 `json:"mean_batch"`
	MeanLength   float64 `json:"mean_length"`
	Black        int     `json:"black_won"`
	White        int     `json:"white_won"`
	Draws        int     `json:"draws"`
	MoveLimit    int     `json:"move_limit"`
	Resigned     int     `json:"resigned"`
	Tested       int     `json:"resignations_tested"`
	Wrong        int     `json:"resignations_wrong"`
}

func runSelfplay(cmd *cobra.Command, s *settings, f *selfplayFlags, conf selfplay.Config) error {
	first, err := nextGame(f.out)
	if err != nil {
		return err
	}
	encoding, err := f.encoding()
	if err != nil {
		return err
	}
	w := selfplay.WriterConfig{Dir: f.out, Side: conf.Side(), QValues: conf.Rows.QValues,
		PerFile: f.perFile, First: first, Network: "random", Seed: s.serverConfig().Seed, Settings: conf}
	var server *nn.Server
	if conf.Search.Method != selfplay.Random {
		m, err := s.openModel(s.stderr)
		if err != nil {
			return err
		}
		defer m.Close()
		if server, err = nn.NewServer(m, s.serverConfig()); err != nil {
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
		if encoding == features.None {
			encoding = spec.Encoding
		}
	}
	if encoding == features.None {
		encoding = features.V7
	}
	w.Encoding = encoding
	return playAndReport(cmd, f, conf, w, server)
}

func (f *selfplayFlags) encoding() (features.Encoding, error) {
	if f.encoder == "" {
		return features.None, nil
	}
	e, err := features.Parse(f.encoder)
	if err != nil {
		return e, usageError{err}
	}
	return e, nil
}

func playAndReport(cmd *cobra.Command, f *selfplayFlags, conf selfplay.Config, w selfplay.WriterConfig, server *nn.Server) error {
	writer, err := selfplay.NewWriter(w)
	if err != nil {
		return err
	}
	session, err := selfplay.NewSession(conf, w.Seed, w.First, writer)
	if err != nil {
		return err
	}
	began := time.Now()
	summary := func() selfplaySummary { return summarise(w.Network, session.Stats(), server, time.Since(began)) }
	done := showSelfplay(f, summary)
	var evaluator nn.Evaluator
	if server != nil {
		evaluator = server
	}
	err = session.Play(cmd.Context(), evaluator, selfplay.Goal{Games: f.games, Rows: f.rows})
	done()
	err = errors.Join(err, writer.Flush())
	out := summary()
	if f.json {
		err = errors.Join(err, writeJSON(cmd.OutOrStdout(), out))
	} else {
		out.print(cmd.OutOrStdout())
	}
	if err == nil && errors.Is(cmd.Context().Err(), context.Canceled) && f.games > 0 {
		return fmt.Errorf("interrupted; %d games are in %s, the same command goes on behind them", out.Games, f.out)
	}
	return err
}

// nextGame returns the number behind the games that a folder holds.
func nextGame(dir string) (uint64, error) {
	list, err := os.ReadDir(filepath.Join(dir, "tdata"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	next := uint64(0)
	slices.SortFunc(list, func(a, b os.DirEntry) int { return strings.Compare(b.Name(), a.Name()) })
	for _, e := range list {
		if n, games, ok := selfplay.GamesIn(filepath.Join(dir, "tdata", e.Name())); ok {
			next = n + uint64(games)
			break
		}
	}
	return next, nil
}

func summarise(network string, st selfplay.Stats, server *nn.Server, took time.Duration) selfplaySummary {
	took = max(took, time.Millisecond) // clocks may go by steps
	out := selfplaySummary{Network: network, Games: st.Games, Rows: st.Rows, Moves: st.Moves, Seconds: took.Seconds(),
		GamesPerHour: float64(st.Games) / took.Hours(), RowsPerHour: float64(st.Rows) / took.Hours(), MeanLength: st.MeanLength(),
		Black: st.Black, White: st.White, Draws: st.Draws, MoveLimit: st.Limit, Resigned: st.Resigned, Tested: st.Tested, Wrong: st.WrongResigns}
	if server != nil {
		n := server.Stats()
		out.Evals, out.EvalsPerSec = n.Rows, float64(n.Rows)/took.Seconds()
		out.CacheHits, out.MeanBatch = n.HitRate(), n.MeanBatch()
	}
	return out
}

func (s *selfplaySummary) line() string {
	return fmt.Sprintf("%d games (%.0f/h), %d rows, %.0f evals/s, length %.1f, B %.0f %% W %.0f %%",
		s.Games, s.GamesPerHour, s.Rows, s.EvalsPerSec, s.MeanLength,
		100*float64(s.Black)/float64(max(1, s.Games)), 100*float64(s.White)/float64(max(1, s.Games)))
}

func (s *selfplaySummary) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d games in %.1f s (%.0f an hour), %d rows (%.0f an hour)\n", s.Network, s.Games, s.Seconds, s.GamesPerHour, s.Rows, s.RowsPerHour)
	fmt.Fprintf(w, "  %.0f evaluations/s, batches of %.1f, %.0f %% from the cache\n", s.EvalsPerSec, s.MeanBatch, 100*s.CacheHits)
	fmt.Fprintf(w, "  mean length %.1f moves; Black won %d, White %d, drawn %d; %d hit the move limit, %d resigned", s.MeanLength, s.Black, s.White, s.Draws, s.MoveLimit, s.Resigned)
	if s.Tested > 0 {
		fmt.Fprintf(w, " (of %d played out, %d would have been wrong)", s.Tested, s.Wrong)
	}
	fmt.Fprintln(w)
}

// showSelfplay reports progress: a bar on a terminal, else a line every ten
// seconds.
func showSelfplay(f *selfplayFlags, summary func() selfplaySummary) (done func()) {
	d := newDisplay(os.Stderr)
	every := lineEvery
	if d.terminal() {
		every = 500 * time.Millisecond
	}
	update := func() {
		s := summary()
		switch {
		case !d.terminal():
			d.note(s.line())
		case f.games > 0 || f.rows == 0:
			d.show("", int64(s.Games), int64(f.games), "games", s.line())
		default:
			d.show("", int64(s.Rows), int64(f.rows), "rows", s.line())
		}
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				update()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
		d.close()
	}
}
