package rows

import (
	"slices"

	"kosumi/board"
	"kosumi/nn/features"
)

// unpacker writes rows of sets into batches. One goroutine at a time.
type unpacker struct {
	maps map[mapKey][]int32
}

type mapKey struct {
	side int
	size board.Size
	sym  board.Symmetry
}

// sources returns, for each point of a board turned by a symmetry, the slot in
// the L x L array that its content comes from.
func (u *unpacker) sources(side int, size board.Size, sym board.Symmetry) []int32 {
	key := mapKey{side, size, sym}
	if m, ok := u.maps[key]; ok {
		return m
	}
	if u.maps == nil || len(u.maps) > 4096 {
		u.maps = map[mapKey][]int32{}
	}
	m := make([]int32, size.Area())
	for p, to := range board.SymTable(size, sym) {
		m[to] = int32(p/size.W*side + p%size.W)
	}
	u.maps[key] = m
	return m
}

func (b *Batch) prepare(l Layout, size board.Size, n int, wants Wants) {
	a := size.Area()
	b.Size, b.N, b.Wants = size, n, wants
	b.Spatial = sized(b.Spatial, n*l.Planes()*a, true)
	b.Global = sized(b.Global, n*l.Encoding.Globals(), true)
	b.Policy = sized(b.Policy, n*(a+1), true)
	b.Reply = sized(b.Reply, n*(a+1), wants.Reply)
	b.Globals = sized(b.Globals, n*Targets, true)
	b.Points = sized(b.Points, n*PointMaps*a, wants.Points)
}

func sized(a []float32, n int, wanted bool) []float32 {
	if !wanted {
		n = 0
	}
	return slices.Grow(a[:0], n)[:n]
}

// put writes row i of a set as row k of the batch: turned, and with a limited history.
func (u *unpacker) put(b *Batch, k int, s *Set, i int, sym board.Symmetry, history int) {
	l, a := s.Layout, b.Size.Area()
	from := u.sources(l.Side, b.Size, sym)
	planes := l.Planes()
	spatial := b.Spatial[k*planes*a : (k+1)*planes*a]
	u.planes(spatial, s, i, from, history)
	if n := l.Encoding.Globals(); n > 0 {
		copy(b.Global[k*n:(k+1)*n], s.global(i))
		for h := history; h < historyMoves && l.Encoding == features.V7; h++ {
			b.Global[k*n+h] = 0
		}
	}
	g := s.targets(i)
	globals := b.Globals[k*Targets : (k+1)*Targets]
	copy(globals, g)
	taught := tidyTaught(globals)
	policy := s.policy(i)
	half := len(policy) / policyRows
	normalise(b.Policy[k*(a+1):(k+1)*(a+1)], policy[:half], from)
	if b.Wants.Reply {
		normalise(b.Reply[k*(a+1):(k+1)*(a+1)], policy[half:], from)
	}
	if b.Wants.Points {
		points := b.Points[k*PointMaps*a : (k+1)*PointMaps*a]
		u.points(points, s.points(i), l.Area(), from)
		if taught {
			for p := range a {
				points[p] /= taughtOwnerScale
			}
		}
	}
}

const historyMoves = 5

// Planes of V7 that depend on the history.
const (
	v7LastMove   = 9 // five planes
	v7Ladder     = 14
	v7LadderPast = 15
	v7LadderOld  = 16
)

func (u *unpacker) planes(dst []float32, s *Set, i int, from []int32, history int) {
	l, a := s.Layout, len(from)
	row, nb := s.binary(i), l.PlaneBytes()
	for plane := range l.Planes() {
		source := plane
		if l.Encoding == features.V7 && history < historyMoves {
			switch {
			case plane >= v7LastMove+history && plane < v7LastMove+historyMoves:
				clear(dst[plane*a : (plane+1)*a])
				continue
			case history == 0 && (plane == v7LadderPast || plane == v7LadderOld):
				source = v7Ladder
			case history == 1 && plane == v7LadderOld:
				source = v7LadderPast
			}
		}
		bits, out := row[source*nb:(source+1)*nb], dst[plane*a:(plane+1)*a]
		for p, at := range from {
			out[p] = float32(bits[at>>3] >> (7 - at&7) & 1)
		}
	}
	for k, plane := range forms[l.Encoding].constant {
		for p := range a {
			dst[plane*a+p] = s.global(i)[k]
		}
	}
}

// normalise turns weights into probabilities; without any weight all moves are equally likely.
func normalise(dst []float32, weights []int16, from []int32) {
	pass := len(from)
	sum := int64(weights[len(weights)-1])
	for _, at := range from {
		sum += int64(weights[at])
	}
	if sum <= 0 {
		for p := range dst {
			dst[p] = 1 / float32(pass+1)
		}
		return
	}
	scale := 1 / float64(sum)
	for p, at := range from {
		dst[p] = float32(float64(weights[at]) * scale)
	}
	dst[pass] = float32(float64(weights[len(weights)-1]) * scale)
}

func (u *unpacker) points(dst []float32, src []int8, slots int, from []int32) {
	a := len(from)
	for ch := range PointMaps {
		scale := float32(1)
		if ch == PointMaps-1 {
			scale = 1.0 / 120
		}
		for p, at := range from {
			dst[ch*a+p] = float32(src[ch*slots+int(at)]) * scale
		}
	}
}
