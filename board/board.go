package board

import (
	"slices"
	"strings"
)

// cell is one point of a Board. The fields libs and size are kept only at the head of a
// chain.
type cell struct {
	color Color
	head  Point // the point that identifies the chain
	next  Point // the next stone of the chain, in a circle
	libs  int16 // liberties of the chain
	size  int16 // stones of the chain
}

// state is everything that a Play may change in a Board, except the cells.
type state struct {
	hash     Hash
	ko       Point
	stones   [White + 1]int16
	captured [White + 1]int32
}

type change struct {
	at  Point
	old cell
}

// mark is the beginning of a Play in the undo record.
type mark struct {
	state state
	log   int // number of changes recorded before the Play
}

// Board is stones on points with their chains, the simple ko point, the numbers of captured
// stones and a hash. It knows no side to move, no superko and no score. Copy it with CopyFrom
// only. The zero value is not usable; NewBoard and PlaceStones make boards.
type Board struct {
	geo   *geometry
	state state
	// vacated holds all points from which stones were removed since the game last emptied its list of
	// earlier positions. It may hold other points too, since Undo takes none out of it.
	vacated pointSet
	log     []change
	marks   []mark
	cells   [MaxPoints + 1]cell // cells[area] is the wall around the board
}

// keptUndo is how many Plays can be undone in a copy: as many as the longest
// history that a network is shown.
const keptUndo = 8

// NewBoard returns an empty board. It panics if the size does not pass Check, so
// callers must check a size that comes from input.
func NewBoard(s Size) *Board {
	if err := s.Check(); err != nil {
		panic(err)
	}
	b := new(Board)
	b.reset(geometryOf(s))
	return b
}

func (b *Board) reset(geo *geometry) {
	b.geo = geo
	clear(b.cells[:geo.area])
	b.cells[geo.area] = cell{color: wall}
	b.state = state{hash: zobrist.width[geo.size.W].xor(zobrist.height[geo.size.H]), ko: NoPoint}
	b.vacated = pointSet{}
	b.forget()
}

func (b *Board) forget() {
	b.log, b.marks = b.log[:0], b.marks[:0]
}

// CopyFrom makes b equal to src, whatever the size of b was, but copies only the
// last eight Plays of src's undo record. It allocates nothing once b's undo
// record has room for eight moves.
func (b *Board) CopyFrom(src *Board) {
	if b == src {
		return
	}
	b.geo, b.state, b.vacated = src.geo, src.state, src.vacated
	n := src.geo.area + 1
	copy(b.cells[:n], src.cells[:n])
	b.copyUndo(src.marks, src.log)
}

// copyUndo copies the last Plays of an undo record, which may be b's own.
func (b *Board) copyUndo(marks []mark, log []change) {
	if len(marks) > keptUndo {
		marks = marks[len(marks)-keptUndo:]
	}
	if len(marks) == 0 {
		b.forget()
		return
	}
	from := marks[0].log
	b.log = append(b.log[:0], log[from:]...)
	b.marks = append(b.marks[:0], marks...)
	for i := range b.marks {
		b.marks[i].log -= from
	}
}

func (b *Board) Size() Size { return b.geo.size }

func (b *Board) At(p Point) Color { return b.cells[p].color }

// Liberties returns the number of liberties of the chain on p, 0 if p is empty.
func (b *Board) Liberties(p Point) int {
	if b.cells[p].color == Empty {
		return 0
	}
	return int(b.cells[b.cells[p].head].libs)
}

// ChainSize returns the number of stones of the chain on p, 0 if p is empty.
func (b *Board) ChainSize(p Point) int {
	if b.cells[p].color == Empty {
		return 0
	}
	return int(b.cells[b.cells[p].head].size)
}

// ChainHead returns the point that identifies the chain on p: the same for all its stones
// until the next stone is played. NoPoint if p is empty.
func (b *Board) ChainHead(p Point) Point {
	if b.cells[p].color == Empty {
		return NoPoint
	}
	return b.cells[p].head
}

// NextInChain returns the stone after p in its chain. Repeated calls return to p after ChainSize
// steps. p must hold a stone.
func (b *Board) NextInChain(p Point) Point { return b.cells[p].next }

// KoPoint returns the point that the opponent of the last mover may not play
// because of simple ko, or NoPoint.
func (b *Board) KoPoint() Point { return b.state.ko }

func (b *Board) ClearKo() { b.state.ko = NoPoint }

// Neighbors returns the neighbours of p on the board. The slice is shared and
// must not be written to.
func (b *Board) Neighbors(p Point) []Point { return b.geo.adj[p] }

// Chain appends the stones of the chain on p to dst, nothing if p is empty.
func (b *Board) Chain(dst []Point, p Point) []Point {
	if b.cells[p].color == Empty {
		return dst
	}
	for q := p; ; {
		dst = append(dst, q)
		if q = b.cells[q].next; q == p {
			return dst
		}
	}
}

