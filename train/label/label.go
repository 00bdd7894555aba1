// Package label makes training rows from the answers of a strong network, the teacher, to positions
// of fresh games, of existing rows and of game records. Files appear whole or not at all and list
// their content, so a killed run resumes where they end and labels no position twice.
package label

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// ErrConfig marks errors that the caller must correct.
var ErrConfig = errors.New("cannot label")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
}

// Config has the settings of a run. Out and Teacher are required.
type Config struct {
	// Out is the folder of the rows. A run resumes in a folder with rows of the same teacher,
	// encoding and seed.
	Out     string
	Teacher nn.Model
	// Player chooses the moves of fresh games; nil: the teacher.
	Player nn.Model
	Server nn.ServerConfig // server configuration of the teacher and of the player
	// From are folders and files of rows (.npz) and game records (.sgf, .sgfs). If there are none,
	// fresh games are played.
	From []string
	// Games is the recipe of fresh games: [Recipe], changed as needed.
	Games selfplay.Config
	// Share of the turns of a game that are labelled, 0.001 to 1; 0 means a third. All existing
	// rows are labelled.
	Share float64
	// Leaves is the share of the labels of fresh games, 0 to 1, taken from positions inside
	// searches of the player.
	Leaves float64
	// Encoding of new rows, the student's input. Existing rows keep their encoding.
	Encoding features.Encoding
	Rows     int // minimum of labels in the folder at the end; 0: no limit
	PerFile  int // minimum of labels in a file; 0 means 1,024
	// Seed of fresh games and of orientations; 0: the folder's seed, else a random one.
	Seed uint64

	// Progress, unless nil, is called often, by several goroutines.
	Progress func(Progress)
	Log      *slog.Logger // nil: silent
}

const (
	defaultShare   = 1.0 / 3
	leastShare     = 1e-3
	defaultPerFile = 1024
)

// Recipe returns the default settings of fresh games. In the long run six in ten labels are for
// 19x19, two for 13x13 and two for 9x9; at first more are for small boards, where games are shorter.
// Komi and ko rules are as in self-play; some games have Japanese rules, some handicap stones. Moves
// are drawn from the policy, first from all of it, later from its best moves. Most games end once
// they are decided.
func Recipe() selfplay.Config {
	c := selfplay.Defaults()
	c.Boards = []selfplay.BoardShare{{Width: 19, Height: 19, Share: 0.41}, {Width: 13, Height: 13, Share: 0.22}, {Width: 9, Height: 9, Share: 0.37}}
	c.Labels, c.Search.Method = true, selfplay.Policy
	c.Rules.Suicide, c.Rules.Territory = 0.1, 0.2
	c.Opening = selfplay.Opening{Temperature: 1, Forks: 0.1, ForkDepth: 0.15, Handicap: 0.1}
	c.Search.MoveTemperature0, c.Search.MoveTemperature, c.Search.TemperatureHalflife = 1, 0.4, 20
	c.Search.CheapShare = 0
	c.Ending.Resign, c.Ending.ResignTurns, c.Ending.PlayOut = -0.95, 5, 0.3
	return c
}

type Progress struct {
	Rows  int     // labels in the folder, including those not written yet
	Total int     // labels at the end; 0: unknown
	Fresh int     // labels made by this call
	Games int     // games labelled by this call
	Speed float64 // labels a second of this call
	Evals float64 // evaluations a second, of teacher and player
}

// String formats speeds and games for a line of progress.
func (p Progress) String() string {
	text := fmt.Sprintf("%.1f labels/s, %.0f evals/s", p.Speed, p.Evals)
	if p.Games > 0 {
		text += fmt.Sprintf(", %d games", p.Games)
	}
	return text
}

