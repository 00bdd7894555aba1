package board

// IndependentLife returns the full area of the groups that do not stand in a
// kind of seki, and the number of White's such groups minus Black's. A connected
// part of the full area of one colour is seki-like if it touches a point that
// belongs to nobody, or holds a chain in atari. Points of seki-like parts are
// Empty, unless keepTerritory asks for those without a stone of their owner, or
// keepStones for those with one. The result is dst, made longer if need be.
func (b *Board) IndependentLife(dst []Color, keepTerritory, keepStones, suicideLegal bool) (owners []Color, whiteMinusBlack int) {
	var fullStore [MaxPoints]Color
	full := b.FullArea(fullStore[:0], suicideLegal)
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
		if c == White {
			whiteMinusBlack++
		} else {
			whiteMinusBlack--
		}
	}
	for p, c := range full {
		if own := b.cells[p].color == c; c != Empty && (keepTerritory && !own || keepStones && own) {
			dst[p] = c
		}
	}
	return dst, whiteMinusBlack
}

// sekiPart collects the connected part of equal colour in full that p belongs
// to, marks it as seen, and tells its length and whether it is seki-like.
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
