package nn

import (
	"context"
	"errors"

	"kosumi/board"
	"kosumi/nn/features"
)

// SymmetryRandom lets the evaluator choose the orientation from its own
// generator.
const SymmetryRandom int8 = -1

// Errors of evaluation. Test with errors.Is.
var (
	// ErrClosed is returned for queries after Close.
	ErrClosed = errors.New("the evaluator is closed")
	// ErrQuery marks a query that is not valid.
	ErrQuery = errors.New("bad query")
	// ErrSize marks a board size that the network does not serve.
	ErrSize = errors.New("the network does not serve this board size")
	// ErrSpec marks a network description that contradicts itself or the
	// backend that was opened for it.
	ErrSpec = errors.New("bad network description")
	// ErrBackend wraps an error of a backend. Every query of the failed batch gets it.
	ErrBackend = errors.New("the network could not be run")
)

// ProfileError is returned if a query to a human-like network has no profile of the players. It
// is an ErrQuery.
type ProfileError struct{ Network string }

func (e *ProfileError) Error() string {
	return "the network " + e.Network + " has to know who plays: set humanSLProfile, by --set humanSLProfile=rank_5k, " +
		"kata-set-param humanSLProfile rank_5k, or in a query \"overrideSettings\":{\"humanSLProfile\":\"rank_5k\"}"
}

func (e *ProfileError) Is(target error) bool { return target == ErrQuery }

// Query is one position to evaluate. The game must stay unchanged until
// Evaluate returns.
type Query struct {
	Game    *board.Game
	Options features.Options
	// Symmetry is the orientation shown to the network, 0..7, or
	// SymmetryRandom. Answers are always in board order.
	Symmetry int8
	// SkipCache evaluates without using or changing the cache.
	SkipCache bool
	// NeedOwnership asks for Output.Ownership, where the network has it.
	NeedOwnership bool
	// Optimism blends in the optimistic policy, 0..1, if the network has one. Networks with
	// metadata inputs ignore it, as in KataGo.
	Optimism float32
	// Optimistic, if not nil, receives the policy at an Optimism of 1, which equals
	// Output.Policy where the network has no optimistic policy. The cache is not used.
	Optimistic *[board.MaxMoves]float32
	// PolicyTemperature divides the policy logits; 0 means 1.
	PolicyTemperature float32
	// Meta is the profile of the players, for networks with metadata inputs; nil: the
	// server's default.
	Meta *features.Meta
	// Encoded, if not nil, are the network's inputs, in place of the encoded game; the
	// game still gives legal moves and rules. The cache is not used.
	Encoded *Encoded
}

// Encoded holds the encoded inputs of a position, in board order.
type Encoded struct {
	Encoding features.Encoding
	Spatial  []float32 // [C,H,W]
	Global   []float32 // [G]
}

// Output is the evaluation of a position. All numbers are for the side to move, all
// points in board order, whatever symmetry was used.
type Output struct {
	// Policy holds a probability at Size.Index of every legal move, sum 1, and
	// -1 where a move is illegal. Only the first Area+1 entries are set.
	Policy [board.MaxMoves]float32
	// Win, Loss and NoResult are probabilities, sum 1.
	Win, Loss, NoResult float32
	// ScoreMean is the expected final score in points, including komi; ScoreStdev its standard
	// deviation; ScoreMeanSq the expected square. Lead is the number of points that would make the
	// game even. 0 without HasScore.
	ScoreMean, ScoreStdev, ScoreMeanSq, Lead float32
	// VarTimeLeft is how long the outcome stays open, in moves; ErrWinLoss and ErrScore are the
	// network's estimates of its own errors of value and score. -1 if the network has none.
	VarTimeLeft, ErrWinLoss, ErrScore float32
	HasScore, HasOwnership            bool
	// Ownership is in [-1,1], + = side to move; the first Area entries are
	// set if HasOwnership.
	Ownership [board.MaxPoints]float32
	Symmetry  int8 // orientation in which the position was shown
	FromCache bool
}

// Value returns win minus loss for the side to move, in [-1,1].
func (o *Output) Value() float32 { return o.Win - o.Loss }

// Evaluator answers queries. Any number of goroutines may call it.
type Evaluator interface {
	// Evaluate stores the answer in out, which is not valid after an error. The end of ctx cancels
	// the query while it waits for a batch.
	Evaluate(ctx context.Context, q *Query, out *Output) error
}