// Report is the result of a run.
type Report struct {
	Teacher     string  `json:"teacher"`
	TeacherFile string  `json:"teacher_sha256"`
	Player      string  `json:"player,omitempty"` // player of fresh games
	Rows        int     `json:"rows"`             // in the folder
	Files       int     `json:"files"`
	Fresh       int     `json:"labels"` // labels made by this call
	Games       int     `json:"games"`
	Leaves      int     `json:"leaves,omitempty"` // labels of positions inside searches
	Seconds     float64 `json:"seconds"`
	Speed       float64 `json:"labels_per_second"`
	Evals       uint64  `json:"evaluations"`
	EvalsPerSec float64 `json:"evaluations_per_second"`
	MeanBatch   float64 `json:"mean_batch"` // of the teacher's evaluations
	LeftOut     int     `json:"left_out,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// Print prints the report for people; dir is the folder.
func (s *Report) Print(w io.Writer, dir string) {
	fmt.Fprintf(w, "%s: %d labels by %s in %.1f s (%.1f a second)", dir, s.Fresh, s.Teacher, s.Seconds, s.Speed)
	if s.Player != "" {
		fmt.Fprintf(w, ", of %d games by %s", s.Games, s.Player)
	}
	if s.Leaves > 0 {
		fmt.Fprintf(w, ", %d of positions inside its searches", s.Leaves)
	}
	fmt.Fprintf(w, "\n  %.0f evaluations/s, batches of %.1f; %d labels in %d files are there now\n", s.EvalsPerSec, s.MeanBatch, s.Rows, s.Files)
	if s.LeftOut > 0 {
		fmt.Fprintf(w, "  left out: %d, which the log names\n", s.LeftOut)
	}
}

type run struct {
	Config
	dir     *folder
	teacher *nn.Server
	player  *nn.Server // equals teacher if the teacher plays
	began   time.Time
	count   counter
	outs    []nn.Output
	build   map[rows.Layout]*rows.Builder
	report  Report
	warned  bool // warned about outputs that the teacher lacks
	known   bool // some source file was labelled before, or the folder was full
}

// Run labels until the folder holds Rows labels, the sources end, or ctx ends. The end of ctx is no
// error; it sets Interrupted in the report. Files written before an error stay. Errors wrap
// ErrConfig if the caller must correct something.
func Run(ctx context.Context, c Config) (*Report, error) {
	r := &run{Config: c, began: time.Now(), build: map[rows.Layout]*rows.Builder{}}
	if err := r.check(); err != nil {
		return nil, err
	}
	lock, err := file.LockFolder(r.Out)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if r.dir, err = openFolder(r.Out, r.Log); err != nil {
		return nil, err
	}
	if err := r.goOn(); err != nil {
		return nil, err
	}
	err = r.serve()
	defer r.close()
	if err != nil {
		return nil, err
	}
	r.count.before = r.dir.rows
	stop := console.Every(500*time.Millisecond, r.tell)
	err = r.loop(ctx)
	stop()
	r.tell()
	r.sum(ctx)
	if err == nil && len(r.From) > 0 && r.report.Fresh == 0 && !r.known && !r.report.Interrupted {
		err = fmt.Errorf("nothing could be labelled in %s", strings.Join(r.From, ", "))
		if r.report.LeftOut == 0 {
			err = fmt.Errorf("%w: a share of %.3g of the turns drew none; --share 1 takes all", err, r.Share)
		}
	}
	return &r.report, err
}

func (r *run) check() error {
	r.Log = cmp.Or(r.Log, slog.New(slog.DiscardHandler))
	r.Share, r.PerFile = cmp.Or(r.Share, defaultShare), cmp.Or(r.PerFile, defaultPerFile)
	switch {
	case r.Out == "":
		return bad("no folder for the rows is named")
	case !(r.Share >= leastShare && r.Share <= 1):
		return bad("a share of %v of the turns: use %v to 1", r.Share, leastShare)
	case !(r.Leaves >= 0 && r.Leaves <= 1):
		return bad("a share of %v of leaves: use 0 to 1", r.Leaves)
	case r.Leaves > 0 && len(r.From) > 0:
		return bad("leaves are of fresh games: leave --from or --leaves out")
	case r.Rows < 0 || r.PerFile < 0:
		return bad("%d rows, %d in a file: use 0 or more", r.Rows, r.PerFile)
	}
	if err := (rows.Layout{Encoding: r.Encoding, Side: board.MaxSize}).Check(); err != nil {
		return bad("%w", err)
	}
	if len(r.From) > 0 {
		return nil
	}
	if err := r.Games.Validate(); err != nil {
		return bad("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, m := range []nn.Model{r.Teacher, r.Player} {
		if m == nil {
			continue
		}
		for _, b := range r.Games.Boards {
			if err := fit(m, b.Size()); err != nil && b.Share > 0 {
				return err
			}
		}
	}
	return nil
}

// fit returns an error if a network cannot be a teacher on boards of a size.
func fit(m nn.Model, size board.Size) error {
	d := m.Describe()
	spec, err := m.Spec(size)
	if err != nil {
		return bad("%s: %w; choose boards with --boardsize or --recipe", d.ShortName(), err)
	}
	if spec.KataGo.MetaEncoder > 0 {
		return bad("%s predicts moves of people by rank, and is not a teacher of how to play well", d.ShortName())
	}
	return nil
}

// goOn returns an error if the settings do not fit the files in the folder, and takes over the files' seed.
func (r *run) goOn() error {
	d := r.Teacher.Describe()
	was := &r.dir.info
	switch {
	case r.dir.files == 0:
		r.Seed = cmp.Or(r.Seed, rand.Uint64()>>11) // 53 bits, which every reader of JSON keeps exactly
		return nil
	case was.TeacherSHA256 == "":
		return bad("%s holds rows that no teacher has labelled: name another folder", r.Out)
	case was.TeacherSHA256 != d.SHA256:
		return bad("%s holds labels by %s, another network than %s: name another folder, engine train takes several", r.Out, was.Teacher, d.ShortName())
	case len(r.From) == 0 && was.Encoding != r.Encoding.String():
		return bad("%s holds rows for networks that read %s, not %v: name another folder", r.Out, was.Encoding, r.Encoding)
	case r.Seed != 0 && r.Seed != was.Seed:
		return bad("%s was begun with the seed %d: leave --seed out to resume, or name another folder", r.Out, was.Seed)
	}
	r.Seed = was.Seed
	return nil
}

// serve opens the servers. Their answers depend on position and seed alone, so a game played again
// is the same.
func (r *run) serve() error {
	c := r.Server
	c.Reproducible, c.Seed = true, r.Seed
	of := c
	if r.Player != nil || len(r.From) > 0 {
		of.CacheBytes = 0 // no cache: each position is evaluated once
	}
	var err error
	if r.teacher, err = nn.NewServer(r.Teacher, of); err != nil {
		return err
	}
	r.player = r.teacher
	if r.Player != nil && len(r.From) == 0 {
		r.player, err = nn.NewServer(r.Player, c)
	}
	return err
}

func (r *run) close() {
	for _, s := range []*nn.Server{r.teacher, r.player} {
		if s != nil {
			s.Close() // a second call does nothing
		}
	}
}

// source yields positions to label. next returns a chunk for about the given number of labels, fewer if
// the layout changes or the source runs out. It returns nil when nothing is left.
type source interface {
	next(ctx context.Context, labels int) (*chunk, error)
}

func (r *run) loop(ctx context.Context) error {
	var from source
	var err error
	if len(r.From) > 0 {
		from, err = r.openSources()
	} else {
		from, err = r.openGames()
	}
	if err != nil {
		return err
	}
	r.known = r.Rows > 0 && r.dir.rows >= r.Rows
	for ctx.Err() == nil && (r.Rows == 0 || r.dir.rows < r.Rows) {
		want := r.PerFile
		if r.Rows > 0 {
			want = min(want, r.Rows-r.dir.rows)
		}
		work, err := from.next(ctx, want)
		if err != nil {
			return err
		}
		if work == nil {
			return nil
		}
		if err := r.teach(ctx, work); err != nil {
			return err
		}
		if err := r.write(work); err != nil {
			return err
		}
	}
	return nil
}

// write writes the labelled units of a chunk as a file.
func (r *run) write(c *chunk) error {
	if len(c.lessons) == 0 {
		return nil
	}
	if was := r.dir.info.Encoding; r.dir.files > 0 && was != c.layout.Encoding.String() {
		return bad("%s holds rows for networks that read %s, not %v: name another folder", r.Out, was, c.layout.Encoding)
	}
	set, info, games, err := r.rowsOf(c)
	if err != nil || set.N == 0 {
		return err
	}
	d := r.Teacher.Describe()
	info.Encoding, info.Teacher, info.TeacherSHA256, info.Seed = set.Layout.Encoding.String(), d.Name, d.SHA256, r.Seed
	set.Info = info
	if err := set.WriteFile(filepath.Join(r.Out, fmt.Sprintf("%016x.npz", r.dir.next))); err != nil {
		return err
	}
	r.dir.add(r.dir.next, &set.Info, set.N)
	for i := range c.lessons[:set.N] {
		if c.lessons[i].searched {
			r.report.Leaves++
		}
	}
	r.count.written(set.N, games)
	r.tell()
	return nil
}

func (r *run) sum(ctx context.Context) {
	d := r.Teacher.Describe()
	s := &r.report
	s.Teacher, s.TeacherFile = d.Name, d.SHA256
	if len(r.From) == 0 {
		s.Player = d.Name
		if r.Player != nil {
			s.Player = r.Player.Describe().Name
		}
	}
	s.Rows, s.Files, s.Interrupted = r.dir.rows, r.dir.files, ctx.Err() != nil
	s.Fresh, s.Games = int(r.count.labels.Load()), int(r.count.games.Load())
	took := max(time.Since(r.began), time.Millisecond).Seconds()
	teacher, all := r.evals()
	s.Seconds, s.Speed, s.Evals, s.EvalsPerSec, s.MeanBatch = took, float64(s.Fresh)/took, all, float64(all)/took, teacher.MeanBatch()
}

// evals returns the teacher's statistics and the evaluations of both networks.
func (r *run) evals() (teacher nn.Stats, all uint64) {
	teacher = r.teacher.Stats()
	all = teacher.Rows
	if r.player != r.teacher {
		all += r.player.Stats().Rows
	}
	return teacher, all
}

func (r *run) tell() {
	if r.Progress == nil {
		return
	}
	fresh := int(r.count.labels.Load() + r.count.open.Load())
	took := max(time.Since(r.began), time.Millisecond).Seconds()
	_, all := r.evals()
	r.Progress(Progress{Rows: r.count.before + fresh, Total: r.Rows, Fresh: fresh, Games: int(r.count.games.Load()),
		Speed: float64(fresh) / took, Evals: float64(all) / took})
}
