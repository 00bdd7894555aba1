package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/internal/console"
	"kosumi/internal/handout"
	"kosumi/train/loop"
)

func loopRateCommand() *cobra.Command {
	var o loop.RateOptions
	var anchors []string
	var precision string
	var asJSON bool
	c := &cobra.Command{
		Use:   "rate DIR",
		Short: "Elo of the loop's networks, against each other and other programs",
		Long: `Plays each kept network of DIR against the two before it and against every program
of --against, and fits Elo to all games. It writes DIR/ratings.json and a chart in
DIR/report.html. Games are kept: after ^C the same command resumes, and later plays
only new pairs. The first program, or else the first network, has Elo 0.`,
		Example: `  engine loop rate run1 --games 40 \
      --against 'gnugo-10=gnugo --mode gtp --level 10 --chinese-rules --positional-superko --capture-all-dead'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(
				must(o.Games >= 1, "games", o.Games, "1 or more"),
				must(o.Visits >= 1, "visits", o.Visits, "1 or more"),
				must(o.Networks >= 0, "networks", o.Networks, "0 or more")); err != nil {
				return err
			}
			for _, a := range anchors {
				name, command, ok := strings.Cut(a, "=")
				if !ok || name == "" || command == "" {
					return must(false, "against", a, "NAME=COMMAND")
				}
				o.Anchors = append(o.Anchors, loop.Anchor{Name: name, Command: command})
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			o.Program = fmt.Sprintf("%q gtp --precision %s", self, precision)
			o.Log = console.NewLog(os.Stderr, slog.LevelWarn)
			o.Status = func(line string) { fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format("15:04:05"), line) }
			r, err := loop.Rate(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			plotted := loop.WriteReport(args[0])
			if plotted != nil && !errors.Is(plotted, handout.ErrNotBuilt) {
				return plotted
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), r)
			}
			r.Print(cmd.OutOrStdout())
			if plotted != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), plotted)
				return nil
			}
			fmt.Fprintln(cmd.OutOrStdout(), "plotted in", filepath.Join(args[0], loop.ReportFile))
			return nil
		},
	}
	fl := c.Flags()
	fl.IntVar(&o.Games, "games", 20, "games of each pair")
	fl.IntVar(&o.Visits, "visits", 100, "visits of a network for a move")
	fl.IntVar(&o.Networks, "networks", 12, "maximum number of networks, spread over the run; 0: all")
	fl.StringArrayVar(&anchors, "against", nil, "`NAME=COMMAND` of a GTP program; may be given more than once")
	fl.StringVar(&precision, "precision", "fp32", "number format of the networks")
	fl.BoolVar(&asJSON, "json", false, "print the ratings as JSON")
	return c
}
