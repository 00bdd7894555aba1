package ladder

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/match"
	"kosumi/match/elo"
)

// player is a player's true rating and the time of its games.
type player struct{ elo, seconds float64 }

// playTurn adds random results of a pair's games.
func playTurn(p *pair, games int, truth []player, rng *rand.Rand) (seconds float64) {
	for range games {
		if rng.Float64() < 1/(1+math.Pow(10, (truth[p.b].elo-truth[p.a].elo)/400)) {
			p.points.Points++
		}
		p.points.Games++
		p.seconds[0] += truth[p.a].seconds
		p.seconds[1] += truth[p.b].seconds
	}
	return float64(games) * (truth[p.a].seconds + truth[p.b].seconds)
}

// worst returns the largest standard error of the fit, and the mean error of the dials (the levels' numbers).
func worst(c *Config, all []*pair, truth []player) (errs, off float64) {
	points := make([]elo.Pair, len(all))
	for i, p := range all {
		points[i] = p.points
	}
	fit, e := solve(len(truth), points).From(len(c.Dials))
	for i := range c.Dials {
		errs = max(errs, e[i])
		off += math.Abs(fit[i]-truth[i].elo) / float64(len(c.Dials))
	}
	return errs, off
}

// TestDesign: in the same time, playing the most informative pairs gives smaller errors than
// playing all pairs in turn.
func TestDesign(t *testing.T) {
	truth := []player{{500, 6}, {150, 6}, {-150, 6}, {-320, 6}, {-500, 5}, {-650, 5}, {-800, 3}, {-950, 3}, {-1200, 3}, {0, 40}}
	var errs, off [2]float64
	const runs, budget = 10, 2000.0
	for run := range uint64(runs) {
		c := &Config{Dials: []float64{0, 3, 6, 9, 12, 15, 18, 21, 25}, Anchors: []Anchor{{}}, AnchorStep: 2, Games: 1000, Parallel: 2}
		rng := rand.New(rand.NewPCG(run, 1))
		rounds := c.pairs()
		for spent := 0.0; spent < budget; {
			for i := 0; i < len(rounds) && spent < budget; i++ {
				spent += playTurn(rounds[i], turn, truth, rng)
			}
		}
		c.Time = time.Hour
		d := &design{c: c, until: time.Now().Add(c.Time), pairs: c.pairs(), playing: map[*pair]bool{}}
		for spent := 0.0; spent < budget; {
			p := d.take(t.Context())
			require.NotNil(t, p)
			delete(d.playing, p)
			spent += playTurn(p, turn, truth, rng)
		}
		for i, all := range [][]*pair{rounds, d.pairs} {
			e, o := worst(c, all, truth)
			errs[i], off[i] = errs[i]+e/runs, off[i]+o/runs
		}
	}
	t.Logf("largest errors %.0f in rounds, %.0f by design; off by %.0f and %.0f", errs[0], errs[1], off[0], off[1])
	require.Less(t, errs[1], errs[0])
}

// TestDesignCountsWhatRanksNeed: the ranks of 13x13 end at -1,120 and 1,010 Elo, so of the dials
// beyond either end only the nearest counts.
func TestDesignCountsWhatRanksNeed(t *testing.T) {
	c := &Config{Dials: []float64{-4, -3, -2, 0, 3, 6, 9, 12, 15}, Anchors: []Anchor{{}}, Size: board.Square(13)}
	d := &design{c: c}
	s := &elo.Scale{Elo: []float64{1500, 1300, 900, 500, 0, -500, -1050, -1300, -1400, 50}}
	require.Equal(t, []bool{false, true, true, true, true, true, true, true, false, false}, d.ranked(s, 9))
}

func TestDesignStops(t *testing.T) {
	c := &Config{Dials: []float64{0, 10}, Games: 2, Time: time.Minute}
	d := &design{c: c, until: time.Now().Add(time.Minute), pairs: c.pairs(), playing: map[*pair]bool{}}
	p := d.take(t.Context())
	require.NotNil(t, p)
	require.Nil(t, d.take(t.Context()), "the only pair plays already")
	delete(d.playing, p)
	p.take(match.Summary{Games: 2, SecondsA: 100, SecondsB: 100})
	require.Nil(t, d.take(t.Context()), "two games more would last too long")
}
