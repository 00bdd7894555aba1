package bench

import (
	"context"
	"math/rand/v2"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// positions is the number of positions that a benchmark searches in turn.
const positions = 8

// Positions returns positions from games that the network plays, the same each time, some with a
// few stones, others with up to half of the board filled.
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

// Likely plays moves drawn from the network's policy on an empty board: a few for k = 0, up to
// half of the points for k = 7.
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
