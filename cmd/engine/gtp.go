package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kosumi/engine"
	"kosumi/gtp"
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
	size := s.Play.Size
	s.useTuning(size)
	net := openNetwork(s, size, true, s.stderr)
	conf := s.engineConfig()
	e, err := engine.New(conf, net, s.stderr)
	if err != nil {
		return err
	}
	defer e.Close()
	server := gtp.NewServer(&seat{Engine: e, net: net, opts: s}, s.stderr, gtp.Options{Strict: s.StrictPlay})
	if term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintln(os.Stderr, "Type GTP commands: genmove b, play w D4, showboard, final_score, list_commands, quit")
	}
	game := fmt.Sprintf("%dx%d, %s rules, komi %g", size.W, size.H, table.Find("rules").Get(s), conf.Rules.Komi)
	return serveClient(ctx, s, net, game, func(ctx context.Context) error { return server.Serve(ctx, os.Stdin, os.Stdout) })
}
