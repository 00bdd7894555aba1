// Package engine is one seat at a Go table: the game on the board, the search
// tree that follows it, both clocks, pondering, and what a player decides
// besides the move itself: when to resign, when to pass, how to score.
//
// GTP and the JSON analysis protocol both drive an [Engine]; it knows neither.
// An Engine is used by one goroutine at a time. Whatever runs in the background
// (pondering) is stopped and joined before a method changes anything, so that
// the search tree always has exactly one owner.
//
// Views: numbers of an [Analysis] are from the view of the analysed side;
// [Engine.FinalScore] and raw network values are White's, as GTP reports them.
package engine
