package engines

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/internal/file"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Levels holds the strengths that the engine can play at, and the player's ratings. The ratings are
// in a file that the command "engine gtp" uses too.
type Levels struct {
	engines  *Engines
	warnings *wire.Warnings
	mu       sync.Mutex // guards the file of the player's ratings
	warn     error      // reports a damaged file
}

// NewLevels returns the levels of the network in use.
func NewLevels(es *Engines, w *wire.Warnings) *Levels { return &Levels{engines: es, warnings: w} }

// List returns the levels that the network plays on at least one size of board, the weakest first.
// A network that has no ladder uses another network's ladder.
func (l *Levels) List() []api.Level {
	var sizes []board.Size
	for _, ladder := range level.Ladders() {
		sizes = append(sizes, board.Square(ladder.Size))
	}
	return l.On(sizes...)
}

// On returns the levels that the network plays on at least one of the boards, the weakest first.
func (l *Levels) On(sizes ...board.Size) []api.Level {
	all := []api.Level{}
	sha := l.engines.Networks.Describe().SHA256
	for r := level.Lowest; r <= level.Highest; r++ {
		served, measured := false, false
		for _, size := range sizes {
			at, err := level.Find(level.Ladders(), sha, size, r)
			served = served || err == nil && at.Refusal == nil
			measured = measured || at.Measured
		}
		if served {
			all = append(all, api.Level{ID: r.String(), Rank: int(r - firstDan), Measured: measured})
		}
	}
	return all
}

// Check refuses a level that the network cannot play on a board.
func (l *Levels) Check(size board.Size, id string) error {
	all := l.On(size)
	if slices.ContainsFunc(all, func(at api.Level) bool { return at.ID == id }) {
		return nil
	}
	if len(all) == 0 {
		return api.Tell("unsupported", "no_levels", "board", size)
	}
	return api.Tell("bad_request", "no_level", "level", wire.Shown(id, 20), "board", size, "low", all[0].ID, "high", all[len(all)-1].ID)
}

// Begin stores the rank that the player claims. It sets the level of the first game on each board
// size.
func (l *Levels) Begin(r *api.PlayerRank) error {
	at, err := level.ParseRank(r.Rank)
	if err != nil {
		return api.Refuse("bad_request", "%v", err)
	}
	return l.update(func(all level.PlayerRatings) bool {
		for _, side := range []int{9, 13, 19} {
			all.Begin(board.Square(side), at)
		}
		return true
	})
}

// Auto is the ID of the level that adapts to the player.
const Auto = "auto"

// ratings reads the player's ratings.
func (l *Levels) ratings() (all level.PlayerRatings, err error) {
	err = l.update(func(now level.PlayerRatings) bool { all = now; return false })
	return all, err
}

// Warning returns an [api.Error] that names the renamed file if the file of ratings was damaged, else nil.
func (l *Levels) Warning() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warn
}

// Fitting returns the level of the player's next adaptive game: of the levels that the network
// can play, the one nearest to the player's strength.
func (l *Levels) Fitting(size board.Size) (string, error) {
	all, err := l.ratings()
	if err != nil {
		return "", err
	}
	return l.next(size, all.On(size))
}

// next returns the level of the next adaptive game of a player.
func (l *Levels) next(size board.Size, f *level.PlayerRating) (string, error) {
	at, err := level.Find(level.Ladders(), l.engines.Networks.Describe().SHA256, size, f.Next())
	return at.Served.String(), err
}

// Due returns how many points a move may lose before a teaching game warns, by the opponent's level
// and the strictness.
func (l *Levels) Due(size board.Size, opponent, strict string) float64 {
	return Due(level.Ladders(), l.engines.Networks.Describe().SHA256, size, opponent, strict)
}

// Fits returns the player's ratings, smallest board first.
func (l *Levels) Fits() []api.Fit {
	fits := []api.Fit{}
	for _, r := range l.Curves() {
		fits = append(fits, r.Fit)
	}
	return fits
}

// Said returns the rank that the player claims, or "" once games or reviews count on every board.
func (l *Levels) Said() string {
	all, _ := l.ratings() // [Levels.Curves] logs the error
	for _, f := range all {
		if !f.Counted() {
			_, mid, _ := f.Range()
			return mid.String()
		}
	}
	return ""
}

// Strength returns the player's rank, from games or as claimed; false if neither is known.
func (l *Levels) Strength() (level.Rank, bool) {
	all, _ := l.ratings()
	return all.Strength()
}

