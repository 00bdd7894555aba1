package bench

import (
	"context"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// positions is at how many positions a benchmark searches by turns.
const positions = 8

// Positions returns positions that the network itself leads to, the same
// each time: from a few moves to about half of the board.
func Positions(ctx context.Context, m nn.Model, size board.Size, rules board.Rules) ([]*board.Game, error) {
	server, err := nn.NewServer(m, nn.ServerConfig{MaxBatch: 1, FixedSymmetry: true, Meta: &features.Amateurs})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	rng := rand.New(rand.NewPCG(1, 0xbe9c4))
	games := make([]*board.Game, positions)
	for k := range games {
		if games[k], err = Likely(ctx, server, size, rules, k, rng); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// Likely plays moves drawn from the network's policy on an empty board: for k of 0
// to 7 from a few moves to about half of the board.
func Likely(ctx context.Context, e nn.Evaluator, size board.Size, rules board.Rules, k int, rng *rand.Rand) (*board.Game, error) {
	g, err := board.NewGame(size, rules)
	if err != nil {
		return nil, err
	}
	var out nn.Output
	for range 4 + size.Area()*(k%8)/16 {
		if err := e.Evaluate(ctx, &nn.Query{Game: g}, &out); err != nil {
			return nil, err
		}
		at := nn.Draw(out.Policy[:size.Area()], 1, rng)
		if at < 0 {
			break
		}
		if err := g.Play(g.ToMove(), size.FromIndex(at)); err != nil {
			return nil, err
		}
	}
	return g, nil
}
