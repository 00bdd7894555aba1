// Package review finds the mistakes in a game record: the points that each move
// lost, the better move and the reason.
//
// # Terms
//
// A ply is a move of the main line, counted from 0; position t is the one before
// ply t, and there is one more position than plies. The lead is the number of
// points by which Black is ahead, komi included. The loss of a move, in points, is
// the mover's lead before the move minus the lead after it; both positions are
// searched. A report has no negative losses. An error is one standard deviation.
//
// # Two passes
//
// The first pass searches every position with a few visits, every eighth position
// first, so that the graph takes shape early. The second pass spends the rest of
// the budget where it may change the list of the worst mistakes or the class of a
// move, doubling the visits there.
//
// # Invariants
//
//   - Stored and reported values are Black's; only a loss is the mover's.
//   - A search is sequential, without noise, in one orientation, and shares with
//     other searches only exact evaluations. So a review with a budget in visits is a
//     function of game, network and settings: neither parallel searches nor
//     interruptions change it.
//   - The result of a finished search is in the store before it is used.
//
// # Sources
//
// Bounds of the classes: KaTrain, LizzieYzy. Accuracy: KaTrain 1.18
// (core/ai.py, game report). Phases: KaTrain.
package review
