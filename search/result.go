package search

import (
	"time"

	"kosumi/search/thinking"
)

// Result is the result of a search. The zero value is an empty result.
type Result struct {
	thinking.Analysis
	// Turn is the number of moves made before the root.
	Turn int
	// Improved is the improved policy of a Gumbel search, a target for training; nil after other
	// searches. Moves that are illegal or left out of the search have -1.
	Improved []float32
	Stats    Stats
	Stop     StopReason
	// Final is set once the search is over; a snapshot has it unset.
	Final bool

	choice  Choice
	options []option // all moves that may be chosen, if the human policy has a share or nothing was searched
}

// Stats are statistics of one search.
type Stats struct {
	Playouts    int64 // visits added to the root
	Reused      int64 // visits that the root had before
	Evaluations int64 // answers of the evaluator, cached ones included
	CacheHits   int64
	Terminals   int64 // visits to the end of the game
	CatchUps    int64 // visits that only took over results found through other move orders
	Probes      int64 // zero-weight visits that try a pass or, if only a pass was tried, another move
	Focused     int64 // zero-weight visits to moves of the focus
	Collisions  int64 // descents given up at a leaf that was being evaluated
	MaxDepth    int
	DepthSum    int64         // sum of the depths of all playouts
	Elapsed     time.Duration // duration of the search
	Extended    time.Duration // time by which the deadline was extended
	Waiting     time.Duration // part of Elapsed spent on evaluations or waiting for them
	Nodes       int64         // size of the tree
	Bytes       int64         // memory of the tree
}

// MeanDepth is the mean length of a descent.
func (s *Stats) MeanDepth() float64 { return share(s.DepthSum, s.Playouts) }

// CacheRate is the share of evaluations that a cache answered.
func (s *Stats) CacheRate() float64 { return share(s.CacheHits, s.Evaluations) }

// CollisionRate is the share of descents abandoned because they reached a position under
// evaluation. Above a fifth there are more parallel evaluations than the tree has room for.
func (s *Stats) CollisionRate() float64 { return share(s.Collisions, s.Collisions+s.Playouts) }

func share(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

// BytesPerNode is the memory in use per node.
func (s *Stats) BytesPerNode() float64 { return share(s.Bytes, s.Nodes) }
