package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
)

// benchmark is what `engine benchmark --json` prints. Rates are medians of
// several rounds in which the raw network and the search take turns, so that a
// machine whose speed drifts does not favour either.
type benchmark struct {
	Model        string  `json:"model"`
	Board        string  `json:"board"`
	Provider     string  `json:"provider"`
	Precision    string  `json:"precision"`
	Threads      int     `json:"threads"`  // search workers: evaluations under way at once
	Sessions     int     `json:"sessions"` // network sessions at work at once
	Batch        int     `json:"batch"`    // most positions in one network call
	RawEvals     float64 `json:"raw_evals_per_second"`
	SearchEvals  float64 `json:"search_evals_per_second"`
	Visits       float64 `json:"visits_per_second"`
	Ratio        float64 `json:"search_to_raw"` // median of the rounds' own ratios
	MeanBatch    float64 `json:"mean_batch"`
	CacheHitRate float64 `json:"cache_hit_rate"`
	Collisions   float64 `json:"collision_rate"`               // descents given up at a position that was being evaluated
	OwnMicros    float64 `json:"own_microseconds_per_playout"` // tree work of the owner, network and waiting excluded
	BytesPerNode float64 `json:"bytes_per_visit"`
	PeakRSS      int64   `json:"peak_rss_bytes"`
	Rounds       int     `json:"rounds"`
	Trials       []trial `json:"trials,omitempty"`
	Recommended  string  `json:"recommended,omitempty"`

	Tuning []tuningTrial `json:"tuning,omitempty"`

	Agreement *agreement `json:"agreement,omitempty"`
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
it, changes of the search (--set) can be compared without playing games.`,
		Example: `  engine benchmark --model net.bin.gz --boardsize 9 --sweep
  engine benchmark --model net.bin.gz --boardsize 9 --agreement --workers 1,4,16 --rounds 1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			if f.rounds < 1 || f.rounds > 1000 || !(f.seconds >= leastSeconds && f.seconds <= 3600) {
				return usagef("--rounds 1 to 1000, --seconds %g to 3600", leastSeconds)
			}
			if f.tune && (f.sweep || s.Sessions != 0 || s.Batch != 0 || s.Play.Search.Parallel.Workers != 0) {
				return usagef("--tune chooses --sessions, --batch and --threads itself, and does without --sweep")
			}
			if err := f.agreement.check(); err != nil {
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
	s.networkFlags(c.Flags())
	s.gameFlags(c.Flags())
	s.searchFlags(c.Flags())
	s.flags(c.Flags(), "max-memory")
	c.Flags().Float64Var(&f.seconds, "seconds", 2, "`seconds` of each measurement")
	c.Flags().IntVar(&f.rounds, "rounds", 5, "rounds; the medians are reported")
	c.Flags().BoolVar(&f.sweep, "sweep", false, "try several batch sizes and recommend one")
	c.Flags().BoolVar(&f.tune, "tune", false, "try sessions, batch sizes and workers, and keep the best for later starts")
	f.agreement.add(c)
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
	m, err := s.openModel(s.stderr)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if err := m.Prepare(ctx, size); err != nil {
		return nil, err
	}
	d := m.DescribeAt(size)
	out := &benchmark{Model: d.Name, Board: fmt.Sprintf("%dx%d", size.W, size.H), Provider: d.Provider, Precision: d.Precision, Rounds: f.rounds}
	games, err := benchmarkGames(ctx, m, size, rules)
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
		pool, err := openRaw(m, games, s.sessionCount(), batch)
		if err != nil {
			return err
		}
		rate, err := pool.rate(ctx, length)
		pool.close()
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
	pool, err := openRaw(m, games, out.Sessions, out.Batch)
	if err != nil {
		return err
	}
	defer pool.close()
	server, err := nn.NewServer(m, s.serverConfig())
	if err != nil {
		return err
	}
	defer server.Close()
	if err := server.Warm(games[0].Size()); err != nil {
		return err
	}
	params := s.params()
	run := searchRun{server: server, games: games, params: params}
	run.params.Seed = 1
	var raw, evals, visits, ratios []float64
	for range out.Rounds {
		r, err := pool.rate(ctx, length)
		if err != nil {
			return err
		}
		v, e, err := run.rate(ctx, length)
		if err != nil {
			return err
		}
		raw, evals, visits, ratios = append(raw, r), append(evals, e), append(visits, v), append(ratios, e/r)
	}
	out.RawEvals, out.SearchEvals, out.Visits, out.Ratio = median(raw), median(evals), median(visits), median(ratios)
	stats := server.Stats()
	out.MeanBatch, out.CacheHitRate = stats.MeanBatch(), stats.HitRate()
	out.OwnMicros = float64(run.own.Microseconds()) / float64(max(run.playouts, 1))
	out.Collisions = float64(run.collisions) / float64(max(run.collisions+run.playouts, 1))
	out.BytesPerNode = run.bytesPerNode
	out.PeakRSS = peakRSS()
	if f.profile != "" {
		if err := run.profile(ctx, f.profile, time.Duration(out.Rounds)*length); err != nil {
			return err
		}
	}
	if f.agreement.on {
		return out.measureAgreement(cmd, s, params, server, f.agreement, s.stderr)
	}
	return nil
}

// benchmarkPositions is at how many positions benchmark searches by turns.
const benchmarkPositions = 8

// benchmarkGames returns positions that the network itself leads to, the same
// each time: from a few moves to about half of the board.
func benchmarkGames(ctx context.Context, m nn.Model, size board.Size, rules board.Rules) ([]*board.Game, error) {
	server, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 1, FixedSymmetry: true})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	rng := rand.New(rand.NewPCG(1, 0xbe9c4))
	games := make([]*board.Game, benchmarkPositions)
	for k := range games {
		if games[k], err = likelyPosition(ctx, server, size, rules, k, rng); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// rawPool runs full batches on every session at once.
type rawPool struct {
	backends []nn.Backend
	batch    int
}

func openRaw(m *model.Model, games []*board.Game, sessions, batch int) (*rawPool, error) {
	size := games[0].Size()
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	codec, err := nn.NewCodec(spec, size)
	if err != nil {
		return nil, err
	}
	pool := &rawPool{batch: batch}
	for range sessions {
		b, err := m.Open(size, batch)
		if err != nil {
			pool.close()
			return nil, err
		}
		pool.backends = append(pool.backends, b)
		scratch := codec.NewScratch()
		inputs := b.Inputs()
		for row := range batch {
			rows := make([][]float32, len(inputs))
			for i := range inputs {
				n := spec.Inputs[i].Len()
				rows[i] = inputs[i][row*n : (row+1)*n]
			}
			q := nn.Query{Game: games[row%len(games)]}
			if err := codec.Encode(&q, 0, rows, scratch); err != nil {
				pool.close()
				return nil, err
			}
		}
		if err := b.Run(batch); err != nil { // warm up
			pool.close()
			return nil, err
		}
	}
	return pool, nil
}

func (p *rawPool) close() {
	for _, b := range p.backends {
		b.Close()
	}
}

// rate returns evaluations per second.
func (p *rawPool) rate(ctx context.Context, length time.Duration) (float64, error) {
	var wg sync.WaitGroup
	counts := make([]int, len(p.backends))
	errs := make([]error, len(p.backends))
	start := time.Now()
	for i, b := range p.backends {
		wg.Go(func() {
			for time.Since(start) < length && ctx.Err() == nil && errs[i] == nil {
				errs[i] = b.Run(p.batch)
				counts[i] += p.batch
			}
		})
	}
	wg.Wait()
	seconds := time.Since(start).Seconds()
	total := 0
	for i := range counts {
		if errs[i] != nil {
			return 0, errs[i]
		}
		total += counts[i]
	}
	return float64(total) / seconds, ctx.Err()
}

// searchRun searches one position after another, each for a while.
type searchRun struct {
	server *nn.Server
	games  []*board.Game
	params search.Params
	next   int

	own          time.Duration
	playouts     int64
	collisions   int64
	bytesPerNode float64
}

// rate returns visits and network evaluations per second.
func (r *searchRun) rate(ctx context.Context, length time.Duration) (visits, evals float64, err error) {
	tree, err := search.New(r.params, r.server, nil)
	if err != nil {
		return 0, 0, err
	}
	before := r.server.Stats()
	r.server.ClearCache()
	tree.Reset(r.games[r.next%len(r.games)])
	r.next++
	result, err := tree.Search(ctx, search.Limits{Time: length})
	if err != nil {
		return 0, 0, err
	}
	stats := r.server.Stats()
	delta := stats.Sub(before)
	seconds := result.Stats.Elapsed.Seconds()
	r.own += result.Stats.Elapsed - result.Stats.Waiting
	r.playouts += result.Stats.Playouts
	r.collisions += result.Stats.Collisions
	r.bytesPerNode = result.Stats.BytesPerNode()
	return float64(result.Stats.Playouts) / seconds, float64(delta.Rows) / seconds, ctx.Err()
}

// profile searches once more, for as long as all rounds took, and writes to a file
// where the processor's time went.
func (r *searchRun) profile(ctx context.Context, name string, length time.Duration) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	_, _, err = r.rate(ctx, length)
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if len(s) == 0 {
		return 0
	}
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
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
	fmt.Fprintf(w, "  mean batch %.1f, %.1f %% cached, %.1f %% collisions, %.2f us of tree work and %.0f bytes a visit, peak memory %.0f MiB\n",
		out.MeanBatch, 100*out.CacheHitRate, 100*out.Collisions, out.OwnMicros, out.BytesPerNode, float64(out.PeakRSS)/(1<<20))
	if out.Recommended != "" {
		fmt.Fprintf(w, "recommended: %s\n", out.Recommended)
		if len(out.Tuning) > 0 {
			fmt.Fprintln(w, "kept for later starts")
		}
	}
	if out.Agreement != nil {
		out.Agreement.print(w)
	}
}
