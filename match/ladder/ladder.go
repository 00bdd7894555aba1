// Package ladder measures how strong the levels are: dials play their neighbours
// and fixed opponents, and one fit of Elo puts them all on a scale.
package ladder

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/level"
	"kosumi/match"
)

// Config says what is measured.
type Config struct {
	// Engine starts a seat; " --level METHOD:DIAL" is added.
	Engine string
	Method string
	Dials  []float64 // rising, 0 to 10
	// Anchors are fixed opponents, the first of which has ZeroElo. Each plays every
	// AnchorStep-th dial.
	Anchors    []match.Program
	ZeroElo    float64
	AnchorStep int
	Games      int // of each pair, an even number
	Size       board.Size
	Rules      string
	Komi       float64
	Parallel   int
	Dir        string // for games and journals: a ladder goes on where it stopped
	// Progress is told of each finished game; may be nil.
	Progress func(done, total int)
}

// pair is two players that meet: dials first, then anchors.
type pair struct{ a, b int }

// Check returns what is wrong with the configuration.
func (c *Config) Check() error {
	var errs []error
	if len(c.Dials) < 2 {
		errs = append(errs, errors.New("a ladder needs two dials or more"))
	}
	for i, d := range c.Dials {
		if !(d >= 0 && d <= 10) || i > 0 && d <= c.Dials[i-1] {
			errs = append(errs, fmt.Errorf("dial %g: 0 to 10, each higher than the one before", d))
		}
	}
	if level.FindMethod(c.Method) == nil {
		errs = append(errs, fmt.Errorf("no method %q", c.Method))
	}
	if c.Games < 2 || c.Games%2 != 0 {
		errs = append(errs, fmt.Errorf("%d games of a pair: an even number, so that both have Black as often", c.Games))
	}
	return errors.Join(errs...)
}

// pairs lists who meets whom: each dial the next one and the one after that, and
// each anchor every AnchorStep-th dial.
func (c *Config) pairs() []pair {
	var all []pair
	n := len(c.Dials)
	for a := range c.Anchors { // first: an unfinished ladder should hang together
		for i := 0; i < n; i += max(1, c.AnchorStep) {
			all = append(all, pair{i, n + a})
		}
	}
	for _, step := range []int{1, 2} {
		for i := range n - step {
			all = append(all, pair{i, i + step})
		}
	}
	return all
}

// program is how a player is started.
func (c *Config) program(i int) match.Program {
	if i >= len(c.Dials) {
		return c.Anchors[i-len(c.Dials)]
	}
	name := fmt.Sprintf("%s:%g", c.Method, c.Dials[i])
	return match.Program{Command: c.Engine + " --level " + name, Name: name}
}

// Run plays the ladder. When ctx ends it returns what the games played so far say,
// with the context's error.
func Run(ctx context.Context, c Config) (level.Ladder, error) {
	l := level.Ladder{Size: c.Size.W, Method: c.Method, Visits: level.Visits}
	if err := c.Check(); err != nil {
		return l, err
	}
	players := len(c.Dials) + len(c.Anchors)
	points := make([]match.PairPoints, 0, players*2)
	played := make([]int, players)
	all := c.pairs()
	var failed error
	for k, p := range all {
		dir := filepath.Join(c.Dir, fmt.Sprintf("%s-%s", fileName(c.program(p.a).Name), fileName(c.program(p.b).Name)))
		s, err := match.Run(ctx, match.Config{A: c.program(p.a), B: c.program(p.b), Games: c.Games, Size: c.Size, Rules: c.Rules, Komi: &c.Komi,
			Parallel: c.Parallel, Dir: dir,
			Progress: func(now match.Progress) {
				if c.Progress != nil {
					c.Progress(k*c.Games+now.Summary.Games, len(all)*c.Games)
				}
			}})
		if s.Games > 0 {
			points = append(points, match.PairPoints{A: p.a, B: p.b, Points: float64(s.A.Wins) + float64(s.Draws)/2, Games: float64(s.Games)})
			played[p.a] += s.Games
			played[p.b] += s.Games
		}
		if err != nil {
			failed = err
			break
		}
	}
	if len(points) == 0 {
		return l, failed
	}
	zero := len(c.Dials)
	if len(c.Anchors) == 0 {
		zero = 0
	}
	elo, errs := match.FitElo(players, points, zero)
	for i := range elo {
		elo[i] += c.ZeroElo
	}
	for i, d := range c.Dials {
		s := level.Support{Dial: d, Elo: math.Round(elo[i]), Error: math.Round(errs[i]), Games: played[i]}
		if err := c.readMoves(i, &s); err != nil {
			failed = errors.Join(failed, err)
		}
		l.Support = append(l.Support, s)
	}
	for k, a := range c.Anchors {
		i := len(c.Dials) + k
		l.Anchors = append(l.Anchors, level.Anchor{Name: a.Name, Elo: math.Round(elo[i]), Error: math.Round(errs[i]), Games: played[i]})
	}
	return l, failed
}

// fileName makes a name fit for a folder.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: `, r) {
			return '_'
		}
		return r
	}, name)
}

// readMoves fills in what the seats of a dial said of their moves.
func (c *Config) readMoves(i int, s *level.Support) error {
	name := fileName(c.program(i).Name)
	moves, lost, known, blunders, nonsense := 0.0, 0.0, 0.0, 0.0, 0.0
	for side, pattern := range map[string]string{"a": name + "-*", "b": "*-" + name} {
		files, err := filepath.Glob(filepath.Join(c.Dir, pattern, "stderr-"+side+"-*.log"))
		if err != nil {
			return err
		}
		for _, file := range files {
			err := eachMove(file, func(loss float64, silly bool) {
				moves++
				if silly {
					nonsense++
				}
				if !math.IsNaN(loss) {
					lost, known = lost+loss, known+1
					if level.Blunder(loss) {
						blunders++
					}
				}
			})
			if err != nil {
				return err
			}
		}
	}
	round := func(x float64) float64 { return math.Round(1000*x) / 1000 }
	s.PointsLost, s.Blunders, s.Nonsense = round(lost/max(known, 1)), round(blunders/max(known, 1)), round(1000*nonsense/max(moves, 1))
	return nil
}

// eachMove reads the lines that a seat writes about the moves of its level.
func eachMove(file string, f func(loss float64, silly bool)) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "level loss=")
		if !ok {
			continue
		}
		words := strings.Fields(rest)
		loss, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			continue
		}
		f(loss, strings.Contains(rest, "nonsense=true"))
	}
	return nil
}
