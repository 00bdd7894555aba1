package life

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/life/solver"
)

// Network is a neural network. It tells a search which moves to try first, and estimates the chance to live if nothing
// is proved. No proof depends on it.
type Network interface {
	// View returns the network's view of a position with one side to move.
	View(ctx context.Context, size board.Size, stones []board.Color, toMove board.Color) (*View, error)
}

// View is a network's view of a position, by point.
type View struct {
	Policy []float32 // the probability of each point as the next move
	Black  []float32 // the probability that each point is Black's in the end; nil: unknown
}

// diagram is the board that a network is shown. If it is smaller than the question's board, it shows only the
// fight, surrounded by walls and territories of both sides such that the fight decides the game.
type diagram struct {
	size   board.Size
	stones []board.Color
	dx, dy int // offsets from columns and rows of the question to those of the diagram
}

// Sizes of a diagram.
const (
	margin   = 2 // columns and rows added to the fight's; an edge at most this far from the fight keeps its distance
	smallest = 9 // minimum width and height of a diagram
)

// diagram returns the diagram of the fight. It is the whole board if the fight is open or covers
// most of the board, or if the rest of the board has many stones.
func (l *encoded) diagram(q *Question) *diagram {
	d := &diagram{size: q.Size, stones: q.Stones}
	x0, y0, x1, y1 := q.Size.W, q.Size.H, -1, -1
	stones, rest := 0, 0
	for p, at := range l.index {
		if at >= 0 {
			x, y := q.Size.XY(board.Point(p))
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
			continue
		}
		rest++
		if q.Stones[p] != board.Empty {
			stones++
		}
	}
	side := max(smallest, x1-x0+1+margin, y1-y0+1+margin)
	if !l.closed || 4*stones > rest || side >= min(q.Size.W, q.Size.H) {
		return d
	}
	d.size = board.Square(side)
	d.dx, d.dy = shift(x0, x1, q.Size.W, side), shift(y0, y1, q.Size.H, side)
	d.stones = make([]board.Color, d.size.Area())
	inside := make([]bool, len(d.stones))
	for p, at := range l.index {
		if at < 0 {
			continue
		}
		at := d.at(q, board.Point(p))
		d.stones[at], inside[at] = q.Stones[p], true
	}
	d.fill(inside, l.defender)
	return d
}

// shift returns the offset that moves the coordinates from lo to hi onto a shorter board. If they are near an edge,
// they keep their distance from it, else they move to the middle.
func shift(lo, hi, long, short int) int {
	switch {
	case lo <= margin:
		return 0
	case long-1-hi <= margin:
		return short - long
	}
	return (short-(hi-lo+1))/2 - lo
}

// at returns the point of the diagram for a point of the question.
func (d *diagram) at(q *Question, p board.Point) board.Point {
	x, y := q.Size.XY(p)
	return d.size.Point(x+d.dx, y+d.dy)
}

// fill divides the points outside the fight between both sides such that the side that wins the fight wins the game.
// Points near the fight go to the attacker. It leaves some points empty, so that the stones of both sides live.
func (d *diagram) fill(inside []bool, defender board.Color) {
	far := d.distances(inside)
	total := d.size.Area()
	theirs := total / 2 // points that the attacker still gets
	for p := range inside {
		if inside[p] {
			theirs--
		}
	}
	for ring := 1; ring <= slices.Max(far); ring++ { // a ring is all points at one distance from the fight
		for p := range far {
			if far[p] != ring {
				continue
			}
			x, y := d.size.XY(board.Point(p))
			c := defender
			if theirs > 0 || ring <= 2 {
				c = defender.Opponent()
				theirs--
			}
			if ring == 1 || (x+y)%2 == 0 || theirs > -d.size.W && theirs < d.size.W/2 {
				d.stones[p] = c
			}
		}
	}
}

// distances returns the distance of each point from the fight.
func (d *diagram) distances(inside []bool) []int {
	far := slices.Repeat([]int{-1}, len(inside))
	var list []board.Point
	for p, in := range inside {
		if in {
			far[p] = 0
			list = append(list, board.Point(p))
		}
	}
	for i := 0; i < len(list); i++ {
		for n := range nextTo(d.size, list[i]) {
			if far[n] < 0 {
				far[n] = far[list[i]] + 1
				list = append(list, n)
			}
		}
	}
	return far
}

// consult asks the network about the start with either side to move. The policy tells the search which moves to try
// first, and the ownership gives the target's chance to live.
func (a *asker) consult() {
	if a.opts.Network == nil {
		return
	}
	a.what = "network"
	d := a.l.diagram(a.q)
	for first := range a.alive {
		v, err := a.opts.Network.View(a.ctx, d.size, d.stones, a.l.color(solver.Side(first)))
		if err != nil {
			continue
		}
		for m, p := range a.l.point {
			if p != board.NoPoint && a.l.On.Has(int16(m)) {
				a.s.Advise(solver.Side(first), int16(m), v.Policy[d.at(a.q, p)])
			}
		}
		if v.Black != nil {
			a.alive[first] = a.targetLives(d, v)
		}
	}
}

// targetLives returns the probability that the target lives: the lowest of its chains' probabilities or, if the
// attacker must capture all chains, the highest.
func (a *asker) targetLives(d *diagram, v *View) float64 {
	out := 1.0
	if a.q.All {
		out = 0
	}
	for _, t := range a.l.Targets {
		chain := a.l.Chain(&a.l.start, solver.Defender, t)
		sum := 0.0
		for m := range chain.All {
			sum += float64(v.Black[d.at(a.q, a.l.point[m])])
		}
		lives := sum / float64(chain.Count())
		if a.l.defender == board.White {
			lives = 1 - lives
		}
		if a.q.All {
			out = max(out, lives)
		} else {
			out = min(out, lives)
		}
	}
	return out
}
