package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"kosumi/board"
)

// The grid of a player's possible strengths, in Elo on the ladder's scale: from four ranks below
// the lowest level to four above the highest.
const (
	gridStep  = 20.0
	gridFirst = eloARank * (float64(Lowest-anchorRank) - 4)
	gridCount = int(eloARank*(float64(Highest-Lowest)+8)/gridStep) + 1
)

// PlayerRating is an estimate of a player's strength on one size of board: a probability
// distribution, which games narrow and time widens.
type PlayerRating struct {
	Games float64   `json:"games"` // number of games that counted by their result; some count in part
	Last  time.Time `json:"last"`  // when the last game ended
	// Weights are the probabilities of the strengths on the grid, from the weakest.
	Weights []float64 `json:"weights"`
	// Judged is the number of games that were rated by their moves, see [PlayerRating.JudgedBy];
	// Reviewed holds the IDs of the newest of these games.
	Judged   int      `json:"judged,omitempty"`
	Reviewed []string `json:"reviewed,omitempty"`
	// History is the player's standing after each game that counted, oldest first. Base is the rating before the
	// first of these games that has a weight.
	History []Standing    `json:"history,omitempty"`
	Base    *PlayerRating `json:"base,omitempty"`
}

// NewPlayerRating returns the rating of an unknown player: 12k, give or take seven ranks.
func NewPlayerRating() *PlayerRating { return newPlayerRating(Rank(8), 7) }

// newPlayerRating returns a rating around a rank, with a standard deviation of doubt ranks.
func newPlayerRating(r Rank, doubt float64) *PlayerRating {
	f := &PlayerRating{Weights: make([]float64, gridCount)}
	for i := range f.Weights {
		z := (grid(i) - eloOf(r)) / (doubt * eloARank)
		f.Weights[i] = math.Exp(-z * z / 2)
	}
	f.normalise()
	return f
}

func grid(i int) float64 { return gridFirst + gridStep*float64(i) }

func (f *PlayerRating) normalise() {
	sum := 0.0
	for _, w := range f.Weights {
		sum += w
	}
	for i := range f.Weights {
		f.Weights[i] /= sum
	}
}

// valid reports whether a rating read from a file is usable.
func (f *PlayerRating) valid() bool {
	sum := 0.0
	for _, w := range f.Weights {
		if !(w >= 0) {
			return false
		}
		sum += w
	}
	return len(f.Weights) == gridCount && sum > 0.5 && sum < 2 && f.Games >= 0 && (f.Base == nil || f.Base.valid())
}

// Played updates the rating by a game: the opponent's rank, the player's head start in points, the player's
// result (1, 0.5 or 0), and the weight of the game, 0 to 1.
func (f *PlayerRating) Played(size board.Size, against Rank, ahead, result, weight float64, when time.Time) {
	f.add(size, Standing{When: when, Mark: result, Elo: eloOf(against) - handicapElo(size, ahead), Weight: weight})
}

// add updates the rating by a game, and remembers it.
func (f *PlayerRating) add(size board.Size, s Standing) {
	if f.Base == nil {
		base := *f
		base.History, base.Reviewed, f.Base = nil, nil, &base
	}
	f.count(size, s)
	if len(f.History) > historyKept {
		f.Base.count(size, f.History[0])
		f.Base.History, f.History = nil, f.History[1:]
	}
}

// count does the work of add without moving Base. A standing without weight, from an earlier program, is in Base.
func (f *PlayerRating) count(size board.Size, s Standing) {
	if on := qualities[size]; s.Weight > 0 && (on != nil || !s.Judged) {
		f.drift(s.When)
		if s.Judged {
			f.judge(on, s.Root)
			f.Judged++
		} else {
			f.play(s.Elo, s.Mark, s.Weight)
			f.Games += s.Weight
		}
		if s.When.After(f.Last) { // games may come out of order
			f.Last = s.When
		}
		s.When = f.Last.Round(time.Second)
		s.Low, s.Mid, s.High = f.Range()
	}
	f.History = append(f.History, s)
}

// play updates the weights by a result against an opponent of strength elo. One game in twenty is assumed to be
// decided by chance, with equal odds.
func (f *PlayerRating) play(elo, result, weight float64) {
	for i := range f.Weights {
		p := 1 / (1 + math.Pow(10, (elo-grid(i))/400))
		win, loss := 0.025+0.95*p, 0.025+0.95*(1-p)
		f.Weights[i] *= math.Pow(math.Pow(win, result)*math.Pow(loss, 1-result), weight)
	}
	f.normalise()
}

// takeBack undoes the update by the game with a number in History.
func (f *PlayerRating) takeBack(size board.Size, at int) {
	was := *f
	*f = *was.Base
	for i, s := range was.History {
		if i != at {
			f.count(size, s)
		}
	}
	f.Base, f.Reviewed = was.Base, slices.DeleteFunc(was.Reviewed, func(id string) bool { return id == was.History[at].Game })
}

// drift widens the distribution with the days since the last game: a player's strength is assumed to
// change at random, with a standard deviation of 10 Elo for a day and 15 for a game.
func (f *PlayerRating) drift(now time.Time) {
	days := 0.0
	if !f.Last.IsZero() {
		days = max(0, min(90, now.Sub(f.Last).Hours()/24))
	}
	sd := math.Sqrt(100*days+225) / gridStep
	reach := int(4*sd) + 1
	next := make([]float64, len(f.Weights))
	for i, w := range f.Weights {
		for k := -reach; k <= reach; k++ {
			if j := i + k; j >= 0 && j < len(next) {
				z := float64(k) / sd
				next[j] += w * math.Exp(-z*z/2)
			}
		}
	}
	f.Weights = next
	f.normalise()
}

