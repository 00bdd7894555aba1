// Package solver searches the game of a question of life and death for proofs.
//
// A state consists of the stones on an area of at most 19x19 points, the point that basic ko bans,
// the side to move, and the ko threats that each side has elsewhere (a number, or endless). A pass
// is always legal and lifts the ban: it is a move elsewhere. A retake of the banned point costs a
// threat. Chains that are alive by assumption are never captured.
//
// Unless positions repeat, exactly one goal of a contest is reached: capture or hold, deny or
// settle. [Search.Decide] searches for proofs of both by df-pn (Nagai 2002). Of the loser's moves,
// a proof leaves out only those outside relevance zones (Shih, Wu, Wei and Wu 2022).
package solver
