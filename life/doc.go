// Package life answers whether stones live, with proofs.
//
// A question names chains of one side, the defender, as targets; the other side is the attacker. It
// is played as a game on the fight, the points that influence the question ([Question.Fight]). A state
// of the game consists of the stones, the point that basic ko bans, the side to move, and the ko
// threats that each side has elsewhere (a number, or endless). A pass is always legal and lifts the
// ban: it is a move elsewhere. A retake of the banned point costs a threat. Chains that are alive by
// assumption are never captured.
//
// The goals are capture (attacker), settle (defender: the target is pass-alive, Benson 1976), hold
// (defender: the target is not captured) and deny (attacker: it does not become pass-alive). Each
// is a least fixed point: a proof is a finite tree that does not depend on earlier moves, and a
// repetition counts against the side that seeks the goal. Unless positions repeat, exactly one of
// capture and hold is reached, and one of settle and deny; one search seeks both. A target is dead
// if it can be captured, alive if it can be settled, and in seki if it can be held and denied.
//
// Package solver has the game and searches for proofs. A result is called proved only if package
// check has verified it.
package life
