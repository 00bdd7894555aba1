// Package thinking holds the values that pass between callers of an engine and the engine: requests
// for moves and analyses, and the results of searches, networks and counting. The Go Text Protocol,
// the engine, the search, the JSON protocol and the web page share them, so that none has to translate
// the values of another.
//
// Values are plain: they own no goroutine, file or lock, and the receiver may keep them unless
// their comment says otherwise. Units and views are the same everywhere:
//
// - A winrate is a probability in [0,1]; a game without result is half a win. A utility is what
// the search maximises, about [-1.5,1.5]. Leads and scores are points, komi and bonuses included.
// - Each type states the view of its numbers: that of a side (Analysis.ToMove) or White's
// (Evaluation, Estimate). Standard deviations, errors, visits and weights have no side.
// - A list by point has W*H entries in the order of [board.Point], rows from the top; one by move
// has W*H+1 in the order of board.Size.Index, pass last. Ownership is in [-1,1], + for the
// side whose view it is.
package thinking
