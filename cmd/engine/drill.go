package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/board"
	ranks "kosumi/engine/level"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/sgf"
	"kosumi/web/store"
)

func drillCommand() *cobra.Command {
	s := defaultSettings()
	s.Play.Limits.Visits = 100
	var log string
	var level int
	fresh, turn := 10, true
	c := &cobra.Command{
		Use:        "drill [FILE|DIR]",
		SuggestFor: []string{"problem", "problems", "puzzle", "tsumego", "solve"},
		Short:      "Solve problems from your own mistakes, of life and death, or of an SGF file, when they are due",
		Long: `Shows the positions of a file that "engine review --drills" wrote, or of drills.json
in a folder, and waits for a move such as Q16. A move is right if it loses at most a
point, or a quarter of what the mistake lost. Moves that the review did not search
are searched on the spot. A wrong move gets its refutation; then try again, or type show.

An SGF file of problems has positions with answers. Right is what TE, RIGHT or Correct
in a comment marks, without marks the first branch; other moves are judged by a proof
or a search.

Without a file it asks problems of life and death that come with the program. Each has
exactly one first move that works, by proof. The other side answers until nothing needs
an answer of yours any more: every move has to work. Their level follows your rank;
--level selects one, from 1, the easiest, to 5. The page shares the answers.

A file beside the problems keeps the answers. The first try counts: a problem returns
soon after a wrong one, and after days, weeks and months after right ones (FSRS).
Positions are rotated, mirrored and their colours exchanged at random, so that nobody
learns them as pictures; those of SGF files are not.

Commands: a point or pass; hint, show (counts as wrong), skip, board, help, quit;
again: ask the last problem again soon. GTP's play b Q16 works too.`,
		Args:    cobra.MaximumNArgs(1),
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(must(fresh >= 0, "new", fresh, "0 or more"),
				must(level == 0 || level > 0 && level <= 5 && len(args) == 0, "level", level, "1 to 5, for the problems that come with the program")); err != nil {
				return err
			}
			if len(args) == 0 {
				return runCollection(cmd, &s, log, level, fresh, turn)
			}
			set, file, err := readDrills(args[0], cmd.OutOrStdout())
			if err != nil {
				return err
			}
			return runDrill(cmd, &s, set, cmp.Or(log, drill.AnswersFile(file)), fresh, turn)
		},
	}
	f := c.Flags()
	s.networkFlags(f)
	f.StringVar(&log, "answers", "", "`FILE` with the answers; default: beside the problems")
	f.IntVar(&level, "level", 0, "only problems of this `LEVEL`, 1 to 5, from those that come with the program")
	f.IntVar(&fresh, "new", fresh, "maximum number of new problems")
	f.BoolVar(&turn, "turn", turn, "turn, mirror and exchange colours at random")
	s.flagAs(f, "visits", "visits for a move that has to be searched")
	s.searchFlags(f)
	return c
}

// readDrills reads a file of problems, or the problem set of a folder. It prints which records of
// an SGF file it skips.
func readDrills(file string, out io.Writer) (*drill.Set, string, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "drills.json")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", usageError{err}
	}
	defer f.Close()
	if !strings.EqualFold(filepath.Ext(file), ".sgf") {
		set, err := drill.Read(f)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		return set, file, nil
	}
	roots, err := sgf.Read(f)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	own := drill.ReadOwn(filepath.Base(file), roots)
	for _, note := range []struct {
		n    int
		text string
	}{
		{len(own.Games), "games, no problems: see engine review"}, {len(own.Unsolved), "positions without a right answer: see engine life"},
		{own.Turned, "problems whose record names the wrong side to move: the side that begins the answers moves first"}, {len(own.Errors), "records that cannot be read"},
	} {
		if note.n > 0 {
			fmt.Fprintf(out, "%d %s.\n", note.n, note.text)
		}
	}
	if len(own.Problems) == 0 {
		return nil, "", fmt.Errorf("%s has no problems: positions with answers", file)
	}
	return &drill.Set{Version: drill.Version, Problems: own.Problems}, file, nil
}

// runCollection asks the built-in problems, or only those of one level.
func runCollection(cmd *cobra.Command, s *settings, answers string, level, fresh int, turn bool) error {
	home, err := store.DefaultFolder()
	set := &drill.Set{Version: drill.Version, Problems: drill.Fitting(level)}
	if level > 0 {
		set.Problems = slices.DeleteFunc(set.Problems, func(p drill.Problem) bool { return p.Level != level })
	} else if ratings, failed := ranks.ReadPlayerRatings(filepath.Join(home, "levels.json")); failed == nil {
		if at, known := ratings.Strength(); known {
			set.Problems = drill.Fitting(drill.LevelFor(int(at)))
		}
	}
	if answers == "" {
		if err != nil {
			return fmt.Errorf("%w, or name a file with --answers", err)
		}
		reviews := filepath.Join(home, "reviews")
		if err := os.MkdirAll(reviews, 0o755); err != nil {
			return err
		}
		answers = drill.AnswersFile(filepath.Join(reviews, "drills.json"))
	}
	return runDrill(cmd, s, set, answers, fresh, turn)
}

func runDrill(cmd *cobra.Command, s *settings, set *drill.Set, answers string, fresh int, turn bool) error {
	log, err := drill.OpenLog(answers)
	if err != nil {
		return err
	}
	defer log.Close()
	schedule, err := drill.NewSchedule(log.Attempts)
	if err != nil {
		return fmt.Errorf("%s: %w", answers, err)
	}
	late, out := &lateJudge{lateNetwork: lateNetwork{s: s}}, cmd.OutOrStdout()
	defer late.close()
	search := func(ctx context.Context, g *board.Game) (*review.Eval, error) {
		if late.net == nil {
			fmt.Fprintln(out, "That move was not searched yet; one moment.")
		}
		judge, err := late.open(g.Size())
		if err != nil {
			return nil, err
		}
		return judge.Position(ctx, g)
	}
	session := drill.Session{In: cmd.InOrStdin(), Out: out, Log: log, Schedule: schedule, Judge: drill.Judge{Search: search}}
	if turn {
		session.Random = rand.New(rand.NewPCG(cmp.Or(s.Play.Seed, rand.Uint64()), 1))
	}
	return session.Run(cmd.Context(), set, fresh)
}

// lateJudge is a judge whose network is opened when the first position needs it.
type lateJudge struct {
	lateNetwork
	judge *review.Judge
}

// open returns the judge, for boards of a size.
func (j *lateJudge) open(size board.Size) (*review.Judge, error) {
	err := j.wait(size)
	if err == nil && j.judge == nil {
		j.judge, err = review.NewJudge(j.net, j.s.params(), j.s.Play.Limits.Visits)
	}
	return j.judge, err
}
