package search

import "time"

// decided reports whether the most visited move would be chosen and too few visits are left for
// another move to reach as many.
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
	if second+left >= best {
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

// extendDeadline postpones the expired deadline if that is allowed and the choice is unstable.
func (r *run) extendDeadline(now time.Time) bool {
	if !now.Before(r.timing.latest) || !r.chooser.unstable() {
		return false
	}
	r.tally.stats.Extended += r.timing.extend(now)
	return true
}

// rivalShare is the number of visits that makes a move a rival, as a share of the visits of the
// most visited move.
const rivalShare = 0.1

// favourites returns the moves at the root, and the indices of the most visited one and of
// the one that would be chosen.
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

// unstable reports whether more visits may well change the choice: the move to be chosen is not
// the one searched most, or one of its rivals has a better value.
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
