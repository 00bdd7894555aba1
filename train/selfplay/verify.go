package selfplay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/rows"
)

// Verify reports whether a game follows the recipe: board, rules and hash follow from the seed and
// the game's number (a fork has the board and rules of the game that it left), searches had no more
// visits than allowed, and the game ended where it had to.
// If the game reached the move limit, Verify sets its End accordingly. Errors wrap ErrGame.
func (c *Config) Verify(f *Finished, seed uint64) (err error) {
	defer wrap(&err)
	g := f.Game
	want := &player{c: c}
	if err := want.begin(f.ID.Number, seed); err != nil {
		return err
	}
	size, rules := g.Start.Size(), g.Start.Rules()
	drawnOn, drawn := want.game.Size(), want.game.Rules()
	drawn.Komi = rules.Komi
	if f.ID.Fork > 0 {
		want.next, want.id.Fork = g.Start, f.ID.Fork-1
		if err := want.begin(f.ID.Number, seed); err != nil {
			return err
		}
	}
	switch n := g.Start.NumMoves(); {
	case want.record.Hash != g.Hash:
		return fmt.Errorf("the hash is not that of game %d, fork %d", f.ID.Number, f.ID.Fork)
	case drawnOn != size || drawn != rules:
		return fmt.Errorf("played on %v under %v; %v under %v were drawn", size, rules, drawnOn, drawn)
	case want.record.Mode != g.Mode:
		return fmt.Errorf("began in mode %d, where %d was drawn", g.Mode, want.record.Mode)
	case g.Mode == rows.ModeSGF && !slices.Equal(g.Start.Moves(), want.game.Moves()):
		return errors.New("the game did not begin from the position that was drawn")
	case g.Mode == rows.ModePlain && n > size.Area()/3:
		return fmt.Errorf("%d opening moves", n)
	}
	if err := c.verifyTurns(g); err != nil {
		return err
	}
	return c.verifyEnd(f)
}

func (c *Config) verifyTurns(g *rows.Game) error {
	s := &c.Search
	most := max(s.Visits, s.CheapVisits) + 1
	for i := range g.Turns {
		t := &g.Turns[i]
		switch {
		case s.Method == Random && t.HasRoot:
			return fmt.Errorf("turn %d was searched, in a game of random moves", i+1)
		case s.Method != Random && !t.HasRoot && t.Move != board.Pass:
			return fmt.Errorf("turn %d was not searched", i+1)
		case t.Visits > most:
			return fmt.Errorf("turn %d had %d visits, %d are the most", i+1, t.Visits, most)
		case t.Weight > 0 && len(t.Policy) == 0:
			return fmt.Errorf("turn %d shall be trained on and has no policy", i+1)
		}
	}
	return nil
}

func (c *Config) verifyEnd(f *Finished) error {
	limit := float64(f.Final.NumMoves()) >= c.MoveLimit*float64(f.Final.Size().Area())
	switch {
	case f.Resigned != board.Empty:
		if c.Ending.Resign <= -1 {
			return errors.New("a side resigned, which the recipe does not know")
		}
	case f.Final.Finished():
	case limit:
		f.Game.End = rows.ScoreEnd(f.Final, true)
	default:
		p := &player{c: c}
		p.game.CopyFrom(f.Final)
		if _, settled := p.bannedMoves(); !settled {
			return fmt.Errorf("the game stops after %d moves, before its end", f.Final.NumMoves())
		}
	}
	return nil
}

// Recheck evaluates some searched positions of a game again. It returns their number, and the mean absolute
// difference between the recorded and the new values of win minus loss: 0 to 2.
func (c *Config) Recheck(ctx context.Context, f *Finished, seed uint64, e nn.Evaluator, positions int) (n int, off float64, err error) {
	p := &player{c: c, rng: rand.New(rand.NewPCG(seed, f.Game.Hash[0]))}
	p.setEvaluator(e, seed)
	g := &p.game
	g.CopyFrom(f.Game.Start)
	step := max(1, len(f.Game.Turns)/max(1, positions))
	for i := range f.Game.Turns {
		t := &f.Game.Turns[i]
		if t.HasRoot && i%step == int(f.Game.Hash[0]%uint64(step)) {
			r, err := p.search(ctx, g, false, true, 1, nil)
			if err != nil {
				return n, off, err
			}
			v := 2*r.Root.Raw.Winrate - 1
			if g.ToMove() == board.Black {
				v = -v
			}
			n++
			off += math.Abs(v - float64(t.RawWinLoss))
		}
		if err := g.Play(g.ToMove(), t.Move); err != nil {
			return n, off, err
		}
	}
	return n, off / float64(max(1, n)), nil
}

// Derive plays a game of random moves again from its number and reports whether it is the same. It
// accepts forks without a check.
func (c *Config) Derive(ctx context.Context, f *Finished, seed uint64) (same bool, err error) {
	if f.ID.Fork > 0 {
		return true, nil
	}
	p := &player{c: c}
	if err := p.begin(f.ID.Number, seed); err != nil {
		return false, err
	}
	var done *Finished
	for done == nil {
		if done, err = p.step(ctx); err != nil {
			return false, err
		}
	}
	want, err := Marshal(done)
	if err != nil {
		return false, err
	}
	got, err := Marshal(f)
	return err == nil && bytes.Equal(want, got), err
}
