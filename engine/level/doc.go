// Package level plays at the rank of a person: 30k to 9d.
//
// A level is a dial. From a short search of fixed visits, which gives every
// plausible move a value, [Player.Choose] draws a move: the likelier the network
// thinks it and the fewer points it loses, the more often, with the weights set
// by the dial. The values of moves get an error that stays the same for as long as
// the stones around a point do, as people misjudge shapes; it is not drawn anew each
// turn. A screen keeps out moves that players of no rank make: filling one's own eyes,
// giving away five stones for nothing. Passing is left to the search.
//
// [Table] holds which dial plays at which rank, measured by games against
// neighbours and GNU Go ("engine match ladder"), for one network and board size.
// Ranks of an engine are a matter of definition: see docs/levels.md.
package level
