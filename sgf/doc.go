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
// Reading is lenient where the world is: junk around the game trees, FF[3]
// long property names (Black[dd]), lower-case names, points of a rectangle
// (AB[aa:cc]), tt as a pass on boards up to 19x19, a wrong or missing charset.
// Everything else is a SyntaxError with line, column and offset. Neither
// reading nor writing recurses, so depth costs memory only, and Options bounds
// the memory that a hostile file may take.
package sgf
