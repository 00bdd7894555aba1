// Package level plays at the rank of a person: 30k to 9d.
//
// A level is a number, its dial. A short search with a fixed number of visits gives every plausible
// move a value, and [Player.Choose] draws a move: its probability rises with the network's policy
// and falls with the points that it loses; the dial weighs the two. The value of each move gets an
// error. Since people misjudge shapes, this error is not drawn again each turn but stays the same as
// long as the stones around the move do. A filter excludes moves that no rank makes: filling one's own
// eyes, giving away five stones for nothing. Passing is left to the search.
//
// A [Ladder] maps ranks to dials for one network and board size. It is measured by games against
// neighbouring dials and GNU Go ("engine match ladder"). Ranks of an engine are a matter of
// definition: see docs/levels.md.
package level
