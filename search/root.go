package search

import (
	"context"
	"math"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// prepareRoot readies the root for a search: it sets the centre of the score terms, drops edges of
// forbidden moves and evaluates the root anew, since the root is queried with other options than
// the nodes below. It rescores a kept tree if its utilities may have changed. It ignores
// cancellation, so that the root is always evaluated.
func (t *Tree) prepareRoot(ctx context.Context) error {
	t.playouts.makeSlots(1)
	if t.position.judge(t.p.Pass.Areas.Over(t.sh.net.Describe().Areas)) {
		t.Clear()
	}
	v := &t.sh.value
	v.sqrtArea = math.Sqrt(float64(t.sh.size.Area()))
	t.watchMirror()
	t.readyHuman()
	if !t.nodes.repeats.begin(&t.position.base, t.p.RepeatPenalty) {
		t.Clear()
	}
	t.sh.repeating = t.nodes.repeats.player
	fresh := t.nodes.root == 0
	if fresh {
		t.plantRoot()
		t.nodes.repeats.setKey(t.nodes.root, 0)
	} else {
		v.setCenter(float64(t.nodes.a.node(t.nodes.root).avg.scoreMean))
	}
	s := t.playouts.slots[0]
	s.reset()
	s.purpose, s.leaf = forRoot, t.nodes.root
	s.run(context.WithoutCancel(ctx), &t.sh)
	if err := s.result.err; err != nil {
		if fresh {
			t.Clear()
		}
		return err
	}
	t.tally.countEvaluation(s.result.fromCache)
	t.rules.out = s.out
	t.keepHuman(s)
	t.rules.weighted = s.out.ErrWinLoss >= 0
	if fresh {
		v.scores = s.out.HasScore
		v.setCenter(float64(s.result.own.scoreMean))
	}
	t.rules.mark(&t.p.Root)
	if !fresh {
		dropped := t.dropForbidden()
		if v.scores && v.u.DynamicScoreFactor != 0 || t.p.Bias.Factor != 0 || t.nodes.repeats.player != board.Empty {
			t.nodes.rescore(v)
		}
		if dropped {
			t.nodes.compact()
		}
	}
	kept := t.nodes.visits() // 0 for a new tree
	t.tally.aim(&t.sh.limits, kept)
	t.installRoot(s, fresh)
	return nil
}

// keepHuman stores the human network's evaluation of the root.
func (t *Tree) keepHuman(s *slot) {
	t.rules.human = nil
	if !s.human.wanted {
		return
	}
	t.rules.humanOut = s.human.out
	area := t.sh.size.Area()
	t.rules.human = humanBits(appendHuman(make([]uint32, 0, tailWords(area)), s.human.out.Policy[:area+1]))
}

// plantRoot makes a root without evaluation.
func (t *Tree) plantRoot() {
	t.nodes.root = t.nodes.a.newNode()
	n := t.nodes.a.node(t.nodes.root)
	if t.position.base.ToMove() == board.White {
		n.flags |= flagWhite
	}
	if t.p.Graph.Use {
		// The root has a hash but is not entered in the table, so no move order leads back to it.
		t.nodes.graph.hashes.set(t.nodes.root, t.position.base.GraphHash(board.Hash{}))
	}
}

// installRoot gives the root its evaluation and priors. The next visit
// of a kept root recomputes its averages.
func (t *Tree) installRoot(s *slot, fresh bool) {
	n, r := t.nodes.a.node(t.nodes.root), &s.result
	v := &t.sh.value
	r.utility = v.of(&r.own)
	r.weight = v.weight(float64(r.own.scoreMean), float64(r.errWinLoss), float64(r.errScore))
	t.nodes.setOwn(n, r)
	n.flags |= flagEvaluated
	n.flags &^= flagPassEnds | flagTruncated | flagUnsorted | flagTerminal | flagHuman
	if r.passEnds {
		n.flags |= flagPassEnds
	}
	t.arrangePriors(s)
	t.nodes.own.keep(n, s)
	if fresh {
		t.nodes.addOwn(t.nodes.root, float64(n.ownWeight))
		t.tally.countPlayout(0)
	}
	n.sinceExact = math.MaxUint16 - 1
	t.selector.gumbel.begin(&t.nodes, t.p.Root.Gumbel, t.sh.size, v.radius(), t.tally.target, t.rng, fresh)
}

// arrangePriors gives the root's edges their priors, with temperature and noise, and stores the
// other moves behind them in order of prior.
func (t *Tree) arrangePriors(s *slot) {
	n := t.nodes.a.node(t.nodes.root)
	area := t.sh.size.Area()
	policy := t.rules.policy[:area+1]
	copy(policy, t.rules.out.Policy[:area+1])
	t.p.flatten(policy, t.position.base.NumMoves(), t.sh.value.sqrtArea)
	if t.p.Root.NoiseEnabled {
		t.p.Root.addNoise(policy, t.rng)
	}
	edges := t.nodes.a.edgesOf(n)
	keys := t.nodes.keys[:0]
	for i := range edges {
		e := &edges[i]
		e.prior = policy[t.sh.size.Index(e.move)]
		keys = append(keys, priorKey(max(0, e.prior), t.sh.size.Index(e.move)))
	}
	rest := len(keys)
	for i, prior := range policy {
		p := t.sh.size.FromIndex(i)
		if prior >= 0 && t.rules.allowed(p) && !hasMove(edges, p) {
			keys = append(keys, priorKey(prior, i))
		}
	}
	sortFalling(keys[rest:])
	block := s.block[:blockWords(len(keys))]
	packPriors(block, keys, t.sh.size)
	t.nodes.a.storePriors(t.nodes.root, block, len(keys))
}

// dropForbidden removes from a kept root the edges of moves that are no longer legal or allowed,
// and updates the root's visits and averages. It reports whether there were any such edges.
func (t *Tree) dropForbidden() bool {
	n := t.nodes.a.node(t.nodes.root)
	edges := t.nodes.a.edgesOf(n)
	kept, visits := 0, int32(1)
	for i := range edges {
		p := edges[i].move
		if t.rules.out.Policy[t.sh.size.Index(p)] < 0 || t.position.base.Legal(t.position.base.ToMove(), p) != nil || !t.rules.allowed(p) {
			continue
		}
		edges[kept] = edges[i]
		visits += edges[i].visits
		kept++
	}
	if kept == len(edges) {
		return false
	}
	n.edgeCount = uint16(kept)
	n.visits = visits
	t.nodes.rebuild(t.nodes.root)
	return true
}

// rawInfo turns the network's answer at the root into a report.
func rawInfo(o *nn.Output, area int) thinking.Raw {
	r := thinking.Raw{
		Winrate: 0.5 + 0.5*float64(o.Win-o.Loss), NoResult: float64(o.NoResult), HasScore: o.HasScore,
		ScoreMean: float64(o.ScoreMean), ScoreStdev: float64(o.ScoreStdev), Lead: float64(o.Lead),
		WinrateError: float64(o.ErrWinLoss) / 2, ScoreError: float64(o.ErrScore), VarTimeLeft: float64(o.VarTimeLeft),
	}
	if o.HasOwnership {
		r.Ownership = append([]float32(nil), o.Ownership[:area]...)
	}
	return r
}
