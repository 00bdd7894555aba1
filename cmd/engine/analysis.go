package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"kosumi/engine/analysis"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/nn/open"
	"kosumi/search"
	"kosumi/search/thinking"
)

func analysisCommand() *cobra.Command {
	s := defaultSettings()
	conf := analysis.Defaults()
	s.Play.Limits = conf.Limits
	s.searchFrom(conf.Search)
	var perspective string
	c := &cobra.Command{
		Use:   "analysis",
		Short: "Analyse positions over KataGo's JSON protocol on standard input and output",
		Long: `Reads queries, one JSON object a line, and writes results, one a line, in any
order. KaTrain and Ogatak use it; so can scripts. The protocol is KataGo's.`,
		Example: `  echo '{"id":"a","moves":[["B","E5"]],"rules":"chinese","boardXSize":9,"boardYSize":9,"maxVisits":50}' | engine analysis`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n := s.idle["numAnalysisThreads"]; n != "" && !cmd.Flags().Changed("positions") && !cmd.Flags().Changed("analysis-threads") {
				conf.Threads, _ = strconv.Atoi(n) // a value that is not a number becomes 0, which is refused
			}
			if s.Play.Limits.Visits < 1 {
				return usagef("--visits is %d, must be 1 or more: an analysis needs an end", s.Play.Limits.Visits)
			}
			if err := must(conf.Threads >= 1 && conf.Threads <= analysis.MaxThreads, "positions", conf.Threads, fmt.Sprintf("1 to %d", analysis.MaxThreads)); err != nil {
				return err
			}
			if least := int64(search.MinBytes) * int64(conf.Threads); s.Play.Search.Memory.MaxBytes < least {
				return usagef("--max-memory is %d and --positions %d share it: raise it to %d or more, or lower --positions",
					s.Play.Search.Memory.MaxBytes>>20, conf.Threads, least>>20)
			}
			var err error
			if conf.Perspective, err = analysis.ParsePerspective(perspective); err != nil {
				return usageError{err}
			}
			return serveAnalysis(cmd.Context(), &s, conf)
		},
	}
	f := c.Flags()
	s.networkFlags(f)
	s.flagAs(f, "visits", "visits per position unless the query sets them")
	f.IntVar(&conf.Threads, "positions", conf.Threads, "positions searched at the same time")
	f.IntVar(&conf.Threads, "analysis-threads", conf.Threads, "KataGo's name of --positions")
	f.StringVar(&perspective, "perspective", "SIDETOMOVE", "side whose view the numbers take: BLACK, WHITE or SIDETOMOVE")
	f.BoolVar(&conf.QuitWithoutWaiting, "quit-without-waiting", false, "stop at once when the input ends")
	s.flagAs(f, "max-memory", "limit of all search trees together in `MiB`")
	s.searchFlags(f)
	s.foreignFlags(f)
	return c
}

func serveAnalysis(ctx context.Context, s *settings, conf analysis.Config) error {
	size := s.Play.Size
	s.useTuning(size)
	conf.Limits = search.Limits{Visits: s.Play.Limits.Visits}
	net := openNetwork(s, size, s.stderr)
	conf = s.analysisConfig(conf, net)
	conf.Search.Parallel.Sessions = max(1, conf.Search.Parallel.Sessions/conf.Threads)
	server, err := analysis.New(conf, net, s.stderr)
	if err != nil {
		return usageError{err}
	}
	what := fmt.Sprintf("%d positions at a time", conf.Threads)
	return serveClient(ctx, s, net, what, func(ctx context.Context) error { return server.Serve(ctx, os.Stdin, os.Stdout) })
}

// analysisConfig completes conf. The positions that are analysed at once share the threads and the memory.
func (s *settings) analysisConfig(conf analysis.Config, net *open.Network) analysis.Config {
	conf.Version, conf.Search = version, s.params()
	p := &conf.Search
	p.Parallel.Workers = max(1, p.Parallel.Workers/conf.Threads)
	p.Memory.MaxBytes = max(search.MinBytes, p.Memory.MaxBytes/int64(conf.Threads))
	conf.Models = func() []thinking.ModelInfo { return katago.Models(net) }
	conf.SupportedRules = katago.RulesOf(net)
	conf.Overrides = config.PlainOverrides(p.Parallel.Workers)
	return conf
}
