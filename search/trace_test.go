package search

import (
	"context"

	"kosumi/board"
)

type Step struct {
	Path    []board.Point
	Counted bool
	// LeafUtility and LeafWeight are those of the leaf; RootVisits, RootUtility and RootWeight
	// are the root's after the playout. White's view.
	LeafUtility, LeafWeight             float64
	RootVisits                          int64
	RootUtility, RootWeight             float64
	Evaluated, Terminal, CaughtUp, Mute bool
}

// Trace searches one playout at a time. It calls tell for the root's evaluation, then for each
// playout.
func (t *Tree) Trace(ctx context.Context, visits int64, tell func(Step)) error {
	t.begin(Limits{Visits: visits})
	if err := t.prepareRoot(ctx); err != nil {
		return err
	}
	root := func() *node { return t.nodes.a.node(t.nodes.root) }
	fill := func(s *Step) {
		s.RootVisits, s.RootUtility, s.RootWeight = int64(root().visits), root().utility, root().weight
	}
	own := Step{Counted: true, Evaluated: true, LeafUtility: float64(root().ownUtility), LeafWeight: float64(root().ownWeight)}
	fill(&own)
	tell(own)
	s := t.playouts.slots[0]
	for t.run.shouldContinue() {
		before := t.tally.stats
		if t.playouts.descend(s) == atLeaf {
			s.run(ctx, &t.sh)
			if err := applied(t, s); err != nil {
				return err
			}
		}
		after := &t.tally.stats
		step := Step{
			Counted: after.Playouts > before.Playouts, Evaluated: after.Evaluations > before.Evaluations,
			Terminal: after.Terminals > before.Terminals, CaughtUp: after.CatchUps > before.CatchUps,
			Mute: after.Probes > before.Probes,
		}
		for _, p := range s.path {
			step.Path = append(step.Path, p.move)
		}
		if k := len(s.path); k > 0 {
			leaf := t.nodes.a.node(t.nodes.edgeAt(s.path[k-1]).child)
			step.LeafUtility, step.LeafWeight = leaf.utility, float64(leaf.ownWeight)
		}
		fill(&step)
		tell(step)
	}
	return nil
}
