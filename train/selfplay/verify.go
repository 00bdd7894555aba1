package selfplay

import (
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

// Verify reports whether a game could have been played under the recipe: the board,
// the rules and the hash are those that seed and number draw, searches had no more
// visits than they may, and the game ended where it had to and nowhere else. It
// settles whether the game hit the limit of moves. Errors wrap ErrGame.
func (c *Config) Verify(f *Finished, seed uint64) error {
	if err := c.verify(f, seed); err != nil {
		return fmt.Errorf("%w: %w", ErrGame, err)
	}
	return nil
}

func (c *Config) verify(f *Finished, seed uint64) error {
	g := f.Game
	want := &player{c: c, id: f.ID}
	if f.ID.Fork > 0 {
		want.next, want.id.Fork = g.Start, f.ID.Fork-1
	}
	if err := want.begin(f.ID.Number, seed); err != nil {
		return err
	}
	if want.record.Hash != g.Hash {
		return fmt.Errorf("the hash is not that of game %d, fork %d", f.ID.Number, f.ID.Fork)
	}
	size, rules := g.Start.Size(), g.Start.Rules()
	if f.ID.Fork == 0 {
		drawn := want.game.Rules()
		drawn.Komi = rules.Komi
		if want.game.Size() != size || drawn != rules {
			return fmt.Errorf("played on %v under %v; %v under %v were drawn", size, rules, want.game.Size(), drawn)
		}
		if want.record.Mode != g.Mode {
			return fmt.Errorf("began in mode %d, where %d was drawn", g.Mode, want.record.Mode)
		}
		switch n := g.Start.NumMoves(); {
		case g.Mode == rows.ModeSGF && !slices.Equal(g.Start.Moves(), want.game.Moves()):
			return errors.New("the game began from another position than the one that was drawn")
		case g.Mode == rows.ModePlain && n > size.Area()/3:
			return fmt.Errorf("%d opening moves", n)
		}
	}
	if err := c.verifyTurns(g); err != nil {
		return err
	}
	return c.verifyEnd(f)
}

func (c *Config) verifyTurns(g *rows.Game) error {
	s := &c.Search
	most := max(s.Visits, s.CheapVisits) + 1
	var at board.Game
	at.CopyFrom(g.Start)
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
	if len(g.Sides) > 0 && c.Rows.Sides == 0 {
		return fmt.Errorf("%d side positions, where none are searched", len(g.Sides))
	}
	return nil
}

// verifyEnd replays how a game ends.
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

// Audit is what came of looking at a game again.
type Audit struct {
	Raw   int     // positions whose raw evaluation was compared
	Value float64 // mean difference of win minus loss there, 0 to 2
	// Opening reports whether playing the game again from its number led to the
	// same first position; else nothing was searched again.
	Opening bool
	Komi    float64 // points between the two komi, where both openings have the same stones
	Turns   int     // searched again, up to where the games part
	Policy  float64 // mean distance of the two targets there, 0 to 1
	Root    float64 // mean difference of the roots' win minus loss there
}

// Recheck asks a network again: about some positions of a game, and, where
// searches is positive, by playing the first turns of the game again from its
// seed, which gives the same searches wherever the network gives the same answers.
func (c *Config) Recheck(ctx context.Context, f *Finished, seed uint64, e nn.Evaluator, positions, searches int) (Audit, error) {
	var a Audit
	if c.Search.Method != Random {
		if err := a.recheckRaw(ctx, c, f, seed, e, positions); err != nil {
			return a, err
		}
	}
	if f.ID.Fork > 0 || searches == 0 {
		a.Opening = true
		return a, nil
	}
	return a, a.playAgain(ctx, c, f, seed, e, searches)
}

func (a *Audit) recheckRaw(ctx context.Context, c *Config, f *Finished, seed uint64, e nn.Evaluator, positions int) error {
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
				return err
			}
			v := 2*r.Root.Raw.Winrate - 1
			if g.ToMove() == board.Black {
				v = -v
			}
			a.Raw++
			a.Value += math.Abs(v - float64(t.RawWinLoss))
		}
		if err := g.Play(g.ToMove(), t.Move); err != nil {
			return err
		}
	}
	a.Value /= float64(max(1, a.Raw))
	return nil
}

// playAgain plays the first turns of a game from its seed and compares.
func (a *Audit) playAgain(ctx context.Context, c *Config, f *Finished, seed uint64, e nn.Evaluator, searches int) error {
	p := &player{c: c}
	p.setEvaluator(e, seed)
	if err := p.begin(f.ID.Number, seed); err != nil {
		return err
	}
	var done *Finished
	for done == nil && len(p.record.Turns) < min(searches, len(f.Game.Turns)) {
		var err error
		if done, err = p.step(ctx); err != nil {
			return err
		}
		if len(p.record.Turns) == 0 {
			continue
		}
		if !a.Opening {
			if a.compareStarts(p.record.Start, f.Game.Start); !a.Opening {
				return nil
			}
		}
		i := len(p.record.Turns) - 1
		a.compare(&p.record.Turns[i], &f.Game.Turns[i])
		if p.record.Turns[i].Move != f.Game.Turns[i].Move {
			break
		}
	}
	if a.Turns == 0 && p.record.Start != nil {
		a.compareStarts(p.record.Start, f.Game.Start)
	}
	a.Policy /= float64(max(1, a.Turns))
	a.Root /= float64(max(1, a.Turns))
	return nil
}

// compareStarts holds the opening of a game against the one made again.
func (a *Audit) compareStarts(again, got *board.Game) {
	a.Opening = again.Size() == got.Size() && again.Rules() == got.Rules() && again.Hash() == got.Hash()
	if again.Board().Hash() == got.Board().Hash() {
		a.Komi = math.Abs(float64(again.Rules().Komi - got.Rules().Komi))
	}
}

// compare adds what two searches of one position differ by.
func (a *Audit) compare(x, y *rows.Turn) {
	a.Turns++
	diff := map[uint16]float64{}
	for sign, list := range map[float64][]rows.MoveWeight{1: x.Policy, -1: y.Policy} {
		sum := 0.0
		for _, m := range list {
			sum += float64(m.Weight)
		}
		for _, m := range list {
			diff[m.Index] += sign * float64(m.Weight) / sum
		}
	}
	for _, d := range diff {
		a.Policy += math.Abs(d) / 2
	}
	a.Root += math.Abs(float64(x.Root.Win-x.Root.Loss) - float64(y.Root.Win-y.Root.Loss))
}
