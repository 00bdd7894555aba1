package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/internal/handout"
	"kosumi/nn"
	"kosumi/sgf"
)

// BatchConfig configures the review of many records into one folder.
type BatchConfig struct {
	Review      Config
	Rules       board.Rules // rules for records that state none
	Dir         string      // folder of the reports
	Application string      // property AP of the annotated records: the program's name
	Problems    Problems    // makes problems of the mistakes; nil if none are wanted
	// Open returns the network for boards of a size. An error that wraps ErrNotServed refuses
	// a game; any other error ends the batch.
	Open func(board.Size) (BatchNetwork, error)
	Show Display
}

type BatchNetwork struct {
	nn.Evaluator
	// Name is for display; Identity distinguishes networks and precisions.
	Name, Identity string
	// Remark is a warning about the network on boards of this size, added to the game's notes; "": none.
	Remark string
}

// Problems turns mistakes into problems. Package drill implements it.
type Problems interface {
	// Collect adds the problems of a game. It returns the large mistakes that are unfit as problems.
	Collect(*Result) []LeftOut
	// Write writes the problems of all games. It returns the file and the number of problems.
	Write() (file string, problems int, err error)
}

// LeftOut is a large mistake that is unfit as a problem.
type LeftOut struct {
	Ply int
	Why string // reason in a few words
}

// Display shows the progress of a batch.
type Display interface {
	// Game announces the next game; file is the index of its file.
	Game(file int, name string)
	Progress(Progress)
	Line(text string)
}

// ErrNotServed is wrapped by errors about boards that a network does not support.
var ErrNotServed = errors.New("the network does not serve this board")

// Batch reviews records one after the other. Create one with [NewBatch].
type Batch struct {
	c        BatchConfig
	folder   *Folder
	games    *Collector
	names    map[string]bool // used names of reports
	remarked map[string]bool // remarks already shown
	done     int
	refused  int
}

// NewBatch opens or creates the folder of the reports.
func NewBatch(c BatchConfig) (*Batch, error) {
	if err := c.Review.Validate(); err != nil {
		return nil, err
	}
	folder, err := OpenFolder(c.Dir)
	if err != nil {
		return nil, err
	}
	return &Batch{c: c, folder: folder, games: NewCollector(c.Review.Player),
		remarked: map[string]bool{}, names: map[string]bool{"index": true, "summary": true, DrillsName: true}}, nil
}

