package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kosumi/bench"
	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/model"
)

// benchmark is what `engine benchmark --json` prints. Rates are medians of
// several rounds in which the raw network and the search take turns, so that a
// machine whose speed drifts does not favour either.
type benchmark struct {
	Model       string  `json:"model"`
	Board       string  `json:"board"`
	Provider    string  `json:"provider"`
	Precision   string  `json:"precision"`
	Threads     int     `json:"threads"`  // search workers: evaluations under way at once
	Sessions    int     `json:"sessions"` // network sessions at work at once
	Batch       int     `json:"batch"`    // most positions in one network call
	RawEvals    float64 `json:"raw_evals_per_second"`
	SearchEvals float64 `json:"search_evals_per_second"`
	Visits      float64 `json:"visits_per_second"`
	Ratio       float64 `json:"search_to_raw"` // median of the rounds' own ratios
	// RawMicros and SearchMicros are microseconds of processor time for an evaluation, of
	// the network alone and in search, which other programs on the machine hardly change;
	// ProcessorRatio is the median of the rounds' own ratios. 0 where they are not known.
	RawMicros      float64 `json:"raw_processor_microseconds"`
	SearchMicros   float64 `json:"search_processor_microseconds"`
	ProcessorRatio float64 `json:"search_to_raw_by_processor_time"`

	MeanBatch    float64 `json:"mean_batch"`
	CacheHitRate float64 `json:"cache_hit_rate"`
	Collisions   float64 `json:"collision_rate"`               // descents given up at a position that was being evaluated
	OwnMicros    float64 `json:"own_microseconds_per_playout"` // tree work of the owner, network and waiting excluded
	BytesPerNode float64 `json:"bytes_per_visit"`
	PeakRSS      int64   `json:"peak_rss_bytes"`
	Rounds       int     `json:"rounds"`
	Trials       []trial `json:"trials,omitempty"`
	Recommended  string  `json:"recommended,omitempty"`

	Tuning []bench.Trial `json:"tuning,omitempty"`

	Agreement *bench.Agreement `json:"agreement,omitempty"`

	ProblemVisits int64          `json:"problem_visits,omitempty"`
	Problems      []bench.Solved `json:"problems,omitempty"`
}

// trial is the raw speed at one batch size.
type trial struct {
	Batch    int     `json:"batch"`
	RawEvals float64 `json:"raw_evals_per_second"`
}

type benchmarkFlags struct {
	seconds float64
	rounds  int
	sweep   bool
	tune    bool
	json    bool
	profile string

	agreement agreementFlags
	problems  problemFlags
}

