package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"kosumi/cluster"
	"kosumi/nn"
	"kosumi/train/loop/duel"
)

// networkGame is a game between two networks.
type networkGame struct {
	Game duel.Game `json:"game"`
	A    string    `json:"a"` // sha256
	B    string    `json:"b"`
}

// Matches has the games of a loop's matches played by workers whose own games have
// been found right. It is a [duel.Matches].
type Matches struct{ Pool *cluster.Pool }

// Game implements duel.Matches.
func (m *Matches) Game(ctx context.Context, g duel.Game, a, b string) (o duel.Outcome, err error) {
	one, err := m.Pool.Offer(a)
	if err != nil {
		return o, err
	}
	two, err := m.Pool.Offer(b)
	if err != nil {
		return o, err
	}
	body, err := json.Marshal(networkGame{g, one.SHA256, two.SHA256})
	if err != nil {
		return o, err
	}
	return o, m.Pool.Do(ctx, cluster.Task{Kind: kindNetworks, Body: body, Files: []cluster.File{one, two}, Trusted: true}, &o)
}

type networkGames struct{ networks *networks }

func (h *networkGames) do(ctx context.Context, body json.RawMessage, files map[string]string) (any, error) {
	var g networkGame
	if err := json.Unmarshal(body, &g); err != nil {
		return nil, err
	}
	if g.Game.Visits < 1 || g.Game.Visits > mostVisits {
		return nil, fmt.Errorf("a game of %d visits a move", g.Game.Visits)
	}
	a, done, err := h.networks.use(ctx, files[g.A])
	if err != nil {
		return nil, err
	}
	defer done()
	b, done, err := h.networks.use(ctx, files[g.B])
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := g.Game.Play(ctx, a.Evaluator, b.Evaluator)
	o.Invalid = nn.AsNetwork(a.Evaluator).Stats().Invalid // the new network is a
	return o, err
}
