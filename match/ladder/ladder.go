// Package ladder measures how strong the levels are. A dial is a level's number (see package
// level). Dials play their neighbours and fixed opponents, and one fit of Elo puts them all on a
// scale.
package ladder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/match"
	"kosumi/match/elo"
)

type Config struct {
	// Engine is the command that starts the program; " --level" and the name of the dial to play at are added.
	Engine string
	Dials  []float64 // rising, level.Strongest to level.Weakest
	// Anchors are fixed opponents, the first of which has ZeroElo. Each plays every
	// AnchorStep-th dial.
	Anchors    []Anchor
	ZeroElo    float64
	AnchorStep int
	Games      int // games of each pair, an even number
	// AnchorGames is the number of games of pairs with an anchor; 0 means Games.
	AnchorGames int
	// Time, if not 0, limits the ladder's time, that of earlier runs included, instead of the games of
	// each pair. Dials up to three places apart may then meet, and any dial may meet any anchor; the
	// pair that gives most information about ranks per second plays next.
	Time     time.Duration
	Size     board.Size
	Rules    string
	Komi     float64
	Parallel int
	Dir      string // folder of the games and journals, from which an interrupted ladder resumes
	// Known is an earlier ladder whose games are not in the folder; they count too.
	Known level.Ladder
	// Judge distinguishes nonsense from sacrifices; nil: every suspect move counts as nonsense.
	Judge Judge
	// Progress is called after each finished game; may be nil. Pairs that prove too unequal are
	// stopped early, which lowers total; total is 0 if time ends the ladder.
	Progress func(done, total int)
}

// Anchor is a fixed opponent, which may give handicap stones: then it has White in
// every game, and komi is 0.5.
type Anchor struct {
	match.Program
	Handicap int
}

// Check returns all errors of the configuration.
func (c *Config) Check() error {
	var errs []error
	if len(c.Dials) < 2 {
		errs = append(errs, errors.New("a ladder needs two dials or more"))
	}
	for i, d := range c.Dials {
		if !(d >= level.Strongest && d <= level.Weakest) || i > 0 && d <= c.Dials[i-1] {
			errs = append(errs, fmt.Errorf("dial %g: %g to %g, each higher than the one before", d, level.Strongest, level.Weakest))
		}
	}
	for _, n := range []int{c.Games, c.AnchorGames} {
		if n < 0 || n%2 != 0 || c.Games == 0 {
			errs = append(errs, fmt.Errorf("%d games of a pair: an even number, so that both have Black as often", n))
		}
	}
	return errors.Join(errs...)
}

// pair is two players that meet. Players are numbered from 0, first the dials, then the anchors.
type pair struct {
	a, b, games int
	points      elo.Pair
	seconds     [2]float64 // time of all moves of a and of b
}

// take adds the result of a match of the pair.
func (p *pair) take(s match.Summary) {
	p.points.Points, p.points.Games = float64(s.A.Wins)+float64(s.Draws)/2, float64(s.Games)
	p.seconds = [2]float64{s.SecondsA, s.SecondsB}
}

// pairs lists the pairs that play: each dial and the next two, and each anchor and every
// AnchorStep-th dial. With Config.Time it lists more.
func (c *Config) pairs() []*pair {
	var all []*pair
	add := func(a, b, games int) {
		all = append(all, &pair{a: a, b: b, games: games, points: elo.Pair{A: a, B: b}})
	}
	n, apart, every := len(c.Dials), 2, max(1, c.AnchorStep)
	if c.Time > 0 {
		apart, every = min(mostApart, n-1), 1
	}
	for step := 1; step <= apart; step++ {
		for i := range n - step {
			add(i, i+step, c.Games)
		}
	}
	games := cmp.Or(c.AnchorGames, c.Games)
	for a := range c.Anchors {
		for i := 0; i < n; i += every {
			add(i, n+a, games)
		}
	}
	return all
}

func (c *Config) program(i int) match.Program {
	if i >= len(c.Dials) {
		return c.Anchors[i-len(c.Dials)].Program
	}
	name := level.DialName(c.Dials[i])
	// Each network has a folder of its own for journals, so these need not record the engine's path.
	return match.Program{Command: c.Engine + " --level " + name, Name: name, KnownAs: "engine gtp --level " + name}
}

