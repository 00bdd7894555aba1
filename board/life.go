package board

// Keep says which points of seki-like parts count for their owners. See [Board.IndependentLife] for these parts.
type Keep uint8

// Points of seki-like parts that may be kept.
const (
	KeepNothing   Keep = iota
	KeepStones         // points with a stone of the owner
	KeepTerritory      // points without a stone of the owner
	// KeepSafeTerritory is KeepTerritory without empty points whose owner has a chain in atari
	// beside them, such as a ko mouth in a seki (KataGo's rules version 3).
	KeepSafeTerritory
)

// IndependentLife returns the full area without its seki-like parts, and the number of the other
// parts, White's minus Black's. A connected part of the full area of one colour is
// seki-like if it touches a neutral point or holds a chain in atari. Points of seki-like parts are
// Empty, unless keep says otherwise. The result is dst, made longer if need be.
func (b *Board) IndependentLife(dst []Color, keep Keep, suicideLegal bool) (owners []Color, whiteMinusBlack int) {
	var fullStore [MaxPoints]Color
	full := b.FullArea(fullStore[:0], suicideLegal)
	dst, whiteMinusBlack = b.livesApart(dst, full)
	if keep == KeepNothing {
		return dst, whiteMinusBlack
	}
	for p, c := range full {
		if c == Empty || (b.cells[p].color == c) != (keep == KeepStones) {
			continue
		}
		if keep != KeepSafeTerritory || b.cells[p].color != Empty || !b.besideAtari(Point(p), c) {
			dst[p] = c
		}
	}
	return dst, whiteMinusBlack
}

// besideAtari reports whether a chain of c that touches p is in atari.
func (b *Board) besideAtari(p Point, c Color) bool {
	for _, q := range b.geo.adj[p] {
		if a := &b.cells[q]; a.color == c && b.cells[a.head].libs == 1 {
			return true
		}
	}
	return false
}

// livesApart returns the owners of the points in those parts of an area that are not seki-like,
// and the number of such parts, White's minus Black's. The result is dst, made longer if need be.
func (b *Board) livesApart(dst, full []Color) (owners []Color, whiteMinusBlack int) {
	dst = b.colorMap(dst)
	var seen pointSet
	var part [MaxPoints]Point
	for p, c := range full {
		if c == Empty || seen.has(Point(p)) {
			continue
		}
		n, seki := b.sekiPart(&part, full, &seen, Point(p))
		if seki {
			continue
		}
		for _, q := range part[:n] {
			dst[q] = c
		}
		whiteMinusBlack += int(pointFor(c))
	}
	return dst, whiteMinusBlack
}

// sekiPart collects the connected part of full that contains p, marks it as seen, and returns its
// length and whether it is seki-like.
func (b *Board) sekiPart(part *[MaxPoints]Point, full []Color, seen *pointSet, p Point) (n int, seki bool) {
	c := full[p]
	seen.add(p)
	part[0] = p
	n = 1
	for i := 0; i < n; i++ {
		q := part[i]
		if a := &b.cells[q]; a.color == c && b.cells[a.head].libs == 1 {
			seki = true
		}
		for _, l := range b.geo.adj[q] {
			switch {
			case full[l] == c:
				if !seen.has(l) {
					seen.add(l)
					part[n] = l
					n++
				}
			case full[l] == Empty && b.cells[l].color == Empty:
				seki = true
			}
		}
	}
	return n, seki
}

// closeBorders fills the neutral points that one side or the other can fill without loss, and connects
// chains in atari, so that only neutral points of sekis stay open. It assumes that all stones are
// alive.
func (b *Board) closeBorders() {
	for changed := true; changed; {
		changed = false
		area := b.Area(nil)
		for p := range Point(b.geo.area) {
			switch c := b.cells[p].color; {
			case c != Empty:
				changed = b.connects(p) || changed
			case area[p] == Empty:
				first := Black
				if b.chainsAround(p, White) > b.chainsAround(p, Black) {
					first = White // White has more chains to connect here
				}
				changed = b.fills(first, p) || b.fills(first.Opponent(), p) || changed
			}
		}
	}
}

// fills plays a stone of c on p. If the stone puts chains of the opponent in atari, fills saves each
// by a move on its last liberty. It reports whether the moves captured nothing and left neither the stone
// nor these chains in atari; otherwise the board is unchanged.
func (b *Board) fills(c Color, p Point) bool {
	before := b.CanUndo()
	if b.Play(c, p) == 0 && b.At(p) == c && b.Liberties(p) > 1 {
		safe := true
		for _, q := range b.geo.adj[p] {
			safe = safe && (b.cells[q].color != c.Opponent() || b.Liberties(q) > 1 || b.connects(q))
		}
		if safe && b.Liberties(p) > 1 {
			return true
		}
	}
	for b.CanUndo() > before {
		b.Undo()
	}
	return false
}

// connects plays on the last liberty of the chain on p, if it is in atari, and reports whether the
// chain then has two liberties or more. Otherwise nothing has changed.
func (b *Board) connects(p Point) bool {
	if b.Liberties(p) != 1 {
		return false
	}
	c := b.At(p)
	if b.Play(c, b.lastLiberty(p)) == 0 && b.At(p) == c && b.Liberties(p) > 1 {
		return true
	}
	b.Undo()
	return false
}

// chainsAround returns how many chains of c touch p.
func (b *Board) chainsAround(p Point, c Color) (n int) {
	near := &b.geo.near[p]
	for i, q := range near {
		if b.cells[q].color == c && !b.headSeen(near[:i], c, b.cells[q].head) {
			n++
		}
	}
	return n
}
