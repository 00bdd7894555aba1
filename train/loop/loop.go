package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"kosumi/internal/file"
	"kosumi/nn/features"
	"kosumi/nn/fresh"
	"kosumi/train/learn"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// Options say how a loop is run; they are no part of its recipe.
type Options struct {
	Log    *slog.Logger
	Status func(line string) // one line a stage, and some within; nil: silent
	// Progress, where there is one, is told of stages that go on, twice a second,
	// instead of Status.
	Progress func(p Progress)
	Done     func(s *State) // after each iteration; nil: nobody
	// Exchange, where others play for the loop, is asked for the games instead
	// of playing here; nil: the loop plays.
	Exchange Exchange
	// The loop ends after exactly so many games more, played here, or so much
	// time; 0: no such end. An iteration that these games complete is trained on.
	Games int64
	Time  time.Duration
}

// Loop is the circle in one folder. One goroutine at a time.
type Loop struct {
	dir   string
	conf  Config
	o     Options
	state *State
	known map[string]dataFile
	lock  *file.Hold

	earlier earlier // rows of other runs

	learner *learn.Learner
	watch   watch
	resumed learn.Extra // what the newest checkpoint had, until it is used
	player  *player
	session *selfplay.Session
	writer  *selfplay.Writer
	filing  selfplay.Filing
	store   store
	record  Record

	by        map[string]int // games of the stage by who played, where others play too
	began     time.Time
	gamesThen int64
	beat      time.Duration // at most between two lines of a stage that goes on
}

// ConfigFile is the name of the recipe in a loop's folder.
const ConfigFile = "loop.toml"

// Init makes the folder of a new loop with a recipe; the text is kept as it is.
// A folder that holds a loop already is left alone.
func Init(dir string, text []byte) error {
	if _, err := ParseConfig(text); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, ConfigFile)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%w: %s is there already; change it, or take another folder", ErrConfig, path)
	}
	return writeFile(path, text)
}

// Open takes up the loop in a folder where the last run left it.
func Open(dir string, o Options) (*Loop, error) {
	text, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	conf, err := ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), err)
	}
	// The lock ends with the process, however it ends.
	lock, err := file.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	l := &Loop{dir: dir, conf: conf, o: o, known: map[string]dataFile{}, lock: lock, beat: time.Minute}
	if l.o.Log == nil {
		l.o.Log = slog.New(slog.DiscardHandler)
	}
	if err := l.load(); err != nil {
		lock.Release()
		return nil, err
	}
	return l, nil
}

// load reads the state, or makes a new one, and counts what came after it.
func (l *Loop) load() error {
	left, err := l.conf.Selfplay.LoadPositions(l.dir)
	if err != nil {
		return fmt.Errorf("%w: selfplay: %w", ErrConfig, err)
	}
	if left > 0 {
		l.o.Log.Warn("game records from which no game can begin are left out", "records", left, "used", len(l.conf.Selfplay.Positions.Lines))
	}
	s, err := loadState(l.dir)
	if err != nil {
		return err
	}
	if s == nil {
		s = &State{Version: stateVersion, Arch: l.conf.Arch, Seed: l.conf.Seed, Started: time.Now().UTC().Truncate(time.Second), Stage: stageSelfplay}
		if err := l.begin(s); err != nil {
			return err
		}
	}
	if s.Start == "" && l.conf.Start.Network != "" {
		return fmt.Errorf("%w: the loop in %s was begun with random weights, the recipe names %s to start from; take another folder",
			ErrConfig, l.dir, l.conf.Start.Network)
	}
	if s.Seed != l.conf.Seed || s.Arch != l.conf.Arch && !(fresh.IsKataGo(s.Arch) && fresh.IsKataGo(l.conf.Arch)) {
		return fmt.Errorf("%w: the loop in %s was begun with arch %s and seed %d, the recipe says %s and %d; take another folder",
			ErrConfig, l.dir, s.Arch, s.Seed, l.conf.Arch, l.conf.Seed)
	}
	if err := l.openEarlier(); err != nil {
		return err
	}
	l.state = s
	if base := s.base(); base == freshName(s.Arch) {
		if err := writeFresh(modelPath(l.dir, s.Arch, base), s.Arch, s.Seed, l.conf.Selfplay.Boards); err != nil {
			return err
		}
	}
	if s.Current == "" && l.conf.Bootstrap.Games == 0 {
		s.Current = freshName(s.Arch)
	}
	folders, err := filepath.Glob(filepath.Join(l.dir, "selfplay", "*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		if err := selfplay.CleanFolder(folder); err != nil {
			return err
		}
	}
	for _, bad := range s.recount(l.dir, l.known) {
		l.o.Log.Warn("a file of self-play is skipped", "error", bad)
	}
	l.filing.Next = uint64(s.Games)
	if s.Arch != l.conf.Arch {
		return l.grow()
	}
	return s.save(l.dir)
}

