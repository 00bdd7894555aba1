package main

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/train/label"
)

type labelFlags struct {
	label.Config
	teacher, player, recipe, size, encoder string
	json                                   bool
}

func labelCommand() *cobra.Command {
	s := defaultSettings()
	s.Cache, s.Batch = 64<<20, 16
	var f labelFlags
	c := &cobra.Command{
		Use:   "label --teacher FILE --out DIR",
		Short: "Label positions with a strong network, to teach a smaller one by engine train",
		Long: `Asks a strong network, the teacher, about many positions: which moves it would play,
who wins, by how much, and who owns each point. DIR receives rows with these answers
(.npz), and "engine train --data DIR" teaches another network with them.

By default the positions come from fresh games on 19x19, 13x13 and 9x9, under several
rules and komi, some with handicap. The built-in network plays them by its policy
alone, and the teacher labels a third of the turns. --from labels existing training rows
(.npz) and game records (.sgf, .sgfs) instead; these files stay unchanged.

Files appear whole or not at all. After ^C, run the same command to resume; no game or
position is labelled twice. engine train may use DIR meanwhile; it reads new files after
each pass.

--recipe FILE.toml sets board sizes, komi, rules, openings and temperatures of fresh
games. Print the recipe in use with --recipe show.`,
		Example: `  engine label --teacher strong.bin.gz -o labels --rows 100000
  engine label --teacher strong.bin.gz -o check --boardsize 19 --rows 4000
  engine label --teacher strong.bin.gz -o pro --from pro-games`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(&s); err != nil {
				return err
			}
			if f.recipe == "show" {
				return toml.NewEncoder(cmd.OutOrStdout()).Encode(f.Games)
			}
			if f.teacher == "" || f.Out == "" {
				return usagef("give --teacher FILE and --out DIR")
			}
			return runLabel(cmd, &s, &f)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.teacher, "teacher", "", "network `FILE` of the teacher: KataGo's .bin.gz or .txt.gz, or .onnx")
	fl.StringVarP(&f.Out, "out", "o", "", "`DIR` for the rows")
	fl.StringArrayVar(&f.From, "from", nil, "`DIR` or file of rows or game records to label instead of fresh games; may be given more than once")
	fl.StringVar(&f.player, "player", "", "network `FILE` that plays the fresh games; it may be the teacher; default: the built-in one")
	fl.IntVar(&f.Rows, "rows", 0, "number of labels in DIR, earlier ones included, at which no further game begins; 0: until ^C, or the end of --from")
	fl.IntVar(&f.PerFile, "rows-per-file", 1024, "labels at which a file ends, after whole games; a crash costs at most one file")
	fl.Float64Var(&f.Share, "share", 0, "fraction of a game's turns to label; 0: a third")
	fl.Float64Var(&f.Leaves, "leaves", 0, "fraction of the labels to take from positions that searches of the player evaluate, at 100 visits, 10 from each search")
	fl.StringVar(&f.recipe, "recipe", "", "recipe `FILE`.toml of fresh games, or \"show\" to print the one in use")
	fl.StringVar(&f.size, "boardsize", "", "one board `SIZE` instead of the recipe's: 2 to 25, or for example 9x13")
	fl.StringVar(&f.encoder, "rows-encoder", "v7", "encoding of the rows, as the student reads it: v7, seed22, mini7, agz17 or agz17-split")
	s.groupFlags(fl, networkGroup, "model", "human-model", "encoder", "policy", "value")
	s.flagAs(fl, "seed", "`NUMBER` that repeats each game and its labels, but not the order in which games end and get into files; 0: random")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func (f *labelFlags) read(s *settings) error {
	if len(f.From) > 0 && f.size+f.player+f.recipe != "" {
		return usagef("--boardsize, --player and --recipe are of fresh games: leave --from or these out")
	}
	f.Games = label.Recipe()
	f.Games.Parallel = min(4096, 2*s.SessionCount()*s.BatchSize())
	var err error
	if f.Games, err = readRecipe(f.recipe, f.size, f.Games); err != nil {
		return err
	}
	if f.Encoding, err = features.Parse(f.encoder); err != nil {
		return usageError{err}
	}
	return nil
}

func runLabel(cmd *cobra.Command, s *settings, f *labelFlags) error {
	if err := s.loadPositions(&f.Games); err != nil {
		return err
	}
	teacher, err := s.openModel(f.teacher, s.stderr)
	if err != nil {
		return err
	}
	defer teacher.Close()
	f.Teacher, f.Server, f.Seed, f.Log = teacher, s.ServerConfig(s.Play.Seed), s.Play.Seed, s.stderr
	if len(f.From) == 0 && !file.Same(f.player, f.teacher) {
		var player *model.Model
		if player, err = s.openModel(f.player, s.stderr); err != nil {
			return err
		}
		defer player.Close()
		f.Player = player
	}
	show := console.NewProgress(cmd.ErrOrStderr())
	f.Progress = func(p label.Progress) { show.Show("", int64(p.Rows), int64(p.Total), "labels", p.String()) }
	report, err := label.Run(cmd.Context(), f.Config)
	show.Close()
	if errors.Is(err, label.ErrConfig) {
		return usageError{err}
	}
	if report == nil {
		return err
	}
	if f.json {
		err = errors.Join(err, writeJSON(cmd.OutOrStdout(), report))
	} else {
		report.Print(cmd.OutOrStdout(), f.Out)
	}
	switch {
	case err != nil || !report.Interrupted:
		return err
	case report.Rows == 0:
		return errors.New("interrupted before a game ended; nothing is labelled yet")
	default:
		return fmt.Errorf("interrupted; %d labels are in %s; run the same command to resume", report.Rows, f.Out)
	}
}
