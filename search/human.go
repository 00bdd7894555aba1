package search

import (
	"math"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/search/thinking"
)

// Human configures a human SL network that is used in addition to the main one: its influence on
// the moves that the search visits and on the choice of the move. It has no effect without such a
// network, or if the network needs a profile and none is set.
type Human struct {
	// Profile names the player to imitate: rank_5k, rank_3k_1d, preaz_5k, proyear_1950;
	// "" imitates nobody. A main network that takes profiles gets this one too.
	Profile string
	// Root, Own and Opponent are how often a descent follows the human policy: at the root, and
	// below it on the turns of the root's side to move (Own) and of the other side (Opponent).
	Root, Own, Opponent HumanShare
	Exploration         float64 // exploration constant for human moves; KataGo's humanSLCpuctExploration
	// Permanent is exploration that does not shrink as visits grow, so that visits
	// tend to the human policy itself; KataGo's humanSLCpuctPermanent.
	Permanent float64
	// ChosenShare is the share that the human policy, weighted by exp(utility/PiklLambda), has in
	// the choice of the move (piKL, arXiv 2112.07544). IgnorePass leaves passing to the search.
	ChosenShare float64
	IgnorePass  bool
	PiklLambda  float64
}

// profileName reads and writes Human.Profile as a [setting.Value].
type profileName struct{ at *string }

func (n profileName) String() string { return *n.at }

func (n profileName) Set(name string) error {
	_, _, err := features.ParseProfile(name)
	if err == nil {
		*n.at = name
	}
	return err
}

// Meta returns the profile; set reports whether there is one.
func (h Human) Meta() (m features.Meta, set bool) {
	m, set, err := features.ParseProfile(h.Profile)
	return m, set && err == nil
}

// Alone returns the settings for judging by the main network only: the profile stays, for a main
// network that takes one.
func (h Human) Alone() Human {
	h.Root, h.Own, h.Opponent, h.ChosenShare = HumanShare{}, HumanShare{}, HumanShare{}, 0
	return h
}

// HumanShare holds two probabilities, 0 to 1, that the human policy selects a move instead of the
// search's own: for a visit without weight, which evaluates the move but does not count above it,
// and for an ordinary visit. If the sum exceeds 1, visits without weight take precedence.
type HumanShare struct{ Weightless, Weightful float64 }

func (h HumanShare) any() bool { return h.Weightless+h.Weightful > 0 }

// humanState describes how the current search uses the human network. Workers read it.
type humanState struct {
	eval    nn.Evaluator // nil if not in use
	later   nn.Submitter // eval, for asynchronous answers
	profile *features.Meta
	inTree  bool // also asked below the root
}

// readyHuman decides whether the human network takes part in the next search. It drops a kept
// tree that was searched for the other player if the human network's share in the visits differs
// between the players.
func (t *Tree) readyHuman() {
	h, p := &t.sh.human, &t.p.Human
	*h = humanState{}
	meta, set := p.Meta()
	if set {
		h.profile = &meta
	}
	humans := t.sh.net.Humans()
	if humans == nil || !set && humans.Describe().TakesProfile {
		return
	}
	h.eval, h.later = humans, answersLater(humans)
	h.inTree = p.Own.any() || p.Opponent.any()
	if mover := t.position.base.ToMove(); t.humanFor != mover {
		if t.nodes.root != 0 && (p.Own != p.Opponent || p.Root != p.Own) {
			t.Clear()
		}
		t.humanFor = mover
	}
}

// humanBits holds a human policy by Size.Index, as the bits of float32s; nil if there is none.
// Illegal moves have -1.
type humanBits []uint32

func (h humanBits) at(i int) float64 { return float64(math.Float32frombits(h[i])) }

// tailWords is the number of words that a human policy takes behind a block of priors.
func tailWords(area int) int { return (area + 2) &^ 1 }

// appendHuman puts a human policy behind a block of priors.
func appendHuman(block []uint32, policy []float32) []uint32 {
	words := tailWords(len(policy) - 1)
	block = block[:len(block)+words]
	tail := block[len(block)-words:]
	for i, p := range policy {
		tail[i] = math.Float32bits(p)
	}
	return block
}

func (sel *selector) humanOf(i uint32, n *node) humanBits {
	switch {
	case i == sel.nodes.root:
		return sel.rules.human
	case !n.is(flagHuman):
		return nil
	}
	length := sel.nodes.a.wordsAt(n.priors, 2)[1]
	return sel.nodes.a.wordsAt(n.priors, int(length))[int(length)-tailWords(sel.sh.size.Area()):]
}