// freshName is the name of a network of random weights.
func freshName(arch string) string { return "fresh-" + arch }

// State returns what the loop knows. It is only good until Run goes on.
func (l *Loop) State() *State { return l.state }

// Config returns the recipe.
func (l *Loop) Config() Config { return l.conf }

// Close lets go of networks and the folder.
func (l *Loop) Close() error {
	l.player.close()
	var err error
	if l.learner != nil {
		err = l.learner.Close()
	}
	return errors.Join(err, l.lock.Release())
}

// Run goes round until the context ends, which is no error, or until the games
// or the time of the options are used up.
func (l *Loop) Run(ctx context.Context) error {
	l.began, l.gamesThen = time.Now(), l.state.Games
	for ctx.Err() == nil && !l.finished() {
		err := l.offer()
		if err != nil {
			return err
		}
		switch l.state.Stage {
		case stageSelfplay:
			err = l.selfplay(ctx)
		case stageTrain:
			err = l.train(ctx)
		case stageExport:
			err = l.export()
		case stageGate:
			err = l.gate(ctx)
		default:
			err = fmt.Errorf("%s: unknown stage %q", statePath(l.dir), l.state.Stage)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (l *Loop) finished() bool {
	return l.enough() && l.state.Stage == stageSelfplay || l.o.Time > 0 && time.Since(l.began) >= l.o.Time
}

// enough reports whether the games of the run are played.
func (l *Loop) enough() bool { return l.o.Games > 0 && l.remaining() == 0 }

// remaining is how many games the run may still play, 0 too if it knows no end.
func (l *Loop) remaining() int64 { return max(0, l.o.Games-(l.state.Games-l.gamesThen)) }

func (l *Loop) say(format string, args ...any) {
	if l.o.Status != nil {
		l.o.Status(fmt.Sprintf("iteration %d: ", l.state.Iteration) + fmt.Sprintf(format, args...))
	}
}

// enter moves on to a stage.
func (l *Loop) enter(stage string) error {
	l.state.Stage = stage
	return l.state.save(l.dir)
}

// bootstrapping reports whether games are played at random.
func (l *Loop) bootstrapping() bool { return l.state.Current == "" }

// stageConfig returns the settings of now.
func (l *Loop) stageConfig() Config {
	c := l.conf.at(l.state.Games - l.state.Random + l.conf.Start.Games)
	if l.bootstrapping() {
		c.Selfplay.Search.Method = selfplay.Random
		c.Selfplay.Rows.Share = c.Bootstrap.RowsShare
		c.Selfplay.Rows.Sides, c.Selfplay.Positions.Share = 0, 0
		if l.o.Exchange != nil {
			c.Selfplay.Opening.Forks = 0 // a number is one game, which can be counted when it is handed out
		}
		c.Selfplay.Ending.SkipEyes, c.Selfplay.Ending.SkipSettled = true, true
		c.Iteration = Iteration{Games: max(1, c.Bootstrap.Games)}
	}
	return c
}

// selfplay plays until the goal of the iteration is reached.
func (l *Loop) selfplay(ctx context.Context) error {
	c, s := l.stageConfig(), l.state
	if s.GoalGames == 0 && s.GoalRows == 0 {
		if c.Iteration.Games > 0 {
			s.GoalGames = s.Games + int64(c.Iteration.Games)
		}
		if c.Iteration.Rows > 0 {
			s.GoalRows = s.Rows + int64(c.Iteration.Rows)
		}
		if err := s.save(l.dir); err != nil {
			return err
		}
	}
	if l.o.Exchange != nil {
		return l.await(ctx, &c)
	}
	if err := l.prepareSession(&c); err != nil {
		return err
	}
	began, before, evals := time.Now(), l.session.Stats(), l.evals()
	gamesThen, rowsThen := s.Games, s.Rows
	stretch := l.stretch(&c, l.remaining())
	done := l.heartbeat(func() Progress { // beside the one that counts files into the state
		st := l.session.Stats().Sub(before)
		return stretch.progress(&st, l.evals()-evals)
	})
	ctx, cancel := l.limit(ctx)
	defer cancel()
	var err error
	for err == nil && ctx.Err() == nil && !l.goalReached() && !l.enough() {
		goal := selfplay.Goal{Games: int(l.remaining())}
		if s.GoalRows > 0 {
			goal.Rows = int(s.GoalRows - s.Rows)
		}
		if games := int(s.GoalGames - s.Games); s.GoalGames > 0 && (goal.Games == 0 || games < goal.Games) {
			goal.Games = games
		}
		if l.player != nil {
			err = l.session.Play(ctx, l.player.server, goal)
		} else {
			err = l.session.Play(ctx, nil, goal)
		}
		err = errors.Join(err, l.writer.Flush())
		l.count()
	}
	done()
	spent := time.Since(began).Seconds()
	s.Seconds.Selfplay += spent
	st := l.session.Stats().Sub(before)
	st.Games, st.Rows = int(s.Games-gamesThen), int(s.Rows-rowsThen)
	l.noteSelfplay(st, l.evals()-evals, spent)
	if err != nil || !l.goalReached() {
		return errors.Join(err, s.save(l.dir))
	}
	l.say("self-play by %s: %s", orNone(s.Current), selfplayLine(&st, s.Games, l.evals()-evals, time.Since(began)))
	s.GoalGames, s.GoalRows = 0, 0
	if l.bootstrapping() {
		l.session.Drop()
	}
	l.setTarget(&c)
	return l.enter(stageTrain)
}

func orNone(name string) string {
	if name == "" {
		return "random moves"
	}
	return name
}

// limit ends a context when the time of the run is up.
func (l *Loop) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.o.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, l.began.Add(l.o.Time))
}

func (l *Loop) goalReached() bool {
	s := l.state
	return s.GoalGames > 0 && s.Games >= s.GoalGames || s.GoalRows > 0 && s.Rows >= s.GoalRows
}

func (l *Loop) evals() uint64 {
	if l.player == nil {
		return 0
	}
	return l.player.server.Stats().Rows
}

// selfplayLine tells of a stretch of self-play, and of all games of the loop.
func selfplayLine(st *selfplay.Stats, all int64, evals uint64, took time.Duration) string {
	games := max(1, st.Games)
	return fmt.Sprintf("%d games (%.0f/h), %d rows, %.0f evals/s, length %.1f, Black won %.0f %%; %d games in all",
		st.Games, float64(st.Games)/took.Hours(), st.Rows, float64(evals)/took.Seconds(), st.MeanLength(),
		100*float64(st.Black)/float64(games), all)
}

// prepareSession opens the network that plays, and the session that plays with
// it, or tells the session about new settings.
func (l *Loop) prepareSession(c *Config) error {
	s := l.state
	if !l.bootstrapping() && (l.player == nil || l.player.name != s.Current) {
		l.player.close()
		l.player = nil
		p, err := openPlayer(modelPath(l.dir, s.Arch, s.Current), s.Current, &c.Compute, c.Selfplay.Boards, s.Seed+uint64(s.Games), l.o.Log)
		if err != nil {
			return err
		}
		l.player = p
	}
	name, sha := randomPlayer, ""
	if l.player != nil {
		name, sha = l.player.name, l.player.sha256
	}
	folder := filepath.Join(l.dir, "selfplay", name)
	if l.session != nil {
		return errors.Join(l.session.SetConfig(c.Selfplay), l.writer.SetSettings(c.Selfplay), l.writer.SetNetwork(folder, name, sha))
	}
	encoding, err := l.encoding()
	if err != nil {
		return err
	}
	seed := s.Seed ^ uint64(s.Games)*0x9e3779b97f4a7c15
	w, err := selfplay.NewWriter(selfplay.WriterConfig{Dir: folder, Encoding: encoding, Side: c.Selfplay.Side(), QValues: c.Selfplay.Rows.QValues,
		Filing: &l.filing, Network: name, SHA256: sha, Seed: seed, Settings: c.Selfplay, Written: l.written})
	if err != nil {
		return err
	}
	session, err := selfplay.NewSession(c.Selfplay, seed, 0, w)
	if err != nil {
		return err
	}
	l.session, l.writer = session, w
	return nil
}

// encoding is what the network reads.
func (l *Loop) encoding() (features.Encoding, error) {
	if fresh.IsKataGo(l.state.Arch) {
		return features.V7, nil
	}
	fresh := freshName(l.state.Arch) // only KataGo's networks are begun with
	p, err := openPlayer(modelPath(l.dir, l.state.Arch, fresh), fresh, &Compute{Sessions: 1, Batch: 1, Precision: "fp32"}, nil, 0, l.o.Log)
	if err != nil {
		return features.None, err
	}
	defer p.close()
	spec, err := p.model.Spec(l.conf.Selfplay.Boards[0].Size())
	return spec.Encoding, err
}

// setTarget turns new rows into samples that shall be trained.
func (l *Loop) setTarget(c *Config) {
	s := l.state
	switch {
	case l.bootstrapping():
		s.Target += c.Bootstrap.Samples
	case c.Train.Epochs > 0:
		s.Target += int64(c.Train.Epochs * float64(l.windowRows(c)))
	default:
		due := c.Train.Ratio*float64(s.Rows-s.Credited) + s.Owed
		s.Target += int64(due)
		s.Owed = due - float64(int64(due))
	}
	s.Credited = s.Rows
}

// windowRows is the length of the window now. Rows of random games leave it
// faster than others come in; those of earlier runs are its oldest.
func (l *Loop) windowRows(c *Config) int {
	s := l.state
	real := s.Rows - s.RandRow + l.earlier.rows
	random := max(0, s.RandRow-int64(c.Window.RandomDecay*float64(real)))
	return max(1, int(min(int64(c.Window.rows(real)), real+random)))
}

// newest lists the files of self-play, newest first, and then those of earlier runs.
func (l *Loop) newest() ([]string, error) {
	list, bad := dataFiles(l.dir, l.state.Seed, l.known)
	for _, err := range bad {
		l.o.Log.Warn("a file of self-play is skipped", "error", err)
	}
	paths := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		paths = append(paths, list[i].path)
	}
	others, err := l.earlier.list()
	return append(paths, others...), err
}

