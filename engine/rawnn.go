package engine

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// Evaluate evaluates the position once by a network, without a search. It ignores the settings for
// passing, as KataGo does. Errors are ErrNoHumans and ErrNoProfile, or the network's.
func (e *Engine) Evaluate(ctx context.Context, r thinking.EvaluationRequest) (*thinking.Evaluation, error) {
	var net nn.Evaluator = e.net
	if r.Human {
		humans := e.net.Humans()
		switch {
		case humans == nil:
			return nil, ErrNoHumans
		case humans.Describe().TakesProfile && e.cfg.profile() == nil:
			return nil, ErrNoProfile
		}
		net, r.Optimism = humans, e.cfg.Search.Net.RootOptimism
	}
	e.Stop()
	game := e.gameFor(r.Color)
	q := nn.Query{Game: game, Symmetry: int8(r.Symmetry), SkipCache: true, NeedOwnership: true, Optimism: float32(r.Optimism), Meta: e.cfg.profile()}
	q.Options.PlayoutDoublingAdvantage, q.Options.Areas = e.cfg.advantageOf(game.ToMove()), e.cfg.Search.Pass.Areas
	var out nn.Output
	if err := net.Evaluate(ctx, &q, &out); err != nil {
		return nil, err
	}
	return whiteView(&out, game), nil
}

// advantageOf returns the configured playout doubling advantage from a colour's view.
func (c *Config) advantageOf(color board.Color) float32 {
	n := &c.Search.Net
	d := float32(n.PlayoutDoublingAdvantage)
	if n.AdvantageFor == board.Empty || n.AdvantageFor == color {
		return d
	}
	return 0 - d // avoids -0
}

func whiteView(out *nn.Output, g *board.Game) *thinking.Evaluation {
	sign := sideSign(g.ToMove())
	win, loss := out.Win, out.Loss
	if g.ToMove() == board.Black {
		win, loss = loss, win
	}
	area := g.Size().Area()
	raw := &thinking.Evaluation{
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

// gameFor returns the game with c to move: the game itself, or a copy whose turn is set.
func (e *Engine) gameFor(c board.Color) *board.Game {
	if c == e.game.ToMove() {
		return e.game
	}
	g := e.game.Clone()
	g.SetToMove(c)
	return g
}
