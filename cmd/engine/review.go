package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/cluster/jobs"
	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/nn/model"
	"kosumi/review"
	"kosumi/sgf"
)

// reviewFlags are the flags of a review that are no settings of the engine.
type reviewFlags struct {
	out    string
	conf   review.Config
	json   bool
	drills bool

	cluster clusterFlags
}

func reviewCommand() *cobra.Command {
	s := defaultSettings()
	f := reviewFlags{out: "review", conf: review.Defaults()}
	s.Play.Limits.Visits = f.conf.Visits
	c := &cobra.Command{
		Use:   "review FILE|DIR...",
		Short: "Find the mistakes in game records: annotated SGF, a page a game, a summary",
		Long: `Reads SGF files, or all of a folder, and judges every move of their main lines:
the points that it lost, what was better, and why. For each game it writes

  NAME.html  a page with board, graph, mistakes and tables; opens in any browser
  NAME.sgf   the record with winrates, leads, comments and better lines, for Sabaki
             and other editors; its own comments and variations are kept
  NAME.json  everything, for programs

and index.html and summary.json about all of them. A first pass looks at every
position with --first-visits; the rest of the budget goes where it may change
what is a mistake. The budget of a game is --visits a position on average, or
--time seconds.

It can be stopped at any moment: the same command goes on where it was, and with
a larger budget it goes on from what is known. Files that cannot be reviewed are
named with the reason, and stop nothing.

Letters in the lists: ?! lost 1.5 points or more, ? 3, ?? 6, ??? 12.`,
		Example: `  engine review games/ -o reviews --model g170-b6c96.bin.gz
  engine review game.sgf --time 60
  engine review games/ --player "Ada" --drills`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			return runReview(cmd, &s, f, args)
		},
	}
	fl := c.Flags()
	s.networkFlags(fl)
	fl.StringVarP(&f.out, "output", "o", f.out, "`DIR` for the reports; what was searched is kept there too, in the folder searches")
	s.flagAs(fl, "visits", "budget of a game, in visits a position on average")
	fl.Int64Var(&f.conf.First, "first-visits", f.conf.First, "visits of every position in the first pass")
	fl.Int64Var(&f.conf.Most, "most-visits", 0, "most visits of one position; 0: 64 times the first pass")
	s.flagAs(fl, "time", "budget of a game in `seconds`, instead of --visits; 0: none")
	fl.StringVar(&f.conf.Player, "player", "", "review only the moves of the player whose name contains `NAME`")
	s.flagAs(fl, "rules", "rules of records that name none, or none that is known")
	fl.IntVar(&f.conf.Parallel, "positions", f.conf.Parallel, "positions searched at the same time; changes the speed, not the result")
	s.flagAs(fl, "max-memory", "limit of all search trees together in `MiB`")
	f.cluster.add(fl, "have positions searched by")
	fl.BoolVar(&f.json, "json", false, "print the summary as JSON")
	fl.BoolVar(&f.drills, "drills", false, "make a problem set of the mistakes: drills.html, drills.sgf and drills.json, for engine drill")
	s.searchFlags(fl)
	return c
}

// reviewer reviews one game after another.
type reviewer struct {
	s       *settings
	f       reviewFlags
	rules   board.Rules // where a record names none
	net     *network    // opened for the first game
	folder  *review.Folder
	out     io.Writer
	show    *reviewProgress
	games   *review.Collector
	drills  *review.Drills  // those of earlier runs too
	names   map[string]bool // of reports
	done    int
	refused int

	elsewhere func(ctx context.Context, a *review.Asked) (*review.Eval, error) // nil: positions are searched here
	hangUp    func()
}

