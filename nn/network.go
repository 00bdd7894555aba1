package nn

import (
	"context"
	"path/filepath"
	"sync"

	"kosumi/board"
)

// Network is an evaluator that says what else it can do. The zero answer of each
// method means that it cannot, or that it is not known; [Plain] gives all of them.
// Who wraps a network embeds it, in a [Wrapper] where answers change, and loses
// nothing. Any number of goroutines may use it.
type Network interface {
	Evaluator
	// Submitter answers later; nil: the network only answers at once.
	Submitter() Submitter
	// Humans is the network of human moves beside it; nil: there is none.
	Humans() Network
	// Serves returns nil if boards of that size can be evaluated.
	Serves(board.Size) error
	// Describe says which network it is and how it runs.
	Describe() Description
	// Stats counts what it has done so far.
	Stats() Stats
	// BatchSize is the most positions in one run of the network; 0: not known.
	BatchSize() int
	// ClearCache forgets what was evaluated.
	ClearCache()
	// Pin keeps a network that may be replaced by another in place until unpin.
	Pin() (unpin func())
}

// AsNetwork returns what else an evaluator can do, if it says so: nothing of others.
func AsNetwork(e Evaluator) Network {
	if n, ok := e.(Network); ok {
		return n
	}
	return Plain{e}
}

// Plain is a network that can do nothing but evaluate, on boards of any size.
type Plain struct{ Evaluator }

var _ Network = Plain{}

// Submitter implements [Network].
func (Plain) Submitter() Submitter { return nil }

// Humans implements [Network].
func (Plain) Humans() Network { return nil }

// Serves implements [Network].
func (Plain) Serves(board.Size) error { return nil }

// Describe implements [Network].
func (Plain) Describe() Description { return Description{} }

// Stats implements [Network].
func (Plain) Stats() Stats { return Stats{} }

// BatchSize implements [Network].
func (Plain) BatchSize() int { return 0 }

// ClearCache implements [Network].
func (Plain) ClearCache() {}

// Pin implements [Network].
func (Plain) Pin() (unpin func()) { return func() {} }

// Wrapper is embedded by networks that answer otherwise than the one they wrap, which
// define Evaluate: it does not answer later, which would go past them.
type Wrapper struct{ Network }

// Submitter implements [Network].
func (Wrapper) Submitter() Submitter { return nil }

// Rewritten is a network that is asked other questions than those put: Edit changes a
// copy of each, also of those for its network of human moves. Make one with [Rewrite].
type Rewritten struct {
	Wrapper
	edit    func(*Query)
	queries sync.Pool // of *Query
}

// Rewrite returns a network that is asked what edit makes of each query. Edit may be
// called by several goroutines at once.
func Rewrite(e Evaluator, edit func(*Query)) *Rewritten {
	return &Rewritten{Wrapper: Wrapper{AsNetwork(e)}, edit: edit, queries: sync.Pool{New: func() any { return new(Query) }}}
}

// Evaluate implements [Evaluator].
func (r *Rewritten) Evaluate(ctx context.Context, q *Query, out *Output) error {
	edited := r.queries.Get().(*Query)
	*edited = *q
	r.edit(edited)
	err := r.Network.Evaluate(ctx, edited, out)
	*edited = Query{}
	r.queries.Put(edited)
	return err
}

// Humans implements [Network].
func (r *Rewritten) Humans() Network {
	humans := r.Network.Humans()
	if humans == nil {
		return nil
	}
	return Rewrite(humans, r.edit)
}

// Uncached evaluates everything anew: what is in a cache may have been seen in another
// orientation.
func Uncached(e Evaluator) *Rewritten { return Rewrite(e, func(q *Query) { q.SkipCache = true }) }

// FixSymmetry replaces a random orientation by a function of the position and a salt,
// so that an answer does not depend on what else was asked.
func (q *Query) FixSymmetry(salt uint64) {
	if q.Symmetry != SymmetryRandom {
		return
	}
	h := q.Game.Hash()
	x := (h.Lo ^ salt) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32 ^ h.Hi) * 0xd1342543de82ef95
	q.Symmetry = int8(x >> 61)
}

// Profiled names the files of a network and of that of human moves beside it, as far
// as they are known, and reports whether any of them wants a profile of the players.
func Profiled(n Network) (files []string, any bool) {
	for ; n != nil; n = n.Humans() {
		if d := n.Describe(); d.File != "" {
			files, any = append(files, filepath.Base(d.File)), any || d.TakesProfile
		}
	}
	return files, any
}
