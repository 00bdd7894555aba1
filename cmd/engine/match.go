package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kosumi/engine/clock"
	"kosumi/internal/console"
	"kosumi/match"
	"kosumi/match/elo"
	"kosumi/match/opening"
)

// matchFlags are the flags that do not map directly to a field of match.Config.
type matchFlags struct {
	size, clock, openings string
	komi                  float64
	sprt                  elo.SPRT
	json, discard         bool
	logLevel              string
}

func matchCommand() *cobra.Command {
	var c match.Config
	f := matchFlags{size: "19", logLevel: "info"}
	cmd := &cobra.Command{
		Use:        "match --a COMMAND --b COMMAND",
		SuggestFor: []string{"elo", "sprt", "strength", "gate", "levels", "ranks"},
		Short:      "Let two GTP programs play each other, and say which is stronger",
		Long: `Referees games between any two programs that speak GTP. The referee keeps its own
board: illegal moves, crashes, hangs and exceeded clocks lose the game. It scores by
its own rules, and removes dead stones if both programs agree on them. Colours
alternate. Games are saved in the folder --out, or in match-DATE. After ^C run the same
command to resume (without --out, on the same day). --openings starts games from the
positions of a file that "match openings" writes. If no program on the path is named
engine, that word in --a and --b starts this one.`,
		Example: `  engine match --a "engine gtp --visits 200" --b "gnugo --mode gtp --level 10 --chinese-rules" \
      --games 100 --boardsize 9 --komi 7 --rules chinese --parallel 2 -o games`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.apply(cmd, &c); err != nil {
				return err
			}
			return runMatch(cmd, c, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&c.A.Command, "a", "", "`COMMAND` that starts the first program")
	fl.StringVar(&c.B.Command, "b", "", "`COMMAND` that starts the second program")
	fl.StringVar(&c.A.Name, "name-a", "", "`NAME` of the first program; default: its own")
	fl.StringVar(&c.B.Name, "name-b", "", "`NAME` of the second program")
	fl.IntVar(&c.Games, "games", 1, "number of games, 1 or more; with --openings an even one, by default 2; with --elo1 by default as many as the test takes")
	fl.StringVar(&f.size, "boardsize", f.size, "board `SIZE`: 2 to 25, or for example 9x13")
	fl.Float64Var(&f.komi, "komi", 0, "komi; default: that of the rules")
	fl.StringVar(&c.Rules, "rules", match.DefaultRules, "rules: a name or a JSON object")
	fl.IntVar(&c.Parallel, "parallel", 1, "games at once")
	fl.StringVarP(&c.Dir, "out", "o", "", "`DIR` for one SGF file a game, the programs' messages and the journal; default: match-DATE, or match-DATE-2 if that belongs to another match")
	fl.BoolVar(&f.discard, "discard", false, "keep no games")
	fl.StringVar(&c.Journal, "journal", "", "`FILE` that records finished games; default: in the --out folder")
	fl.StringVar(&f.clock, "time-settings", "", "clock: \"absolute 10\", \"byoyomi 5 1 3\", \"canadian 5 2 10\", \"fischer 5 0.1\" (seconds); default: none")
	fl.DurationVar(&c.TimeGrace, "time-grace", match.DefaultTimeGrace, "tolerance of the clocks")
	fl.DurationVar(&c.MoveTimeout, "move-timeout", match.DefaultMoveTimeout, "time limit for each answer")
	fl.DurationVar(&c.StartTimeout, "start-timeout", match.DefaultStartTimeout, "time limit for a program's first answer")
	fl.IntVar(&c.MaxMoves, "max-moves", 0, "maximum length of a game, which is then scored as it stands; 0: three times the board's points")
	fl.StringVar(&f.openings, "openings", "", "`FILE` of openings, SGF or lines of moves; each is played with both colours")
	fl.IntVar(&c.Handicap, "handicap", 0, "handicap stones that b gives a; a has Black in every game, and --komi stays as it is")
	fl.Float64Var(&f.sprt.Elo0, "elo0", 0, "with --elo1: stop once the test decides between a difference of elo0 and of elo1 (SPRT)")
	fl.Float64Var(&f.sprt.Elo1, "elo1", 0, "the larger difference of the test")
	fl.Float64Var(&f.sprt.Alpha, "alpha", 0.05, "probability of accepting elo1 if elo0 is true")
	fl.Float64Var(&f.sprt.Beta, "beta", 0.05, "probability of accepting elo0 if elo1 is true")
	fl.BoolVar(&c.Fresh, "fresh", false, "restart the programs for each game")
	fl.BoolVar(&f.json, "json", false, "print the summary as JSON")
	fl.StringVar(&f.logLevel, "log-level", f.logLevel, "level of messages on stderr: debug, info, warn or error")
	cmd.AddCommand(openingsCommand(), ladderCommand())
	return cmd
}

func (f *matchFlags) apply(cmd *cobra.Command, c *match.Config) error {
	if c.A.Command == "" || c.B.Command == "" {
		return usagef("give --a and --b, the commands that start the two programs")
	}
	err := must(c.Games >= 1, "games", c.Games, "1 or more")
	if err != nil {
		return err
	}
	if c.Size, err = sizeOf("boardsize", f.size); err != nil {
		return err
	}
	if cmd.Flags().Changed("komi") {
		c.Komi = &f.komi
	}
	if f.clock != "" {
		if c.Time, err = clock.Parse(f.clock); err != nil {
			return usageError{err}
		}
	}
	if f.openings != "" {
		if c.Games%2 == 1 && cmd.Flags().Changed("games") {
			return usagef("--games is %d; with --openings it must be even, since each opening is played with both colours", c.Games)
		}
		if c.Openings, err = opening.Read(f.openings, c.Size); err != nil {
			return err
		}
		if !cmd.Flags().Changed("games") {
			c.Games = 2
		}
	}
	switch elo0, elo1 := cmd.Flags().Changed("elo0"), cmd.Flags().Changed("elo1"); {
	case elo0 && elo1:
		c.SPRT = &f.sprt
		if !cmd.Flags().Changed("games") {
			c.Games = 0 // play until the test decides
		}
	case elo0 || elo1:
		return usagef("--elo0 and --elo1 go together: give both or neither")
	}
	if f.discard && (c.Dir != "" || c.Journal != "") {
		return usagef("--discard keeps no games: leave --out and --journal out")
	}
	level, err := parseLevel(f.logLevel)
	if err != nil {
		return err
	}
	c.Log = console.NewLog(os.Stderr, level)
	f.komi = halfPoints(f.komi, c.Log)
	return nil
}

func runMatch(cmd *cobra.Command, c match.Config, f matchFlags) error {
	var err error
	if c.Engine, err = os.Executable(); err != nil {
		return err
	}
	made, err := f.folder(&c)
	if err != nil {
		return asUsage(err)
	}
	done := showMatch(&c)
	summary, err := match.Run(cmd.Context(), c)
	done()
	if made != "" && summary.Games == 0 {
		_ = os.RemoveAll(made) // the folder only has the programs' failures, which were reported
	}
	if err != nil && cmd.Context().Err() == nil {
		return asUsage(err)
	}
	if err := printResult(cmd, f.json, &summary); err != nil {
		return err
	}
	switch {
	case cmd.Context().Err() == nil:
		return nil
	case f.discard:
		return errors.New("interrupted; the games are lost, because of --discard")
	}
	return errors.New("interrupted; run the same command to resume")
}

// folder chooses the folder of the games if no flag names one. The match will log the folder's name
// before the first game. made is the chosen folder if it does not exist yet, otherwise "".
func (f *matchFlags) folder(c *match.Config) (made string, err error) {
	if c.Dir == "" && !f.discard {
		if c.Dir, err = match.FolderFor(*c, "match-"+time.Now().Format(time.DateOnly)); err != nil {
			return "", err
		}
		if _, err := os.Stat(c.Dir); err != nil {
			made = c.Dir
		}
	}
	if c.Dir != "" {
		c.Begins = func() { c.Log.Info("games: " + c.Dir) }
	}
	return made, nil
}

// asUsage turns an error that the user's settings caused into a usage error.
func asUsage(err error) error {
	if errors.Is(err, match.ErrConfig) {
		return usageError{err}
	}
	return err
}

// showMatch reports progress: a bar on a terminal, else a line a game.
func showMatch(c *match.Config) (done func()) {
	d := console.NewProgress(os.Stderr)
	c.Progress = func(p match.Progress) {
		switch {
		case d.Terminal():
			d.Show("", int64(p.Summary.Games), int64(p.Total), "games", p.Summary.Line())
		case p.Game != nil:
			d.Note(p.Line())
		}
	}
	return d.Close
}
