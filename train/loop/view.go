package loop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/internal/file"
)

// View is the state of a loop as its folder shows it, whether a process runs it or not.
type View struct {
	Folder string // folder's name
	State  *State // with games that were filed after the state was saved
	// Running reports whether a process has locked the folder.
	Running bool
	// News is the time of the last change in the folder.
	News time.Time
	// Done and Goal are games, rows or samples of this stage, 0 in a stage that counts none of
	// these. Left is estimated from the speed of the previous iteration; 0 if that is unknown.
	Done, Goal int64
	Unit       string // games, rows or samples
	Left       time.Duration
	Rated      *Ratings
	Games      []Replay // newest games
}

// Viewer reads the folder of a loop repeatedly, each time only the changes. Not safe for
// concurrent use.
type Viewer struct {
	dir   string
	files *rowFiles // nil until there is a state
	games []Replay
	of    string // newest file of game records when the field games was filled
}

// NewViewer returns a viewer of a folder.
func NewViewer(dir string) *Viewer { return &Viewer{dir: dir} }

func (v *Viewer) Folder() string {
	if abs, err := filepath.Abs(v.dir); err == nil {
		return filepath.Base(abs)
	}
	return v.dir
}

// Snapshot returns the loop as it is now.
func (v *Viewer) Snapshot() (*View, error) {
	s, err := stateOf(v.dir)
	if err != nil {
		return nil, err
	}
	w := &View{Folder: v.Folder(), State: s, Running: file.Taken(v.dir)}
	w.news(statePath(v.dir))
	before := s.last()
	if v.files == nil || v.files.seed != s.Seed {
		v.files = openRowFiles(v.dir, s.Seed)
	}
	switch s.Stage {
	case stageSelfplay:
		s.recount(v.files)
		w.selfplay(&before)
	case stageTrain:
		s.catchUp(v.dir)
		w.training(&before)
	}
	for path := range v.files.known {
		w.news(path)
	}
	if w.Rated, err = loadRatings(v.dir); err != nil {
		return nil, err
	}
	if paths, _ := filepath.Glob(filepath.Join(v.dir, "selfplay", "*", "sgfs", "*.sgfs")); len(paths) > 0 {
		newest := slices.MaxFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
		if newest != v.of {
			v.of, v.games = newest, newestGames(v.dir)
		}
		w.news(newest)
	}
	w.Games = v.games
	return w, nil
}

func (w *View) news(path string) {
	if info, err := os.Stat(path); err == nil && info.ModTime().After(w.News) {
		w.News = info.ModTime()
	}
}

func (w *View) selfplay(before *Record) {
	s := w.State
	per := 0.0 // seconds per unit
	switch {
	case s.GoalRows > 0:
		w.Unit, w.Done, w.Goal = "rows", s.Rows-before.Rows, s.GoalRows-before.Rows
		if before.Stats.Rows > 0 {
			per = before.Seconds.Selfplay / float64(before.Stats.Rows)
		}
	case s.GoalGames > 0:
		w.Unit, w.Done, w.Goal = "games", s.Games-before.Games, s.GoalGames-before.Games
		if before.Stats.Games > 0 {
			per = before.Seconds.Selfplay / float64(before.Stats.Games)
		}
	}
	w.left(per)
}

func (w *View) training(before *Record) {
	s := w.State
	w.Unit, w.Done, w.Goal = "samples", s.Samples-s.samplesThen(), s.Target-s.samplesThen()
	per := 0.0
	if n := len(s.History); n > 1 {
		if samples := before.Samples - s.History[n-2].Samples; samples > 0 {
			per = before.Seconds.Train / float64(samples)
		}
	}
	w.left(per)
}

// left estimates the time that the stage still takes; per is the number of seconds for each unit.
func (w *View) left(per float64) {
	w.Done = max(0, min(w.Done, w.Goal))
	w.Left = time.Duration(per * float64(w.Goal-w.Done) * float64(time.Second))
}
