package search

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/thinking"
)

// ErrNoGame is returned by Search before Reset, and after a move that could not
// be played.
var ErrNoGame = errors.New("the search tree has no position: reset it")

// ErrFault is returned by Search when something in it has panicked.
var ErrFault = errors.New("internal error in the search")

// Tree is a search tree for one game at a time. Only Snapshot may be called
// while Search runs; everything else is for one goroutine.
type Tree struct {
	nodes nodes
	p     Params
	log   *slog.Logger
	sh    shared
	slots []*slot

	game  board.Game // the position at the root, as the caller has it
	base  board.Game // the same, with clean-up phases to come
	ready bool       // there is a position
	bans  []thinking.Restriction
	top   rootState

	gumbel  gumbelState
	counter counter

	humanFor board.Color      // who was to move in the last search with the human network
	decide   func() selection // in place of the draw; for tests

	rng       *rand.Rand
	search    running
	published atomic.Pointer[Result]

	checked [2]Params // without seeds: found valid last
	scratch scratch
}

// scratch is memory that lasts, for work that does not.
type scratch struct {
	keys   [board.MaxMoves]uint64
	policy [board.MaxMoves]float32 // of the root
	line   board.Game              // where a variation leads
	// touched is what warm read, so that it did.
	touched uint16
}

// New returns an empty tree. The evaluator may serve other trees too. A nil
// logger is silent. Errors wrap ErrParams.
func New(p Params, e nn.Evaluator, log *slog.Logger) (*Tree, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("%w: no evaluator", ErrParams)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	t := &Tree{p: p, log: log}
	t.rng = rand.New(rand.NewPCG(p.Seed, 0x5eed))
	t.sh.eval = e
	t.sh.later, _ = e.(nn.Submitter)
	t.applyParams()
	t.clear()
	return t, nil
}

// Params returns the settings.
func (t *Tree) Params() Params { return t.p }

// SetParams changes the settings. The tree is dropped unless only the choice of
// the move, the number of workers, the memory, the early stop or the seed differ.
// Errors wrap ErrParams; the old settings then stay.
func (t *Tree) SetParams(p Params) error {
	if err := t.check(p); err != nil {
		return err
	}
	old := t.p
	if p.Seed != old.Seed {
		t.rng = rand.New(rand.NewPCG(p.Seed, 0x5eed))
	}
	old.Choice, old.Parallel, old.Memory, old.Stop, old.Seed = p.Choice, p.Parallel, p.Memory, p.Stop, p.Seed
	t.p = p
	t.applyParams()
	if old != p {
		t.clear()
		if t.ready {
			t.rebase()
		}
	}
	return nil
}

// check is Validate for who goes back and forth between two sets of parameters, as
// self-play does from move to move.
func (t *Tree) check(p Params) error {
	seed := p.Seed
	p.Seed = 0
	if p == t.checked[0] || p == t.checked[1] {
		return nil
	}
	known := p
	p.Seed = seed
	err := p.Validate()
	if err == nil {
		t.checked[0], t.checked[1] = known, t.checked[0]
	}
	return err
}

func (t *Tree) applyParams() {
	t.sh.p, t.nodes.p = &t.p, &t.p
	t.nodes.bias.p = t.p.Bias
	t.sh.value.u, t.sh.value.b = t.p.Utility, t.p.Backup
}

// Reset makes a copy of a game the new root, without any tree, and lifts all
// restrictions.
func (t *Tree) Reset(g *board.Game) {
	t.game.CopyFrom(g)
	t.ready = true
	t.bans = nil
	t.clear()
	t.rebase()
}

// Clear drops the tree and keeps the position.
func (t *Tree) Clear() { t.clear() }

// Forget drops the tree and what is remembered of earlier searches, also where other
// trees share it.
func (t *Tree) Forget() {
	t.clear()
	if t.p.EvalCache.Shared != nil {
		t.p.EvalCache.Shared.Clear()
	}
	if t.nodes.cache.evals != nil {
		t.nodes.cache.evals.Clear()
	}
}

func (t *Tree) clear() {
	t.nodes.reset()
	t.published.Store(&Result{}) // what was found before is of another search
}

// rebase prepares the position that descents start from.
func (t *Tree) rebase() {
	t.base.CopyFrom(&t.game)
	o := t.base.Options()
	o.PreventEncore = false
	o.PassAliveUnderSuicide = (o.PassAliveUnderSuicide || t.p.Pass.AliveUnderSuicide) && !t.p.Pass.AliveByRules
	t.base.ContinueWith(o)
	t.sh.size = t.base.Size()
	t.sh.game = &t.base
}

// Matches reports whether the root is this position, reached by the same moves
// under the same rules, so that the tree may be searched on.
func (t *Tree) Matches(g *board.Game) bool {
	return t.ready && t.game.Size() == g.Size() && t.game.Rules() == g.Rules() &&
		t.game.Options() == g.Options() && t.game.ToMove() == g.ToMove() &&
		t.game.Hash() == g.Hash() && slices.Equal(t.game.Moves(), g.Moves())
}

// Visits returns the visits of the root, 0 without a tree.
func (t *Tree) Visits() int64 { return t.nodes.visits() }

// Bytes returns the memory that the tree holds, free parts included.
func (t *Tree) Bytes() int64 { return t.nodes.bytes() }

// Restrict forbids moves near the root. The tree is dropped if the lists differ
// from those in force. They hold until Advance or Reset.
func (t *Tree) Restrict(r ...thinking.Restriction) {
	if sameRestrictions(t.bans, r) {
		return
	}
	t.bans = nil
	for _, b := range r {
		b.Points = slices.Clone(b.Points)
		t.bans = append(t.bans, b)
	}
	t.clear()
}
