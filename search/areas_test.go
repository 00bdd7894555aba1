package search

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features"
)

// trained is a network that was trained with some area modes and records its last query. human is
// its human SL network, trained with other modes.
type trained struct {
	nn.Plain
	modes board.AreaModes
	human *trained
	asked nn.Query
	seen  board.AreaModes // modes of the queried game
}

func newTrained(m board.AreaModes) *trained {
	return &trained{Plain: nn.Plain{Evaluator: &stub{}}, modes: m}
}

func (n *trained) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	n.asked, n.seen = *q, q.Game.Options().AreaModes
	return n.Plain.Evaluate(ctx, q, out)
}

func (n *trained) Describe() nn.Description { return nn.Description{Areas: n.modes} }

func (n *trained) Humans() nn.Network {
	if n.human == nil {
		return nil
	}
	return n.human
}

// mouthGame is a game that ends with two passes and that Black wins by half a point if the eye of
// a chain in atari counts.
func mouthGame(t *testing.T, o board.GameOptions) *board.Game {
	t.Helper()
	b := testshared.Diagram(t, "X.XO.\nXXXO.\nOOOO.")
	g := gameUnder(t, b.Size(), board.Rules{Scoring: board.ScoringTerritory})
	require.NoError(t, g.SetupBoard(b, board.Black))
	require.NoError(t, g.StartInPhase(2))
	g.SetKomi(-g.Score() - 0.5 + g.Rules().Komi)
	require.Equal(t, float32(-0.5), g.Score())
	g.ContinueWith(o)
	return g
}

// TestAreasAsTrained: a search scores areas with the configured mode; Auto stands for the mode of the main
// network's training. The mode of the game that is searched has no effect. Queries to the main and the human
// network hold the mode used for scoring in their game, and the configured one, even if Auto, in their options.
func TestAreasAsTrained(t *testing.T) {
	exclude := board.AreaModes{ExcludeTerritoryAdjacentToAtari: true}
	for _, c := range []struct {
		name            string
		net, human, own board.AreaModes
		set             features.Mode
		want            board.AreaModes
	}{
		{"plain", board.AreaModes{}, exclude, board.AreaModes{}, features.Auto, board.AreaModes{}},
		{"the network's", exclude, board.AreaModes{}, board.AreaModes{}, features.Auto, exclude},
		{"not the game's", board.AreaModes{}, board.AreaModes{}, exclude, features.Auto, board.AreaModes{}},
		{"switched on", board.AreaModes{}, board.AreaModes{}, board.AreaModes{}, features.On, exclude},
		{"switched off", exclude, exclude, exclude, features.Off, board.AreaModes{}},
	} {
		net := newTrained(c.net)
		net.human = newTrained(c.human)
		p := Defaults()
		p.Pass.Areas.ExcludeTerritoryAdjacentToAtari = c.set
		p.Pass.Conservative = false
		p.Human.Root.Weightless = 0.3
		g := mouthGame(t, board.GameOptions{AreaModes: c.own})
		require.NoError(t, g.Play(board.Black, board.Pass)) // a pass ends the game
		tree := treeAt(t, p, net, g)
		r := searched(t, tree, 30)
		pass := r.Move(board.Pass)
		require.NotNil(t, pass, c.name)
		white := map[bool]float64{false: 0, true: 1}[c.want == exclude] // winrate of White, who passes
		require.Equal(t, white, pass.Winrate, c.name)
		require.Equal(t, c.want, tree.position.base.Options().AreaModes, c.name)
		require.Equal(t, c.own, tree.position.game.Options().AreaModes, c.name)
		for _, n := range []*trained{net, net.human} {
			require.Equal(t, c.set, n.asked.Options.Areas.ExcludeTerritoryAdjacentToAtari, c.name)
			require.Equal(t, c.want, n.seen)
		}
	}
}

// TestModesDropTheTree: a change of the area modes drops the tree; equal modes keep it.
func TestModesDropTheTree(t *testing.T) {
	net := newTrained(board.AreaModes{})
	tree := treeAt(t, Defaults(), net, mouthGame(t, board.GameOptions{}))
	searched(t, tree, 20)
	require.EqualValues(t, 20, searched(t, tree, 25).Stats.Reused)
	net.modes.ExcludeTerritoryAdjacentToAtari = true // as if another network had been loaded
	require.Zero(t, searched(t, tree, 25).Stats.Reused)
	hash := tree.nodes.graph.hashes.get(tree.nodes.root)
	p := Defaults()
	p.Pass.Areas.ExcludeTerritoryAdjacentToAtari = features.Off
	require.NoError(t, tree.SetParams(p))
	require.Zero(t, searched(t, tree, 25).Stats.Reused)
	require.NotEqual(t, hash, tree.nodes.graph.hashes.get(tree.nodes.root))
	p.Pass.Areas.ExcludeTerritoryAdjacentToAtari = features.On
	require.NoError(t, tree.SetParams(p))
	searched(t, tree, 25)
	require.Equal(t, hash, tree.nodes.graph.hashes.get(tree.nodes.root))
}
