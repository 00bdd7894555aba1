package life

import (
	"cmp"
	"context"
	"slices"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// efforts limit the states searched for one question about a chain, in the first and in the second round over all
// chains. The second round skips a chain if its likelier owner has a probability above the constant certain, unless
// some proof has contradicted such a high probability.
var efforts = [...]int64{300, 5000}

// Fates returns the owner of each stone that is proved alive or dead whichever side moves first: the stone's side if
// it is alive, the opponent if it is dead. All other points are Empty. At first, all stones of the opponent are assumed
// alive, except those proved dead or listed in the argument dead: a chain that cannot be captured even so is alive.
// Other chains are dead or alive as they can or cannot be captured under the assumptions of [Enclosed] with the
// argument black. Komi, the side to move and a ko ban have no influence. nodes limits the states searched for all
// chains; half of it is for the second round, if a proof has contradicted black. The last search may exceed it by
// 1,024 states. Errors are those of [Settled].
func Fates(ctx context.Context, g *board.Game, dead []board.Point, black func(board.Point) (least, most float64), nodes int64) ([]board.Color, error) {
	f, err := fatesOf(ctx, g, dead, black, nodes)
	return f.owner, err
}

// fatesOf does the work of [Fates].
func fatesOf(ctx context.Context, g *board.Game, dead []board.Point, black func(board.Point) (least, most float64), nodes int64) (*fates, error) {
	q := QuestionOf(g)
	q.Ko, q.KoSide = board.NoPoint, board.Empty
	f := &fates{q: q, chains: chainsFrom(1, q.Size, q.Stones), owner: make([]board.Color, len(q.Stones)), dead: q.chains(dead), black: black}
	settled := g.Board().PassAlive(nil, q.Suicide)
	for _, p := range f.chains {
		if owner := settled[p]; owner != board.Empty {
			f.settle(p, owner)
		}
	}
	slices.SortStableFunc(f.chains, func(p, q board.Point) int { return cmp.Compare(f.sure(p), f.sure(q)) })
	for i, effort := range efforts {
		if f.most = nodes / 2; f.wrong {
			f.most = nodes
		}
		for _, p := range f.chains {
			for _, prove := range []solver.Goal{solver.Hold, solver.Capture} {
				if f.owner[p] != board.Empty || i > 0 && f.sure(p) > certain && !f.wrong {
					continue
				}
				if err := f.ask(ctx, p, prove, effort); err != nil {
					return &fates{}, err
				}
			}
		}
	}
	return f, nil
}

// fates is the state of [Fates].
type fates struct {
	q      *Question
	chains []board.Point // one stone of each chain
	owner  []board.Color // owner of each point, as Fates returns it
	dead   []bool        // for each point: its stone is proved or estimated dead
	black  func(board.Point) (least, most float64)
	most   int64 // number of searched states at which the round ends
	spent  int64 // number of searched states
	wrong  bool  // a proof has contradicted a probability above the constant certain
}

// sure returns a lower bound of the probability with which p belongs to its likelier owner.
func (f *fates) sure(p board.Point) float64 {
	least, most := f.black(p)
	return max(least, 1-most)
}

func (f *fates) settle(p board.Point, owner board.Color) {
	if least, most := f.black(p); owner == board.White && least > certain || owner == board.Black && 1-most > certain {
		f.wrong = true
	}
	for i, in := range f.q.chains([]board.Point{p}) {
		if in {
			f.owner[i], f.dead[i] = owner, owner != f.q.Stones[p]
		}
	}
}

// ask searches for a proof that the chain on p is not captured (Hold) or is captured (Capture), and sets its owner.
func (f *fates) ask(ctx context.Context, p board.Point, prove solver.Goal, effort int64) error {
	q := *f.q
	q.Targets = []board.Point{p}
	if prove == solver.Capture {
		q.Assumed = Enclosed(&q, f.black)
	} else {
		for _, h := range f.chains {
			if q.Stones[h] != q.Stones[p] && !f.dead[h] {
				q.Assumed = append(q.Assumed, h)
			}
		}
	}
	l, err := q.encode()
	if err != nil || f.spent >= f.most {
		return ctx.Err() // the fight is too large, or no states are left
	}
	a := newAsker(ctx, &q, l, Options{Nodes: min(effort, f.most-f.spent)})
	goal := a.surely(solver.Fight, solver.Attacker, 0.5)
	if goal == solver.Capture && prove == solver.Capture && a.surely(solver.Fight, solver.Defender, 0.9) != goal {
		goal = solver.NoGoal
	}
	f.spent += a.s.Nodes
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
