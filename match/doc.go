// Package match is a referee between two programs that speak GTP: it starts
// them, plays games, judges, records and does the statistics.
//
// Terms. Programs are called a and b, whatever colour they have. A fault is
// anything that a program does wrong: a crash, no answer in time, an illegal
// move, refusing a legal one. An opening is a list of moves that both programs
// are given; a pair is two games from one opening with colours exchanged. Elo
// numbers are a's advantage over b, logistic, 400 points for odds of ten to one.
//
// The referee believes nobody. It keeps its own board under the match's rules,
// measures time itself and counts the score itself. Only what is dead is asked
// of the programs, and only what both say counts; pass-alive stones are never dead.
//
// How a game is decided:
//   - An illegal or unreadable move, a crash, no answer, refusing the
//     opponent's legal move or overstepping the clock loses at once.
//   - A resignation loses.
//   - After two passes: under area scoring, stones that both programs call dead
//     are taken off and the rest is counted; where they disagree, or cannot say,
//     the position counts as it stands. Under territory scoring, the agreed dead
//     stones make the score; else the programs' final_score, where both give
//     the same; else nobody wins, and the game counts as an unscored draw.
//   - At Config.MaxMoves: the position as it stands under area scoring; an
//     unscored draw under territory scoring.
//   - A position repeated without end where the rules allow it (simple ko) is a
//     draw without result.
//   - If both programs fail to start again in mid-match, the game is an
//     unscored draw. A program that fails at its very first start, or three times
//     in a row before its first move, ends the match: that says nothing of playing strength.
//
// The statistics are package elo's. Games that were an earlier one over again, the same
// moves by the same colours on a board that may be turned, count once in all of them.
package match