func runReview(cmd *cobra.Command, s *settings, f reviewFlags, args []string) error {
	r := &reviewer{s: s, f: f, rules: s.Play.Rules, out: cmd.OutOrStdout(), games: review.NewCollector(f.conf.Player),
		names: map[string]bool{"index": true, "summary": true, "drills": true}}
	r.f.conf.Visits, r.f.conf.Time, r.f.conf.Search = s.Play.Limits.Visits, s.Play.Limits.Time, s.params()
	r.f.conf.Search.Memory.MaxBytes /= int64(max(1, f.conf.Parallel))
	if err := r.f.conf.Validate(); err != nil {
		return usageError{err}
	}
	files, err := sgfFiles(args)
	if err != nil {
		return usageError{err}
	}
	if r.folder, err = review.OpenFolder(f.out); err != nil {
		return err
	}
	if r.drills, err = r.folder.Drills(); f.drills && err != nil {
		return err
	}
	defer r.close()
	if err := r.connect(); err != nil {
		return err
	}
	r.show = newReviewProgress(os.Stderr, len(files))
	err = r.reviewAll(cmd.Context(), files)
	r.show.done()
	return errors.Join(err, r.finish(cmd.Context()))
}

// sgfFiles lists the files named, and those of the folders named.
func sgfFiles(args []string) ([]string, error) {
	var files []string
	for _, a := range args {
		info, err := os.Stat(a)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, a)
			continue
		}
		err = filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".sgf") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no .sgf file in %s", strings.Join(args, ", "))
	}
	return files, nil
}

// reviewAll reviews the games of all files. Only what would stop every game is an
// error.
func (r *reviewer) reviewAll(ctx context.Context, files []string) error {
	for i, file := range files {
		roots, err := sgf.ReadFile(file)
		if err != nil {
			r.refuse(file, err)
			continue
		}
		for k, root := range roots {
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			shown := file
			if len(roots) > 1 {
				name, shown = fmt.Sprintf("%s-%d", name, k+1), fmt.Sprintf("%s, game %d", file, k+1)
			}
			r.show.game(i, shown)
			if err := r.review(ctx, shown, name, root); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return nil
			}
		}
	}
	return nil
}

// refuse says why a game is not reviewed.
func (r *reviewer) refuse(file string, err error) {
	reason := strings.ReplaceAll(strings.TrimPrefix(err.Error(), review.ErrGame.Error()+": "), "\n", "; ")
	r.refused++
	r.games.Refuse(file, reason)
	r.show.line(fmt.Sprintf("%s: not reviewed: %s", file, reason))
}

// review reviews one game and writes what belongs to it.
func (r *reviewer) review(ctx context.Context, file, name string, root *sgf.Node) error {
	g, err := review.Load(root, r.rules)
	if err != nil {
		r.refuse(file, err)
		return nil
	}
	if black, white := g.PlayerSides(r.f.conf.Player); r.f.conf.Player != "" && !black && !white {
		r.refuse(file, fmt.Errorf("%s is none of its players", r.f.conf.Player))
		return nil
	}
	if err := r.open(g.Record.Size); err != nil {
		if errors.Is(err, errNotServed) {
			r.refuse(file, err)
			return nil
		}
		return err
	}
	conf := r.f.conf
	var identity string
	conf.Network, identity = reviewIdentity(r.net.model)
	store, err := review.OpenStore(r.folder.Searches(), g, identity, conf)
	if err != nil {
		return err
	}
	defer store.Close()
	conf.Elsewhere = r.elsewhere
	result, err := review.Run(ctx, g, r.net, conf, store, r.show.progress)
	if err != nil && ctx.Err() == nil {
		return err
	}
	result.Game.File = file
	return r.write(g, result, r.unique(name))
}

// reviewIdentity names a network, and tells apart what was found with others or at
// another precision.
func reviewIdentity(m *model.Model) (name, identity string) {
	d := m.Describe()
	return d.Name, strings.Join([]string{d.SHA256, d.Provider, d.Precision}, " ")
}

