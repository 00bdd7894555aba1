package main

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/life"
	"kosumi/sgf"
)

// marshal writes problems as a collection of game records: the position with the group
// marked, the level in DI, the positions that the proof took in KN and the network's
// probability of the move in percent in KW; the line of longest resistance below it.
func marshal(problems []*problem) ([]byte, error) {
	var trees []*sgf.Node
	for i, p := range problems {
		root := &sgf.Node{}
		root.Set("GM", "1")
		root.Set("FF", "4")
		root.Set("SZ", fmt.Sprint(p.q.Size.W))
		root.Set("GN", fmt.Sprint(i+1))
		for _, c := range []board.Color{board.Black, board.White} {
			var list []board.Point
			for x, s := range p.q.Stones {
				if s == c {
					list = append(list, board.Point(x))
				}
			}
			setPoints(root, p.q.Size, "A"+letter(c), list)
		}
		setPoints(root, p.q.Size, "TR", p.q.Targets)
		root.Set("PL", letter(p.toMove))
		root.Set("DI", fmt.Sprint(p.level))
		kind := p.kind
		if p.ko {
			kind += " ko"
		}
		root.Set("KK", kind)
		root.Set("KN", fmt.Sprint(p.nodes))
		root.Set("KW", fmt.Sprintf("%.1f", 100*p.prior))
		n, c := root, p.toMove
		for _, at := range p.line {
			n = n.NewChild()
			n.Set(letter(c), sgf.FormatPoint(p.q.Size, at))
			c = c.Opponent()
		}
		trees = append(trees, root)
	}
	return sgf.Marshal(trees...)
}

// read reads what marshal wrote.
func read(name string) (problems []*problem, err error) {
	roots, err := sgf.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		p, err := problemIn(root)
		if err != nil {
			return nil, fmt.Errorf("%s, problem %s: %w", name, root.Get("GN"), err)
		}
		problems = append(problems, p)
	}
	return problems, nil
}

// problemIn reads a problem out of a record.
func problemIn(root *sgf.Node) (*problem, error) {
	q, err := life.PositionOf(root, 0)
	if err != nil {
		return nil, err
	}
	q.Suicide = false
	if q.Targets, err = sgf.AppendPoints(nil, q.Size, root.Get("TR")); err != nil {
		return nil, err
	}
	q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
	p := &problem{q: q, toMove: q.Stones[q.Targets[0]]}
	var ko string
	p.kind, ko, _ = strings.Cut(root.Get("KK"), " ")
	if p.ko = ko != ""; p.kind == "kill" {
		p.toMove = p.toMove.Opponent()
	}
	if _, err := fmt.Sscan(root.Get("KN"), &p.nodes); err != nil {
		return nil, fmt.Errorf("KN: %w", err)
	}
	if _, err := fmt.Sscan(root.Get("KW"), &p.prior); err != nil {
		return nil, fmt.Errorf("KW: %w", err)
	}
	p.prior /= 100
	c := p.toMove
	for n := range root.MainLine() {
		if n == root {
			continue
		}
		at, err := sgf.ParsePoint(q.Size, n.Get(letter(c)))
		if err != nil {
			return nil, err
		}
		p.line = append(p.line, at)
		c = c.Opponent()
	}
	if len(p.line) == 0 {
		return nil, errors.New("no move")
	}
	p.move = p.line[0]
	return p, nil
}

func letter(c board.Color) string { return strings.ToUpper(c.String()[:1]) }

func setPoints(n *sgf.Node, size board.Size, id string, list []board.Point) {
	var values []string
	for _, p := range list {
		values = append(values, sgf.FormatPoint(size, p))
	}
	if len(values) > 0 {
		n.Set(id, values...)
	}
}

// figures hold what the network said of groups against what was proved of them.
type figures struct{ all, late calibration }

// calibration counts, for each tenth of what was said, how often it was so.
type calibration struct {
	n, lived [10]int
	said     [10]float64
	squares  float64 // of the errors
}

func (c *calibration) add(said float64, lives bool) {
	truth := 0.0
	i := min(9, int(10*said))
	if lives {
		truth = 1
		c.lived[i]++
	}
	c.n[i]++
	c.said[i] += said
	c.squares += (said - truth) * (said - truth)
}

// add takes an answer into account, late where a short search had not found it.
func (f *figures) add(out *life.Answer, late bool) {
	if out.Network == nil {
		return
	}
	for i, c := range []*life.Card{out.Attacks, out.Defends} {
		if !c.Proved || c.Verdict == life.Repetition {
			continue
		}
		said := []float64{out.Network.Attacker, out.Network.Defender}[i]
		f.all.add(said, c.Verdict != life.Dead)
		if late {
			f.late.add(said, c.Verdict != life.Dead)
		}
	}
}

func (f *figures) text() string {
	return "what the network said of questions that were proved:\n" + f.all.text() + "of those that only a long search proved:\n" + f.late.text()
}

func (c *calibration) text() string {
	var b strings.Builder
	total := 0
	for i, n := range c.n {
		total += n
		if n > 0 {
			fmt.Fprintf(&b, "%3d to %3d %%: %5d questions, said %5.1f %% alive, were %5.1f %%\n", 10*i, 10*i+10, n, 100*c.said[i]/float64(n), 100*float64(c.lived[i])/float64(n))
		}
	}
	if total > 0 {
		fmt.Fprintf(&b, "%d questions, Brier score %.3f\n", total, c.squares/float64(total))
	}
	return b.String()
}
