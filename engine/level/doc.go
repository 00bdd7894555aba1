// Package level plays at the rank of a person: 30k to 9d.
//
// A level is a dial. From a short search of fixed visits, which gives every plausible move a
// value, [Player.Choose] draws a move: its probability rises with the network's policy and falls
// with the points that it loses; the dial weighs the two. The values of moves get an error that
// stays the same as long as the stones around a point do, since people misjudge shapes; it is not
// drawn again each turn. A filter excludes moves that no rank makes: filling one's own eyes,
// giving away five stones for nothing. Passing is left to the search.
//
// [Table] maps ranks to dials, measured by games against neighbours and GNU Go ("engine match
// ladder"), for one network and board size. Ranks of an engine are a matter of definition: see
// docs/levels.md.
package level