// selection names the policy that selects a move.
type selection uint8

const (
	ordinary selection = iota
	humanWeightless
	humanWeightful
)

// drawSelection draws the policy that selects a move of a node.
func (sel *selector) drawSelection(i uint32, n *node) selection {
	if sel.sh.human.eval == nil {
		return ordinary
	}
	share := sel.p.Human.Opponent
	switch {
	case i == sel.nodes.root:
		share = sel.p.Human.Root
	case n.toMove() == sel.sh.position.base.ToMove():
		share = sel.p.Human.Own
	}
	if !share.any() || sel.humanOf(i, n) == nil {
		return ordinary
	}
	if sel.decide != nil {
		return sel.decide()
	}
	switch r := sel.rng.Float64(); {
	case r < share.Weightless:
		return humanWeightless
	case r < share.Weightless+share.Weightful:
		return humanWeightful
	}
	return ordinary
}

// selectHuman selects a move by the human policy, as selectMove does by the search's. Visits
// without weight use the whole weight of the position after a move, and ignore the special rules of
// the root.
func (sel *selector) selectHuman(i uint32, n *node, edges []edge, how selection) int {
	policy, root := sel.humanOf(i, n), i == sel.nodes.root
	weightless := how == humanWeightless
	var total, mass float64
	for k := range edges {
		total += sel.nodes.weightFor(&edges[k], weightless)
		if p := policy.at(sel.sh.size.Index(edges[k].move)); p > 0 {
			mass += p
		}
	}
	p := &sel.p.Human
	radius := sel.sh.value.radius()
	x := explorer{sign: n.sign(), scale: (p.Exploration + p.Permanent*math.Sqrt(total)) * math.Sqrt(total+sel.p.PUCT.ParentOffset)}
	x.fpu = sel.p.FPU.utility(n, mass, x.sign, radius, root, sel.p.Root.NoiseEnabled)
	best, at := math.Inf(-1), selectNone
	for k := range edges {
		e := &edges[k]
		prior := policy.at(sel.sh.size.Index(e.move))
		if prior < 0 || e.prior < 0 {
			continue
		}
		u, w := x.fpu, sel.nodes.weightFor(e, weightless)
		if w > 0 {
			c := sel.nodes.a.node(e.child)
			if u = c.utility; root {
				u += sel.rules.bonusUtility(e.move, &c.avg, &sel.sh.value)
			}
		}
		if e.inFlight != 0 {
			u, w = sel.p.VirtualLoss.lose(u, w, e.inFlight, x.sign, radius)
		}
		s := x.score(u, w, prior)
		if !weightless {
			s = sel.specialScore(n, e, &x, prior, u, w, total, root)
		}
		if s > best {
			best, at = s, k
		}
	}
	move, prior := sel.nextHuman(n, policy, weightless)
	if move == board.NoPoint {
		return at
	}
	return sel.orNew(n, &x, move, prior, root && !weightless, best, at)
}

// weightFor returns the weight of an edge or, if weightless, the whole weight of the position
// after it.
func (ns *nodes) weightFor(e *edge, weightless bool) float64 {
	if !weightless {
		return float64(e.weight)
	}
	if c := ns.a.node(e.child); c.visits > 0 {
		return c.weight
	}
	return 0
}

// nextHuman returns the likeliest human move without an edge, NoPoint if there is none, and its
// prior.
func (sel *selector) nextHuman(n *node, policy humanBits, weightless bool) (move board.Point, prior float64) {
	move, prior, order := board.NoPoint, -1.0, 0
	for k := int(n.edgeCount); k < int(n.priorCount); k++ {
		p, _ := sel.nodes.a.priorAt(n, k)
		i := sel.sh.size.Index(p)
		h := policy.at(i)
		if !weightless && sel.counter.on {
			h = float64(sel.counter.prior(p, float32(h)))
		}
		if h >= 0 && (h > prior || h == prior && i < order) {
			move, prior, order = p, h, i
		}
	}
	return move, prior
}

func humanInfo(o *nn.Output, area int) *thinking.Human {
	return &thinking.Human{
		Winrate: 0.5 + 0.5*float64(o.Win-o.Loss), ScoreMean: float64(o.ScoreMean), ScoreStdev: float64(o.ScoreStdev),
		WinrateError: float64(o.ErrWinLoss) / 2, ScoreError: float64(o.ErrScore),
		Policy: append([]float32(nil), o.Policy[:area+1]...),
	}
}
