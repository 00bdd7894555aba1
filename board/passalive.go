package board

// findAlive finds the pass-alive chains of c (Benson 1976): it removes chains with fewer than two
// vital regions, and regions that touch them, until nothing changes. It reports whether any chains
// are left. If so, f.lives is at least 0 at the heads of those chains and -1 at the heads of c's
// other chains.
func (f *areaFinder) findAlive(c Color, suicideLegal bool) bool {
	if f.count < 2 {
		return false
	}
	f.joinVital(c)
	if suicideLegal {
		f.narrowByStones(c)
	}
	for i := range f.count {
		if s := &f.parts[i].sides[c-Black]; s.up == i {
			for _, h := range s.vital[:s.count] {
				f.lives[h]++
			}
		}
	}
	b, height, alive := f.b, 0, 0
	for _, h := range f.heads[:f.nHead] {
		switch {
		case b.cells[h].color != c:
		case f.lives[h] < 2:
			f.lives[h] = -1
			f.stack[height] = h
			height++
		default:
			alive++
		}
	}
	for alive > 0 && height > 0 {
		height--
		head := f.stack[height]
		for q := head; ; {
			for _, l := range &b.geo.near[q] {
				if d := b.cells[l].color; d == c || d == wall {
					continue
				}
				if s := f.regionAt(c, l); !s.spoil {
					n := f.spoil(s, height)
					alive -= n - height
					height = n
				}
			}
			if q = b.cells[q].next; q == head {
				break
			}
		}
	}
	return alive > 0
}

// joinVital gives every root the chains that are vital to all parts of its
// region.
func (f *areaFinder) joinVital(c Color) {
	for i := range f.count {
		s := &f.parts[i].sides[c-Black]
		if s.up == i {
			continue
		}
		if r := &f.parts[s.up].sides[c-Black]; r.count > 0 {
			r.narrow(s.vital[:s.count])
		}
	}
}

// narrowByStones keeps, of the chains that touch all empty points of a region, those that also touch
// all the opponent's stones in it.
func (f *areaFinder) narrowByStones(c Color) {
	b := f.b
	for p := range Point(b.geo.area) {
		if b.cells[p].color != c^3 {
			continue
		}
		s := f.regionAt(c, p)
		if s.count <= 0 {
			continue
		}
		var heads [4]Point
		k := 0
		for _, q := range &b.geo.near[p] {
			if a := &b.cells[q]; a.color == c {
				heads[k] = a.head
				k++
			}
		}
		s.narrow(heads[:k])
	}
}

// spoil removes a region. It pushes chains that now have fewer than two vital regions on the stack,
// and returns the stack's new height.
func (f *areaFinder) spoil(s *sided, height int) int {
	s.spoil = true
	for _, h := range s.vital[:s.count] {
		if f.lives[h] < 0 {
			continue
		}
		f.lives[h]--
		if f.lives[h] < 2 {
			f.lives[h] = -1
			f.stack[height] = h
			height++
		}
	}
	return height
}

// mark writes the pass-alive chains of c and their territory to dst.
func (f *areaFinder) mark(dst []Color, c Color, safeBig bool) {
	b, n := f.b, 0
	for p := range Point(b.geo.area) {
		if a := &b.cells[p]; a.color == c {
			if f.lives[a.head] >= 0 {
				dst[p] = c
			}
			continue
		}
		s := f.regionAt(c, p)
		if s.spoil {
			continue
		}
		f.stack[n] = p
		n++
		touches := false
		for _, q := range &b.geo.near[p] {
			touches = touches || b.cells[q].color == c
		}
		if !touches {
			s.inner++
		}
	}
	for _, p := range f.stack[:n] {
		// An empty part that only c touches is a whole region, without opponent's stones.
		big := safeBig && b.cells[p].color == Empty && f.parts[f.part[p]-1].onlyColor() == c
		if big || f.regionAt(c, p).inner <= 1 {
			dst[p] = c
		}
	}
}
