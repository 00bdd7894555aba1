// Package sgf reads and writes game trees in the Smart Game Format, FF[4], as
// described at red-bean.com/sgf, and turns Go games into move lists and back.
//
// Terms. A node is an ordered list of properties; a property is an identifier
// (B, AW, C) with one or more values. A game tree is its root node; a file, or
// collection, is a list of game trees. The main line is the path that always
// takes the first child.
//
// Invariants. A value is held as it stands between its brackets: escapes kept,
// but always UTF-8, whatever the file was written in. Text and Escape convert.
// Values so held are written back byte for byte, so reading what was written
// gives an equal tree; Equal says what equal means.
//
// Reading is lenient, as the world of records is: junk around the game trees, FF[3]
// long property names (Black[dd]), lower-case names, points of a rectangle
// (AB[aa:cc]), tt as a pass where it is not a point, brackets and parentheses that are
// missing, files that are cut off. [Node.Notes] and [Record.Notes] say in plain
// sentences what was mended, assumed or left out. Neither reading nor writing
// recurses, so depth costs memory only, and Options bounds the memory that a hostile
// file may take.
//
// Charsets. In a file that is not UTF-8, bytes of characters may be brackets and
// backslashes. A value therefore ends at the nearest bracket behind which the record
// goes on as records do, whatever its charset; which that is, is decided afterwards
// for a game tree as a whole, by how much its text reads like names and remarks, with
// an advantage for what CA says. Text that is valid UTF-8 is taken as UTF-8.
//
// The meaning of a game has one owner each: [Record.Komi] for komi, [Record.RulesOr] for
// rules and what is assumed, [Record.Handicap] for the stones, [Record.Playable] for
// moves that are forbidden or cannot be played.
package sgf