// LibertyPoints appends the liberties of the chain on p to dst, each once.
func (b *Board) LibertyPoints(dst []Point, p Point) []Point {
	if b.cells[p].color == Empty {
		return dst
	}
	first := len(dst)
	left := int(b.cells[b.cells[p].head].libs)
	for q := p; ; {
		for _, l := range &b.geo.near[q] {
			if b.cells[l].color == Empty && !slices.Contains(dst[first:], l) {
				dst = append(dst, l)
				left--
			}
		}
		if q = b.cells[q].next; q == p || left == 0 {
			return dst
		}
	}
}

// String returns the stones row by row from the top: X for Black, O for White, a
// dot for an empty point, a line break after each row.
func (b *Board) String() string {
	var s strings.Builder
	for p := range b.geo.area {
		s.WriteByte(".XO#"[b.cells[p].color&3])
		if (p+1)%b.geo.size.W == 0 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// placement is the effect of a stone placed on an empty point.
type placement uint8

const (
	lives   placement = iota
	oneDies           // suicide of a single stone
	manyDie           // suicide with a chain of earlier stones
)

// placement returns the effect of a stone of c on the empty point p.
func (b *Board) placement(c Color, p Point) placement {
	kind := oneDies
	for _, q := range &b.geo.near[p] {
		a := &b.cells[q]
		switch {
		case a.color == Empty:
			return lives
		case a.color == wall:
		case (b.cells[a.head].libs == 1) != (a.color == c):
			return lives
		case a.color == c:
			kind = manyDie
		}
	}
	return kind
}

// IsSuicide reports whether a stone of c on the empty point p would be taken off
// at once, alone or with its chain.
func (b *Board) IsSuicide(c Color, p Point) bool { return b.placement(c, p) != lives }

// IsIllegalSuicide reports whether a stone of c on the empty point p is a suicide that the rules
// forbid. Suicide of a single stone is always forbidden.
func (b *Board) IsIllegalSuicide(c Color, p Point, suicideLegal bool) bool {
	kind := b.placement(c, p)
	return kind == oneDies || kind == manyDie && !suicideLegal
}

// Captured returns how many stones of colour c have been taken off, suicides
// included.
func (b *Board) Captured(c Color) int { return int(b.state.captured[c]) }

// Stones returns how many stones of colour c are on the board.
func (b *Board) Stones(c Color) int { return int(b.state.stones[c]) }

// Hash covers the stones and the size of the board and nothing else.
func (b *Board) Hash() Hash { return b.state.hash }

// hashAfter returns the hash after a stone of c on the empty point p, captures
// and suicide included, without playing it.
func (b *Board) hashAfter(c Color, p Point) Hash {
	h := b.state.hash.xor(zobrist.stone[c][p])
	var seen [4]Point
	n, alive := 0, false
	for _, q := range &b.geo.near[p] {
		a := b.cells[q]
		switch {
		case a.color == Empty:
			alive = true
		case a.color == c && b.cells[a.head].libs > 1:
			alive = true
		case a.color == c.Opponent() && b.cells[a.head].libs == 1:
			alive = true
			if !slices.Contains(seen[:n], a.head) {
				seen[n] = a.head
				n++
				h = h.xor(b.chainHash(q))
			}
		}
	}
	if alive {
		return h
	}
	h = h.xor(zobrist.stone[c][p])
	for _, q := range &b.geo.near[p] {
		if a := b.cells[q]; a.color == c && !slices.Contains(seen[:n], a.head) {
			seen[n] = a.head
			n++
			h = h.xor(b.chainHash(q))
		}
	}
	return h
}

// chainHash returns what the stones of a chain contribute to the hash.
func (b *Board) chainHash(p Point) Hash {
	table := &zobrist.stone[b.cells[p].color]
	var h Hash
	for q := p; ; {
		h = h.xor(table[q])
		if q = b.cells[q].next; q == p {
			return h
		}
	}
}

// IsEye reports whether the empty point p is an eye of c that should not be filled, as random
// players judge it: all its neighbours are stones of c, and the opponent holds at most one of the
// diagonal points, none at the edge.
func (b *Board) IsEye(p Point, c Color) bool {
	for _, q := range b.Neighbors(p) {
		if b.At(q) != c {
			return false
		}
	}
	size := b.Size()
	x, y := size.XY(p)
	others, edge := 0, 0
	for _, d := range [4][2]int{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
		dx, dy := x+d[0], y+d[1]
		if dx < 0 || dy < 0 || dx >= size.W || dy >= size.H {
			edge = 1
		} else if b.At(size.Point(dx, dy)) == c.Opponent() {
			others++
		}
	}
	return others+edge < 2
}
