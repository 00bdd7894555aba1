package board

import "sync/atomic"

// geometry holds data that depend only on the board size: neighbours and symmetries. It is built
// once per size and never changes.
type geometry struct {
	size Size
	area int
	// near holds the four neighbours of every point. A neighbour beyond the edge has the index
	// geometry.area, where every board keeps a wall.
	near [MaxPoints][4]Point
	adj  [MaxPoints][]Point // the neighbours that are on the board
	sym  [NumSymmetries][]Point
}

var geometries [MaxSize + 1][MaxSize + 1]atomic.Pointer[geometry]

// geometryOf returns the shared geometry of a size that passes Check. If two callers build it at
// once, one of the equal results is kept.
func geometryOf(s Size) *geometry {
	slot := &geometries[s.W][s.H]
	if g := slot.Load(); g != nil {
		return g
	}
	slot.CompareAndSwap(nil, newGeometry(s))
	return slot.Load()
}

func newGeometry(s Size) *geometry {
	g := &geometry{size: s, area: s.Area()}
	for y := range s.H {
		for x := range s.W {
			p := s.Point(x, y)
			steps := [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}}
			for i, d := range steps {
				nx, ny := x+d[0], y+d[1]
				if nx < 0 || ny < 0 || nx >= s.W || ny >= s.H {
					g.near[p][i] = Point(g.area)
					continue
				}
				q := s.Point(nx, ny)
				g.near[p][i] = q
				g.adj[p] = append(g.adj[p], q)
			}
		}
	}
	for k := range g.sym {
		table := make([]Point, g.area)
		for p := range table {
			table[p] = s.SymMap(Symmetry(k), Point(p))
		}
		g.sym[k] = table
	}
	return g
}
