package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/level"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/hub"
	"kosumi/web/wire"
)

// levels are the strengths that the engine can play at, and what is known of the
// player's own: a file that the engine's other personalities share.
type levels struct {
	engines  *engines.Engines
	warnings *hub.Warnings
	mu       sync.Mutex // of the file of the player's levels
}

// list lists the strengths that a seat can be set to, the weakest first: the
// ranks that the network, or the one whose ladder stands in for it, really plays
// at on some size of board.
func (l *levels) list() []api.Level {
	ladders, err := level.Ladders()
	if err != nil {
		l.warnings.Warn("the levels cannot be read: "+err.Error(), "levels")
		return nil
	}
	sha := l.engines.Backend.Describe().SHA256
	const firstDan = level.Rank(20)
	var all []api.Level
	for r := level.Lowest; r <= level.Highest; r++ {
		served := func(ladder level.Ladder) bool {
			at, err := level.Find(ladders, sha, board.Square(ladder.Size), r)
			return err == nil && at.Served == r
		}
		if slices.ContainsFunc(ladders, served) {
			all = append(all, api.Level{ID: r.String(), Rank: int(r - firstDan)})
		}
	}
	return all
}

// known reports whether there is such a level.
func (l *levels) known(id string) bool {
	return slices.ContainsFunc(l.list(), func(at api.Level) bool { return at.ID == id })
}

// autoLevel stands for the level that fits the player.
const autoLevel = "auto"

// fitting is the rank that the next game of the player's is played at, as far
// as the network serves it.
func (l *levels) fitting(size board.Size) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := level.ReadPlayerRatings(l.engines.Config.LevelFile)
	if err != nil {
		return "", err
	}
	ladders, err := level.Ladders()
	if err != nil {
		return "", err
	}
	at, err := level.Find(ladders, l.engines.Backend.Describe().SHA256, size, all.On(size).Next())
	if err != nil {
		return "", err
	}
	return at.Served.String(), nil
}

// fits says what is known of the player, smallest board first.
func (l *levels) fits() []api.Fit {
	l.mu.Lock()
	defer l.mu.Unlock()
	fits := []api.Fit{}
	all, err := level.ReadPlayerRatings(l.engines.Config.LevelFile)
	if err != nil {
		l.warnings.Warn(err.Error(), "fit")
		return fits
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }) {
		if all[name].Games > 0 {
			fits = append(fits, wireFit(name, all[name]))
		}
	}
	return fits
}

func wireFit(size string, f *level.PlayerRating) api.Fit {
	low, mid, high := f.Range()
	return api.Fit{Size: size, Low: low.String(), Mid: mid.String(), High: high.String(), Games: wire.Round(f.Games, 1)}
}

// count takes a game into account that counted for the player's level.
func (l *levels) count(size board.Size, against level.Rank, ahead, points, weight float64) (*api.Fit, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.engines.Config.LevelFile
	all, err := level.ReadPlayerRatings(name)
	if err != nil {
		return nil, err
	}
	f := all.On(size)
	f.Played(against, level.HandicapElo(size, ahead), points, weight, time.Now())
	if err := all.Write(name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return new(wireFit(size.String(), f)), nil
}
