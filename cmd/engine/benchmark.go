package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kosumi/engine/bench"
	"kosumi/search"
)

type benchmarkFlags struct {
	seconds float64
	rounds  int
	tune    bool
	json    bool
}

func benchmarkCommand() *cobra.Command {
	s := defaultSettings()
	var f benchmarkFlags
	c := &cobra.Command{
		Use:        "benchmark",
		SuggestFor: []string{"bench", "speed", "tune"},
		Short:      "Measure the network alone and in search",
		Long: `Measures evaluations per second of the network alone, with every session busy
and every batch full, and in a search of one position after another, in turns.
--tune tries numbers of sessions, batch sizes and workers in search. It keeps the
best for later starts of gtp, analysis and benchmark with this network, board, provider and machine;
--sessions, --batch and --threads override it.`,
		Example: `  engine benchmark --model net.bin.gz --boardsize 9 --tune`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(
				must(f.rounds >= 1 && f.rounds <= 1000, "rounds", f.rounds, "1 to 1000"),
				must(f.seconds >= leastSeconds && f.seconds <= 3600, "seconds", f.seconds, fmt.Sprintf("%g to 3600", leastSeconds))); err != nil {
				return err
			}
			if f.tune && s.planned() {
				return usagef("--tune chooses --sessions, --batch and --threads itself")
			}
			result, err := runBenchmark(cmd, &s, f)
			if err != nil {
				return err
			}
			return printResult(cmd, f.json, result)
		},
	}
	s.oneNetworkFlags(c.Flags())
	s.gameFlags(c.Flags())
	s.searchFlags(c.Flags())
	s.flags(c.Flags(), "max-memory")
	c.Flags().Float64Var(&f.seconds, "seconds", 2, "`seconds` of each measurement")
	c.Flags().IntVar(&f.rounds, "rounds", 5, "rounds; the medians are reported")
	c.Flags().BoolVar(&f.tune, "tune", false, "try sessions, batch sizes and workers, and keep the best for later starts")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// leastSeconds is the minimum duration of a measurement: 20 ticks of a clock that ticks once a
// millisecond.
const leastSeconds = 0.02

func runBenchmark(cmd *cobra.Command, s *settings, f benchmarkFlags) (*bench.Report, error) {
	ctx, size := cmd.Context(), s.Play.Size
	if !f.tune {
		s.useTuning(size)
	}
	m, err := s.openModel(s.Model, s.stderr)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	games, err := bench.Positions(ctx, m, size, s.Play.Rules)
	if err != nil {
		return nil, err
	}
	setup := &bench.Setup{Model: m, Server: s.ServerConfig(s.Play.Seed), Games: games, Params: s.searchOnce(), Rounds: f.rounds, Length: time.Duration(f.seconds * float64(time.Second))}
	out := &bench.Report{Subject: bench.SubjectOf(m.Describe(), size), Rounds: f.rounds}
	if f.tune {
		if err := s.tune(ctx, setup, out); err != nil {
			return nil, err
		}
	}
	return out, s.measure(ctx, setup, out)
}

// searchOnce returns the search's parameters with a fixed seed, so that all searches are the same.
func (s *settings) searchOnce() search.Params {
	p := s.params()
	p.Seed = 1
	return p
}

func (s *settings) measure(ctx context.Context, setup *bench.Setup, out *bench.Report) error {
	out.Plan = bench.Plan{Sessions: s.SessionCount(), Batch: s.BatchSize(), Threads: s.workers()}
	setup.Params = s.searchOnce() // tuning may have changed the parameters
	server, err := setup.Serve(out.Plan)
	if err != nil {
		return err
	}
	defer server.Close()
	out.Speed, out.Work, err = setup.Measure(ctx, out.Plan, setup.Search(server, out.Threads))
	return err
}
