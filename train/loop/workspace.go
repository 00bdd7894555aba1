package loop

import (
	"cmp"
	"log/slog"

	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// workspace is shared by the stages of a loop, which run one after another: folder, recipe,
// state, the iteration's record, and the network that plays.
type workspace struct {
	dir     string
	conf    Recipe
	state   *State
	record  Record
	files   *rowFiles
	earlier earlier // rows of other runs
	player  *player // nil until needed
	others  Exchange
	out     reporter
	log     *slog.Logger
}

func (w *workspace) model(name string) string { return modelPath(w.dir, w.state.Arch, name) }
func (w *workspace) save() error              { return w.state.save(w.dir) }

// enter saves the state with a new stage.
func (w *workspace) enter(stage string) error {
	w.state.Stage = stage
	return w.save()
}

// bootstrapping reports whether games are still random.
func (w *workspace) bootstrapping() bool { return w.state.Current == "" }

// stageConfig returns the settings at the current number of games.
func (w *workspace) stageConfig() Recipe {
	c := w.conf.At(w.state.Games - w.state.Random + w.conf.Start.Games)
	if w.bootstrapping() {
		c.Selfplay.Search.Method = selfplay.Random
		c.Selfplay.Rows.Share = c.Bootstrap.RowsShare
		c.Selfplay.Positions.Share = 0
		if w.others != nil {
			c.Selfplay.Opening.Forks = 0 // an exchange expects one game per number, but forks share the number of their game
		}
		c.Selfplay.Ending.SkipEyes, c.Selfplay.Ending.SkipSettled = true, true
		c.Iteration = Iteration{Games: max(1, c.Bootstrap.Games)}
	}
	return c
}

func (w *workspace) rate(c *Recipe) float64 {
	if most := w.state.MostRate; most > 0 {
		return min(most, c.Train.Rate)
	}
	return c.Train.Rate
}

// windowRows returns the current length of the window, in rows. For each row of a network's games,
// RandomDecay rows of random games leave the window. Rows of earlier runs count as a network's.
func (w *workspace) windowRows(c *Recipe) int {
	s := w.state
	real := s.Rows - s.RandRow + w.earlier.rows
	random := max(0, s.RandRow-int64(c.Window.RandomDecay*float64(real)))
	return max(1, int(min(int64(c.Window.Rows(real)), real+random)))
}

// newest lists the files of self-play, newest first, then the files of earlier runs.
func (w *workspace) newest() ([]string, error) {
	list, bad := w.files.list()
	for _, err := range bad {
		w.log.Warn("a file of self-play is skipped", "error", err)
	}
	paths := make([]string, 0, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		paths = append(paths, list[i].Path)
	}
	others, err := w.earlier.list()
	return append(paths, others...), err
}

func (w *workspace) open(name string, c *Recipe, seed uint64) (*player, error) {
	return openPlayer(w.model(name), name, &c.Compute, c.Selfplay.Boards, seed, w.log)
}

func (w *workspace) openCurrent(c *Recipe, seed uint64) error {
	if w.player != nil && w.player.name == w.state.Current {
		return nil
	}
	w.player.close()
	w.player = nil
	var err error
	w.player, err = w.open(w.state.Current, c, seed)
	return err
}

// account adds the samples to be trained in this iteration to the learner's target.
func (w *workspace) account(c *Recipe) {
	switch s := w.state; {
	case w.bootstrapping():
		s.owe(c.Bootstrap.Samples)
	case c.Train.Epochs > 0:
		s.owe(int64(c.Train.Epochs * float64(w.windowRows(c))))
	default:
		s.oweRatio(c.Train.Ratio)
	}
}

// noteSelfplay adds statistics of self-play to the iteration's record.
func (w *workspace) noteSelfplay(st selfplay.Stats, evals uint64, seconds float64) {
	if w.record.Iteration != w.state.Iteration {
		w.record = Record{Iteration: w.state.Iteration}
	}
	w.state.Seconds.Selfplay += seconds
	r := &w.record
	r.Network = cmp.Or(w.state.Current, randomMoves)
	r.Stats = add(r.Stats, st)
	r.Evals += evals
	r.Seconds.Selfplay += seconds
}

func add(a, b selfplay.Stats) selfplay.Stats { return a.Sub(selfplay.Stats{}.Sub(b)) }

// earlier lists the files of earlier runs, the oldest in the window, and counts their rows.
type earlier struct {
	list rows.Lister
	rows int64
}
