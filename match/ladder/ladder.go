// Package ladder measures how strong the levels are: dials play their neighbours
// and fixed opponents, and one fit of Elo puts them all on a scale.
package ladder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/match"
)

// Config says what is measured.
type Config struct {
	// Engine is the command that starts a player; " --level" and the name of a dial are
	// appended.
	Engine string
	Dials  []float64 // ascending, level.Strongest to level.Weakest
	// Anchors are fixed opponents, the first of which has ZeroElo. Each plays every
	// second dial.
	Anchors  []Anchor
	ZeroElo  float64
	Games    int // of each pair, an even number
	Size     board.Size
	Rules    string
	Komi     float64
	Parallel int
	Dir      string // for games and journals: a ladder resumes where it stopped
	// Known holds more games between these players, which count too; may be nil.
	Known *level.Ladder
	// Judge tells nonsense from sacrifices; nil: every suspect counts as nonsense.
	Judge Judge
	// Progress is called after each finished game; may be nil. total shrinks when a
	// pair turns out to be too unequal and plays no further.
	Progress func(done, total int)
}

// Anchor is a fixed opponent. If it gives handicap stones, it has White in every game,
// and komi is 0.5.
type Anchor struct {
	match.Program
	Handicap int
}

// Check returns what is wrong with the configuration.
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
	if c.Games < 1 || c.Games%2 != 0 {
		errs = append(errs, fmt.Errorf("%d games of a pair: an even number, so that both have Black as often", c.Games))
	}
	return errors.Join(errs...)
}

// pair is two players that meet, with a's result so far. Players are numbered: the
// dials first, then the anchors.
type pair struct {
	a, b   int
	points float64
	games  int
}

// take sets the result to that of a match.
func (p *pair) take(s match.Summary) {
	p.points, p.games = float64(s.A.Wins)+float64(s.Draws)/2, s.Games
}

// pairs returns the pairs that play: each dial with the next two, and each anchor with
// every second dial.
func (c *Config) pairs() []*pair {
	var all []*pair
	n := len(c.Dials)
	for step := 1; step <= 2; step++ {
		for i := range n - step {
			all = append(all, &pair{a: i, b: i + step})
		}
	}
	for a := range c.Anchors {
		for i := 0; i < n; i += 2 {
			all = append(all, &pair{a: i, b: n + a})
		}
	}
	return all
}

// program returns the program of a player.
func (c *Config) program(i int) match.Program {
	if i >= len(c.Dials) {
		return c.Anchors[i-len(c.Dials)].Program
	}
	name := level.DialName(c.Dials[i])
	// The network has a folder of its own, so a journal holds whatever the engine's path is.
	return match.Program{Command: c.Engine + " --level " + name, Name: name, KnownAs: "engine gtp --level " + name}
}

// match returns the match of a pair.
func (c *Config) match(p *pair, games int) match.Config {
	m := match.Config{A: c.program(p.a), B: c.program(p.b), Games: games, Size: c.Size, Rules: c.Rules, Komi: &c.Komi,
		Parallel: c.Parallel, Dir: filepath.Join(c.Dir, fileName(c.program(p.a).Name)+"-"+fileName(c.program(p.b).Name))}
	if i := p.b - len(c.Dials); i >= 0 && c.Anchors[i].Handicap > 0 {
		half := 0.5
		m.Handicap, m.Komi = c.Anchors[i].Handicap, &half
	}
	return m
}

// Games of a pair are played in rounds, so that an interrupted ladder has measured all
// pairs alike. A pair stops early when one side wins nearly all of its first games:
// further games would say little.
const (
	roundGames = 4
	firstGames = 8
	unequal    = 0.95
)

// settled reports whether a pair has played enough.
func (c *Config) settled(p *pair) bool {
	share := p.points / float64(max(1, p.games))
	return p.games >= c.Games || p.games >= firstGames && max(share, 1-share) > unequal
}

// Run plays the ladder. When ctx ends it returns what the games played so far say,
// with the context's error.
func Run(ctx context.Context, c Config) (level.Ladder, error) {
	l := level.Ladder{Size: c.Size.W, Visits: level.Visits}
	if err := c.Check(); err != nil {
		return l, err
	}
	all := c.pairs()
	failed := c.play(ctx, all)
	for _, p := range c.collect(all) {
		if p.games > 0 {
			l.Pairs = append(l.Pairs, level.Pair{A: c.program(p.a).Name, B: c.program(p.b).Name, Points: p.points, Games: p.games})
		}
	}
	l.Pairs = withPairs(l.Pairs, c.Known)
	if len(l.Pairs) == 0 {
		return l, failed
	}
	return l, errors.Join(failed, c.fit(&l))
}

// play plays all pairs, in rounds.
func (c *Config) play(ctx context.Context, all []*pair) error {
	for target := roundGames; ; target += roundGames {
		over := true
		for _, p := range all {
			if c.settled(p) {
				continue
			}
			over = false
			s, err := match.Run(ctx, c.withProgress(c.match(p, min(target, c.Games)), all, p))
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

// collect adds all other games between these players that the folder holds: those of pairs
// that an interrupted run did not reach, and of earlier runs with other dials.
func (c *Config) collect(all []*pair) []*pair {
	over, stop := context.WithCancel(context.Background())
	stop() // match.Run then only reads the journal
	for a := range c.Dials {
		for b := a + 1; b < len(c.Dials)+len(c.Anchors); b++ {
			p := &pair{a: a, b: b}
			m := c.match(p, mostGames)
			if _, err := os.Stat(m.Dir); err != nil {
				continue
			}
			if i := slices.IndexFunc(all, func(o *pair) bool { return o.a == a && o.b == b }); i >= 0 {
				p = all[i]
			} else {
				all = append(all, p)
			}
			if s, _ := match.Run(over, m); s.Games > p.games {
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
			games := p.games
			if p == now {
				games = s.Summary.Games
			}
			done += games
			if c.settled(p) {
				total += games
			} else {
				total += c.Games
			}
		}
		c.Progress(done, total)
	}
	return m
}

// fileName replaces the characters that cannot be part of a folder's name.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: `, r) {
			return '_'
		}
		return r
	}, name)
}
