package check

import (
	"errors"
	"fmt"
	"slices"
)

// winner computes the zone of a state where the winner moves: that of the state
// after the move; the point and those next to it; what is taken, with all around it;
// the loser's chains next to it that stay, each with a liberty; and where nothing else
// gives the stone a liberty, a chain that it joins, with one.
func (f *file) winner(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	a := n.answers[0]
	e, err := f.after(i, a)
	if err != nil {
		return err
	}
	z := n.zone
	if f.goals[i] == Deny {
		z.union(f.b.fight)
	}
	n.free = f.nodes[a.to].free && (a.move == passed || a.move != s.ban)
	z.union(f.nodes[a.to].zone)
	if a.move == passed {
		return nil
	}
	z.add(a.move)
	z.addAll(f.b.near[a.move])
	var gone []int
	for _, chain := range e.taken {
		gone = append(gone, chain...)
	}
	f.addAround(z, gone)
	loser := 3 - s.mover
	for _, q := range ascending(f.b.near[a.move]) {
		if s.stones[q] == loser && !slices.Contains(gone, q) {
			f.root(s, f.b.chain(s, q), a.move, z)
		}
	}
	if len(gone) > 0 {
		return nil
	}
	for _, q := range f.b.near[a.move] {
		if s.stones[q] == 0 {
			return nil
		}
	}
	for _, q := range ascending(f.b.near[a.move]) {
		if s.stones[q] != s.mover {
			continue
		}
		chain := f.b.chain(s, q)
		if f.b.immortal(chain) || len(f.b.liberties(s, chain)) > 1 {
			f.root(s, chain, a.move, z)
			return nil
		}
	}
	return errors.New("the winner's move is suicide")
}

