package drill

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// Tasks of problems of life and death. Package life proves that exactly one first move achieves the
// task.
const (
	Live = "live" // save the group
	Kill = "kill" // kill the group
)

// LifeSuffix ends the IDs of problems of life and death that a review found.
const LifeSuffix = "-life"

// LifeKind is the kind for problems of life and death.
const LifeKind review.Kind = "life and death"

//go:embed collection.sgf
var collection []byte

// Collection returns the built-in problems of life and death, one of each level in turn.
// tools/mine made the file; its property DI is the level, 1 to 5, and KK begins with the task.
var Collection = sync.OnceValue(func() []Problem {
	roots, err := sgf.Parse(collection)
	if err != nil {
		panic(fmt.Sprintf("the collection of problems: %v", err)) // cannot happen: the file is embedded
	}
	var levels [5][]Problem
	for _, root := range roots {
		p, err := collected(root)
		if err != nil {
			panic(fmt.Sprintf("the collection of problems, %s: %v", root.Get("GN"), err))
		}
		levels[p.Level-1] = append(levels[p.Level-1], p)
	}
	var list []Problem
	for i := 0; ; i++ {
		before := len(list)
		for _, of := range levels {
			if i < len(of) {
				list = append(list, of[i])
			}
		}
		if len(list) == before {
			return list
		}
	}
})

// LevelFor returns the level of problems for a player's rank; rank 0 is 20k.
func LevelFor(rank int) int {
	level := 1
	for _, from := range []int{1, 6, 11, 17} { // 19k, 14k, 9k, 3k
		if rank >= from {
			level++
		}
	}
	return level
}

// Fitting returns the built-in problems for a level: first those of the level, then harder and
// easier ones in turn. Problems more than one level easier are left out; from level 2 on, so are
// those whose first move takes the group. Level 0 returns all problems in the order of [Collection].
func Fitting(level int) []Problem {
	list := slices.DeleteFunc(slices.Clone(Collection()), func(p Problem) bool { return p.Level < level-1 || level > 1 && p.takes })
	if level > 0 {
		far := func(p Problem) int { return max(2*(p.Level-level)-1, 2*(level-p.Level)) }
		slices.SortStableFunc(list, func(a, b Problem) int { return far(a) - far(b) })
	}
	return list
}

func collected(root *sgf.Node) (p Problem, err error) {
	record, err := sgf.RecordOf(root)
	if err != nil {
		return p, err
	}
	size := record.Size
	if p.Level, err = strconv.Atoi(root.Get("DI")); err != nil || p.Level < 1 || p.Level > 5 || record.Setup == nil {
		return p, fmt.Errorf("level %q", root.Get("DI"))
	}
	if p.Number, err = strconv.Atoi(root.Get("GN")); err != nil {
		return p, err
	}
	var targets []board.Point
	for _, v := range root.Values("TR") {
		if targets, err = sgf.AppendPoints(targets, size, v); err != nil {
			return p, err
		}
	}
	rules := board.Chinese()
	task, _, _ := strings.Cut(root.Get("KK"), " ")
	p.Width, p.Height, p.Stones, p.ToMove, p.Rules, p.Komi = size.W, size.H, stonesIn(record), strings.ToLower(root.Get("PL")), rules.JSON(), float64(rules.Komi)
	p.Game, p.Task, p.Kind = "Kosumi", task, LifeKind
	var line []string
	for _, m := range record.Moves() {
		line = append(line, size.Vertex(m.Point))
	}
	g, err := p.Position()
	if err != nil || len(line) == 0 || len(targets) == 0 || task != Live && task != Kill {
		return p, fmt.Errorf("no problem: %w", err)
	}
	for _, x := range g.Board().Chain(nil, targets[0]) {
		p.Group = append(p.Group, size.Vertex(x))
	}
	p.solve(line)
	if err := g.Play(g.ToMove(), record.Moves()[0].Point); err != nil {
		return p, err
	}
	p.takes = g.At(targets[0]) == board.Empty
	sum := sha256.Sum256([]byte(fmt.Sprintf("%dx%d %s %s", p.Width, p.Height, p.Stones, p.ToMove)))
	p.ID = "life-" + hex.EncodeToString(sum[:8])
	return p, nil
}

// stonesIn returns the stones of a set-up position in the form of Problem.Stones.
func stonesIn(r *sgf.Record) string {
	stones := slices.Repeat([]byte{'.'}, r.Size.Area())
	for i, points := range [][]board.Point{r.Setup.Black, r.Setup.White} {
		for _, at := range points {
			stones[at] = "XO"[i]
		}
	}
	return string(stones)
}

// solve sets line[0] as the problem's only correct answer.
func (p *Problem) solve(line []string) {
	c := review.Claim{Kind: review.Saves, Move: line[0], Line: line, Stones: p.Group, Color: p.ToMove, Proved: true, Only: true}
	if p.Task == Kill {
		c.Kind, c.Color = review.Kills, review.Opponent(p.ToMove)
	}
	p.Claims = []review.Claim{c}
	p.Reason = review.Say(p.Claims, p.ToMove, p.Played)
	p.Answers = []Answer{{Move: line[0], Accepted: true, Line: line}}
}

// lifeProblem returns the problem of a position with one move that saves or kills a group.
func lifeProblem(res *review.Result, o *review.Only) Problem {
	p := ProblemOf(res, o.Ply)
	p.ID += LifeSuffix
	p.Kind, p.Task, p.Group, p.Assumed = LifeKind, Live, o.Group, o.Assumed
	if o.Kills {
		p.Task = Kill
	}
	p.solve(o.Line)
	return p
}

// question returns the sentence that asks a side to solve the problem.
func (p *Problem) question(side string) string {
	switch p.Task {
	case Live:
		return side + " to play and save the group: only one move works."
	case Kill:
		return side + " to play and kill the group: only one move works."
	}
	return side + " to play."
}
