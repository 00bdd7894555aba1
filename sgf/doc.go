// Package sgf reads and writes game trees in the Smart Game Format, FF[4], as
// described at red-bean.com/sgf, and turns Go games into move lists and back.
//
// Terms. A node is an ordered list of properties; a property is an identifier
// (B, AW, C) with one or more values. A game tree is its root node; a file, or
// collection, is a list of game trees. The main line is the path that always
// takes the first child.
//
// Invariants. A value is the text between its brackets, with its escapes, but always in
// UTF-8, whatever the charset of the file. Text converts it to plain text, Escape back. Values are
// written byte for byte, so a tree that is written and read again is equal.
//
// Reading is lenient: it accepts junk around the game trees, FF[3] long property names
// (Black[dd]), lower-case names, points of a rectangle (AB[aa:cc]), tt as a pass where it
// is not a point, missing brackets and parentheses, and files that are cut off.
// [Node.Notes] and [Record.Notes] say in plain sentences what was mended, assumed or left
// out. Neither reading nor writing recurses, so depth costs memory only, and Options bounds
// the memory that a hostile file may take.
//
// Charsets. In a file that is not UTF-8, bytes of characters may be brackets and
// backslashes. A value therefore ends at the nearest bracket after which a property, a node
// or the end of a tree follows, whatever the charset. The charset is guessed afterwards for
// a game tree as a whole: the one in which its text reads most like names and remarks, with
// an advantage for the one in CA. Text that is valid UTF-8 is taken as UTF-8.
//
// Komi is interpreted in one place, [Record.Komi], and so are the rules ([Record.RulesOr]),
// the handicap stones ([Record.Handicap]) and moves that are forbidden or cannot be played
// ([Record.Playable]).
package sgf
