package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/life"
)

// Searches of a question, in positions: most are settled by a short one.
const (
	shortNodes    = 30000
	questionNodes = 200000
	longShare     = 8 // one question in so many that a short search leaves open
)

// Bounds of what is alike: problems with the same room for eyes, and of one class.
const (
	mostOfRoom  = 2
	classShare  = 0.06 // of the collection
	effortShare = 0.4
)

// problem is a position with exactly one first move that is proved to work.
type problem struct {
	q      *life.Question
	toMove board.Color
	move   board.Point
	line   []board.Point // from the first move on
	kind   string        // kill, live
	ko     bool
	nodes  int64
	prior  float64 // the network's probability of the move, among those in the fight
	level  int     // 1 to 5
}

// finder collects problems.
type finder struct {
	net     life.Network
	rng     *rand.Rand
	seen    map[string]int // shapes, rooms and classes
	most    int
	asked   int
	found   []*problem
	figures figures
}

func (f *finder) kinds() map[string]int {
	n := map[string]int{}
	for _, p := range f.found {
		n[p.kind]++
		if p.ko {
			n["ko"]++
		}
	}
	return n
}

// try asks a question and keeps a problem that it makes.
func (f *finder) try(ctx context.Context, q *life.Question, origin string) error {
	if q == nil {
		return nil
	}
	part, err := q.Fight()
	if err != nil {
		return nil
	}
	shape := canonical(q, part, false)
	if f.seen[shape]++; f.seen[shape] > 1 {
		return nil
	}
	f.asked++
	opts := life.Options{Nodes: shortNodes}
	if f.asked%4 == 0 {
		opts.Network = f.net
	}
	out, err := life.Ask(ctx, q, opts)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, shape)
	}
	late := !settledBoth(out)
	if late {
		if hopeless(out) || f.rng.IntN(longShare) > 0 {
			return nil
		}
		if out, err = life.Ask(ctx, q, life.Options{Nodes: questionNodes, Network: f.net}); err != nil {
			return fmt.Errorf("%w\n%s", err, shape)
		}
	}
	f.figures.add(out, late)
	for _, first := range f.rng.Perm(2) {
		if p := problemOf(q, out, first == 0); p != nil && f.fresh(p, part, origin) {
			if p.prior, err = f.priorOf(ctx, p, part); err != nil {
				return err
			}
			f.found = append(f.found, p)
			break
		}
	}
	return nil
}

// take adds the problems of a file that differ enough.
func (f *finder) take(name string) error {
	problems, err := read(name)
	if err != nil {
		return err
	}
	for _, p := range problems {
		part, err := p.q.Fight()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		shape := canonical(p.q, part, false)
		if f.seen[shape]++; f.seen[shape] == 1 && f.fresh(p, part, "file") {
			f.found = append(f.found, p)
		}
	}
	return nil
}

func settledBoth(out *life.Answer) bool { return out.Attacks.Proved && out.Defends.Proved }

// hopeless reports whether a question that a short search left open makes no problem
// whatever a long one finds: it is dead if the defender moves first.
func hopeless(out *life.Answer) bool {
	return out.Defends.Verdict == life.Dead && out.Defends.NeedD == 0 || out.Attacks.Verdict == life.Alive && out.Attacks.NeedA == 0
}

// problemOf returns the problem to kill, or to live, that an answer makes; nil for none.
func problemOf(q *life.Question, out *life.Answer, kills bool) *problem {
	line := out.OnlyMove(kills)
	if line == nil {
		return nil
	}
	p := &problem{q: q, toMove: q.Stones[q.Targets[0]], move: line[0], line: line, kind: "live"}
	c := out.Defends
	if kills {
		p.toMove, p.kind, c = p.toMove.Opponent(), "kill", out.Attacks
	}
	p.nodes, p.ko = c.Nodes, c.Ko != nil
	return p
}

// fresh reports whether a problem differs enough from those that were found.
func (f *finder) fresh(p *problem, part []bool, origin string) bool {
	effort := "easy"
	switch {
	case p.nodes > 4000:
		effort = "hard"
	case p.nodes > 500:
		effort = "middling"
	}
	empty := 0
	for x, in := range part {
		if in && p.q.Stones[x] == board.Empty {
			empty++
		}
	}
	room := "room " + canonical(p.q, part, true)
	stones := "stones " + turned(p.q.Size.W, func(x board.Point) byte { return ".XO"[p.q.Stones[x]] })
	class := fmt.Sprint("class ", origin, place(p.q, part), p.kind, p.ko, empty)
	if f.seen[stones] > 0 || f.seen[room] >= mostOfRoom || f.seen[class] >= max(2, int(classShare*float64(f.most))) || f.seen[effort] >= int(effortShare*float64(f.most)) ||
		f.seen["kind "+p.kind] >= f.most*6/10 {
		return false
	}
	for _, key := range []string{stones, room, class, effort, "kind " + p.kind} {
		f.seen[key]++
	}
	return true
}