func (c *Config) match(p *pair, games int) match.Config {
	m := match.Config{A: c.program(p.a), B: c.program(p.b), Games: games, Size: c.Size, Rules: c.Rules, Komi: &c.Komi,
		Parallel: c.Parallel, Dir: filepath.Join(c.Dir, fileName(c.program(p.a).Name)+"-"+fileName(c.program(p.b).Name))}
	if i := p.b - len(c.Dials); i >= 0 && c.Anchors[i].Handicap > 0 {
		half := 0.5
		m.Handicap, m.Komi = c.Anchors[i].Handicap, &half
	}
	return m
}

// Games are played in rounds, so that an interrupted ladder has measured all its pairs about
// equally. A pair in which one side has won nearly all of the firstGames games gives little
// information and is stopped.
const (
	roundGames = 4
	firstGames = 8
	unequal    = 0.95
)

func (p *pair) settled() bool {
	share := p.points.Points / max(1, p.points.Games)
	return int(p.points.Games) >= p.games || p.points.Games >= firstGames && max(share, 1-share) > unequal
}

// Run plays the ladder. When ctx ends it returns the result of the games so far, with the
// context's error.
func Run(ctx context.Context, c Config) (level.Ladder, error) {
	l := level.Ladder{Size: c.Size.W, Visits: level.Visits}
	if err := c.Check(); err != nil {
		return l, err
	}
	all := c.pairs()
	var failed error
	if c.Time > 0 {
		c.collect(all)
		failed = c.playFor(ctx, all)
	} else {
		failed = c.play(ctx, all)
	}
	for _, p := range c.collect(all) {
		if p.points.Games > 0 {
			l.Pairs = append(l.Pairs, level.Pair{A: c.program(p.a).Name, B: c.program(p.b).Name, Points: p.points.Points, Games: int(p.points.Games)})
		}
	}
	l.Pairs = withPairs(l.Pairs, c.Known.Pairs)
	if len(l.Pairs) == 0 {
		return l, failed
	}
	return l, errors.Join(failed, c.fit(&l))
}

func (c *Config) play(ctx context.Context, all []*pair) error {
	for target := roundGames; ; target += roundGames {
		over := true
		for _, p := range all {
			if p.settled() {
				continue
			}
			over = false
			s, err := match.Run(ctx, c.withProgress(c.match(p, min(target, p.games)), all, p))
			if err == nil || s.Games > 0 {
				p.take(s)
			}
			if err != nil {
				return err
			}
		}
		if over {
			return nil
		}
	}
}

// collect reads the games that earlier runs left in the folder. A pair of the list that this run has
// not played, for instance because it was interrupted, gets its earlier games. Pairs of this run's
// players that only earlier runs, with other lists of dials, matched are appended.
func (c *Config) collect(all []*pair) []*pair {
	over, stop := context.WithCancel(context.Background())
	stop() // so that matches only read their journals
	for a := range c.Dials {
		for b := a + 1; b < len(c.Dials)+len(c.Anchors); b++ {
			p := &pair{a: a, b: b, points: elo.Pair{A: a, B: b}}
			m := c.match(p, mostGames)
			if _, err := os.Stat(m.Dir); err != nil {
				continue
			}
			if i := slices.IndexFunc(all, func(o *pair) bool { return o.a == a && o.b == b }); i >= 0 {
				p = all[i]
			} else {
				all = append(all, p)
			}
			if s, _ := match.Run(over, m); float64(s.Games) > p.points.Games {
				p.take(s)
			}
		}
	}
	return all
}

// mostGames is more than any pair plays.
const mostGames = 1 << 20

// withProgress makes the match of a pair report the progress of the whole ladder.
func (c *Config) withProgress(m match.Config, all []*pair, now *pair) match.Config {
	if c.Progress == nil {
		return m
	}
	m.Progress = func(s match.Progress) {
		done, total := 0, 0
		for _, p := range all {
			games := int(p.points.Games)
			if p == now {
				games = s.Summary.Games
			}
			done += games
			if p.settled() {
				total += games
			} else {
				total += p.games
			}
		}
		c.Progress(done, total)
	}
	return m
}

// fileName replaces the characters of a player's name that a folder's name may not have.
func fileName(name string) string {
	return strings.NewReplacer("/", "_", `\`, "_", ":", "_", " ", "_").Replace(name)
}