// unique returns a name that no report has yet.
func (r *reviewer) unique(name string) string {
	for i, base := 2, name; r.names[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	r.names[name] = true
	return name
}

// errNotServed is wrapped by the reason why the network cannot judge a game.
var errNotServed = errors.New("the network does not serve this board")

// open makes sure that the network is there and serves a size.
func (r *reviewer) open(size board.Size) error {
	if r.net == nil {
		r.s.useTuning(size)
		r.net = openNetwork(r.s, size, r.s.stderr)
	}
	if err := r.net.wait(); err != nil {
		return fmt.Errorf("%w: %w", errNoNetwork, err)
	}
	if err := r.net.Serves(size); err != nil {
		return fmt.Errorf("%w: %w", errNotServed, err)
	}
	return nil
}

// connect reaches the cluster whose workers search, if one is named. The network
// here only tells what is searched with.
func (r *reviewer) connect() error {
	pool, done, err := r.f.cluster.open(r.s.stderr)
	r.hangUp = done
	if pool == nil || err != nil {
		return err
	}
	path := r.s.Model
	if path == "" {
		dir, err := os.MkdirTemp("", "kosumi")
		if err != nil {
			return err
		}
		r.hangUp = func() { done(); os.RemoveAll(dir) }
		network := models.Default()
		path = filepath.Join(dir, network.File)
		if err := os.WriteFile(path, network.Data, 0o644); err != nil {
			return err
		}
	}
	r.elsewhere, err = jobs.Positions(pool, path, r.f.conf.Search)
	return err
}

func (r *reviewer) close() {
	if r.hangUp != nil {
		r.hangUp()
	}
	if r.net != nil {
		r.net.Close()
	}
}

// write writes the three files of a game.
func (r *reviewer) write(g *review.Game, result *review.Result, name string) error {
	if err := r.folder.Write(name, g, result, "Kosumi:"+version); err != nil {
		return err
	}
	r.done++
	r.games.Add(g, result, name+".html", name+".sgf", name+".json")
	if r.f.drills {
		r.drills.Collect(result)
	}
	r.show.line(gameLine(result))
	return nil
}

// gameLine sums a review up.
func gameLine(res *review.Result) string {
	text := fmt.Sprintf("%s: %d moves", res.Game.File, len(res.Moves))
	for i, side := range []string{"Black", "White"} {
		p := &res.Players[i]
		text += fmt.Sprintf("; %s lost %.2f a move (accuracy %.0f)", side, p.Mean, p.Accuracy)
	}
	var worst []string
	for _, t := range res.Mistakes[:min(3, len(res.Mistakes))] {
		m := &res.Moves[t]
		worst = append(worst, fmt.Sprintf("%d %s -%.1f", m.Number, m.Move, m.Loss))
	}
	if len(worst) > 0 {
		text += "; worst: " + strings.Join(worst, ", ")
	}
	if !res.Complete {
		text += "; not finished"
	}
	return text
}

// finish writes what is about all games, and says how it went.
func (r *reviewer) finish(ctx context.Context) error {
	if r.done == 0 && ctx.Err() == nil {
		return fmt.Errorf("nothing was reviewed: %d refused", r.refused)
	}
	summary := r.games.Summary()
	err := errors.Join(
		file.Write(filepath.Join(r.f.out, "index.html"), func(w io.Writer) error { return review.WriteSummaryPage(w, summary) }),
		file.Write(filepath.Join(r.f.out, "summary.json"), func(w io.Writer) error { return writeJSON(w, summary) }),
	)
	if r.f.drills {
		err = errors.Join(err, r.writeDrills())
	}
	if err != nil {
		return err
	}
	if r.f.json {
		return writeJSON(r.out, summary)
	}
	fmt.Fprintf(r.out, "%d reviewed, %d not; %s\n", r.done, r.refused, filepath.Join(r.f.out, "index.html"))
	for _, side := range summary.Sides {
		fmt.Fprintf(r.out, "  %s: %d moves, %.2f points a move lost, accuracy %.0f, first choice %.0f %%\n",
			side.Name, side.Moves, side.Mean, side.Accuracy, 100*side.First)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted; the same command goes on where it stopped")
	}
	return nil
}

// writeDrills writes the problem set.
func (r *reviewer) writeDrills() error {
	name, err := r.folder.WriteDrills(r.drills)
	fmt.Fprintf(os.Stderr, "%d problems: engine drill %s\n", len(r.drills.Problems), name)
	return err
}
