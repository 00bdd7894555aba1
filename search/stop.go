package search

import (
	"math"
	"time"
)

// decided reports whether no other move can reach the share of the best move's
// visits that matters, with the visits that are left.
func (r *run) decided(now time.Time) bool {
	left, ok := r.visitsLeft(now)
	if !ok || r.tally.stats.Playouts < 2 {
		return false
	}
	var best, second float64
	for _, e := range r.nodes.a.edgesOf(r.nodes.a.node(r.nodes.root)) {
		v := float64(e.visits)
		if v > best {
			best, second = v, best
		} else {
			second = max(second, v)
		}
	}
	if second+left >= r.p.Stop.DecidedShare*best {
		return false
	}
	_, top, chosen := r.chooser.favourites()
	return top == chosen
}

// visitsLeft estimates how many visits are to come: false if there is no limit.
func (r *run) visitsLeft(now time.Time) (float64, bool) {
	left, ok := r.timing.playoutsLeft(now, r.tally.stats.Playouts)
	if target := r.tally.left(); r.tally.target >= 0 && (!ok || target <= left) {
		left, ok = target, true
	}
	return left, ok
}

// obvious reports whether a move that is plain takes no more of its time.
func (r *run) obvious(now time.Time) bool {
	const every = 100 * time.Millisecond
	l := &r.sh.limits
	if o := l.Obvious; l.Time > 0 && o.Factor < 1 && !now.Before(r.timing.obvious) && r.nodes.root != 0 {
		r.timing.obvious = now.Add(every)
		entropy, surprise := r.chooser.surprise()
		weight := math.Exp(-max(entropy/o.Entropy, surprise/o.Surprise))
		return now.Sub(r.timing.start) >= scaled(l.Time, 1+weight*(o.Factor-1))
	}
	return false
}

func scaled(d time.Duration, f float64) time.Duration { return time.Duration(float64(d) * f) }

// extendDeadline puts the deadline that has come off, if it may be put off and the choice
// is unstable.
func (r *run) extendDeadline(now time.Time) bool {
	if !now.Before(r.timing.latest) || !r.chooser.unstable() {
		return false
	}
	r.tally.stats.Extended += r.timing.extend(now)
	return true
}

// rivalShare is the share of the most visits that a move needs to count as
// searched well.
const rivalShare = 0.1

// favourites returns the moves at the root with the places of the one that was
// searched most and of the one that would be chosen.
func (ch *chooser) favourites() (moves []candidate, top, chosen int) {
	moves = ch.candidates(nil, ch.nodes.root)
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

// unstable reports whether more visits may well change the choice: the move to be
// chosen is not the one searched most, or a rival of that one has a better value.
func (ch *chooser) unstable() bool {
	if ch.nodes.root == 0 {
		return false
	}
	sign := ch.nodes.view()
	moves, top, chosen := ch.favourites()
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

// surprise returns the entropy of the network's policy at the root, and the KL
// divergence of what moves would be chosen by from it, both in nats.
func (ch *chooser) surprise() (entropy, surprise float64) {
	policy := ch.rules.out.Policy[:ch.sh.size.Area()+1]
	for _, p := range policy {
		if p > 0 {
			entropy -= float64(p) * math.Log(float64(p))
		}
	}
	moves := ch.candidates(nil, ch.nodes.root)
	sum := 0.0
	for k := range moves {
		sum += moves[k].value
	}
	for k := range moves {
		if v := moves[k].value / sum; v > 0 {
			surprise += v * math.Log(v/max(float64(policy[ch.sh.size.Index(moves[k].edge.move)]), 1e-30))
		}
	}
	return entropy, surprise
}
