package ladder

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"kosumi/engine/level"
	"kosumi/match"
	"kosumi/match/elo"
)

// design chooses the pair that plays next: the one that gives most information per second. Pairs of
// similar strength measure their own difference precisely, but errors add up along the ladder; so
// design mostly chooses pairs of which one side wins five games in six. Only the errors of dials
// (the levels' numbers) that define ranks count.
type design struct {
	c     *Config
	until time.Time

	mu      sync.Mutex
	pairs   []*pair
	playing map[*pair]bool
	err     error // first error
}

// turn is how many games a pair plays in a row, one with each colour.
const turn = 2

// playFor plays until the ladder's time is used up, counting earlier runs. Running games then get
// a tenth of that time more to finish.
func (c *Config) playFor(ctx context.Context, all []*pair) error {
	d := &design{c: c, pairs: all, playing: map[*pair]bool{}}
	spent := 0.0
	for _, p := range all {
		spent += p.seconds[0] + p.seconds[1]
	}
	d.until = time.Now().Add(c.Time - time.Duration(spent/float64(max(1, c.Parallel))*float64(time.Second)))
	ctx, stop := context.WithDeadline(ctx, d.until.Add(c.Time/10))
	defer stop()
	var tables sync.WaitGroup
	for range max(1, c.Parallel) {
		tables.Go(func() {
			for p := d.take(ctx); p != nil; p = d.take(ctx) {
				d.play(ctx, p)
			}
		})
	}
	tables.Wait()
	return d.err
}

func (d *design) play(ctx context.Context, p *pair) {
	m := d.c.match(p, int(p.points.Games)+turn)
	m.Parallel = 1
	s, err := match.Run(ctx, m)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.playing, p)
	if float64(s.Games) > p.points.Games {
		p.take(s)
	}
	if err != nil && d.err == nil && !errors.Is(err, context.DeadlineExceeded) {
		d.err = err
	}
	if d.c.Progress != nil {
		games := 0.0
		for _, q := range d.pairs {
			games += q.points.Games
		}
		d.c.Progress(int(games), 0)
	}
}

// take chooses the pair that plays next; nil if none is to play any more.
func (d *design) take(ctx context.Context) *pair {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := time.Until(d.until).Seconds()
	if ctx.Err() != nil || d.err != nil || left <= 0 {
		return nil
	}
	var best *pair
	most := 0.0
	s, zero := d.scale()
	counts := d.ranked(s, zero)
	for _, p := range d.pairs {
		cost := turn * d.cost(p)
		if d.playing[p] || cost > left {
			continue
		}
		if gain := s.Gain(p.a, p.b, zero, turn, counts) / cost; gain > most {
			best, most = p, gain
		}
	}
	if best != nil {
		d.playing[best] = true
	}
	return best
}

// ranked returns the players that define ranks: the dials whose Elo is that of a rank, and the
// next dial beyond either end of the ranks.
func (d *design) ranked(s *elo.Scale, zero int) []bool {
	l := level.Ladder{Size: d.c.Size.W}
	lowest, highest := l.EloOf(level.Lowest), l.EloOf(level.Highest)
	at := func(i int) float64 { return s.Elo[i] - s.Elo[zero] + d.c.ZeroElo }
	counts := make([]bool, len(s.Elo))
	n := len(d.c.Dials)
	for i := range n {
		above, below := i+1 < n && at(i+1) > highest, i > 0 && at(i-1) < lowest
		counts[i] = !above && !below
	}
	return counts
}

// Assumptions for choosing the first pairs, with the weight of a few games each.
const (
	guessDial  = 80.0 // Elo from one dial to the next
	guessStone = 60.0 // Elo for each stone that an anchor gives
	guessZero  = 4.0  // estimated dial that is as strong as GNU Go
	guessGames = 4.0  // assumed games between neighbours, and between each anchor and the nearest dial
	mostApart  = 3    // dials meet if they are at most this many places apart in Config.Dials
)

// scale fits the players to all games so far, those of the known ladder included, and to a few
// assumed results between dials, so that no dial is rated equal to a much lower one before they have
// met.
func (d *design) scale() (s *elo.Scale, zero int) {
	dials := d.c.Dials
	n := len(dials)
	var points []elo.Pair
	guess := func(a, b int, stronger float64) {
		points = append(points, elo.Pair{A: a, B: b, Points: guessGames / (1 + math.Pow(10, -stronger/400)), Games: guessGames})
	}
	for i := range n - 1 {
		guess(i, i+1, guessDial*(dials[i+1]-dials[i]))
	}
	for i, a := range d.c.Anchors {
		far := func(dial float64) float64 { return guessDial*(guessZero-dial) + guessStone*float64(a.Handicap) }
		near := 0
		for k := range dials {
			if math.Abs(far(dials[k])) < math.Abs(far(dials[near])) {
				near = k
			}
		}
		guess(near, n+i, far(dials[near]))
	}
	for _, p := range d.pairs {
		points = append(points, p.points, d.c.knownPoints(p))
	}
	if len(d.c.Anchors) > 0 {
		zero = n
	}
	return solve(n+len(d.c.Anchors), points), zero
}

func (c *Config) knownPoints(p *pair) elo.Pair {
	points := elo.Pair{A: p.a, B: p.b}
	for _, k := range c.Known.Pairs {
		if k.A == c.program(p.a).Name && k.B == c.program(p.b).Name {
			points.Points, points.Games = k.Points, float64(k.Games)
		}
	}
	return points
}

// cost estimates the seconds of a game of a pair: from its own games, else from its players'
// other games, else from games of players of the same kind.
func (d *design) cost(p *pair) float64 {
	if p.points.Games > 0 {
		return (p.seconds[0] + p.seconds[1]) / p.points.Games
	}
	return d.playerCost(p.a) + d.playerCost(p.b)
}

func (d *design) playerCost(player int) float64 {
	isDial := func(i int) bool { return i < len(d.c.Dials) }
	var own, ownGames, kind, kindGames float64
	for _, p := range d.pairs {
		for side, i := range [2]int{p.a, p.b} {
			if i == player {
				own, ownGames = own+p.seconds[side], ownGames+p.points.Games
			}
			if isDial(i) == isDial(player) {
				kind, kindGames = kind+p.seconds[side], kindGames+p.points.Games
			}
		}
	}
	switch {
	case ownGames > 0:
		return own / ownGames
	case kindGames > 0:
		return kind / kindGames
	case isDial(player):
		return 1
	}
	return 10 // estimate: GNU Go is slow
}
