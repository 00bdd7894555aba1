// Package features turns a game into the inputs of a neural network.
//
// An encoding is a fixed list of planes (one value per point) and globals (one value per position).
// All encoders are pure functions of the game and of [Options]; they write every value of their
// rows and allocate nothing.
//
// Terms. "Own" is the side to move, "opponent" the other side: only the
// side-to-move planes of Seed22, Mini7 and AGZ17 tell Black from White. Planes are
// channels first: the value of plane c at point p is at c*W*H + p, with p the
// board's point index (rows from the top). The planes are exactly as large as the
// board.
//
// Encodings:
//   - V7 and the older V3 to V6 are KataGo's input versions, so that KataGo's
//     networks run unchanged (github.com/lightvector/KataGo, nninputs.cpp; the
//     ladder and area planes are described in docs/KataGoMethods.md and in
//     "Accelerating Self-Play Learning in Go", arXiv 1902.10565, appendix A).
//   - Seed22 is a self-contained 22-plane encoding for dual-head and four-head
//     networks without global inputs.
//   - AGZ17 and AGZ17Split are AlphaGo Zero's: the stones of eight boards and the side to
//     move, in the paper's order and in that of many programs.
//   - Mini7 is the smallest useful encoding: stones, two last moves, legality
//     and the side to move.
package features
