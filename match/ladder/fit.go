package ladder

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"kosumi/engine/level"
	"kosumi/match/elo"
)

// Drawn games that the fit adds, so that Elo stays finite where one side won all games.
// More would compress a ladder, by hundreds of Elo at its ends.
const (
	drawnOfPair   = 0.25 // of each pair
	drawnOfPlayer = 0.2  // of each player against the mean
)

// fit puts all players of a ladder's games on one scale of Elo, and fills in the
// statistics of the dials' moves.
func (c *Config) fit(l *level.Ladder) error {
	var names []string
	number := func(name string) int {
		i := slices.Index(names, name)
		if i < 0 {
			i, names = len(names), append(names, name)
		}
		return i
	}
	played := map[string]int{}
	points := make([]elo.Pair, len(l.Pairs))
	for i, p := range l.Pairs {
		points[i] = elo.Pair{A: number(p.A), B: number(p.B), Points: p.Points + drawnOfPair/2, Games: float64(p.Games) + drawnOfPair}
		played[p.A] += p.Games
		played[p.B] += p.Games
	}
	zero, zeroElo := c.zero(names)
	fit, errs := elo.Fit(len(names), points, zero, drawnOfPlayer)
	var failed error
	for i, name := range names {
		e := level.Anchor{Name: name, Elo: math.Round(fit[i] + zeroElo), Error: math.Round(errs[i]), Games: played[name]}
		d, isDial, err := level.ParseDial(name)
		if !isDial {
			l.Anchors = append(l.Anchors, e)
			continue
		}
		s := level.Support{Dial: d, Elo: e.Elo, Error: e.Error, Games: e.Games}
		failed = errors.Join(failed, err, c.readMoves(name, &s))
		l.Support = append(l.Support, s)
	}
	slices.SortFunc(l.Support, func(a, b level.Support) int { return cmp.Compare(a.Dial, b.Dial) })
	slices.SortFunc(l.Anchors, func(a, b level.Anchor) int { return cmp.Compare(b.Elo, a.Elo) })
	return failed
}

// zero returns the player that sets the scale, and its Elo: the first anchor, else the first
// dial.
func (c *Config) zero(names []string) (int, float64) {
	if len(c.Anchors) > 0 {
		if i := slices.Index(names, c.Anchors[0].Name); i >= 0 {
			return i, c.ZeroElo
		}
	}
	return max(0, slices.Index(names, c.program(0).Name)), 0
}