func benchmarkCommand() *cobra.Command {
	s := defaultSettings()
	var f benchmarkFlags
	c := &cobra.Command{
		Use:   "benchmark",
		Short: "Measure the network alone and in search",
		Long: `Measures evaluations per second of the network alone, with every session busy
and every batch full, and in a search of one position after another, in turns.
--sweep tries several batch sizes first and recommends one. --tune tries numbers
of sessions, batch sizes and workers in search, and keeps the best for later
starts of gtp, analysis and benchmark with this network, board size, provider and
precision on this machine; --sessions, --batch and --threads win over it.

--agreement measures what the search is worth rather than how fast it is: the
share of positions where a search of 100 visits chooses the move that one of
10,000 chooses, for one or several numbers of workers, and what the choice and
the average visit of the short search cost in the opinion of the long one. With
it, changes of the search (--set) can be compared without playing games.

--problems counts how many right moves the network alone and a search of
--problem-visits find, in each of the orientations of each problem. FILE is SGF:
each game tree a position, its right first moves marked as good (TE).`,
		Example: `  engine benchmark --model net.bin.gz --boardsize 9 --sweep
  engine benchmark --model net.bin.gz --boardsize 9 --agreement --workers 1,4,16 --rounds 1
  engine benchmark --model net.bin.gz --boardsize 9 --problems ladders.sgf --problems seki.sgf --rounds 1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			if f.rounds < 1 || f.rounds > 1000 || !(f.seconds >= leastSeconds && f.seconds <= 3600) {
				return usagef("--rounds 1 to 1000, --seconds %g to 3600", leastSeconds)
			}
			if f.tune && (f.sweep || s.planned()) {
				return usagef("--tune chooses --sessions, --batch and --threads itself, and does without --sweep")
			}
			if err := errors.Join(f.agreement.check(), f.problems.check()); err != nil {
				return err
			}
			result, err := runBenchmark(cmd, &s, f)
			if err != nil {
				return err
			}
			if f.json {
				return writeJSON(cmd.OutOrStdout(), result)
			}
			result.print(cmd.OutOrStdout())
			return nil
		},
	}
	s.oneNetworkFlags(c.Flags())
	s.gameFlags(c.Flags())
	s.searchFlags(c.Flags())
	s.flags(c.Flags(), "max-memory")
	c.Flags().Float64Var(&f.seconds, "seconds", 2, "`seconds` of each measurement")
	c.Flags().IntVar(&f.rounds, "rounds", 5, "rounds; the medians are reported")
	c.Flags().BoolVar(&f.sweep, "sweep", false, "try several batch sizes and recommend one")
	c.Flags().BoolVar(&f.tune, "tune", false, "try sessions, batch sizes and workers, and keep the best for later starts")
	f.agreement.add(c)
	f.problems.add(c)
	c.Flags().StringVar(&f.profile, "cpuprofile", "", "`FILE` to write a processor profile of the searches to, for go tool pprof")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func runBenchmark(cmd *cobra.Command, s *settings, f benchmarkFlags) (*benchmark, error) {
	ctx := cmd.Context()
	size := s.Play.Size
	if !f.tune && !f.sweep {
		s.useTuning(size)
	}
	rules := s.Play.Rules
	m, err := s.openModel(s.Model, s.stderr)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	d := m.Describe()
	out := &benchmark{Model: d.Name, Board: fmt.Sprintf("%dx%d", size.W, size.H), Provider: d.Provider, Precision: d.Precision, Rounds: f.rounds}
	games, err := bench.Positions(ctx, m, size, rules)
	if err != nil {
		return nil, err
	}
	length := time.Duration(f.seconds * float64(time.Second))
	if f.sweep {
		if err := out.sweep(ctx, s, m, games, length); err != nil {
			return nil, err
		}
	}
	if f.tune {
		if err := out.tune(ctx, s, m, games, length); err != nil {
			return nil, err
		}
	}
	return out, out.measure(cmd, s, m, games, length, f)
}

// leastSeconds is the shortest measurement: many steps of a clock that goes by
// whole milliseconds.
const leastSeconds = 0.02

// sweep finds the smallest batch that is within 3 % of the fastest.
func (out *benchmark) sweep(ctx context.Context, s *settings, m *model.Model, games []*board.Game, length time.Duration) error {
	best := 0.0
	for _, batch := range []int{1, 2, 4, 8, 16, 32} {
		pool, err := bench.OpenRaw(m, games, s.sessionCount(), batch)
		if err != nil {
			return err
		}
		rate, err := pool.Rate(ctx, length)
		pool.Close()
		if err != nil {
			return err
		}
		out.Trials = append(out.Trials, trial{batch, rate})
		best = max(best, rate)
	}
	for _, t := range out.Trials {
		if t.RawEvals >= 0.97*best {
			s.Batch = t.Batch
			out.Recommended = fmt.Sprintf("--sessions %d --batch %d", s.sessionCount(), t.Batch)
			return nil
		}
	}
	return nil
}

func (out *benchmark) measure(cmd *cobra.Command, s *settings, m *model.Model, games []*board.Game, length time.Duration, f benchmarkFlags) error {
	ctx := cmd.Context()
	out.Threads, out.Sessions, out.Batch = s.workers(), s.sessionCount(), s.batchSize()
	pool, err := bench.OpenRaw(m, games, out.Sessions, out.Batch)
	if err != nil {
		return err
	}
	defer pool.Close()
	conf := s.serverConfig()
	conf.Meta = &features.Amateurs
	server, err := nn.NewServer(m, conf)
	if err != nil {
		return err
	}
	defer server.Close()
	if err := server.Warm(games[0].Size()); err != nil {
		return err
	}
	params := s.params()
	run := bench.Search{Server: server, Games: games, Params: params}
	run.Params.Seed = 1
	var raw, evals, visits, ratios, rawMicros, searchMicros, byProcessor []float64
	for range out.Rounds {
		alone := startStopwatch()
		r, err := pool.Rate(ctx, length)
		if err != nil {
			return err
		}
		aloneMicros := alone.micros(r)
		searching := startStopwatch()
		v, e, err := run.Rate(ctx, length)
		if err != nil {
			return err
		}
		raw, evals, visits, ratios = append(raw, r), append(evals, e), append(visits, v), append(ratios, e/r)
		if m := searching.micros(e); m > 0 && aloneMicros > 0 {
			rawMicros, searchMicros, byProcessor = append(rawMicros, aloneMicros), append(searchMicros, m), append(byProcessor, aloneMicros/m)
		}
	}
	if len(byProcessor) > 0 {
		out.RawMicros, out.SearchMicros, out.ProcessorRatio = bench.Median(rawMicros), bench.Median(searchMicros), bench.Median(byProcessor)
	}
	out.RawEvals, out.SearchEvals, out.Visits, out.Ratio = bench.Median(raw), bench.Median(evals), bench.Median(visits), bench.Median(ratios)
	stats := server.Stats()
	out.MeanBatch, out.CacheHitRate = stats.MeanBatch(), stats.HitRate()
	out.OwnMicros = float64(run.Own.Microseconds()) / float64(max(run.Playouts, 1))
	out.Collisions = float64(run.Collisions) / float64(max(run.Collisions+run.Playouts, 1))
	out.BytesPerNode = run.BytesPerNode
	out.PeakRSS = peakRSS()
	if f.profile != "" {
		if err := run.Profile(ctx, f.profile, time.Duration(out.Rounds)*length); err != nil {
			return err
		}
	}
	if f.agreement.on {
		if err := out.measureAgreement(cmd, s, params, server, f.agreement); err != nil {
			return err
		}
	}
	return out.measureProblems(cmd, params, server, f.problems)
}

// stopwatch is a moment by the clock and by the processor time spent.
type stopwatch struct {
	began time.Time
	spent time.Duration
}

func startStopwatch() stopwatch { return stopwatch{time.Now(), processorTime()} }

// micros returns the microseconds of processor time that each evaluation has taken
// since, of so many a second.
func (w stopwatch) micros(rate float64) float64 {
	spent := (processorTime() - w.spent).Microseconds()
	return float64(spent) / max(1, rate*time.Since(w.began).Seconds())
}

func (out *benchmark) print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s, %s, %s\n", out.Model, out.Board, out.Provider, out.Precision)
	for _, t := range out.Trials {
		fmt.Fprintf(w, "  batch %2d: %8.0f evaluations/s\n", t.Batch, t.RawEvals)
	}
	for _, t := range out.Tuning {
		fmt.Fprintf(w, "  %d sessions, batch %2d, %3d workers: %8.0f evaluations/s in search, %.2f of the default\n", t.Sessions, t.Batch, t.Threads, t.Evals, t.Ratio)
	}
	fmt.Fprintf(w, "%d sessions, batch %d, %d workers (medians of %d rounds)\n", out.Sessions, out.Batch, out.Threads, out.Rounds)
	fmt.Fprintf(w, "  network alone  %8.0f evaluations/s\n", out.RawEvals)
	fmt.Fprintf(w, "  in search      %8.0f evaluations/s, %.0f visits/s (%.0f %% of the network alone)\n", out.SearchEvals, out.Visits, 100*out.Ratio)
	if out.ProcessorRatio > 0 {
		fmt.Fprintf(w, "  processor time %8.1f us an evaluation alone, %.1f us in search (%.0f %%)\n", out.RawMicros, out.SearchMicros, 100*out.ProcessorRatio)
	}
	fmt.Fprintf(w, "  mean batch %.1f, %.1f %% cached, %.1f %% collisions, %.2f us of tree work and %.0f bytes a visit, peak memory %.0f MiB\n",
		out.MeanBatch, 100*out.CacheHitRate, 100*out.Collisions, out.OwnMicros, out.BytesPerNode, float64(out.PeakRSS)/(1<<20))
	if out.Recommended != "" {
		fmt.Fprintf(w, "recommended: %s\n", out.Recommended)
		if len(out.Tuning) > 0 {
			fmt.Fprintln(w, "kept for later starts")
		}
	}
	if out.Agreement != nil {
		out.Agreement.Print(w)
	}
	if len(out.Problems) > 0 {
		bench.PrintSolved(w, out.Problems, out.ProblemVisits)
	}
}
