package board

import (
	"slices"
	"sync"
)

// PassAlive returns for each point the colour whose pass-alive chains or territory it belongs to
// (Benson 1976), else Empty. Territory consists of regions in which the opponent cannot live: all
// chains around such a region are pass-alive, and all but at most one of its points touch these
// chains. A region is vital to the chains that touch all its empty points and, with suicideLegal,
// also all the opponent's stones in it. The result is dst, made longer if need be.
func (b *Board) PassAlive(dst []Color, suicideLegal bool) []Color {
	return b.markAreas(dst, suicideLegal, false, false)
}

// PassAliveBig is like PassAlive, but also counts empty territory of any size. KataGo's older
// networks read this area.
func (b *Board) PassAliveBig(dst []Color, suicideLegal bool) []Color {
	return b.markAreas(dst, suicideLegal, true, false)
}

// FullArea returns the colour that each point counts for under area scoring: pass-alive areas of
// any size, other stones, and regions that touch only one colour count; all else is Empty. It
// differs from Area only in pass-alive territory, where the opponent's stones count as captured.
func (b *Board) FullArea(dst []Color, suicideLegal bool) []Color {
	dst = b.markAreas(dst, suicideLegal, true, true)
	for p := range dst {
		if dst[p] == Empty {
			dst[p] = b.cells[p].color
		}
	}
	return dst
}

// Area returns the colour that each point counts for by the Tromp-Taylor rules: stones, and empty
// regions that touch stones of one colour only.
func (b *Board) Area(dst []Color) []Color {
	dst = b.colorMap(dst)
	f := b.areaFinder()
	defer f.release()
	for p := range dst {
		dst[p] = b.cells[p].color
	}
	for i := range f.count {
		part := &f.parts[i]
		if owner := part.onlyColor(); owner != Empty {
			for _, p := range f.points[part.from:part.to] {
				dst[p] = owner
			}
		}
	}
	return dst
}

// colorMap returns dst resized to one entry for each point, all Empty.
func (b *Board) colorMap(dst []Color) []Color {
	if cap(dst) < b.geo.area {
		return make([]Color, b.geo.area)
	}
	dst = dst[:b.geo.area]
	clear(dst)
	return dst
}

// markAreas marks the areas of Black, then of White, as KataGo does: pass-alive chains and their
// territory. If safeBig is set it also marks empty regions of any size around which all chains are
// pass-alive, and if anyBig is set, all regions that touch one colour only. All other points of
// the result are Empty. The result is dst, made longer if need be.
func (b *Board) markAreas(dst []Color, suicideLegal, safeBig, anyBig bool) []Color {
	dst = b.colorMap(dst)
	f := b.areaFinder()
	defer f.release()
	for c := Black; c <= White; c++ {
		if b.state.stones[c] == 0 {
			continue
		}
		if f.findAlive(c, suicideLegal) {
			f.mark(dst, c, safeBig)
		}
		if !anyBig {
			continue
		}
		for i := range f.count {
			part := &f.parts[i]
			if part.onlyColor() != c {
				continue
			}
			for _, p := range f.points[part.from:part.to] {
				if dst[p] == Empty {
					dst[p] = c
				}
			}
		}
	}
	return dst
}

// emptyPart is a connected set of empty points. A region of a colour is a connected set of points
// without stones of that colour: it consists of empty parts and of the opponent's chains that join
// them. One part of a region, its root, holds the facts about the region.
type emptyPart struct {
	from, to int16    // range of the part's points in areaFinder.points
	touched  uint8    // bit c is set if a stone of colour c touches the part
	sides    [2]sided // facts for Black and for White
}

// sided holds one colour's facts about a part or, if the part is a root, about its whole region.
type sided struct {
	up    int16    // number of the region's root or, while regions grow, of a part closer to the root
	inner int16    // for a root: number of the region's points that no stone of the colour touches
	vital [4]Point // heads of the colour's chains that touch all points of the part
	count int8     // the number of vital chains, -1 until the part has its first point
	spoil bool     // for a root: the region touches a chain that is not pass-alive
}

// onlyColor returns the colour that touches the part if there is just one.
func (p *emptyPart) onlyColor() Color {
	switch p.touched {
	case 1 << Black:
		return Black
	case 1 << White:
		return White
	}
	return Empty
}

