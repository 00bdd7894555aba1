// Package board holds the rules of Go: points, chains and liberties, captures,
// ko and superko, legality, areas and scores, pass-alive groups, ladders,
// symmetries and hashes. It knows no network, no search and no protocol.
//
// # Terms
//
// A point is one intersection; its index counts row by row from the top left,
// so it is also the index of the move in a network's policy. A chain is a
// maximal set of connected stones of one colour, a liberty an empty point next
// to it. A region of a colour is a connected set of points that hold no stone
// of that colour. Pass-alive is Benson's unconditional life (Benson 1976).
//
// # Two types
//
// A Board is stones and what follows from stones alone: chains with exact
// liberty counts, the simple ko point, the numbers of captured stones and a
// Zobrist hash. A Game is a start and moves, with the position that they lead to
// (position.go): a Board with rules, the side to move and everything else that the
// rules ask to remember: superko, passes, the button, the clean-up phases of
// territory scoring, handicap and bonus points.
//
// # Invariants
//
//   - Every chain on a Board has at least one liberty, except within Play.
//   - Liberty counts are exact, not pseudo-liberties.
//   - A Board or Game holds no pointer into another one; only tables that never
//     change are shared. CopyFrom is the way to copy: a plain assignment would
//     share the undo record.
//   - Methods that do not change a value may run in several goroutines at once
//     on the same value: none of them caches anything.
//   - A method that returns an error has changed nothing.
//
// The state machine of a game (phases, keys of earlier positions, bonuses),
// full area, independent life and the ladder search follow KataGo's definitions
// (https://github.com/lightvector/KataGo), so that KataGo's networks see the
// positions they were trained on.
package board
