package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/search"
)

func gtpCommand() *cobra.Command {
	s := defaultSettings()
	c := &cobra.Command{
		Use:   "gtp",
		Short: "Play over the Go Text Protocol on standard input and output",
		Long: `Speaks GTP version 2 with the extensions of KataGo, Leela Zero, GoGui and KGS
that GUIs and bridges use. Messages for people go to standard error.

A move takes what the clock allows. Without a clock it takes --time seconds,
--visits or --playouts, whichever ends first, and 5 seconds if none is given.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			return serveGTP(cmd.Context(), &s)
		},
	}
	s.networkFlags(c.Flags())
	s.playFlags(c.Flags())
	s.foreignFlags(c.Flags())
	return c
}

func serveGTP(ctx context.Context, s *settings) error {
	size, err := s.size()
	if err != nil {
		return err
	}
	s.useTuning(size)
	net := openNetwork(s, size, true, s.stderr)
	conf, err := s.engineConfig()
	if err != nil {
		return err
	}
	e, err := engine.New(conf, net, s.stderr)
	if err != nil {
		return err
	}
	defer e.Close()
	server := gtp.NewServer(&seat{Engine: e, net: net, opts: s}, s.stderr, gtp.Options{Strict: s.StrictPlay})
	if term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintln(os.Stderr, "Type GTP commands: genmove b, play w D4, showboard, final_score, list_commands, quit")
	}
	game := fmt.Sprintf("%dx%d, %s rules, komi %g", size.W, size.H, s.Rules, conf.Rules.Komi)
	return serveClient(ctx, s, net, game, func(ctx context.Context) error { return server.Serve(ctx, os.Stdin, os.Stdout) })
}

// engineConfig turns the flags into the configuration of a seat.
func (s *settings) engineConfig() (engine.Config, error) {
	conf := engine.Defaults()
	var err error
	if conf.Size, err = s.size(); err != nil {
		return conf, err
	}
	if conf.Rules, err = s.gameRules(); err != nil {
		return conf, err
	}
	conf.Limits = search.Limits{Visits: s.Visits, Playouts: s.Playouts, Time: s.moveTime()}
	conf.Ponder = s.Ponder
	conf.Resign.Enabled, conf.Resign.Threshold = s.Resign, s.ResignAt
	conf.Lag = s.lag()
	conf.EarlyStop, conf.Extend = s.EarlyStop, s.Extend
	conf.HandicapAdvantage, conf.AnalysisWideNoise = s.Handicap, s.WideNoise
	conf.Seed = s.Seed
	conf.Search, err = s.searchParams(conf.Search)
	return conf, err
}

// workers is the number of evaluations under way at once: enough to keep one
// batch running and one filling in every session.
func (s *settings) workers() int {
	if s.Threads > 0 {
		return s.Threads
	}
	return 2 * s.sessionCount() * s.batchSize()
}
