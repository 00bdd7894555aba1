package life

import (
	"context"
	"errors"
	"slices"
	"time"

	"kosumi/board"
)

// Surroundings returns a stone of each chain that is not a target, and is pass-alive or next to a large empty area that
// no target touches. Diagrams of problems assume that these chains are alive.
func Surroundings(size board.Size, stones []board.Color, targets []board.Point) (alive []board.Point) {
	q := &Question{Size: size, Stones: stones}
	target, areas := q.chains(targets), q.areas()
	outside := make([]bool, len(stones))
	for _, a := range areas {
		if stones[a[0]] == board.Empty && len(a) >= large(len(stones)) && !q.beside(a, func(p board.Point) bool { return target[p] }) {
			for _, p := range a {
				outside[p] = true
			}
		}
	}
	certain := passAlive(size, stones)
	for _, a := range areas {
		p := a[0]
		if c := stones[p]; c != board.Empty && !target[p] && (certain[p] == c || q.beside(a, func(p board.Point) bool { return outside[p] })) {
			alive = append(alive, p)
		}
	}
	return alive
}

// passAlive returns for each point the colour that is pass-alive there, Empty for none.
func passAlive(size board.Size, stones []board.Color) []board.Color {
	var list []board.Move
	for p, c := range stones {
		if c != board.Empty {
			list = append(list, board.Move{Color: c, Point: board.Point(p)})
		}
	}
	return board.PlaceStones(size, list).PassAlive(nil, true)
}

// chainsFrom returns one stone of each chain that has at least the given number of stones.
func chainsFrom(least int, size board.Size, stones []board.Color) (list []board.Point) {
	for _, a := range (&Question{Size: size, Stones: stones}).areas() {
		if stones[a[0]] != board.Empty && len(a) >= least {
			list = append(list, a[0])
		}
	}
	return list
}

// Without returns the stones in list whose chains contain no stone in others.
func (q *Question) Without(list, others []board.Point) []board.Point {
	chains := q.chains(others)
	return slices.DeleteFunc(slices.Clone(list), func(p board.Point) bool { return chains[p] })
}

// certain is the probability of life, or of death, above which a network considers a group settled.
const certain = 0.95

// open returns the chains in list that a network does not consider settled; without a network, all of them.
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

// Unsettled asks about every chain of two stones or more that the network of opts does not consider settled, and
// returns the answers whose verdict depends on who moves first. opts.Time limits the time for all chains together.
// assumed returns the chains that a question assumes alive; nil: those of EnclosedBy.
func Unsettled(ctx context.Context, q *Question, opts Options, assumed func(*Question) ([]board.Point, error)) (found []*Answer, err error) {
	list := open(ctx, q, opts.Network, chainsFrom(2, q.Size, q.Stones))
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
			continue // the chain is alive by assumption, or the fight is too large
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