// areaFinder finds the regions and pass-alive chains of one board.
type areaFinder struct {
	b      *Board
	parts  [MaxPoints/2 + 1]emptyPart
	count  int16            // the number of parts
	points [MaxPoints]Point // empty points, sorted by part
	// part has, at an empty point, 1 + the number of its part; at the head of a chain, 1 + the
	// number of one of the parts that the chain touches.
	part  [MaxPoints]int16
	lives [MaxPoints]int16 // at the head of a chain: how many regions are vital to it, -1 if it is not pass-alive
	stack [MaxPoints]Point // chains found not to be pass-alive, still to be processed; mark() keeps points here
	heads [MaxPoints]Point // the heads of all chains
	nHead int              // the number of heads
}

// finders keeps areaFinders for reuse: clearing a whole one takes longer than finding the areas of a
// small board.
var finders = sync.Pool{New: func() any { return new(areaFinder) }}

// areaFinder returns a finder that has found the connected parts of b's empty points. The caller must release it.
func (b *Board) areaFinder() *areaFinder {
	f := finders.Get().(*areaFinder)
	f.b, f.count, f.nHead = b, 0, 0
	clear(f.part[:b.geo.area])
	clear(f.lives[:b.geo.area])
	f.findParts()
	return f
}

func (f *areaFinder) release() {
	f.b = nil
	finders.Put(f)
}

// findParts finds the parts and links them into regions.
func (f *areaFinder) findParts() {
	end := int16(0)
	for p := range Point(f.b.geo.area) {
		if a := &f.b.cells[p]; a.color != Empty {
			if a.head == p {
				f.heads[f.nHead] = p
				f.nHead++
			}
			continue
		}
		if f.part[p] != 0 {
			continue
		}
		part := &f.parts[f.count]
		*part = emptyPart{from: end}
		for c := Black; c <= White; c++ {
			part.sides[c-Black].up, part.sides[c-Black].count = f.count, -1
		}
		f.count++
		end = f.fill(part, p)
	}
	// The root has the lowest number in its region, so after one pass in order the field up of
	// every part is its root.
	for i := range f.count {
		for c := Black; c <= White; c++ {
			s := &f.parts[i].sides[c-Black]
			s.up = f.parts[s.up].sides[c-Black].up
		}
	}
}

// fill collects in f.points the points of the newest part, of which p is one. It returns the index
// behind the last of them.
func (f *areaFinder) fill(part *emptyPart, p Point) int16 {
	cells, id := &f.b.cells, f.count
	f.points[part.from] = p
	f.part[p] = id
	end := part.from + 1
	for n := part.from; n < end; n++ {
		var heads [White + 1][4]Point
		var k [White + 1]uint8
		for _, q := range &f.b.geo.near[f.points[n]] {
			a := &cells[q]
			if a.color == Empty {
				if f.part[q] == 0 {
					f.part[q] = id
					f.points[end] = q
					end++
				}
				continue
			}
			if a.color == wall {
				continue
			}
			heads[a.color][k[a.color]&3] = a.head
			k[a.color]++
			switch f.part[a.head] {
			case id:
			case 0:
				f.part[a.head] = id
			default:
				f.link(a.color^3, id-1, f.part[a.head]-1)
			}
		}
		for c := Black; c <= White; c++ {
			if k[c] > 0 {
				part.touched |= 1 << c
			}
			if side := &part.sides[c-Black]; side.count != 0 {
				side.narrow(heads[c][:k[c]])
			}
		}
	}
	part.to = end
	return end
}

// narrow keeps only the vital chains whose heads are in the list. On the first call all chains in
// the list become vital.
func (s *sided) narrow(heads []Point) {
	kept := int8(0)
	if s.count < 0 {
		for _, h := range heads {
			if !slices.Contains(s.vital[:kept], h) {
				s.vital[kept] = h
				kept++
			}
		}
	} else {
		for _, h := range s.vital[:s.count] {
			if slices.Contains(heads, h) {
				s.vital[kept] = h
				kept++
			}
		}
	}
	s.count = kept
}

// link makes two parts belong to the same region of c.
func (f *areaFinder) link(c Color, i, j int16) {
	i, j = f.root(c, i), f.root(c, j)
	if i != j {
		f.parts[max(i, j)].sides[c-Black].up = min(i, j)
	}
}

// root returns the root of the region of c that a part belongs to, while regions
// still grow.
func (f *areaFinder) root(c Color, i int16) int16 {
	for f.parts[i].sides[c-Black].up != i {
		i = f.parts[i].sides[c-Black].up
	}
	return i
}

// regionAt returns the facts about c's region around a point without a stone of c.
func (f *areaFinder) regionAt(c Color, p Point) *sided {
	if a := &f.b.cells[p]; a.color != Empty {
		p = a.head
	}
	return &f.parts[f.parts[f.part[p]-1].sides[c-Black].up].sides[c-Black]
}
