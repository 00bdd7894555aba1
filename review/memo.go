package review

import (
	"context"
	"slices"
	"sync"

	"kosumi/board"
	"kosumi/nn"
)

// memoEntries bounds the number of evaluations in a memo, about 3 kB each on 19x19.
const memoEntries = 1 << 15

// memo caches the evaluations of one game, since searches of neighbouring positions overlap.
// Unlike the network's own cache it distinguishes histories and keeps every bit, so that an
// answer does not depend on earlier queries. It is safe for concurrent use.
type memo struct {
	net nn.Evaluator

	mu    sync.RWMutex
	known map[memoKey]*memoValue
}

// memoKey holds all inputs of an evaluation.
type memoKey struct {
	hash  board.Hash
	moves [5]board.Move // the last moves: networks read the boards before them
	turns int           // number of last moves that networks may see, at most 5
	asked nn.Query      // the query without its game
}

type memoValue struct {
	values         [10]float32
	hasScore       bool
	symmetry       int8
	policy, owners []float32 // owners is nil without ownership
}

func (v *memoValue) copyTo(out *nn.Output) {
	for i, p := range numbers(out) {
		*p = v.values[i]
	}
	out.HasScore, out.HasOwnership, out.Symmetry, out.FromCache = v.hasScore, v.owners != nil, v.symmetry, true
	copy(out.Policy[:], v.policy)
	copy(out.Ownership[:], v.owners)
}

// valueOf returns a copy of an output for a board of area points.
func valueOf(out *nn.Output, area int) *memoValue {
	v := &memoValue{hasScore: out.HasScore, symmetry: out.Symmetry, policy: slices.Clone(out.Policy[:area+1])}
	if out.HasOwnership {
		v.owners = slices.Clone(out.Ownership[:area])
	}
	for i, p := range numbers(out) {
		v.values[i] = *p
	}
	return v
}

func numbers(o *nn.Output) [10]*float32 {
	return [10]*float32{&o.Win, &o.Loss, &o.NoResult, &o.ScoreMean, &o.ScoreStdev,
		&o.ScoreMeanSq, &o.Lead, &o.VarTimeLeft, &o.ErrWinLoss, &o.ErrScore}
}

func newMemo(net nn.Evaluator) *memo { return &memo{net: net, known: map[memoKey]*memoValue{}} }

func keyOf(q *nn.Query) memoKey {
	k := memoKey{hash: q.Game.Hash(), turns: min(q.Game.ValidTurns(), 5), asked: *q}
	k.asked.Game = nil
	for i := range k.moves {
		k.moves[i] = q.Game.LastMove(i)
	}
	return k
}

// Evaluate implements nn.Evaluator.
func (m *memo) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	key := keyOf(q)
	m.mu.RLock()
	v := m.known[key]
	m.mu.RUnlock()
	if v != nil {
		v.copyTo(out)
		return nil
	}
	fresh := *q
	fresh.SkipCache = true
	if err := m.net.Evaluate(ctx, &fresh, out); err != nil {
		return err
	}
	v = valueOf(out, q.Game.Size().Area())
	m.mu.Lock()
	if len(m.known) >= memoEntries {
		clear(m.known)
	}
	m.known[key] = v
	m.mu.Unlock()
	return nil
}