// quantile returns the Elo that exceeds the player's strength with probability q.
func (f *PlayerRating) quantile(q float64) float64 {
	sum := 0.0
	for i, w := range f.Weights {
		if sum += w; sum >= q {
			return grid(i)
		}
	}
	return grid(len(f.Weights) - 1)
}

func (f *PlayerRating) mean() float64 {
	mean := 0.0
	for i, w := range f.Weights {
		mean += w * grid(i)
	}
	return mean
}

// rankAt returns the rank of a strength in Elo, limited to the scale of ranks.
func rankAt(elo float64) Rank {
	return max(Lowest, min(Highest, anchorRank+Rank(math.Round(elo/eloARank))))
}

// Next is the rank to play the next game at: one that the player beats 45 times in
// a hundred, and an easier one in the first three games.
func (f *PlayerRating) Next() Rank {
	if f.Games+float64(f.Judged) < 3 {
		return rankAt(f.quantile(0.25))
	}
	return rankAt(f.mean() + 35)
}

// Counted reports whether a game has counted by its result or its moves. If none has, the rating
// is only the rank that the player claims, or the default.
func (f *PlayerRating) Counted() bool { return f.Games > 0 || f.Judged > 0 }

// Range is the player's probable rank: between low and high with a probability of 80 %; mid is the mean, or,
// while no game has counted, the rank that the player claims.
func (f *PlayerRating) Range() (low, mid, high Rank) {
	at := f.mean()
	if !f.Counted() {
		at = grid(slices.Index(f.Weights, slices.Max(f.Weights)))
	}
	return rankAt(f.quantile(0.1)), rankAt(at), rankAt(f.quantile(0.9))
}

// Explain describes the estimate, as in "you are at about 8k on 9x9 (10k to 7k), 14 games".
func (f *PlayerRating) Explain(size board.Size) string {
	games := f.Games + float64(f.Judged)
	if games == 0 {
		return fmt.Sprintf("no game of yours on %s counts yet; the first one is at %s", size, f.Next())
	}
	plural := "games"
	if games == 1 {
		plural = "game"
	}
	low, mid, high := f.Range()
	return fmt.Sprintf("you are at about %s on %s (%s to %s), %g %s", mid, size, low, high, games, plural)
}

// PlayerRatings holds a rating for each size of board, by its name such as 9x9.
type PlayerRatings map[string]*PlayerRating

// ErrRatings says that a file does not contain valid ratings.
var ErrRatings = errors.New("not a file of players' levels")

// ParsePlayerRatings reads a file of ratings; ratings that make no sense are refused. Errors wrap ErrRatings.
func ParsePlayerRatings(data []byte) (PlayerRatings, error) {
	all := PlayerRatings{}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRatings, err)
	}
	for name, f := range all {
		if f == nil || !f.valid() {
			return nil, fmt.Errorf("%w: its entry for %s makes no sense", ErrRatings, name)
		}
	}
	return all, nil
}

// On returns the rating of a size, a new one if there is none.
func (f PlayerRatings) On(size board.Size) *PlayerRating {
	name := size.String()
	if f[name] == nil {
		f[name] = NewPlayerRating()
	}
	return f[name]
}

// Begin rates a new player by the rank that the player claims, give or take three ranks; one claim in five is
// assumed to be far off. It changes nothing if a game or a review on this board size has counted.
func (f PlayerRatings) Begin(size board.Size, r Rank) {
	if at := f[size.String()]; at == nil || !at.Counted() {
		at, far := newPlayerRating(r, 3), newPlayerRating(r, 10)
		for i, w := range far.Weights {
			at.Weights[i] = 0.8*at.Weights[i] + 0.2*w
		}
		f[size.String()] = at
	}
}

// handicapElo is the Elo value of a head start in points. A rank is worth two points on 9x9 and 14 on
// 19x19: its points grow as the board's area to the power 1.3.
func handicapElo(size board.Size, points float64) float64 {
	return eloARank * points / (2 * math.Pow(float64(size.Area())/81, 1.3))
}

// Standing is a player's rank after a game that counted: between Low and High with a probability of 80 %.
type Standing struct {
	When           time.Time `json:"when"`
	Low, Mid, High Rank
	// Judged reports whether the game counted by the quality of its moves; Mark is then their
	// mean loss. Otherwise the game counted by its result, and Mark is the player's points (1,
	// 0.5 or 0).
	Judged bool    `json:"judged,omitempty"`
	Mark   float64 `json:"mark"`
	Game   string  `json:"game,omitempty"` // the game's ID; "" if it is not known
	// Root is the [rootLoss] of a judged game, Elo the opponent's strength less the player's head start.
	Root   float64 `json:"root,omitempty"`
	Elo    float64 `json:"elo,omitempty"`
	Weight float64 `json:"weight,omitempty"`
}

// historyKept is the maximum number of standings that a rating remembers.
const historyKept = 500

// Strength returns the rank on the board size on which most games have counted; if no game has
// counted, a claimed rank. known is false if there are no ratings.
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
