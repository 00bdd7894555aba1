package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"kosumi/cluster/hub"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/train/loop"
)

type loopFlags struct {
	preset, config string
	from           string
	data           []string
	games          int64
	hours          float64
	json           bool
	logLevel       string
	initOnly       bool
	serve          loopServeFlags
}

func loopCommand() *cobra.Command {
	f := loopFlags{logLevel: "warn"}
	c := &cobra.Command{
		Use:   "loop DIR",
		Short: "Learn from nothing: self-play, training and gating in a loop",
		Long: `Repeats in DIR: self-play by the newest network, training on the newest rows, export,
a gating match, promotion. The first call creates DIR with a recipe (DIR/loop.toml,
which explains every constant) and a network of random weights. --from starts with an
existing network instead: KataGo's, your own, or "kosumi", the built-in one. --data
adds the rows of other runs until the loop's own rows fill the window.

The same command resumes. ^C, kill -9 and power cuts cost unfinished games and a few
minutes of training.

  DIR/loop.toml            the recipe; change it between two runs
  DIR/state.json           counters, networks, history
  DIR/models/NAME/         networks; the last promoted one plays
  DIR/selfplay/NAME/       rows (tdata/*.npz) and games (sgfs/*.sgfs)
  DIR/checkpoints/         the learner
  DIR/report.html          curves, networks and the newest games

Without --games and --hours the loop runs until ^C.

Each iteration writes the report again, and so does engine loop report DIR.

With --serve other machines play too: start engine work ADDRESS on each, with the
printed address. Connections are encrypted. Every game is checked before it counts.`,
		Example: `  engine loop run1
  engine loop run1 --hours 8
  engine loop more --from kosumi
  engine loop both --from run1/models/NAME/model.bin.gz --data run1/selfplay --data run2/selfplay
  engine loop class --preset tutorial --games 1000
  engine loop run1 --serve :4222
  engine loop big --config my.toml --init`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 { // --serve ADDR has two words, --serve=ADDR only one
				if f.serve.addr != defaultServe {
					return usagef("%q: a loop has one folder; an address belongs to --serve", args[1])
				}
				f.serve.addr = args[1]
			}
			return runLoop(cmd, args[0], &f)
		},
	}
	c.AddCommand(loopReportCommand(), loopRateCommand())
	fl := c.Flags()
	fl.StringVar(&f.preset, "preset", "default", "recipe of a new loop: "+strings.Join(loop.Presets(), " or "))
	fl.StringVar(&f.config, "config", "", "recipe `FILE`.toml of a new loop; missing keys have their defaults")
	fl.StringVar(&f.from, "from", "", "first `NETWORK` of a new loop: a file in KataGo's format, or kosumi, the built-in one; default: random weights")
	fl.StringArrayVar(&f.data, "data", nil, "`PATH` of rows and game records of other runs for the first window; with --from; may be given more than once")
	fl.BoolVar(&f.initOnly, "init", false, "create the folder and the recipe only")
	fl.Int64Var(&f.games, "games", 0, "stop after this many more games, and training on them if they complete an iteration; 0: no limit")
	fl.Float64Var(&f.hours, "hours", 0, "stop after this many `hours`, in the middle of a stage too; 0: no limit")
	fl.BoolVar(&f.json, "json", false, "print the state as JSON at the end")
	fl.StringVar(&f.logLevel, "log-level", f.logLevel, "level of messages on stderr beside the status lines: debug, info, warn or error")
	f.serve.add(c)
	return c
}

