// Package review finds the mistakes in a game record: a game in, the points that
// each move lost out, with what was better and why.
//
// # Terms
//
// A ply is a move of the main line, counted from 0; position t is the one before
// ply t, and there is one more position than plies. The lead is the number of
// Points by which Black is ahead, komi in. The loss of a move is the lead of the
// mover before it minus the lead after it, in points, both from searches of their
// own; it is never negative in a report. Its error is one standard deviation.
//
// # Two passes
//
// The first pass searches every position with a few visits, every eighth position
// first, so that a graph has its shape early. The second one spends the rest of
// the budget where it may change the list of the worst mistakes or the class of a
// move, doubling visits there.
//
// # Invariants
//
//   - Values that are kept and reported are Black's; only a loss is the mover's.
//   - A search is sequential, without noise, in one orientation, and shares only
//     evaluations that a network would give again. So a review with a budget in
//     visits is a function of game, network and settings, however many positions
//     are searched at once and however often it was interrupted.
//   - The result of a finished search is in the store before it is used.
//
// # Sources
//
// Borders of the classes: KaTrain, LizzieYzy. Accuracy: KaTrain 1.18
// (core/ai.py, game report). Phases: KaTrain.
package review
