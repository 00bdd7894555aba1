package life

import (
	"context"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// mostOfChain bounds the positions that are searched at a time for one chain of a count.
const mostOfChain = 2000

// DeadStones puts a judgement of the dead stones of a position right where a proof decides,
// within so many positions that are searched for all chains together. A chain lives if it
// is not taken whoever moves first, even if all of the opponent's stones live but those
// judged dead. It is dead if it is taken whoever moves first by stones that certainly
// live. Komi, the side to move and a ko that may not be retaken at once make no
// difference. Errors are those of [Settled].
func DeadStones(ctx context.Context, g *board.Game, judged []board.Point, nodes int64) (dead []board.Point, err error) {
	q := QuestionOf(g)
	q.Ko, q.KoSide = board.NoPoint, board.Empty
	d := deadFinder{q, chainsFrom(1, q.Size, q.Stones), q.chains(judged), make([]bool, len(q.Stones)), nodes}
	settled := g.Board().PassAlive(nil, q.Suicide)
	for _, p := range d.chains {
		if owner := settled[p]; owner != board.Empty {
			d.settle(p, owner == q.Stones[p])
		}
	}
	// Deaths may rest on lives that are proved.
	for _, prove := range []solver.Goal{solver.Hold, solver.Capture} {
		for _, p := range d.chains {
			if settled[p] != board.Empty || d.lives[p] || prove == solver.Capture && d.dead[p] {
				continue
			}
			if err := d.ask(ctx, p, prove); err != nil {
				return nil, err
			}
		}
	}
	for p, is := range d.dead {
		if is {
			dead = append(dead, board.Point(p))
		}
	}
	return dead, nil
}

// deadFinder proves what it can of a judgement.
type deadFinder struct {
	q      *Question
	chains []board.Point // a stone of each
	dead   []bool        // of each point: a stone that is dead
	lives  []bool        // of the stones in chains: it is proved that they are not taken
	left   int64         // positions that may be searched
}

// settle notes whether the chain on p certainly lives or is dead.
func (d *deadFinder) settle(p board.Point, lives bool) {
	d.lives[p] = lives
	for i, in := range d.q.chains([]board.Point{p}) {
		d.dead[i] = d.dead[i] && !in || in && !lives
	}
}

// ask looks for a proof that the chain on p is not taken, or that it is.
func (d *deadFinder) ask(ctx context.Context, p board.Point, prove solver.Goal) error {
	q := *d.q
	q.Targets = []board.Point{p}
	for _, h := range d.chains {
		if d.lives[h] || prove == solver.Hold && q.Stones[h] != q.Stones[p] && !d.dead[h] {
			q.Assumed = append(q.Assumed, h)
		}
	}
	l, err := q.lay()
	if err != nil || d.left <= 0 {
		return ctx.Err() // the fight is too large
	}
	a := newAsker(ctx, &q, l, Options{Nodes: min(mostOfChain, d.left)})
	goal := a.surely(solver.Fight, solver.Attacker, 0.5)
	if goal == solver.Capture && prove == solver.Capture && a.surely(solver.Fight, solver.Defender, 0.9) != goal {
		goal = solver.NoGoal
	}
	d.left -= a.s.Nodes
	if goal == solver.NoGoal || goal == solver.Capture && prove == solver.Hold {
		return ctx.Err()
	}
	if _, err := check.Proof(l.proofFile(&q, a.s, a.claims)); err != nil {
		return err
	}
	d.settle(p, goal == solver.Hold)
	return nil
}