func ascending(list []int) []int {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

// addAround adds points and those next to them.
func (f *file) addAround(z points, list []int) {
	for _, p := range list {
		z.add(p)
		z.addAll(f.b.near[p])
	}
}

// root adds a chain with a liberty other than but, or with a stone alive by
// assumption.
func (f *file) root(s *state, chain []int, but int, z points) {
	if f.b.immortal(chain) {
		f.anchor(chain, z)
		return
	}
	z.addAll(chain)
	var first = noPoint
	for _, l := range f.b.liberties(s, chain) {
		if l == but {
			continue
		}
		if z.has(l) {
			return
		}
		if first == noPoint {
			first = l
		}
	}
	if first != noPoint {
		z.add(first)
	}
}

// anchor adds the stones of a chain that are not alive by assumption, and next to
// each piece of them one that is.
func (f *file) anchor(chain []int, z points) {
	in := map[int]bool{}
	for _, p := range chain {
		in[p] = true
	}
	seen := map[int]bool{}
	for _, p := range ascending(chain) {
		if f.b.fixed[p] || seen[p] {
			continue
		}
		seen[p] = true
		list, hold := []int{p}, map[int]bool{}
		for i := 0; i < len(list); i++ {
			z.add(list[i])
			for _, q := range f.b.near[list[i]] {
				switch {
				case !in[q]:
				case f.b.fixed[q]:
					hold[q] = true
				case !seen[q]:
					seen[q] = true
					list = append(list, q)
				}
			}
		}
		if len(hold) > 0 {
			z.add(sorted(hold)[0])
		}
	}
}

// loser computes the zone of a state where the loser moves, and requires an answer to
// the pass and to each legal move in it.
func (f *file) loser(i int) error {
	n, s := &f.nodes[i], &f.states[i]
	z := n.zone
	passes := false
	to := map[int]int{}
	for _, a := range n.answers {
		if _, twice := to[a.move]; twice {
			return errors.New("two answers to one move")
		}
		to[a.move] = a.to
		if a.to != ended {
			if _, err := f.after(i, a); err != nil {
				return err
			}
			n.free = n.free && f.nodes[a.to].free
		}
		if a.move == passed {
			passes = true
			if a.to != ended {
				z.union(f.nodes[a.to].zone)
			}
		}
	}
	if !passes {
		return errors.New("the loser's pass has no answer")
	}
	if stopsPlay(f.goals[i]) {
		f.heart(s, z)
	}
	if f.goals[i] == Deny {
		z.union(f.b.fight)
	} else {
		for again := true; again; {
			f.closeZone(s, z)
			before := slices.Clone(z)
			for _, a := range n.answers {
				if a.move != passed && z.has(a.move) {
					z.union(f.nodes[a.to].zone)
				}
			}
			again = !slices.Equal(before, z)
		}
	}
	if s.ban != noPoint && z.has(s.ban) {
		n.free = false
	}
	for _, p := range z.list() {
		if s.stones[p] != 0 {
			continue
		}
		next := s.clone()
		if _, ok := f.b.play(&next, p); !ok {
			continue
		}
		if _, answered := to[p]; !answered {
			return fmt.Errorf("the move %s has no answer", f.name(p))
		}
	}
	return nil
}

// heart adds the target: all of it, or one chain where the attacker must take all.
func (f *file) heart(s *state, z points) {
	for i, t := range f.b.targets {
		if s.left>>i&1 != 0 {
			z.addAll(f.b.chain(s, t))
			if f.b.all {
				return
			}
		}
	}
}

// closeZone adds to z until a move of the loser's outside takes nothing in it, and one
// inside does the same wherever z is the same.
func (f *file) closeZone(s *state, z points) {
	l := s.mover
	for {
		before := slices.Clone(z)
		seen := map[int]bool{}
		for _, p := range z.list() {
			if s.stones[p] == 3-l && !seen[p] {
				chain := f.b.chain(s, p)
				f.holdChain(s, chain, before, z)
				for _, q := range chain {
					seen[q] = true
				}
			}
		}
		if f.b.suicide {
			for _, p := range z.list() {
				if s.stones[p] == l && !seen[p] {
					chain := f.b.chain(s, p)
					f.root(s, chain, noPoint, z)
					for _, q := range chain {
						seen[q] = true
					}
				}
			}
		}
		for _, p := range z.list() {
			if s.stones[p] == 0 {
				f.sameMove(s, p, z)
			}
		}
		if slices.Equal(before, z) {
			return
		}
	}
}

// holdChain keeps a chain of the winner's from being taken by one move outside of z:
// two liberties in z, or if it has one only, all that is around it.
func (f *file) holdChain(s *state, chain []int, touched, z points) {
	if f.b.immortal(chain) {
		for _, p := range chain {
			if touched.has(p) && !f.b.fixed[p] {
				f.anchor(chain, z)
				return
			}
		}
		return
	}
	libs := f.b.liberties(s, chain)
	z.addAll(chain)
	if len(libs) < 2 {
		f.addAround(z, chain)
		return
	}
	have := 0
	for _, p := range libs {
		if z.has(p) {
			have++
		}
	}
	for _, p := range libs {
		if have < 2 && !z.has(p) {
			z.add(p)
			have++
		}
	}
}

// sameMove adds what makes the loser's move on p do the same wherever z is the same:
// a suicide, all around the chain; a retake that may be banned, the points next to it;
// where suicide is legal, a liberty.
func (f *file) sameMove(s *state, p int, z points) {
	next := s.clone()
	next.ban = noPoint
	e, ok := f.b.play(&next, p)
	if !ok || e.suicide != nil {
		z.addAll(f.b.near[p])
		for _, q := range f.b.near[p] {
			if s.stones[q] == s.mover {
				f.addAround(z, f.b.chain(s, q))
			}
		}
		return
	}
	single := false
	var gone []int
	for _, chain := range e.taken {
		single = single || len(chain) == 1
		gone = append(gone, chain...)
	}
	if single {
		z.addAll(f.b.near[p])
	}
	if !f.b.suicide {
		return
	}
	for _, q := range ascending(f.b.near[p]) {
		if s.stones[q] == 0 {
			z.add(q)
			return
		}
	}
	if len(gone) > 0 {
		f.addAround(z, gone)
		return
	}
	for _, q := range ascending(f.b.near[p]) {
		if s.stones[q] != s.mover {
			continue
		}
		chain := f.b.chain(s, q)
		if f.b.immortal(chain) || len(f.b.liberties(s, chain)) > 1 {
			own := newPoints(len(f.b.near))
			f.root(s, chain, p, own)
			z.union(own)
			return
		}
	}
}

// safeZone adds what shows that the target is safe: chains, for each its two smallest
// eyes, and in turn the chains around those.
func (f *file) safeZone(s *state, z points) {
	l := f.b.benson(s)
	for i, t := range f.b.targets {
		c := l.number[t] - 1
		if s.left>>i&1 == 0 || !l.alive[c] {
			continue
		}
		f.lifeZone(l, c, z)
		if f.b.all {
			return
		}
	}
}

func (f *file) lifeZone(l *life, target int, z points) {
	if f.b.immortal(l.chains[target]) {
		f.anchor(l.chains[target], z)
		return
	}
	todo, done := []int{target}, map[int]bool{}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if done[c] {
			continue
		}
		done[c] = true
		if f.b.immortal(l.chains[c]) {
			continue // its stones next to the eyes are added with them
		}
		z.addAll(l.chains[c])
		eyes := l.eyes(c)
		slices.SortStableFunc(eyes, func(a, b int) int { return len(l.regions[a].points) - len(l.regions[b].points) })
		for _, j := range eyes[:2] {
			r := &l.regions[j]
			z.addAll(r.points)
			for _, o := range sorted(r.border) {
				todo = append(todo, o)
				if f.b.immortal(l.chains[o]) {
					f.held(l.chains[o], r, z)
				}
			}
		}
	}
}

// held adds the stones of a chain alive by assumption that stand next to an eye, with
// what ties them to the assumption.
func (f *file) held(chain []int, r *regionOf, z points) {
	loose := false
	for _, p := range chain {
		for _, q := range f.b.near[p] {
			if slices.Contains(r.points, q) {
				z.add(p)
				loose = loose || !f.b.fixed[p]
			}
		}
	}
	if loose {
		f.anchor(chain, z)
	}
}