func runLoop(cmd *cobra.Command, dir string, f *loopFlags) error {
	level, err := parseLevel(f.logLevel)
	if err != nil {
		return err
	}
	if err := cmp.Or(must(f.games >= 0, "games", f.games, "0 or more"), must(f.hours >= 0, "hours", f.hours, "0 or more")); err != nil {
		return err
	}
	log := console.NewLog(os.Stderr, level)
	if f.serve.addr != "" {
		if log, err = clusterLog(f.logLevel, f.serve.jsonLog); err == nil {
			err = f.serve.check(log)
		}
	}
	if err == nil {
		err = prepareLoop(cmd, dir, f)
	}
	if err != nil || f.initOnly {
		return err
	}
	show := console.NewProgress(os.Stderr)
	defer show.Close()
	o := loop.Options{
		Log: log, Games: f.games, Time: time.Duration(f.hours * float64(time.Hour)),
		Status: func(line string) { show.Note(time.Now().Format("15:04:05") + " " + line) },
	}
	if show.Terminal() {
		o.Progress = func(p loop.Progress) {
			show.ShowLeft("", p.Done, p.Goal, p.Unit, p.Stage+", "+p.Text, p.Left)
		}
	}
	var others *hub.Hub
	if f.serve.addr != "" {
		others = f.serve.hub(dir, log)
		o.Exchange = others
	}
	l, err := loop.Open(dir, o)
	if err != nil {
		return err
	}
	defer l.Close()
	hangUp := sync.OnceFunc(func() { others.Close() })
	if f.serve.addr != "" {
		defer hangUp()
		if err := f.serve.serveLoop(cmd, others, l, log); err != nil {
			return err
		}
	}
	s := l.State()
	show.Note(fmt.Sprintf("%s: iteration %d, %s; %d games, %d rows, %d samples; %s plays.\n^C ends it, nothing that counted is lost.",
		dir, s.Iteration, s.Stage, s.Games, s.Rows, s.Before+s.Samples, cmp.Or(s.Current, "no network yet")))
	err = l.Run(cmd.Context())
	show.Close()
	if err == nil && others != nil {
		hangUp()
		err = l.Settle()
	}
	if err != nil {
		return err
	}
	s = l.State()
	if f.json {
		return writeJSON(cmd.OutOrStdout(), s)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d iterations, %d games, %d rows, %d samples; %s plays. Run the same command to resume.\n",
		dir, s.Iteration, s.Games, s.Rows, s.Before+s.Samples, cmp.Or(s.Current, "no network yet"))
	return nil
}

// prepareLoop makes the folder of a new loop. It does not change an existing loop: the flags about
// the start must agree with the loop's recipe.
func prepareLoop(cmd *cobra.Command, dir string, f *loopFlags) error {
	if f.from != "" && f.config != "" {
		return usagef("--from with --config: name the network in the recipe, in [start]")
	}
	if len(f.data) > 0 && f.from == "" {
		return usagef("--data goes with --from; with --config, name the folders in the recipe, in [start]")
	}
	text, err := loop.Preset(f.preset)
	if err != nil {
		return usageError{err}
	}
	path := filepath.Join(dir, loop.RecipeFile)
	_, err = os.Stat(path)
	there := err == nil
	if f.config != "" {
		if text, err = file.Read(f.config, maxConfigSize); err != nil && there {
			return fmt.Errorf("%w; the loop in %s is there already and has a recipe: resume it by engine loop %s", err, dir, file.Quote(dir))
		}
		if err != nil {
			return err
		}
	}
	if there {
		if f.config == "" && !cmd.Flags().Changed("preset") {
			text = nil
		}
		return f.agrees(dir, path, text)
	}
	if err := ownFolder(dir, loop.RecipeFile, "a loop's"); err != nil {
		return usageError{err}
	}
	if f.from != "" {
		if text, err = loop.RecipeFrom(text, f.from, f.data...); err != nil {
			return usageError{err}
		}
	}
	if err := loop.Init(dir, text, !f.initOnly); err != nil {
		if f.config != "" {
			err = fmt.Errorf("%s: %w", f.config, err)
		}
		return usageError{err}
	}
	fmt.Fprintf(os.Stderr, "a new loop in %s; its recipe is %s\n", dir, path)
	return nil
}

// agrees refuses a command line that differs from the recipe of an existing loop, and names every
// key that differs.
func (f *loopFlags) agrees(dir, path string, text []byte) error {
	list, err := loop.RecipeDifferences(dir, text, f.from, f.data...)
	if err != nil {
		return usageError{err}
	}
	if len(list) == 0 {
		return nil
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("  %s is %s, asked for: %s", d.Key, cmp.Or(d.A, "not set"), cmp.Or(d.B, "not set")))
	}
	return usagef("%s counts for the loop that is there already, and differs from what is asked for:\n%s\nresume it by %s loop %s, or name another folder",
		path, strings.Join(lines, "\n"), programName(), dir)
}

func loopReportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report DIR",
		Short: "Write DIR/report.html again: curves, networks, the newest games",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := loop.WriteReport(args[0]); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "wrote", filepath.Join(args[0], loop.ReportFile))
			return nil
		},
	}
}
