package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/nn"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/search"
)

// reviewFlags are the flags of a review that are not settings of the engine.
type reviewFlags struct {
	out    string
	conf   review.Config
	json   bool
	drills bool
	force  *bool
}

func reviewCommand() *cobra.Command {
	s := defaultSettings()
	f := reviewFlags{out: "review", conf: review.Defaults()}
	s.Play.Limits.Visits = f.conf.Visits
	c := &cobra.Command{
		Use:        "review FILE|DIR...",
		SuggestFor: []string{"analyse", "analyze"},
		Short:      "Find the mistakes in game records: annotated SGF, a page for each game, a summary",
		Long: `Reads SGF files, or all of a folder, and judges every move of their main lines:
the points that it lost, what was better, and why. For each game it writes

  NAME.html  a page with board, graph, mistakes and tables, for any browser
  NAME.sgf   the record with winrates, leads, comments and better lines
  NAME.json  everything, for programs

and for all games index.html, which lists the worst moves, and summary.json. A first
pass searches every position with --first-visits. The rest of the budget goes to the
positions that decide which moves are the worst. The budget of a game is --visits per
position on average, or --time seconds.

After ^C the same command resumes; a larger budget builds on the finished searches.
Files that cannot be reviewed are named with the reason and stop nothing.

Marks: ?! lost 1.5 points or more, ? 3, ?? 6, ??? 12.`,
		Example: `  engine review games/ -o reviews --model g170-b6c96.bin.gz
  engine review game.sgf --time 60
  engine review games/ --player "Ada" --drills`,
		Args:    cobra.MinimumNArgs(1),
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReview(cmd, &s, f, args)
		},
	}
	fl := c.Flags()
	s.networkFlags(fl)
	fl.StringVarP(&f.out, "out", "o", f.out, "`DIR` for the reports, and for finished searches in the folder searches")
	s.flagAs(fl, "visits", "budget of a game, in visits a position on average")
	fl.Int64Var(&f.conf.First, "first-visits", f.conf.First, "visits of every position in the first pass")
	fl.Int64Var(&f.conf.Most, "most-visits", 0, "maximum visits of one position; 0: 64 times the first pass")
	s.flagAs(fl, "time", "budget of a game in `seconds`, instead of --visits; 0: none")
	fl.StringVar(&f.conf.Player, "player", "", "review only the moves of the player whose name contains `NAME`, or of black or white")
	s.flagAs(fl, "rules", "rules of records without known rules")
	fl.IntVar(&f.conf.Parallel, "positions", f.conf.Parallel, "positions searched at the same time; changes the speed, not the result")
	s.flagAs(fl, "max-memory", "limit of all search trees together in `MiB`")
	fl.BoolVar(&f.json, "json", false, "print the summary as JSON")
	fl.BoolVar(&f.drills, "drills", false, "make a problem set of the mistakes: drills.html, drills.sgf and drills.json, for engine drill")
	f.force = c.Flags().Bool("force", false, "write into a folder that holds other files than reviews")
	s.searchFlags(fl)
	return c
}

// reviewer opens the network when the review of the first game needs it.
type reviewer struct{ lateNetwork }

func runReview(cmd *cobra.Command, s *settings, f reviewFlags, args []string) error {
	r := &reviewer{lateNetwork{s: s}}
	conf := f.conf
	conf.Visits, conf.Time, conf.Search = s.Play.Limits.Visits, s.Play.Limits.Time, s.params()
	conf.Search.Memory.MaxBytes = max(search.MinBytes, conf.Search.Memory.MaxBytes/int64(max(1, conf.Parallel)))
	files, err := review.BatchFiles(args, f.out)
	if err = errors.Join(conf.Validate(), err); err != nil {
		return usageError{err}
	}
	if err := ownFolder(f.out, review.SearchesDir, "reviews"); err != nil && !*f.force {
		return fmt.Errorf("%w, or give --force", err)
	}
	defer r.close()
	show := &reviewProgress{bars: console.NewProgress(os.Stderr), files: len(files)}
	defer show.bars.Close()
	lock, err := file.LockFolder(f.out)
	if err != nil {
		return err
	}
	defer lock.Release()
	c := review.BatchConfig{Review: conf, Rules: s.Play.Rules, Dir: f.out, Application: "Kosumi:" + version, Open: r.open, Show: show}
	if f.drills {
		if c.Problems, err = drill.CollectIn(f.out); err != nil {
			return err
		}
	}
	b, err := review.NewBatch(c)
	if err != nil {
		return err
	}
	err = b.Run(cmd.Context(), files)
	show.bars.Close()
	o, failed := b.Finish(cmd.Context())
	switch {
	case err != nil && o == nil:
		return err
	case err != nil || failed != nil:
		return errors.Join(err, failed)
	}
	if err := handout.Built(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), o.Summary)
	}
	o.Print(cmd.OutOrStdout())
	if cmd.Context().Err() != nil {
		return errors.New("interrupted; run the same command to resume")
	}
	return nil
}

// open opens the network if necessary, and requires that it serves boards of a size.
func (r *reviewer) open(size board.Size) (review.BatchNetwork, error) {
	if r.net == nil {
		r.s.useTuning(size)
	}
	if err := r.wait(size); err != nil {
		return review.BatchNetwork{}, err
	}
	if err := r.net.Serves(size); err != nil {
		why, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), nn.ErrSize.Error()+": "), " (--boardsize") // review has no such flag
		return review.BatchNetwork{}, fmt.Errorf("%w: %s", review.ErrNotServed, why)
	}
	d := r.net.Describe()
	return review.BatchNetwork{Evaluator: r.net, Name: d.Name, Identity: d.Identity(), Remark: remark(r.s, size)}, nil
}

// reviewProgress shows the progress of a review: a bar on a terminal, otherwise a line per game
// and one every few seconds.
type reviewProgress struct {
	bars        *console.Progress
	name        string
	file, files int
}

// Game announces the next game; file is the index of its file.
func (p *reviewProgress) Game(file int, name string) { p.file, p.name = file, name }

// Progress shows the state after a search.
func (p *reviewProgress) Progress(r review.Progress) {
	share := 0.0
	switch {
	case r.Budget > 0:
		share = float64(r.Visits) / float64(r.Budget)
	case r.Elapsed+r.Left > 0:
		share = float64(r.Elapsed) / float64(r.Elapsed+r.Left)
	}
	text := fmt.Sprintf("file %d of %d, %s: pass %d, %d of %d positions, %.0f %%", p.file+1, p.files, p.name, r.Pass, r.Searched, r.Positions, 100*share)
	if r.Left > 0 {
		text += ", " + r.Left.Round(time.Second).String() + " left for this game"
	}
	p.bars.Share((float64(p.file)+share)/float64(max(1, p.files)), text)
}

// Line writes a line about a game.
func (p *reviewProgress) Line(text string) { p.bars.Note(text) }
