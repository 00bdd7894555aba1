package life

import "kosumi/board"

// Surroundings returns a stone of each chain that stands outside of the fight about
// the targets: next to a large empty part of the board that no target touches. They
// are what the diagram of a problem takes for alive.
func Surroundings(size board.Size, stones []board.Color, targets []board.Point) (alive []board.Point) {
	q := &Question{Size: size, Stones: stones}
	same := func(from, to board.Point) bool { return stones[from] == stones[to] }
	target := make([]bool, len(stones))
	for _, t := range targets {
		if !target[t] {
			q.walk(t, target, same, func(board.Point) {})
		}
	}
	outside := make([]bool, len(stones))
	seen := make([]bool, len(stones))
	for p, c := range stones {
		if c != board.Empty || seen[p] {
			continue
		}
		var part []board.Point
		touches := false
		q.walk(board.Point(p), seen, func(from, to board.Point) bool {
			touches = touches || target[to]
			return same(from, to)
		}, func(p board.Point) { part = append(part, p) })
		if !touches && len(part) >= max(12, len(stones)/8) {
			for _, p := range part {
				outside[p] = true
			}
		}
	}
	seen = make([]bool, len(stones))
	for p, c := range stones {
		if c == board.Empty || seen[p] || target[p] {
			continue
		}
		free := false
		q.walk(board.Point(p), seen, func(from, to board.Point) bool {
			free = free || outside[to]
			return same(from, to)
		}, func(board.Point) {})
		if free {
			alive = append(alive, board.Point(p))
		}
	}
	return alive
}

// Chains returns a stone of each chain that may be asked for where none is named:
// of two stones or more, and enclosed by the surroundings.
func Chains(size board.Size, stones []board.Color) (list []board.Point) {
	q := &Question{Size: size, Stones: stones}
	seen := make([]bool, len(stones))
	for p, c := range stones {
		if c == board.Empty || seen[p] {
			continue
		}
		n := 0
		q.walk(board.Point(p), seen, func(from, to board.Point) bool { return stones[from] == stones[to] }, func(board.Point) { n++ })
		if n > 1 && len(Surroundings(size, stones, []board.Point{board.Point(p)})) > 0 {
			list = append(list, board.Point(p))
		}
	}
	return list
}

// Without returns the stones of list whose chains hold none of others.
func (q *Question) Without(list, others []board.Point) (kept []board.Point) {
	chains := make([]bool, len(q.Stones))
	for _, p := range others {
		if !chains[p] {
			q.walk(p, chains, func(from, to board.Point) bool { return q.Stones[from] == q.Stones[to] }, func(board.Point) {})
		}
	}
	for _, p := range list {
		if !chains[p] {
			kept = append(kept, p)
		}
	}
	return kept
}