// BatchFiles returns the named files and the .sgf files below the named folders, except those in
// the folder of the reports. Naming the folder of the reports, or a file in it, is an error.
func BatchFiles(names []string, out string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if file.Same(name, out) || !info.IsDir() && file.Same(filepath.Dir(name), out) {
			return nil, fmt.Errorf("%s is read and would be written into: name another folder with --out", out)
		}
		if !info.IsDir() {
			files = append(files, name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && file.Same(path, out) {
				return filepath.SkipDir
			}
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
		return nil, fmt.Errorf("no .sgf file in %s", strings.Join(names, ", "))
	}
	return files, nil
}

// Run reviews the games of all files until ctx ends. It returns only errors that affect every
// game. Call [Batch.Finish] afterwards.
func (b *Batch) Run(ctx context.Context, files []string) error {
	for i, name := range files {
		roots, err := sgf.ReadFile(name)
		if err != nil {
			b.refuse(name, err)
			continue
		}
		if err := b.reviewAll(ctx, i, name, roots); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// reviewAll reviews the games of a file. Games refused for the same reason share a line of output.
func (b *Batch) reviewAll(ctx context.Context, file int, name string, roots []*sgf.Node) error {
	refused := map[string][]int{} // numbers of the refused games, by reason
	var reasons []string
	var err error
	for k, root := range roots {
		report, shown := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), name
		if len(roots) > 1 {
			report, shown = fmt.Sprintf("%s-%d", report, k+1), fmt.Sprintf("%s, game %d", name, k+1)
		}
		b.c.Show.Game(file, shown)
		var why error
		why, err = b.review(ctx, shown, report, root)
		if why != nil {
			if refused[why.Error()] == nil {
				reasons = append(reasons, why.Error())
			}
			refused[why.Error()] = append(refused[why.Error()], k+1)
		}
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	for _, why := range reasons {
		shown := name
		switch numbers := refused[why]; {
		case len(numbers) > 1 && len(numbers) == len(roots):
			shown += fmt.Sprintf(", each of its %d games", len(numbers))
		case len(roots) > 1:
			shown += listed(numbers)
		}
		b.refuse(shown, errors.New(why))
	}
	return err
}

// listed formats the numbers of games in a file: ", games 1, 3 to 7".
func listed(numbers []int) string {
	var runs []string
	for i := 0; i < len(numbers); {
		k := i + 1
		for k < len(numbers) && numbers[k] == numbers[k-1]+1 {
			k++
		}
		text := fmt.Sprint(numbers[i])
		if k-i > 1 {
			text += fmt.Sprintf(" to %d", numbers[k-1])
		}
		runs = append(runs, text)
		i = k
	}
	if len(numbers) == 1 {
		return ", game " + runs[0]
	}
	return ", games " + strings.Join(runs, ", ")
}

// refuse records and shows why a file or some of its games are not reviewed.
func (b *Batch) refuse(name string, err error) {
	reason := strings.TrimPrefix(strings.TrimPrefix(err.Error(), name+": "), ErrGame.Error()+": ")
	reason = strings.ReplaceAll(reason, "\n", "; ")
	b.refused++
	b.games.Refuse(name, reason)
	b.c.Show.Line(fmt.Sprintf("%s: not reviewed: %s", name, reason))
}

// review reviews one game and writes its files. refused is the reason why the game is not
// reviewed; err ends the batch.
func (b *Batch) review(ctx context.Context, shown, report string, root *sgf.Node) (refused, err error) {
	g, err := Load(root, b.c.Rules)
	if err != nil {
		return err, nil
	}
	conf := b.c.Review
	if black, white := g.PlayerSides(conf.Player); conf.Player != "" && !black && !white {
		return fmt.Errorf("%s is not one of its players, %q and %q", conf.Player, g.Record.Black.Name, g.Record.White.Name), nil
	}
	net, err := b.c.Open(g.Record.Size)
	if errors.Is(err, ErrNotServed) {
		return err, nil
	}
	if err != nil {
		return nil, err
	}
	conf.Network = net.Name
	if net.Remark != "" {
		g.Notes = append(g.Notes, net.Remark)
		if !b.remarked[net.Remark] {
			b.remarked[net.Remark] = true
			b.c.Show.Line(net.Remark)
		}
	}
	store, err := OpenStore(b.folder.Searches(), g, net.Identity, conf)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	result, err := Run(ctx, g, net, conf, store, b.c.Show.Progress)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	result.Game.File = shown
	return nil, b.write(g, result, b.unique(report))
}

// unique returns an unused name for a report.
func (b *Batch) unique(name string) string {
	for i, base := 2, name; b.names[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	b.names[name] = true
	return name
}

// write writes the three files of a game.
func (b *Batch) write(g *Game, result *Result, name string) error {
	if err := b.folder.Write(name, g, result, b.c.Application); err != nil {
		return err
	}
	b.done++
	page := ""
	if handout.Built() == nil {
		page = name + ".html"
	}
	b.games.Add(g, result, page, name+".sgf", name+".json")
	line := gameLine(result)
	if b.c.Problems != nil {
		for _, l := range b.c.Problems.Collect(result) {
			m := &result.Moves[l.Ply]
			line += fmt.Sprintf("; %d %s makes no problem: %s", m.Number, m.Move, l.Why)
		}
	}
	b.c.Show.Line(line)
	return nil
}

func gameLine(res *Result) string {
	text := fmt.Sprintf("%s: %d moves", res.Game.File, len(res.Moves))
	if len(res.Moves) == 1 {
		text = res.Game.File + ": 1 move"
	}
	for i, side := range []string{"Black", "White"} {
		p := &res.Players[i]
		if p.Moves == 0 {
			continue
		}
		text += fmt.Sprintf("; %s lost %.2f a move (accuracy %.0f)", side, p.Mean, Round(p.Accuracy, 0))
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
		searched := 0
		for i := range res.Positions {
			searched += min(1, int(res.Positions[i].Visits))
		}
		text += fmt.Sprintf("; not finished, %d of %d positions looked at", searched, len(res.Positions))
	}
	return text
}

type Outcome struct {
	Summary           *Summary
	Reviewed, Refused int
	Index             string // file of the page about all games
	Problems          int    // number of problems in the set
	DrillFile         string // path of the problem set; "": none
}

// Finish writes the pages about all games and the problem set. Without reviewed games it
// returns an error, unless ctx has ended.
func (b *Batch) Finish(ctx context.Context) (*Outcome, error) {
	if b.done == 0 && ctx.Err() == nil {
		return nil, fmt.Errorf("nothing was reviewed: %d refused", b.refused)
	}
	o := &Outcome{Summary: b.games.Summary(), Reviewed: b.done, Refused: b.refused, Index: b.folder.Path("index", ".html")}
	err := errors.Join(
		file.Write(o.Index, func(w io.Writer) error { return WriteSummaryPage(w, o.Summary) }),
		file.WriteJSON(b.folder.Path("summary", ".json"), o.Summary, "  "),
	)
	if b.c.Problems != nil {
		var failed error
		o.DrillFile, o.Problems, failed = b.c.Problems.Write()
		err = errors.Join(err, failed)
	}
	return o, err
}

func (o *Outcome) Print(w io.Writer) {
	fmt.Fprintf(w, "%d reviewed, %d not; %s\n", o.Reviewed, o.Refused, o.Index)
	if o.DrillFile != "" {
		some := fmt.Sprintf("%d problems", o.Problems)
		if o.Problems == 1 {
			some = "1 problem"
		}
		fmt.Fprintf(w, "  %s: engine drill %s\n", some, file.Quote(o.DrillFile))
	}
	for _, side := range o.Summary.Sides {
		if side.Moves == 0 {
			continue // interrupted before a move of this side was judged
		}
		fmt.Fprintf(w, "  %s: %d moves, %.2f points a move lost, accuracy %.0f, first choice %.0f %%\n",
			side.Name, side.Moves, side.Mean, Round(side.Accuracy, 0), Round(100*side.First, 0)) // Round: halves go up, as on the page
	}
}
