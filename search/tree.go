package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// ErrNoGame is returned by Search before Reset, and after a move that could not
// be played.
var ErrNoGame = errors.New("the search tree has no position: reset it")

// ErrFault is returned by Search after a panic while a position was evaluated.
var ErrFault = errors.New("internal error in the search")

// Tree is a search tree for one game at a time. Only Snapshot may be called
// while Search runs; everything else is for one goroutine.
//
// It owns the parts of a search and connects them: root position, nodes, rules of the root,
// selector, playouts, the run of one search, chooser and report.
type Tree struct {
	p   Params
	log *slog.Logger
	sh  shared

	position position
	nodes    nodes
	rules    rootRules
	tally    tally
	selector selector
	playouts playouts
	chooser  chooser
	report   report
	run      run

	source   rand.PCG
	rng      *rand.Rand
	humanFor board.Color // side to move in the last search with the human network
	checked  [2]Params   // the last two parameter sets that were valid, without seeds
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
	t := &Tree{p: p, log: cmp.Or(log, slog.New(slog.DiscardHandler))}
	t.seed()
	t.rng = rand.New(&t.source)
	t.wire()
	t.sh.net = nn.AsNetwork(e)
	t.sh.later = answersLater(t.sh.net)
	t.applyParams()
	t.Clear()
	return t, nil
}

// parts are shared by all that work on a tree: settings, the input of evaluations, nodes,
// rules of the root, and counts of the search.
type parts struct {
	p     *Params
	sh    *shared
	nodes *nodes
	rules *rootRules
	tally *tally
}

func (t *Tree) wire() {
	common := parts{&t.p, &t.sh, &t.nodes, &t.rules, &t.tally}
	t.nodes.p, t.rules.position, t.sh.p, t.sh.position = &t.p, &t.position, &t.p, &t.position
	t.selector.parts, t.selector.rng = common, t.rng
	t.playouts.parts, t.playouts.selector, t.playouts.rng = common, &t.selector, t.rng
	t.chooser.parts, t.chooser.selector = common, &t.selector
	t.report.parts, t.report.chooser = common, &t.chooser
	t.run.parts, t.run.playouts, t.run.chooser, t.run.report = common, &t.playouts, &t.chooser, &t.report
}

// seed restarts the random numbers.
func (t *Tree) seed()          { t.source.Seed(t.p.Seed, 0x5eed) }
func (t *Tree) Params() Params { return t.p }

// SetParams changes the settings. It keeps the tree only if all changed settings concern
// the choice of the move, the number of workers, the memory, the early stop or the seed.
// Errors wrap ErrParams; the old settings then stay.
func (t *Tree) SetParams(p Params) error {
	if err := t.check(p); err != nil {
		return err
	}
	old, reseed := t.p, p.Seed != t.p.Seed
	old.Choice, old.Parallel, old.Memory, old.Stop, old.Seed = p.Choice, p.Parallel, p.Memory, p.Stop, p.Seed
	t.p = p
	if reseed {
		t.seed()
	}
	t.applyParams()
	if old != p {
		t.Clear()
	}
	return nil
}

// check is Validate, but remembers the last two sets that were valid: self-play alternates between
// two.
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
	t.nodes.bias.p = t.p.Bias
	t.sh.value.u, t.sh.value.b = t.p.Utility, t.p.Backup
}

// Reset makes the root a copy of a game, without any tree, and lifts all restrictions.
func (t *Tree) Reset(g *board.Game) {
	t.position.reset(g)
	t.sh.size = g.Size()
	t.Clear()
}

// Clear drops the tree and keeps the position.
func (t *Tree) Clear() {
	t.nodes.reset()
	t.report.published.Store(&Result{}) // the old result belongs to another search
}

// Matches reports whether the root is this position, reached by the same moves under the same
// rules, so that the tree can be searched further.
func (t *Tree) Matches(g *board.Game) bool { return t.position.matches(g) }

// Visits returns the visits of the root, 0 without a tree.
func (t *Tree) Visits() int64 { return t.nodes.visits() }

// Bytes returns the memory that the tree holds, free parts included.
func (t *Tree) Bytes() int64 { return t.nodes.bytes() }

// Restrict forbids moves near the root until Advance or Reset. The tree is dropped if the
// restrictions differ from those in force.
func (t *Tree) Restrict(r ...thinking.Restriction) {
	if t.position.restrict(r) {
		t.Clear()
	}
}

// Search searches the root until a limit is met or the context ends, whichever comes first, and
// at least until the root is evaluated. A cancelled context is not an error: the result holds
// what was found. An error of the evaluator ends the search; the result still holds what was
// found before. Errors wrap ErrNoGame, ErrFault or the evaluator's error.
func (t *Tree) Search(ctx context.Context, l Limits) (Result, error) {
	if !t.position.ready {
		return Result{}, ErrNoGame
	}
	r, stats := &t.run, &t.tally.stats
	t.begin(l)
	if err := t.prepareRoot(ctx); err != nil {
		r.stop, r.err = StopFailed, err
	} else {
		r.search(ctx)
	}
	stats.Elapsed = time.Since(r.timing.start)
	t.nodes.exactRoot()
	result := t.report.publish(*stats, r.stop, true)
	t.log.Debug("search", "visits", result.Root.Visits, "playouts", stats.Playouts,
		"evaluations", stats.Evaluations, "cacheHits", stats.CacheHits, "collisions", stats.Collisions,
		"elapsed", stats.Elapsed, "stop", r.stop)
	return *result, r.err
}

// begin prepares the tree, and the data shared by evaluations, for a search.
func (t *Tree) begin(l Limits) {
	t.run.begin(l)
	if !t.nodes.own.begin(t.sh.limits.Ownership, t.sh.size.Area(), t.nodes.root == 0) {
		t.Clear()
	}
}

// Snapshot copies the newest published result: a recent one while Search runs with
// Limits.SnapshotEvery, afterwards the final one. Any goroutine may call it. The slices are
// shared and must not be written to.
func (t *Tree) Snapshot(dst *Result) { *dst = *t.report.published.Load() }