func (c *Compute) sessions() int {
	if c.Sessions > 0 {
		return c.Sessions
	}
	return runtime.NumCPU()
}

// noteSelfplay adds a stretch of self-play to the record of the iteration.
func (l *Loop) noteSelfplay(st selfplay.Stats, evals uint64, seconds float64) {
	if l.record.Iteration != l.state.Iteration {
		l.record = Record{Iteration: l.state.Iteration}
	}
	r := &l.record
	r.Network = orNone(l.state.Current)
	r.Stats = add(r.Stats, st)
	r.Evals += evals
	r.Seconds.Selfplay += seconds
}

func add(a, b selfplay.Stats) selfplay.Stats { return a.Sub(selfplay.Stats{}.Sub(b)) }

// Rows of the window that a stream delivers.
func (l *Loop) streamOptions(c *Config) rows.Options {
	return rows.Options{Batch: c.Train.Batch, Wants: l.learner.Wants(), Encoding: l.learner.Encoding(),
		Seed: l.state.Seed*1_000_003 + uint64(l.state.Iteration), Symmetries: c.Train.Symmetries, HistoryDropout: c.Train.HistoryDropout,
		WindowRows: l.windowRows(c), MemoryBytes: int64(c.Window.MemoryMB) << 20, Log: l.o.Log}
}
