package nn

import (
	"context"
	"path/filepath"
	"sync"

	"kosumi/board"
)

// Network is an evaluator with optional capabilities. Methods for a capability that a network lacks
// return nil or zero; [Plain] lacks all. A type that wraps a Network embeds it, or embeds a [Wrapper]
// if the type changes answers. Any number of goroutines may use a Network.
type Network interface {
	Evaluator
	// Submitter evaluates asynchronously; nil: the network cannot.
	Submitter() Submitter
	// Humans returns the human SL network that accompanies this one; nil if there is none.
	Humans() Network
	// Serves returns nil if boards of that size can be evaluated.
	Serves(board.Size) error
	// Describe returns the network's identity and how it runs.
	Describe() Description
	// Stats returns statistics of the network's work so far.
	Stats() Stats
	// BatchSize is the maximum number of positions in one run of the network; 0: not known.
	BatchSize() int
	// ClearCache forgets what was evaluated.
	ClearCache()
	// Pin keeps a replaceable network in place until unpin is called.
	Pin() (unpin func())
}

// AsNetwork returns the evaluator itself if it is a Network, else a [Plain] one.
func AsNetwork(e Evaluator) Network {
	if n, ok := e.(Network); ok {
		return n
	}
	return Plain{e}
}

// Plain is a network that only evaluates, on boards of any size.
type Plain struct{ Evaluator }

var _ Network = Plain{}

func (Plain) Submitter() Submitter    { return nil }
func (Plain) Humans() Network         { return nil }
func (Plain) Serves(board.Size) error { return nil }
func (Plain) Describe() Description   { return Description{} }
func (Plain) Stats() Stats            { return Stats{} }
func (Plain) BatchSize() int          { return 0 }
func (Plain) ClearCache()             {}
func (Plain) Pin() (unpin func())     { return func() {} }

// Wrapper is embedded by networks that change the answers of another one. They define Evaluate;
// Submitter returns nil, since a Submitter would bypass Evaluate.
type Wrapper struct{ Network }

func (Wrapper) Submitter() Submitter { return nil }

// rewritten is a network that evaluates an edited copy of each query. Its human SL network does
// the same.
type rewritten struct {
	Wrapper
	edit    func(*Query)
	queries sync.Pool // pool of *Query
}

// Rewrite returns a network that evaluates a copy of each query, changed by edit. Several
// goroutines may call edit at once.
func Rewrite(e Evaluator, edit func(*Query)) Network {
	return &rewritten{Wrapper: Wrapper{AsNetwork(e)}, edit: edit, queries: sync.Pool{New: func() any { return new(Query) }}}
}

func (r *rewritten) Evaluate(ctx context.Context, q *Query, out *Output) error {
	edited := r.queries.Get().(*Query)
	*edited = *q
	r.edit(edited)
	err := r.Network.Evaluate(ctx, edited, out)
	*edited = Query{}
	r.queries.Put(edited)
	return err
}

func (r *rewritten) Humans() Network {
	humans := r.Network.Humans()
	if humans == nil {
		return nil
	}
	return Rewrite(humans, r.edit)
}

// Uncached returns a network that bypasses caches, since a cached answer may be for
// another orientation.
func Uncached(e Evaluator) Network { return Rewrite(e, func(q *Query) { q.SkipCache = true }) }

// FixSymmetry replaces a random orientation by a function of the position and a salt,
// so that an answer does not depend on earlier queries.
func (q *Query) FixSymmetry(salt uint64) {
	if q.Symmetry != SymmetryRandom {
		return
	}
	h := q.Game.Hash()
	x := (h.Lo ^ salt) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32 ^ h.Hi) * 0xd1342543de82ef95
	q.Symmetry = int8(x >> 61)
}

// Profiled returns the known file names of a network and of its human SL network, and reports
// whether any of them takes a profile of the players.
func Profiled(n Network) (files []string, any bool) {
	for ; n != nil; n = n.Humans() {
		if d := n.Describe(); d.File != "" {
			files, any = append(files, filepath.Base(d.File)), any || d.TakesProfile
		}
	}
	return files, any
}