// place says how many edges of the board a fight touches.
func place(q *life.Question, part []bool) string {
	var edges [4]bool
	for p, in := range part {
		if in {
			x, y := q.Size.XY(board.Point(p))
			edges = [4]bool{edges[0] || x == 0, edges[1] || y == 0, edges[2] || x == q.Size.W-1, edges[3] || y == q.Size.H-1}
		}
	}
	n := 0
	for _, e := range edges {
		if e {
			n++
		}
	}
	return []string{"centre", "edge", "corner", "across", "across"}[n]
}

// priorOf returns how probable the network finds the move, among those in the fight.
func (f *finder) priorOf(ctx context.Context, p *problem, part []bool) (float64, error) {
	v, err := f.net.View(ctx, p.q.Size, p.q.Stones, p.toMove)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for x, in := range part {
		if in {
			sum += float64(v.Policy[x])
		}
	}
	return float64(v.Policy[p.move]) / max(sum, 1e-9), nil
}

// graded gives every problem a level from 1 to 5, a fifth of them each, by the positions
// that its proof took and how little the network sees the move, and sorts them by it.
func (f *finder) graded() []*problem {
	hard := func(p *problem) float64 { return math.Log2(float64(p.nodes)) - 1.5*math.Log2(max(p.prior, 1e-4)) }
	slices.SortStableFunc(f.found, func(a, b *problem) int { return cmp.Compare(hard(a), hard(b)) })
	for i, p := range f.found {
		p.level = 1 + 5*i/len(f.found)
	}
	return f.found
}

// canonical writes a fight so that turned and mirrored ones are the same; with roomOnly
// only where it can be played, not what stands there.
func canonical(q *life.Question, part []bool, roomOnly bool) string {
	target := chainsOf(q, q.Targets)
	fixed := chainsOf(q, q.Assumed)
	cell := func(p board.Point) byte {
		c := q.Stones[p]
		defends := c == q.Stones[q.Targets[0]]
		switch {
		case !part[p]:
			return '#'
		case fixed[p] && !defends:
			return 'X'
		case target[p]:
			return 'T'
		case roomOnly || c == board.Empty:
			return '.'
		case fixed[p]:
			return 'O'
		case defends:
			return 'd'
		}
		return 'a'
	}
	return turned(q.Size.W, cell)
}

// turned writes cells of a square board so that turned and mirrored ones are the same,
// without rows and columns at its sides that hold nothing of the fight.
func turned(n int, cell func(board.Point) byte) string {
	best := ""
	size := board.Square(n)
	for s := range 8 {
		var b strings.Builder
		for y := range n {
			for x := range n {
				u, v := x, y
				if s&1 != 0 {
					u = n - 1 - u
				}
				if s&2 != 0 {
					v = n - 1 - v
				}
				if s&4 != 0 {
					u, v = v, u
				}
				b.WriteByte(cell(size.Point(u, v)))
			}
			b.WriteByte('\n')
		}
		if text := cropped(b.String()); best == "" || text < best {
			best = text
		}
	}
	return best
}

// cropped takes away rows and columns that hold nothing of the fight.
func cropped(text string) string {
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lo, hi := len(text), 0
	var kept []string
	for _, r := range rows {
		if l := strings.IndexFunc(r, func(c rune) bool { return c != '#' }); l >= 0 {
			lo, hi = min(lo, l), max(hi, strings.LastIndexFunc(r, func(c rune) bool { return c != '#' }))
			kept = append(kept, r)
		}
	}
	for i := range kept {
		kept[i] = kept[i][lo : hi+1]
	}
	return strings.Join(kept, "\n")
}

// chainsOf marks the chains of stones.
func chainsOf(q *life.Question, stones []board.Point) []bool {
	in := make([]bool, len(q.Stones))
	d := &drawing{size: q.Size, stones: q.Stones}
	for _, p := range stones {
		for list := []board.Point{p}; len(list) > 0; {
			p := list[len(list)-1]
			list = list[:len(list)-1]
			if in[p] {
				continue
			}
			in[p] = true
			for _, n := range d.around(p, false) {
				if q.Stones[n] == q.Stones[p] {
					list = append(list, n)
				}
			}
		}
	}
	return in
}
