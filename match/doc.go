// Package match is a referee between two programs that speak GTP: it starts
// them, plays and records games, and computes statistics.
//
// Terms. The programs are a and b, whatever colour they have. A fault is a
// crash, no answer in time, an overstepped clock, an illegal move, or the refusal
// of a legal one. An opening is a list of moves that both programs are given; a
// pair is two games from one opening with colours exchanged. Elo numbers are a's
// advantage over b, logistic, 400 points for odds of ten to one.
//
// The referee keeps its own board under the match's rules, measures time and
// counts the score. It asks the programs only for dead stones and, under
// territory scoring, for their final_score. It uses an answer only if both agree;
// pass-alive stones are never dead.
//
// A game is decided as follows:
//   - An illegal or unreadable move, a crash, no answer, refusing the
//     opponent's legal move or overstepping the clock loses at once.
//   - A resignation loses.
//   - After two passes: under area scoring, stones that both programs call dead
//     are taken off and the rest is counted; if the programs disagree, or cannot say,
//     the position counts as it stands. Under territory scoring, the dead stones
//     decide the score if both agree on them, else the programs' final_score if
//     both give the same; else nobody wins, and the game counts as an unscored draw.
//   - At Config.MaxMoves: the position as it stands under area scoring; an
//     unscored draw under territory scoring.
//   - A position repeated without end where the rules allow it (simple ko) is a
//     draw without result.
//   - If both programs fail to start again in mid-match, the game is an
//     unscored draw. A program that fails at its very first start, or three times
//     in a row before its first move, ends the match.
//
// The statistics come from package elo. A game that repeats an earlier one, with the same
// moves and colours in any orientation of the board, does not count.
package match
