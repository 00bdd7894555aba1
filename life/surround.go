package life

import (
	"context"
	"errors"
	"slices"
	"time"

	"kosumi/board"
)

// Surroundings returns a stone of each chain that stands outside of the fight about
// the targets: next to a large empty part of the board that no target touches, or
// pass-alive. They are what the diagram of a problem takes for alive.
func Surroundings(size board.Size, stones []board.Color, targets []board.Point) (alive []board.Point) {
	q := &Question{Size: size, Stones: stones}
	same := func(from, to board.Point) bool { return stones[from] == stones[to] }
	target := q.chains(targets)
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
		if !touches && len(part) >= large(len(stones)) {
			for _, p := range part {
				outside[p] = true
			}
		}
	}
	certain := passAlive(size, stones)
	seen = make([]bool, len(stones))
	for p, c := range stones {
		if c == board.Empty || seen[p] || target[p] {
			continue
		}
		free := certain[p] == c
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

// passAlive returns for each point the colour that is pass-alive there.
func passAlive(size board.Size, stones []board.Color) []board.Color {
	var list []board.Move
	for p, c := range stones {
		if c != board.Empty {
			list = append(list, board.Move{Color: c, Point: board.Point(p)})
		}
	}
	return board.PlaceStones(size, list).PassAlive(nil, true)
}

// Chains returns a stone of each chain that may be asked for where none is named: of two
// stones or more.
func Chains(size board.Size, stones []board.Color) (list []board.Point) {
	return chainsFrom(2, size, stones)
}

// chainsFrom returns the first stone of each chain of at least so many stones.
func chainsFrom(least int, size board.Size, stones []board.Color) (list []board.Point) {
	q := &Question{Size: size, Stones: stones}
	seen := make([]bool, len(stones))
	for p, c := range stones {
		if c == board.Empty || seen[p] {
			continue
		}
		n := 0
		q.walk(board.Point(p), seen, func(from, to board.Point) bool { return stones[from] == stones[to] }, func(board.Point) { n++ })
		if n >= least {
			list = append(list, board.Point(p))
		}
	}
	return list
}

// Without returns the stones of list whose chains hold none of others.
func (q *Question) Without(list, others []board.Point) (kept []board.Point) {
	chains := q.chains(others)
	for _, p := range list {
		if !chains[p] {
			kept = append(kept, p)
		}
	}
	return kept
}

// certain is how probable a life or a death is that the network settles.
const certain = 0.95

// open returns the chains of list whose life a network does not take for settled: all
// without one.
func open(ctx context.Context, q *Question, net Network, list []board.Point) []board.Point {
	views := viewsOf(ctx, q, net)
	if views == nil {
		return list
	}
	return slices.DeleteFunc(list, func(p board.Point) bool {
		a, b := views[0].Black[p], views[1].Black[p]
		return min(a, b) > certain || max(a, b) < 1-certain
	})
}

// Unsettled asks for every group that Chains names in the position of q, but those that
// the network of opts takes for settled, within the time for all together, and returns
// the answers that differ by who moves first. assumed says which chains are alive in each
// question; nil: EnclosedBy the network.
func Unsettled(ctx context.Context, q *Question, opts Options, assumed func(*Question) ([]board.Point, error)) (found []*Answer, err error) {
	list := open(ctx, q, opts.Network, Chains(q.Size, q.Stones))
	until := time.Now().Add(opts.Time)
	for i, p := range list {
		if ctx.Err() != nil {
			break
		}
		ask := *q
		ask.Targets, ask.All = []board.Point{p}, false
		if assumed == nil {
			ask.Assumed = EnclosedBy(ctx, &ask, opts.Network)
		} else if ask.Assumed, err = assumed(&ask); err != nil {
			return found, err
		}
		opts.Time = max(time.Until(until)/time.Duration(len(list)-i), time.Millisecond)
		out, err := Ask(ctx, &ask, opts)
		if errors.Is(err, ErrQuestion) {
			continue // it is alive by assumption, or the fight is too large
		}
		if err != nil {
			return found, err
		}
		if out.Unsettled() {
			found = append(found, out)
		}
	}
	return found, nil
}
