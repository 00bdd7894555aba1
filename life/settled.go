package life

import (
	"context"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// Status is a proved verdict that holds whichever side moves first and however many ko
// threats there are.
type Status struct {
	Verdict string   // Dead, Alive or Seki; "": none was proved
	Assumed []string // one stone of each chain that the proof assumes alive
	Nodes   int64    // number of searched states
}

// Limits on the number of states in [Settled].
const (
	minNodes     = 2000 // from this limit on, narrow questions are searched too
	minNodesWord = 8000 // the same for a fight that fits into a machine word: narrow questions save less time there
	glance       = 64   // limit of the first search
)

// Settled searches for the status of a question's targets. The argument nodes limits the number of searched states.
// Errors are those of [Ask].
func Settled(ctx context.Context, q *Question, nodes int64) (out Status, err error) {
	l, err := q.encode()
	if err != nil {
		return out, err
	}
	a := newAsker(ctx, q, l, Options{Nodes: nodes})
	if nodes >= minNodesWord || nodes >= minNodes && l.Points() > word {
		a.narrows = a.rings()
	}
	verdict := a.both()
	if out.Nodes = a.s.Nodes; verdict == "" {
		return out, nil
	}
	if _, err := check.Proof(l.proofFile(q, a.s, a.claims)); err != nil {
		return out, err
	}
	out.Verdict = verdict
	var zone solver.Set
	for _, c := range a.claims {
		zone = zone.Or(a.s.Zone(c.proof))
	}
	for _, p := range q.Assumed {
		if chain := q.chains([]board.Point{p}); slices.ContainsFunc(zone.Points(), func(m int16) bool { return chain[l.point[m]] }) {
			out.Assumed = append(out.Assumed, q.Size.Vertex(p))
		}
	}
	return out, nil
}

// surely finds which goal of a contest is reached if the given side moves first. It searches a share of the remaining
// states, and returns NoGoal unless it finds a proof that involves no ko.
func (a *asker) surely(c solver.Contest, first solver.Side, share float64) solver.Goal {
	a.part("", share)
	p := a.root(first, 0, 0)
	at := int32(-1)
	for effort := int64(glance); at < 0 && len(a.narrows) > 0 && !a.over(); effort *= 2 {
		if at = a.followed(c, &p, effort); at < 0 {
			_, at = a.decide(c, &p, 8*effort)
		}
		if a.neither[a.s.Key(c, &p)] {
			break
		}
	}
	if at < 0 {
		_, at = a.decide(c, &p, noEnd)
	}
	if at < 0 || !a.s.Proof(at).Free {
		return solver.NoGoal
	}
	q := a.s.Proof(at).Goal
	a.claim(first, q, &p, at)
	return q
}

// both returns a verdict that it proves whichever side moves first, by proofs without ko; "" if it finds none.
func (a *asker) both() string {
	// A defender that succeeds although the attacker moves first also succeeds moving first: one search is enough.
	switch a.surely(solver.Fight, solver.Attacker, 0.4) {
	case solver.Capture:
		if a.surely(solver.Fight, solver.Defender, 0.9) == solver.Capture {
			return Dead
		}
	case solver.Hold:
		switch a.surely(solver.Life, solver.Attacker, 0.6) {
		case solver.Settle:
			return Alive
		case solver.Deny:
			if a.surely(solver.Life, solver.Defender, 0.9) == solver.Deny {
				return Seki
			}
		}
	}
	return ""
}

// Enclosed returns a stone of each chain that a question assumes alive by default: the chains of [Surroundings] and,
// if these leave the fight open or large, also chains that a network considers certainly alive. Of the latter it
// leaves out the attacker's chains that the defender surrounds and, if the network considers the targets certainly
// alive, all chains of the defender. Unless the targets are certainly dead, it also leaves out the attacker's chains that
// may live by shared liberties alone: both sides may live in seki. The function black returns bounds of the probability
// that a point is Black's in the end.
func Enclosed(q *Question, black func(p board.Point) (least, most float64)) []board.Point {
	list := Surroundings(q.Size, q.Stones, q.Targets)
	ask := *q
	ask.Assumed = list
	if l, err := ask.encode(); err != nil || l.closed && l.On.Count() <= wideArea {
		return list
	}
	roomy := q.outside(q.Stones[q.Targets[0]])
	own := func(p board.Point) (least, most float64) { // bounds of the probability that the stone's side owns p
		if least, most = black(p); q.Stones[p] == board.White {
			least, most = 1-most, 1-least
		}
		return least, most
	}
	mine := func(p board.Point) float64 { least, _ := own(p); return least }
	lasts := func(p board.Point) bool {
		_, most := own(p)
		return q.Stones[p] == q.Stones[q.Targets[0]] && most > 1-certain
	}
	open := slices.ContainsFunc(q.Targets, func(p board.Point) bool { return mine(p) < certain })
	target := q.chains(q.Targets)
	known := q.chains(list)
	for p, c := range q.Stones {
		at := board.Point(p)
		defends := c == q.Stones[q.Targets[0]]
		if c == board.Empty || target[p] || known[p] || defends && !open || !defends && !roomy[p] || mine(at) < certain {
			continue
		}
		if q.walk(at, known, q.same); defends || !slices.ContainsFunc(q.Targets, lasts) || !q.races(at, lasts) {
			list = append(list, at)
		}
	}
	return list
}

// races reports whether a chain shares an empty area with lasting stones, and has neither two areas of its own nor
// one of at least seven points, which seldom dies: it may live by the shared liberties alone.
func (q *Question) races(p board.Point, lasts func(board.Point) bool) bool {
	chain := q.chains([]board.Point{p})
	shares, own := false, 0
	for _, a := range q.areas() {
		switch {
		case q.Stones[a[0]] != board.Empty || !q.beside(a, func(p board.Point) bool { return chain[p] }):
		case q.beside(a, lasts):
			shares = true
		case len(a) < 7:
			own++
		default:
			own += 2
		}
	}
	return shares && own < 2
}

// outside marks the points that a colour does not surround: those in large connected areas without stones of this
// colour.
func (q *Question) outside(c board.Color) []bool {
	in, seen := make([]bool, len(q.Stones)), make([]bool, len(q.Stones))
	for p := range q.Stones {
		if q.Stones[p] == c || seen[p] {
			continue
		}
		part := q.walk(board.Point(p), seen, func(_, to board.Point) bool { return q.Stones[to] != c })
		for _, p := range part {
			in[p] = len(part) >= large(len(q.Stones))
		}
	}
	return in
}

// large returns the least number of points of a connected area that counts as large; area is that of the board.
func large(area int) int { return max(12, area/8) }

// chains marks the chains that contain the given stones.
func (q *Question) chains(stones []board.Point) []bool {
	in := make([]bool, len(q.Stones))
	for _, p := range stones {
		if !in[p] {
			q.walk(p, in, q.same)
		}
	}
	return in
}

// EnclosedBy is [Enclosed] with bounds from a network's ownership: the values with Black and with White to move.
// Without a network, or if the network fails, it is [Surroundings].
func EnclosedBy(ctx context.Context, q *Question, net Network) []board.Point {
	views := viewsOf(ctx, q, net)
	if views == nil {
		return Surroundings(q.Size, q.Stones, q.Targets)
	}
	return Enclosed(q, func(p board.Point) (least, most float64) {
		a, b := float64(views[0].Black[p]), float64(views[1].Black[p])
		return min(a, b), max(a, b)
	})
}

// viewsOf returns a network's views with Black and with White to move; nil if they lack the ownership.
func viewsOf(ctx context.Context, q *Question, net Network) []*View {
	if net == nil {
		return nil
	}
	var views []*View
	for _, c := range []board.Color{board.Black, board.White} {
		v, err := net.View(ctx, q.Size, q.Stones, c)
		if err != nil || v.Black == nil {
			return nil
		}
		views = append(views, v)
	}
	return views
}

func newAsker(ctx context.Context, q *Question, l *encoded, opts Options) *asker {
	a := &asker{q: q, l: l, s: solver.NewSearch(l.Game), opts: opts, ctx: ctx, neither: map[uint64]bool{}, alive: [2]float64{-1, -1}}
	a.s.Wide = !l.closed && l.On.Count() > wideArea || l.On.Count() > 2*wideArea
	if opts.Time > 0 {
		a.until = time.Now().Add(opts.Time)
	}
	a.s.Stop = a.over
	return a
}
