package engine

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
)

// RawOutput is what the network says of a position, from White's view.
type RawOutput struct {
	Win, Loss, NoResult    float64 // of White; sum 1
	ScoreMean, ScoreMeanSq float64 // points for White; 0 without score heads
	Lead                   float64
	// VarTimeLeft, ErrWinLoss and ErrScore are -1 where the network has none.
	VarTimeLeft, ErrWinLoss, ErrScore float64
	// Policy has W*H+1 probabilities for the side to move, pass last; -1 where
	// a move is illegal.
	Policy    []float32
	Ownership []float32 // W*H, [-1,1], + = White; nil without the head
}

// RawNetwork evaluates the position on the board once, with c to move, shown in the
// orientation sym (0 to 7).
func (e *Engine) RawNetwork(ctx context.Context, c board.Color, sym int8, optimism float32) (*RawOutput, error) {
	e.Stop()
	game, err := e.gameFor(c)
	if err != nil {
		return nil, err
	}
	q := nn.Query{Game: game, Symmetry: sym, SkipCache: true, NeedOwnership: true, Optimism: optimism, Meta: e.cfg.profile()}
	q.Options.PlayoutDoublingAdvantage = e.cfg.advantageOf(game.ToMove())
	var out nn.Output
	if err := e.net.Evaluate(ctx, &q, &out); err != nil {
		return nil, err
	}
	return whiteView(&out, game), nil
}

// advantageOf is the advantage that was set, as a colour has it. Of how passing is
// meant a raw evaluation knows nothing, as KataGo's.
func (c *Config) advantageOf(color board.Color) float32 {
	n := &c.Search.Net
	d := float32(n.PlayoutDoublingAdvantage)
	if n.AdvantageFor == board.Empty || n.AdvantageFor == color {
		return d
	}
	return 0 - d // never -0
}

func whiteView(out *nn.Output, g *board.Game) *RawOutput {
	sign := float32(1)
	win, loss := out.Win, out.Loss
	if g.ToMove() == board.Black {
		sign = -1
		win, loss = loss, win
	}
	area := g.Size().Area()
	raw := &RawOutput{
		Win: float64(win), Loss: float64(loss), NoResult: float64(out.NoResult),
		ScoreMean: float64(sign * out.ScoreMean), ScoreMeanSq: float64(out.ScoreMeanSq), Lead: float64(sign * out.Lead),
		VarTimeLeft: float64(out.VarTimeLeft), ErrWinLoss: float64(out.ErrWinLoss), ErrScore: float64(out.ErrScore),
		Policy: append([]float32(nil), out.Policy[:area+1]...),
	}
	if out.HasOwnership {
		raw.Ownership = make([]float32, area)
		for p := range raw.Ownership {
			raw.Ownership[p] = sign * out.Ownership[p]
		}
	}
	return raw
}

// gameFor returns the game with c to move: the game itself, or a copy in which
// the turn is forced.
func (e *Engine) gameFor(c board.Color) (*board.Game, error) {
	if c == e.game.ToMove() {
		return e.game, nil
	}
	g := new(board.Game)
	g.CopyFrom(e.game)
	g.SetToMove(c)
	return g, nil
}
