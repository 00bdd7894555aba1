package level

import (
	"maps"
	"slices"
	"time"
)

// Standing is a player's rank after a game that counted: between Low and High with a probability
// of 80 %.
type Standing struct {
	When           time.Time `json:"when"`
	Low, Mid, High Rank
	// Judged reports whether the game counted by the quality of its moves; Mark is then their
	// mean loss. Otherwise the game counted by its result, and Mark is the player's points (1,
	// 0.5 or 0).
	Judged bool    `json:"judged,omitempty"`
	Mark   float64 `json:"mark"`
}

// historyKept is the maximum number of standings that a rating remembers.
const historyKept = 500

func (f *PlayerRating) remember(judged bool, mark float64) {
	s := Standing{When: f.Last.Round(time.Second), Judged: judged, Mark: mark}
	s.Low, s.Mid, s.High = f.Range()
	f.History = append(f.History, s)
	f.History = slices.Delete(f.History, 0, max(0, len(f.History)-historyKept))
}

// Strength returns the rank on the board where most games have counted, or the claimed one; false if
// nothing is known.
func (f PlayerRatings) Strength() (at Rank, known bool) {
	most := -1.0
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if n := f[name].Games + float64(f[name].Judged); n > most {
			most, known = n, true
			_, at, _ = f[name].Range()
		}
	}
	return at, known
}
