package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/internal/file"
	"kosumi/level"
	"kosumi/match"
	"kosumi/match/ladder"
	"kosumi/nn/model"
)

// ladderFlags are what the ladder is told.
type ladderFlags struct {
	c                                  ladder.Config
	size, dials, model, gnugo, anchors string
	out                                string
}

func ladderCommand() *cobra.Command {
	f := ladderFlags{size: "9", dials: "0,2,4,6,8,10", anchors: "10,1", out: "ladder.json"}
	f.c = ladder.Config{Method: level.Methods[0].Name(), Games: 20, Rules: "chinese", Komi: 7, Parallel: 1, AnchorStep: 2}
	c := &cobra.Command{
		Use:   "ladder",
		Short: "Measure how strong the levels are, and write the table that --level goes by",
		Long: `Plays dials of a method for levels against their neighbours and against GNU Go,
fits Elo to all the games at once, on a scale with GNU Go's level 10 at 0, and writes or
updates a ladder in a file. Copied over level/ladder.json it is what a build
goes by. Interrupted, the same command goes on where it stopped.

Errors are 95 %. 20 games a pair say little; 200 are a measurement.`,
		Example: `  engine match ladder --boardsize 9 --games 200 --parallel 2 --sgf games/ladder
  engine match ladder --model g170-b6c96.bin.gz --boardsize 19 --anchors 10`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := c.Flags()
	fl.StringVar(&f.model, "model", "", "network `FILE`; default: the embedded one")
	fl.StringVar(&f.size, "boardsize", f.size, "board `SIZE`")
	fl.StringVar(&f.c.Method, "method", f.c.Method, "how levels choose: loss, temperature or blinded")
	fl.StringVar(&f.dials, "dials", f.dials, "dials that play, strongest first")
	fl.IntVar(&f.c.Games, "games", f.c.Games, "games of each pair")
	fl.StringVar(&f.anchors, "anchors", f.anchors, "levels of GNU Go to play, the first of which sets the scale")
	fl.IntVar(&f.c.AnchorStep, "anchor-step", f.c.AnchorStep, "every how many dials GNU Go is played")
	fl.StringVar(&f.gnugo, "gnugo", "", "`FILE` of GNU Go; default: looked for")
	fl.StringVar(&f.c.Rules, "rules", f.c.Rules, "rules, by area")
	fl.Float64Var(&f.c.Komi, "komi", f.c.Komi, "komi")
	fl.IntVar(&f.c.Parallel, "parallel", f.c.Parallel, "games at once")
	fl.StringVar(&f.c.Dir, "sgf", "ladder", "`DIR` for games, messages and journals")
	fl.StringVarP(&f.out, "out", "o", f.out, "`FILE` of ladders to write or update")
	return c
}

func (f *ladderFlags) run(cmd *cobra.Command) error {
	if err := f.prepare(); err != nil {
		return usageError{err}
	}
	f.c.Progress = func(done, total int) { fmt.Fprintf(os.Stderr, "%d of %d games\n", done, total) }
	l, err := ladder.Run(cmd.Context(), f.c)
	if errors.Is(err, match.ErrConfig) {
		return usageError{err}
	}
	if len(l.Support) == 0 || err != nil && cmd.Context().Err() == nil {
		return err
	}
	m, err := model.Open(f.model, model.Config{Precision: "fp32"})
	if err != nil {
		return err
	}
	d := m.Describe()
	l.Network, l.SHA256 = d.Name, d.SHA256
	l.Machine, l.Date = processor(), time.Now().Format(time.DateOnly)
	return f.write(cmd, l)
}

// prepare reads the flags and makes the command line of a seat.
func (f *ladderFlags) prepare() error {
	var err error
	if f.c.Size, err = sizeOf("boardsize", f.size); err != nil {
		return err
	}
	for text := range strings.SplitSeq(f.dials, ",") {
		d, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return fmt.Errorf("--dials: %q is no number", text)
		}
		f.c.Dials = append(f.c.Dials, d)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f.c.Engine = strconv.Quote(self) + " gtp --resign=false --precision fp32 --sessions 1 --threads 4 --cache 16 --rules " + f.c.Rules
	if f.model != "" {
		path, err := filepath.Abs(f.model)
		if err != nil {
			return err
		}
		f.c.Engine += " --model " + strconv.Quote(path)
	}
	if f.anchors == "" {
		return f.c.Check()
	}
	if f.gnugo == "" {
		for _, name := range []string{"gnugo", "/usr/games/gnugo"} {
			if path, err := exec.LookPath(name); err == nil {
				f.gnugo = path
				break
			}
		}
	}
	if f.gnugo == "" {
		return errors.New("GNU Go was not found: install it, name it with --gnugo, or play without it, --anchors \"\"")
	}
	for text := range strings.SplitSeq(f.anchors, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n > 10 {
			return fmt.Errorf("--anchors: GNU Go has levels 0 to 10, not %q", text)
		}
		if len(f.c.Anchors) == 0 {
			f.c.ZeroElo = gnugoElo(n)
		}
		f.c.Anchors = append(f.c.Anchors, match.Program{
			Command: fmt.Sprintf("%s --mode gtp --level %d --chinese-rules", strconv.Quote(f.gnugo), n), Name: fmt.Sprintf("GNU Go 3.8 level %d", n)})
	}
	return f.c.Check()
}

// gnugoElo is the Elo of a level of GNU Go 3.8 on 9x9, from level 10: a fit to a few
// hundred games of this engine's against levels 1, 5 and 10, give or take 200.
func gnugoElo(n int) float64 {
	if n >= 5 {
		return -109 * float64(10-n) / 5
	}
	return -109 - 185*float64(5-n)/4
}

// write puts a ladder into the file in place of the one of the same network, size
// and method, and prints it.
func (f *ladderFlags) write(cmd *cobra.Command, l level.Ladder) error {
	var all []level.Ladder
	if data, err := os.ReadFile(f.out); err == nil {
		if all, err = level.ParseLadders(data); err != nil {
			return fmt.Errorf("%s: %w", f.out, err)
		}
	}
	all = slices.DeleteFunc(all, func(o level.Ladder) bool { return o.SHA256 == l.SHA256 && o.Size == l.Size && o.Method == l.Method })
	data, err := json.MarshalIndent(append([]level.Ladder{l}, all...), "", " ")
	if err != nil {
		return err
	}
	for _, s := range l.Support {
		fmt.Fprintf(cmd.OutOrStdout(), "%s:%-4g %+5.0f Elo, give or take %.0f; %.2f points lost a move, %.1f %% lose more than ten, %.2f moves of nonsense in 1,000; %d games\n",
			l.Method, s.Dial, s.Elo, s.Error, s.PointsLost, 100*s.Blunders, s.Nonsense, s.Games)
	}
	for _, a := range l.Anchors {
		fmt.Fprintf(cmd.OutOrStdout(), "%s %+.0f Elo, give or take %.0f; %d games\n", a.Name, a.Elo, a.Error, a.Games)
	}
	return file.WriteBytes(f.out, append(data, '\n'))
}
