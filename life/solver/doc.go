// Package solver searches the game of a question of life and death, and proves what it
// finds.
//
// A state is stones on an area of at most 19x19 points, the point that basic ko bans, the
// side to move, and the threats that each side has elsewhere (a number, or endless). A pass
// is always legal and lifts the ban: it is a move elsewhere. A retake of the banned point
// costs a threat. Chains that are alive by assumption are never taken.
//
// Of the goals of a contest, capture and hold, or deny and settle, one is reached but for
// repetitions: [Search.Decide] looks for proofs of both by df-pn (Nagai 2002). What prunes
// a proof are relevance zones alone (Shih, Wu, Wei and Wu 2022).
package solver
