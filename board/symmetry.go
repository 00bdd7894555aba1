package board

// Symmetry is one of the eight ways to turn and mirror a square board: bit 0
// flips the rows, bit 1 flips the columns, bit 2 transposes, applied in that
// order to a location. On a board that is not square the transposition is left
// out, so only 0 to 3 differ there.
type Symmetry uint8

// NumSymmetries is the number of symmetries of a square board.
const NumSymmetries = 8

// Symmetries returns how many symmetries of the board differ: 8 for a square, 4 otherwise. The
// symmetries below that number are all different.
func (s Size) Symmetries() int {
	if s.W == s.H {
		return NumSymmetries
	}
	return NumSymmetries / 2
}

// Inverse returns the symmetry that undoes k.
func (k Symmetry) Inverse() Symmetry {
	if k&4 != 0 {
		return 4 | k&1<<1 | k>>1&1
	}
	return k
}

// SymMap returns where the content of p moves to under k. Points off the board,
// Pass among them, stay themselves.
func (s Size) SymMap(k Symmetry, p Point) Point {
	if !s.Contains(p) {
		return p
	}
	x, y := s.XY(p)
	if k&2 != 0 {
		x = s.W - 1 - x
	}
	if k&1 != 0 {
		y = s.H - 1 - y
	}
	if k&4 != 0 && s.W == s.H {
		x, y = y, x
	}
	return s.Point(x, y)
}

// SymTable returns the map of a symmetry for all points of a board: table[p] is
// where p moves to. The table is shared and must not be written to. The size
// must pass Check.
func SymTable(s Size, k Symmetry) []Point {
	return geometryOf(s).sym[k&7]
}
