package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/engine/doctor"
	"kosumi/engine/level"
	"kosumi/match"
	"kosumi/match/ladder"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/model"
)

type ladderFlags struct {
	c                                   ladder.Config
	sizes, dials, model, gnugo, anchors string
	out, add                            string
	show, json                          bool
}

// defaultDials lists the dials (level numbers) that play if no flag names any. On large boards
// there are fewer, since games take long.
func defaultDials(size board.Size) string {
	if size.Area() > 100 {
		return "-2,0,2,4,6,8,10,12,14,16,18,20"
	}
	return "-4,-2,0,2,4,5,6,7,8,10,12,14,16,18,20"
}

func ladderCommand() *cobra.Command {
	f := ladderFlags{sizes: "9,13,19", anchors: "10,5,1,1+2,1+4", out: "ladder.json"}
	f.c = ladder.Config{Games: 20, Rules: "chinese", Komi: 7, Parallel: 1, AnchorStep: 2}
	c := &cobra.Command{
		Use:   "ladder",
		Short: "Measure the levels, and write the table for --level",
		Long: `Plays dials of the levels against their neighbours, against GNU Go and against the
engine itself at fixed visits. It fits Elo to all games at once, with GNU Go's level 10
at 0, and writes the ladders of a network to a file, one for each board size. A build
reads engine/level/ladder.json. After ^C it writes the result so far; the same command
resumes. All games of the network in its folder count. A search of 400 visits judges
nonsense moves in the records.

--anchors lists the fixed opponents: 10 is GNU Go at level 10, 1+2 at level 1 giving two
stones (without komi), v16 the engine itself at 16 visits. The first one sets the scale.

--show plays nothing. It prints the ladders of a network, by dial and by rank: those in
the program, or with --add those of a file. A rank is measured if GNU Go, with handicap or
without, met dials on both sides of it; others are extrapolated. The last table has the
habits of beginners in the records. --json prints the same for programs.

Errors are 95 %. 20 games a pair say little; 200 are a measurement. With --time the
pairs that tell most by the second play, which measures large boards with fewer games.`,
		Example: `  engine match ladder -o engine/level/ladder.json
  engine match ladder --boardsize 9 --games 200 --parallel 2 --sgf games/ladder
  engine match ladder --model g170-b6c96.bin.gz --boardsize 19 --anchors 10
  engine match ladder --boardsize 19 --anchors 10 --time 15m --parallel 2
  engine match ladder --show --boardsize 9`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := c.Flags()
	fl.StringVar(&f.model, "model", "", "network `FILE`; default: the built-in one")
	fl.StringVar(&f.sizes, "boardsize", f.sizes, "board `SIZES`, one after another")
	fl.StringVar(&f.dials, "dials", "", "dials that play, strongest first; default: "+defaultDials(board.Square(9))+", and "+defaultDials(board.Square(19))+" on boards over 10x10")
	fl.IntVar(&f.c.Games, "games", f.c.Games, "games of each pair")
	fl.IntVar(&f.c.AnchorGames, "anchor-games", 0, "games of each pair with a fixed opponent; 0: as many as the others")
	fl.DurationVar(&f.c.Time, "time", 0, "`TIME` for each board size, such as 15m, earlier runs counted; --games and --anchor-step do not count then; 0: no limit")
	fl.StringVar(&f.anchors, "anchors", f.anchors, "fixed opponents, the first of which sets the scale")
	fl.IntVar(&f.c.AnchorStep, "anchor-step", f.c.AnchorStep, "interval of the dials that play fixed opponents")
	fl.StringVar(&f.gnugo, "gnugo", "", "program `FILE` of GNU Go; default: searched for")
	fl.StringVar(&f.c.Rules, "rules", f.c.Rules, "rules, by area")
	fl.Float64Var(&f.c.Komi, "komi", f.c.Komi, "komi")
	fl.IntVar(&f.c.Parallel, "parallel", f.c.Parallel, "games at once")
	fl.StringVar(&f.c.Dir, "sgf", "ladder", "`DIR` for games, messages and journals")
	fl.BoolVar(&f.show, "show", false, "print a network's ranks on each board size as Markdown tables; plays nothing")
	fl.BoolVar(&f.json, "json", false, "with --show, print JSON: of each board size what was measured, and how each rank is played")
	fl.StringVar(&f.add, "add", "", "`FILE` of ladders whose games count too, if network and size are the same; each game counts once")
	fl.StringVarP(&f.out, "out", "o", f.out, "`FILE` of ladders to write or update")
	return c
}

func (f *ladderFlags) run(cmd *cobra.Command) error {
	if f.json && !f.show {
		return usageError{errors.New("--json goes with --show")}
	}
	if f.show {
		m, err := model.Open(f.model, model.Config{})
		if err != nil {
			return err
		}
		return f.print(cmd.OutOrStdout(), m.Describe())
	}
	configs, err := f.prepare()
	if err != nil {
		return usageError{err}
	}
	if err := tryOutput(f.out, true, f.add, f.model); err != nil {
		return err
	}
	if _, err := ladder.Read(f.out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m, err := model.Open(f.model, model.Config{})
	if err != nil {
		return err
	}
	network := m.Describe()
	for _, c := range configs {
		// Games of another network are in another folder.
		c.Dir = filepath.Join(c.Dir, network.SHA256[:min(12, len(network.SHA256))], c.Size.String())
		if err := f.measure(cmd, c, network); err != nil {
			return err
		}
	}
	return nil
}

// print shows the measurements of a network on the named boards.
func (f *ladderFlags) print(w io.Writer, network nn.Description) error {
	all := level.Ladders()
	if f.add != "" {
		var err error
		if all, err = ladder.Read(f.add); err != nil {
			return err
		}
	}
	sizes, err := f.boards()
	if err != nil {
		return usageError{err}
	}
	shown := []ladderJSON{}
	for _, size := range sizes {
		for _, l := range measured(all, network, size) {
			shown = append(shown, ladderJSON{l, l.Ranks()})
		}
	}
	switch {
	case len(shown) == 0:
		return fmt.Errorf("nothing is known of %s on these boards: engine match ladder without --show measures it", network.Name)
	case f.json:
		return json.NewEncoder(w).Encode(shown)
	}
	for _, l := range shown {
		ladder.Show(w, l.Ladder)
	}
	return nil
}

type ladderJSON struct {
	level.Ladder
	Ranks []level.RankSupport `json:"ranks"`
}

// measure plays the ladder of one board size and records the result.
func (f *ladderFlags) measure(cmd *cobra.Command, c ladder.Config, network nn.Description) error {
	c.Progress = func(done, total int) {
		if total == 0 {
			fmt.Fprintf(os.Stderr, "%s: %d games\n", c.Size, done)
		} else {
			fmt.Fprintf(os.Stderr, "%s: %d of %d games\n", c.Size, done, total)
		}
	}
	s := defaultSettings()
	s.Model, s.Play.Limits.Visits, s.stderr = f.model, judgeVisits, slog.New(slog.DiscardHandler)
	late := lateJudge{lateNetwork: lateNetwork{s: &s}}
	defer late.close()
	c.Judge = func(g *board.Game, p board.Point) (float64, error) {
		judge, err := late.open(c.Size)
		if err != nil {
			return 0, err
		}
		return judge.Lost(context.Background(), g, p)
	}
	if f.add != "" {
		all, err := ladder.Read(f.add)
		if err != nil {
			return err
		}
		if found := measured(all, network, c.Size); len(found) > 0 {
			c.Known = found[0]
		}
	}
	l, err := ladder.Run(cmd.Context(), c)
	if errors.Is(err, match.ErrConfig) {
		return usageError{err}
	}
	if len(l.Support) == 0 || err != nil && cmd.Context().Err() == nil {
		return err
	}
	l.Network, l.SHA256 = network.Name, network.SHA256
	l.Machine, l.Date = doctor.Processor(), time.Now().Format(time.DateOnly)
	ladder.Print(cmd.OutOrStdout(), l)
	if err := ladder.Update(f.out, l); err != nil {
		return err
	}
	return reportFile(cmd, f.out)
}

// measured returns the ladders of a network on a board.
func measured(all []level.Ladder, network nn.Description, size board.Size) []level.Ladder {
	return slices.DeleteFunc(slices.Clone(all), func(l level.Ladder) bool { return l.SHA256 != network.SHA256 || board.Square(l.Size) != size })
}

// judgeVisits is the number of visits for the position before a suspicious move, and for the
// position after it.
const judgeVisits = 400

func (f *ladderFlags) boards() (sizes []board.Size, err error) {
	for text := range strings.SplitSeq(f.sizes, ",") {
		size, err := sizeOf("boardsize", strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// prepare checks the flags, and returns the configuration of the measurement on each board size.
func (f *ladderFlags) prepare() ([]ladder.Config, error) {
	if err := cmp.Or(
		must(f.c.Parallel >= 1, "parallel", f.c.Parallel, "1 or more"),
		must(f.c.AnchorStep >= 1, "anchor-step", f.c.AnchorStep, "1 or more"),
		must(f.c.Time >= 0, "time", f.c.Time, "0 or more")); err != nil {
		return nil, err
	}
	if f.gnugo != "" {
		if _, err := exec.LookPath(f.gnugo); err != nil {
			return nil, fmt.Errorf("--gnugo: there is no program %s", f.gnugo)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f.c.Engine = strconv.Quote(self) + " gtp --sessions 1 --threads 4 --cache 16 --rules " + f.c.Rules
	if path := f.model; path != "" {
		if path != models.Name {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
		}
		f.c.Engine += " --model " + strconv.Quote(path)
	}
	sizes, err := f.boards()
	if err != nil {
		return nil, err
	}
	var all []ladder.Config
	for _, size := range sizes {
		c := f.c
		c.Size = size
		if c.Dials, err = ladder.ParseDials(cmp.Or(f.dials, defaultDials(size))); err != nil {
			return nil, fmt.Errorf("--dials: %w", err)
		}
		if err := c.AddAnchors(f.anchors, f.gnugo); err != nil {
			return nil, fmt.Errorf("--anchors: %w", err)
		}
		if err := c.Check(); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
