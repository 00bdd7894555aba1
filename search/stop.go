package search

import (
	"math"
	"time"
)

// decided reports whether no other move can reach the share of the best move's
// visits that matters, with the visits that are left.
func (t *Tree) decided(now time.Time) bool {
	left, ok := t.search.visitsLeft(now)
	if !ok || t.search.stats.Playouts < 2 {
		return false
	}
	var best, second float64
	for _, e := range t.nodes.a.edgesOf(t.nodes.a.node(t.nodes.root)) {
		v := float64(e.visits)
		if v > best {
			best, second = v, best
		} else {
			second = max(second, v)
		}
	}
	if second+left >= t.p.Stop.DecidedShare*best {
		return false
	}
	_, top, chosen := t.favourites()
	return top == chosen
}

// obvious reports whether a move that is plain takes no more of its time.
func (t *Tree) obvious(now time.Time) bool {
	const every = 100 * time.Millisecond
	r, o := &t.search, t.search.limits.Obvious
	if r.limits.Time <= 0 || o.Factor >= 1 || now.Before(r.obvious) || t.nodes.root == 0 {
		return false
	}
	r.obvious = now.Add(every)
	entropy, surprise := t.surprise()
	weight := math.Exp(-max(entropy/o.Entropy, surprise/o.Surprise))
	return now.Sub(r.start) >= scaled(r.limits.Time, 1+weight*(o.Factor-1))
}

// surprise returns the entropy of the network's policy at the root, and the KL
// divergence of what moves would be chosen by from it, both in nats.
func (t *Tree) surprise() (entropy, surprise float64) {
	policy := t.top.out.Policy[:t.sh.size.Area()+1]
	for _, p := range policy {
		if p > 0 {
			entropy -= float64(p) * math.Log(float64(p))
		}
	}
	moves := t.candidates(nil, t.nodes.root)
	sum := 0.0
	for k := range moves {
		sum += moves[k].value
	}
	for k := range moves {
		if v := moves[k].value / sum; v > 0 {
			surprise += v * math.Log(v/max(float64(policy[t.sh.size.Index(moves[k].edge.move)]), 1e-30))
		}
	}
	return entropy, surprise
}

func scaled(d time.Duration, f float64) time.Duration { return time.Duration(float64(d) * f) }

// favourites returns the moves at the root with the places of the one that was
// searched most and of the one that would be chosen.
func (t *Tree) favourites() (moves []candidate, top, chosen int) {
	moves = t.candidates(nil, t.nodes.root)
	for k := range moves {
		if moves[k].edge.visits > moves[top].edge.visits {
			top = k
		}
		if moves[k].value > moves[chosen].value {
			chosen = k
		}
	}
	return moves, top, chosen
}

// extendDeadline moves the deadline that has come by an eighth of the time of the search,
// if it may be moved and the choice is unstable.
func (t *Tree) extendDeadline(now time.Time) bool {
	r := &t.search
	if !now.Before(r.hard) || !t.unstable() {
		return false
	}
	next := now.Add(max(r.deadline.Sub(r.start)/8, time.Millisecond))
	if next.After(r.hard) {
		next = r.hard
	}
	r.stats.Extended += next.Sub(r.deadline)
	r.deadline = next
	r.setAlarm(now)
	return true
}

// rivalShare is the share of the most visits that a move needs to count as
// searched well.
const rivalShare = 0.1

// unstable reports whether more visits may well change the choice: the move to be
// chosen is not the one searched most, or a rival of that one has a better value.
func (t *Tree) unstable() bool {
	if t.nodes.root == 0 {
		return false
	}
	sign := t.view()
	moves, top, chosen := t.favourites()
	if top != chosen {
		return true
	}
	for k := range moves {
		m := &moves[k]
		if float64(m.edge.visits) >= rivalShare*float64(moves[top].edge.visits) && m.edge.prior >= 0 &&
			sign*(m.utility+m.bonus) > sign*(moves[top].utility+moves[top].bonus) {
			return true
		}
	}
	return false
}

// speedAfter is how long a search with a deadline runs before its speed is
// believed: this long, or a quarter of its time if that is less.
const speedAfter = 100 * time.Millisecond

// visitsLeft estimates how many visits are to come: false if there is no limit.
func (r *running) visitsLeft(now time.Time) (float64, bool) {
	left, ok := 0.0, false
	if r.target >= 0 {
		left, ok = float64(r.target-r.stats.Playouts), true
	}
	if !r.deadline.IsZero() {
		spent := now.Sub(r.start)
		if spent < min(speedAfter, r.deadline.Sub(r.start)/4) {
			return left, ok
		}
		byTime := float64(r.stats.Playouts) * float64(r.deadline.Sub(now)) / float64(spent)
		if !ok || byTime < left {
			left, ok = byTime, true
		}
	}
	return left, ok
}

// futile reports whether an edge of the root cannot reach the share of the
// heaviest one any more with the visits that are left.
func (t *Tree) futile(n *node, e *edge) bool {
	if t.search.target < 0 {
		return false
	}
	left := float64(t.search.target - t.search.stats.Playouts)
	visits := float64(t.nodes.a.node(e.child).visits)
	perVisit := n.weight / float64(n.visits)
	wanted := t.p.Stop.FutileVisitsThreshold * t.nodes.heaviest(n) * float64(e.visits+1) / (float64(e.weight) + perVisit)
	return visits+left < wanted
}

// futileNew is futile for a move without an edge.
func (t *Tree) futileNew(n *node) bool {
	if t.p.Stop.FutileVisitsThreshold <= 0 || t.search.target < 0 {
		return false
	}
	left := float64(t.search.target - t.search.stats.Playouts)
	return left < t.p.Stop.FutileVisitsThreshold*t.nodes.heaviest(n)/(n.weight/float64(n.visits))
}

func (ns *nodes) heaviest(n *node) float64 {
	w := 0.0
	for _, e := range ns.a.edgesOf(n) {
		w = max(w, float64(e.weight))
	}
	return w
}
