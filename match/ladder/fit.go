package ladder

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"kosumi/engine/level"
	"kosumi/match/elo"
)

// withPairs adds the known games of each pair to pairs.
func withPairs(pairs, known []level.Pair) []level.Pair {
	for _, k := range known {
		i := slices.IndexFunc(pairs, func(p level.Pair) bool { return p.A == k.A && p.B == k.B })
		if i < 0 {
			pairs = append(pairs, k)
			continue
		}
		pairs[i].Points += k.Points
		pairs[i].Games += k.Games
	}
	return pairs
}

// solve finds the ratings of a ladder's players. To keep them finite even if one side won all
// games, it adds a quarter of a drawn game to each pair, and a fifth of one between each player and
// the average player. More would compress the ladder, by hundreds of Elo at its ends.
func solve(n int, points []elo.Pair) *elo.Scale {
	const drawn = 0.25
	points = slices.Clone(points)
	for i := range points {
		if p := &points[i]; p.Games > 0 {
			p.Points, p.Games = p.Points+drawn/2, p.Games+drawn
		}
	}
	return elo.Solve(n, points, 0.2)
}

// fit puts all players of a ladder's games on one scale. For each player that is a dial, a level's
// number, it also adds the statistics of the moves that the level played.
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
		points[i] = elo.Pair{A: number(p.A), B: number(p.B), Points: p.Points, Games: float64(p.Games)}
		played[p.A] += p.Games
		played[p.B] += p.Games
	}
	zero, zeroElo := c.zero(names)
	fit, errs := solve(len(names), points).From(zero)
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

// zero returns the player that sets the scale, and its Elo: the first anchor, otherwise the player
// that set the scale of the known games, otherwise the first dial.
func (c *Config) zero(names []string) (int, float64) {
	if len(c.Anchors) > 0 {
		if i := slices.Index(names, c.Anchors[0].Name); i >= 0 {
			return i, c.ZeroElo
		}
	}
	for _, a := range c.Known.Anchors {
		if i := slices.Index(names, a.Name); i >= 0 && a.Error == 0 {
			return i, a.Elo
		}
	}
	return max(0, slices.Index(names, c.program(0).Name)), 0
}

// addKnown adds to s the statistics that Config.Known has for the dial of s, which are from games that
// are not in the folder. Means are weighted by the number of games or moves.
func (c *Config) addKnown(s *level.Support) {
	i := slices.IndexFunc(c.Known.Support, func(k level.Support) bool { return k.Dial == s.Dial })
	if i < 0 {
		return
	}
	k := c.Known.Support[i]
	mean := func(a, b float64, na, nb int) float64 {
		return math.Round(1000*(a*float64(na)+b*float64(nb))/float64(max(na+nb, 1))) / 1000
	}
	games := s.Games - k.Games
	s.PointsLost, s.LargeLosses = mean(s.PointsLost, k.PointsLost, games, k.Games), mean(s.LargeLosses, k.LargeLosses, games, k.Games)
	s.Nonsense = mean(s.Nonsense, k.Nonsense, s.Moves, k.Moves)
	s.Moves, s.Suspects = s.Moves+k.Moves, s.Suspects+k.Suspects
	s.Habits.Add(k.Habits)
}