// Curves returns the player's ratings with their history, smallest board first.
func (l *Levels) Curves() []api.Rank {
	ranks := []api.Rank{}
	all, err := l.ratings()
	if err != nil {
		l.warnings.Warn(err.Error(), "fit")
		return ranks
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }) {
		f := all[name]
		if !f.Counted() {
			continue
		}
		r, played := api.Rank{Fit: wireFit(name, f), Curve: []api.Standing{}}, map[string]bool{}
		for _, s := range f.History {
			from := "result"
			if s.Judged {
				from = "review"
			}
			at := api.Standing{At: s.When.Unix(), Low: int(s.Low - firstDan), Mid: int(s.Mid - firstDan), High: int(s.High - firstDan), From: from, Mark: wire.Round(s.Mark, 2)}
			if last := len(r.Curve) - 1; s.Judged && played[s.Game] { // a game is one point of the curve: its review only changes the ranks of the last point
				at.At, at.From, at.Mark = r.Curve[last].At, r.Curve[last].From, r.Curve[last].Mark
				r.Curve[last] = at
				continue
			}
			played[s.Game] = s.Game != ""
			r.Curve = append(r.Curve, at)
		}
		ranks = append(ranks, r)
	}
	return ranks
}

// firstDan is 1d. Pages number ranks from it: 1d is 0, and 1k is -1.
const firstDan = level.Rank(20)

func wireFit(size string, f *level.PlayerRating) api.Fit {
	low, mid, high := f.Range()
	return api.Fit{Size: size, Low: low.String(), Mid: mid.String(), High: high.String(), Games: math.Ceil(f.Games), Judged: f.Judged}
}

// Count updates the player's rating by the result of a finished game, unless the game counts already.
// game is its ID, ahead the player's head start in points; points and weight are as in Played.
func (l *Levels) Count(game string, when time.Time, size board.Size, against level.Rank, ahead, points, weight float64) (*api.Fit, error) {
	return l.change(size, func(f *level.PlayerRating) bool {
		if slices.ContainsFunc(f.History, func(s level.Standing) bool { return !s.Judged && s.When.Equal(when.Round(time.Second)) }) {
			return false
		}
		f.Played(size, against, ahead, points, weight, when)
		f.History[len(f.History)-1].Game = game
		return true
	})
}

// Merge takes a backup's ratings for boards where they count more games than the ratings here, and
// returns these boards. If do is false, it changes nothing.
func (l *Levels) Merge(other level.PlayerRatings, do bool) (taken map[string]bool, err error) {
	taken = map[string]bool{}
	return taken, l.update(func(all level.PlayerRatings) bool {
		for size, o := range other {
			if f := all[size]; f == nil || o.Games+float64(o.Judged) > f.Games+float64(f.Judged) {
				all[size], taken[size] = o, true
			}
		}
		return do && len(taken) > 0
	})
}

// Judge updates the player's rating by the points that each of the player's moves lost in a
// reviewed game. The same game counts once; without losses it counts no longer.
func (l *Levels) Judge(size board.Size, game string, losses []float64, when time.Time) (*api.Fit, error) {
	return l.change(size, func(f *level.PlayerRating) bool { return f.JudgedBy(size, game, losses, when) })
}

// change calls a function on the player's rating for a board, and writes the ratings if the
// function returns true.
func (l *Levels) change(size board.Size, change func(*level.PlayerRating) bool) (fit *api.Fit, err error) {
	err = l.update(func(all level.PlayerRatings) bool {
		f := all.On(size)
		_, was, _ := f.Range()
		known := f.Counted()
		if !change(f) {
			return false
		}
		now := wireFit(size.String(), f)
		if known {
			now.Was = was.String()
		}
		if next, err := l.next(size, f); err == nil { // an error means that there are no levels
			now.Next = next
		}
		fit = &now
		return true
	})
	if err != nil {
		return nil, err
	}
	return fit, nil
}

// update calls a function on the player's ratings, and writes them if the function returns true. After an error they
// are as before. A damaged file is renamed and counts as empty.
func (l *Levels) update(change func(level.PlayerRatings) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.engines.Config.LevelFile
	all, err := level.ReadPlayerRatings(name)
	if errors.Is(err, level.ErrRatings) {
		aside, failed := file.SetAside(name)
		if failed != nil {
			return api.Refuse("internal", "%v", errors.Join(err, failed))
		}
		l.warn = api.Tell("internal", "levels", "why", err, "aside", filepath.Base(aside))
		l.warnings.Warn(l.warn.Error(), "damaged levels")
		all, err = level.PlayerRatings{}, nil
	}
	if err != nil {
		return api.Refuse("internal", "%v", err)
	}
	if !change(all) {
		return nil
	}
	if err := all.Write(name); err != nil {
		return api.NotSaved(fmt.Errorf("%s: %w", name, err))
	}
	return nil
}
