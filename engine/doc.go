// Package engine plays one side of a game of Go, or both. An [Engine] wires its parts: timer
// (both clocks), thinker (the search tree that follows the game, pondering), judge (dead stones,
// score, lead, passing), rank (levels), ownValues (resignation) and records.
//
// GTP and the JSON analysis protocol drive an [Engine], which knows neither of them. It is not safe
// for concurrent use. Before a method changes anything, it stops pondering and waits for the end of
// that search, so that the search tree always has exactly one owner.
//
// Views: numbers of a [thinking.Analysis] are from the view of the analysed side; [Engine.FinalScore] and
// raw network values are White's, as GTP reports them.
package engine
