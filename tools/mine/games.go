package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"kosumi/board"
	"kosumi/life"
	"kosumi/nn"
)

// Bounds of what a network settles: of a chain of the attacker's that is taken for
// alive, and of a group that is asked about.
const (
	surely = 0.9
	doubt  = 0.15
)

// player plays games by drawing moves from a network's policy, and asks about groups
// on the way whose life is open.
type player struct {
	net   nn.Evaluator
	rng   *rand.Rand
	game  *board.Game
	queue []*life.Question
}

// next returns a question out of a game, nil where the next position has none.
func (g *player) next(ctx context.Context, net life.Network) (*life.Question, error) {
	if len(g.queue) == 0 {
		if err := g.play(ctx, 3+g.rng.IntN(3)); err != nil {
			return nil, err
		}
		if g.game.NumMoves() < 24 {
			return nil, nil
		}
		return nil, g.evaluate(ctx, net)
	}
	q := g.queue[0]
	g.queue = g.queue[1:]
	return q, nil
}

// play makes some moves; a game that is over makes room for the next.
func (g *player) play(ctx context.Context, moves int) (err error) {
	if g.game == nil || g.game.NumMoves() > 70 {
		if g.game, err = board.NewGame(board.Square(side), board.TrompTaylor()); err != nil {
			return err
		}
	}
	out := new(nn.Output)
	for range moves {
		if err := g.net.Evaluate(ctx, &nn.Query{Game: g.game}, out); err != nil {
			return err
		}
		area := g.game.Size().Area()
		i := nn.Draw(out.Policy[:area], 1.2, g.rng)
		if i < 0 || g.game.Play(g.game.ToMove(), board.Point(i)) != nil {
			g.game = nil
			return nil
		}
	}
	return nil
}

// evaluate queues a question for each group whose life the network finds open.
func (g *player) evaluate(ctx context.Context, net life.Network) error {
	if g.game == nil {
		return nil
	}
	start := life.QuestionOf(g.game)
	start.Suicide, start.Ko, start.KoSide = false, board.NoPoint, board.Empty
	var views [2]*life.View
	for i, c := range []board.Color{board.Black, board.White} {
		v, err := net.View(ctx, start.Size, start.Stones, c)
		if err != nil || v.Black == nil {
			return err
		}
		views[i] = v
	}
	seen := map[board.Point]bool{}
	for p, c := range start.Stones {
		low, high := min(views[0].Black[p], views[1].Black[p]), max(views[0].Black[p], views[1].Black[p])
		if c == board.Empty || seen[board.Point(p)] || high < doubt || low > 1-doubt {
			continue
		}
		q := *start
		q.Targets = []board.Point{board.Point(p)}
		if group := g.game.Board().Chain(nil, board.Point(p)); len(group) < 3 {
			continue
		} else {
			for _, x := range group {
				seen[x] = true
			}
		}
		q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
		for x, foe := range start.Stones {
			sure := min(views[0].Black[x], views[1].Black[x])
			if foe == board.White {
				sure = 1 - max(views[0].Black[x], views[1].Black[x])
			}
			if foe == c.Opponent() && sure > surely {
				q.Assumed = append(q.Assumed, board.Point(x))
			}
		}
		if alone := cutOut(&q); alone != nil {
			g.queue = append(g.queue, alone)
		}
	}
	return nil
}

// cutOut leaves the fight and what encloses it on the board, the defender in white: the
// walls then stand in the open, as in a printed problem. nil where that is not the same
// question.
func cutOut(q *life.Question) *life.Question {
	part, err := q.Fight()
	if err != nil {
		return nil
	}
	out := *q
	out.Stones = slices.Clone(q.Stones)
	black := q.Stones[q.Targets[0]] == board.Black
	for p, c := range out.Stones {
		switch {
		case !part[p]:
			out.Stones[p] = board.Empty
		case black && c != board.Empty:
			out.Stones[p] = c.Opponent()
		}
	}
	out.Assumed = life.Surroundings(out.Size, out.Stones, out.Targets)
	again, err := out.Fight()
	if err != nil || !slices.Equal(again, part) {
		return nil
	}
	return &out
}
