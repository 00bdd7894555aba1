package search

import (
	"sync/atomic"
	"time"

	"kosumi/search/thinking"
)

// Limits end a search. A zero value is no limit; without any limit a search continues until its
// context ends or the memory is used up.
type Limits struct {
	// Visits is the target for the root's visits, those of a kept tree included. Visits without
	// weight by the human policy (HumanShare) count towards it, but the root does not count them.
	Visits int64
	// Playouts is the number of playouts to make now.
	Playouts int64
	// Time is the longest duration of the search, Deadline its latest end. The earlier one counts.
	Time     time.Duration
	Deadline time.Time
	// Extend is the time beyond Time that the search may take while its choice is unstable: the
	// move to choose is not the most visited, or another well-searched one has a better value.
	Extend time.Duration
	// WhenDecided ends a limited search when the most visited move would be chosen and no other can
	// reach its visits (lc0's smart pruning).
	WhenDecided bool
	// FirstLook completes the first playout of a fresh tree even if the context has ended,
	// so that a search that is stopped at once has a move to report.
	FirstLook bool
	// Ownership averages the ownership over the tree, MovesOwnership also over the part below
	// each move. A tree from a search without ownership is dropped.
	Ownership, MovesOwnership bool
	// MinMoves is the minimum number of moves listed; unsearched moves fill up the list.
	MinMoves int
	// Focus holds moves that get extra playouts without weight. Nil, or a pointer that holds nil,
	// means no focus. It may be replaced while the search runs. A Gumbel search ignores it.
	Focus *atomic.Pointer[thinking.Focus]
	// SnapshotEvery is the time between snapshots; 0 means none before the end.
	SnapshotEvery time.Duration
}

// StopReason is the reason why a search ended.
type StopReason uint8

// The reasons.
const (
	StopNone      StopReason = iota // the search continues, or there was none
	StopVisits                      // Limits.Visits or Limits.Playouts
	StopTime                        // Limits.Time or Limits.Deadline
	StopCancelled                   // the context was cancelled
	StopDecided                     // no other move could catch up
	StopMemory                      // Params.Memory.MaxBytes
	StopFailed                      // the evaluator failed
)

func (r StopReason) String() string {
	return [...]string{"none", "visits", "time", "cancelled", "decided", "memory", "failed"}[r]
}
