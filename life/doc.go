// Package life answers "is it alive?" with proofs.
//
// A question names chains of one side, the defender, on a board; the other side is
// the attacker. The game of a question is exact: a state is stones, the point that
// basic ko bans, the side to move, and the threats that each side has elsewhere (0 to
// 3, or endless). A pass is always legal and lifts the ban: it is a move elsewhere. A
// retake of the banned point costs a threat. Chains that are alive by assumption are
// never taken.
//
// Four goals are asked for: capture and settle (the target is pass-alive: Benson 1976),
// and for what lies between, hold and deny. Each is a least fixed point, so that a
// proof is a finite tree without history, and a repetition counts against the side
// that wants the goal. Of capture and hold, and of settle and deny, one is reached but
// for repetitions: one search looks for both. A target is dead if it can be captured, alive
// if it can be settled, and in seki if it can be held and life can be denied.
//
// Package solver has the game and searches for proofs. Nothing is called proved that
// package check has not verified.
package life
