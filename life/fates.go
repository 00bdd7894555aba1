package life

import (
	"context"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// efforts are how many positions are searched for each chain of a count, in turn.
var efforts = [...]int64{100, 2000}

// Fates returns, for each stone of which it is proved, whose its point is whoever moves
// first: its own side's where the stone lives, the opponent's where it is dead; Empty for
// all other points. dead are the stones that are taken for dead. A chain lives if it is
// not taken even where all of the opponent's other stones live whatever happens. It is
// dead if it is taken by stones that certainly live. Komi, the side to move and a ko that
// may not be retaken at once make no difference. nodes bounds the positions searched for
// all chains together. Errors are those of [Settled].
func Fates(ctx context.Context, g *board.Game, dead []board.Point, nodes int64) ([]board.Color, error) {
	q := QuestionOf(g)
	q.Ko, q.KoSide = board.NoPoint, board.Empty
	f := fates{q: q, chains: chainsFrom(1, q.Size, q.Stones), owner: make([]board.Color, len(q.Stones)), dead: q.chains(dead), left: nodes}
	settled := g.Board().PassAlive(nil, q.Suicide)
	for _, p := range f.chains {
		if owner := settled[p]; owner != board.Empty {
			f.settle(p, owner)
		}
	}
	for _, effort := range efforts {
		for _, prove := range []solver.Goal{solver.Hold, solver.Capture} { // deaths rest on lives that are proved
			for _, p := range f.chains {
				if f.owner[p] != board.Empty {
					continue
				}
				if err := f.ask(ctx, p, prove, effort); err != nil {
					return nil, err
				}
			}
		}
	}
	return f.owner, nil
}

// fates is what is known of the chains of a position.
type fates struct {
	q      *Question
	chains []board.Point // a stone of each
	owner  []board.Color // of each point, as Fates returns it
	dead   []bool        // of each point: a stone that is dead, or taken for dead
	left   int64         // positions that may be searched
}

// settle notes whose the stones of the chain on p are.
func (f *fates) settle(p board.Point, owner board.Color) {
	for i, in := range f.q.chains([]board.Point{p}) {
		if in {
			f.owner[i], f.dead[i] = owner, owner != f.q.Stones[p]
		}
	}
}

// ask looks for a proof that the chain on p is not taken, or that it is.
func (f *fates) ask(ctx context.Context, p board.Point, prove solver.Goal, effort int64) error {
	q := *f.q
	q.Targets = []board.Point{p}
	for _, h := range f.chains {
		if c := q.Stones[h]; f.owner[h] == c || prove == solver.Hold && c != q.Stones[p] && !f.dead[h] {
			q.Assumed = append(q.Assumed, h)
		}
	}
	l, err := q.lay()
	if err != nil || f.left <= 0 {
		return ctx.Err() // the fight is too large
	}
	a := newAsker(ctx, &q, l, Options{Nodes: min(effort, f.left)})
	goal := a.surely(solver.Fight, solver.Attacker, 0.5)
	if goal == solver.Capture && prove == solver.Capture && a.surely(solver.Fight, solver.Defender, 0.9) != goal {
		goal = solver.NoGoal
	}
	f.left -= a.s.Nodes
	if goal == solver.NoGoal || goal == solver.Capture && prove == solver.Hold {
		return ctx.Err()
	}
	if _, err := check.Proof(l.proofFile(&q, a.s, a.claims)); err != nil {
		return err
	}
	owner := q.Stones[p]
	if goal == solver.Capture {
		owner = owner.Opponent()
	}
	f.settle(p, owner)
	return nil
}
