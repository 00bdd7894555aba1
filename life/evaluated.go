package life

import (
	"context"

	"kosumi/board"
	"kosumi/nn"
)

// Evaluated is a [Network] that asks an evaluator.
type Evaluated struct{ Evaluator nn.Evaluator }

func (n Evaluated) View(ctx context.Context, size board.Size, stones []board.Color, toMove board.Color) (*View, error) {
	g, err := board.NewGame(size, board.TrompTaylor())
	if err != nil {
		return nil, err
	}
	var lists [3][]board.Point
	for p, c := range stones {
		lists[c] = append(lists[c], board.Point(p))
	}
	if err := g.Setup(lists[board.Black], lists[board.White], toMove); err != nil {
		return nil, err
	}
	out := new(nn.Output)
	if err := n.Evaluator.Evaluate(ctx, &nn.Query{Game: g, NeedOwnership: true}, out); err != nil {
		return nil, err
	}
	v := &View{Policy: make([]float32, len(stones))}
	for p := range stones {
		v.Policy[p] = max(0, out.Policy[size.Index(board.Point(p))])
	}
	if !out.HasOwnership {
		return v, nil
	}
	v.Black = make([]float32, len(stones))
	for p := range stones {
		v.Black[p] = (1 + out.Ownership[p]) / 2
		if toMove == board.White {
			v.Black[p] = 1 - v.Black[p]
		}
	}
	return v, nil
}
