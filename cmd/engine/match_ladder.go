package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster/jobs"
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
	cluster                            clusterFlags
}

func ladderCommand() *cobra.Command {
	f := ladderFlags{size: "9", dials: "-4,-2,0,2,4,5,6,7,8,10", anchors: "10,1,v1", out: "ladder.json"}
	f.c = ladder.Config{Method: level.Methods[0].Name(), Games: 20, Rules: "chinese", Komi: 7, Parallel: 1, AnchorStep: 2}
	c := &cobra.Command{
		Use:   "ladder",
		Short: "Measure how strong the levels are, and write the table that --level goes by",
		Long: `Plays dials of a method for levels against their neighbours, against GNU Go and against
the engine itself at fixed visits, fits Elo to all the games at once, on a scale with
GNU Go's level 10 at 0, and writes or updates a ladder in a file. Copied over
level/ladder.json it is what a build goes by. Interrupted, the same command goes on
where it stopped.

--anchors lists the fixed opponents: 10 is GNU Go at level 10, 1+2 at level 1 giving two
stones (without komi), v16 the engine itself at 16 visits. The first one sets the scale.

Errors are 95 %. 20 games a pair say little; 200 are a measurement.`,
		Example: `  engine match ladder --boardsize 9 --games 200 --parallel 2 --sgf games/ladder
  engine match ladder --model g170-b6c96.bin.gz --boardsize 19 --anchors 10`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := c.Flags()
	fl.StringVar(&f.model, "model", "", "network `FILE`; default: the embedded one")
	fl.StringVar(&f.size, "boardsize", f.size, "board `SIZE`")
	fl.StringVar(&f.c.Method, "method", f.c.Method, "how levels choose: loss, target, temperature or blinded")
	fl.StringVar(&f.dials, "dials", f.dials, "dials that play, strongest first")
	fl.IntVar(&f.c.Games, "games", f.c.Games, "games of each pair")
	fl.IntVar(&f.c.AnchorGames, "anchor-games", 0, "games of each pair with a fixed opponent; 0: as many as the others")
	fl.StringVar(&f.anchors, "anchors", f.anchors, "fixed opponents, the first of which sets the scale")
	fl.IntVar(&f.c.AnchorStep, "anchor-step", f.c.AnchorStep, "every how many dials the fixed opponents are played")
	fl.StringVar(&f.gnugo, "gnugo", "", "`FILE` of GNU Go; default: looked for")
	fl.StringVar(&f.c.Rules, "rules", f.c.Rules, "rules, by area")
	fl.Float64Var(&f.c.Komi, "komi", f.c.Komi, "komi")
	fl.IntVar(&f.c.Parallel, "parallel", f.c.Parallel, "games at once")
	fl.StringVar(&f.c.Dir, "sgf", "ladder", "`DIR` for games, messages and journals")
	f.cluster.add(fl, "have the games played by")
	fl.StringVarP(&f.out, "out", "o", f.out, "`FILE` of ladders to write or update")
	return c
}

func (f *ladderFlags) run(cmd *cobra.Command) error {
	if err := f.prepare(); err != nil {
		return usageError{err}
	}
	if err := file.Try(f.out, true); err != nil {
		return err
	}
	if _, err := model.Open(f.model, model.Config{}); err != nil {
		return err
	}
	pool, closePool, err := f.cluster.open(slog.New(newPlainHandler(os.Stderr, slog.LevelInfo)))
	if err != nil {
		return err
	}
	defer closePool()
	if pool != nil {
		f.c.Elsewhere = jobs.Programs(pool)
	}
	f.c.Progress = func(done, total int) { fmt.Fprintf(os.Stderr, "%d of %d games\n", done, total) }
	l, err := ladder.Run(cmd.Context(), f.c)
	if errors.Is(err, match.ErrConfig) {
		return usageError{err}
	}
	if len(l.Support) == 0 || err != nil && cmd.Context().Err() == nil {
		return err
	}
	m, err := model.Open(f.model, model.Config{})
	if err != nil {
		return err
	}
	d := m.Describe()
	l.Network, l.SHA256 = d.Name, d.SHA256
	l.Machine, l.Date = processor(), time.Now().Format(time.DateOnly)
	ladder.Print(cmd.OutOrStdout(), l)
	return ladder.Update(f.out, l)
}

// prepare reads the flags and makes the command line of a seat.
func (f *ladderFlags) prepare() error {
	var err error
	if f.c.Size, err = sizeOf("boardsize", f.size); err != nil {
		return err
	}
	if f.c.Dials, err = ladder.ParseDials(f.dials); err != nil {
		return fmt.Errorf("--dials: %w", err)
	}
	if f.c.Parallel < 1 || f.c.AnchorStep < 1 {
		return errors.New("--parallel and --anchor-step: 1 or more")
	}
	if level.FindMethod(f.c.Method) == nil {
		return fmt.Errorf("--method is %q, must be loss, target, temperature or blinded", f.c.Method)
	}
	if f.gnugo != "" {
		if _, err := exec.LookPath(f.gnugo); err != nil {
			return fmt.Errorf("--gnugo: there is no program %s", f.gnugo)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f.c.Engine = strconv.Quote(self) + " gtp --resign=false --sessions 1 --threads 4 --cache 16 --rules " + f.c.Rules
	if f.model != "" {
		path, err := filepath.Abs(f.model)
		if err != nil {
			return err
		}
		f.c.Engine += " --model " + strconv.Quote(path)
	}
	if err := f.c.AddAnchors(f.anchors, f.gnugo); err != nil {
		return fmt.Errorf("--anchors: %w", err)
	}
	return f.c.Check()
}
