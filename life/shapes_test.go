package life

import "math/rand/v2"

// randomShape draws a small closed shape in a corner: a few points with stones of both sides, a chain of the defender
// around them, and around this chain a wall of the attacker, which may have gaps.
func randomShape(rng *rand.Rand) *shape {
	for {
		w, h := 3+rng.IntN(3), 2+rng.IntN(3)
		s := &shape{w: w + 2, h: h + 2, cells: make([]byte, (w+2)*(h+2))}
		for p := range s.cells {
			s.cells[p] = 'X'
		}
		at := func(x, y int) *byte { return &s.cells[y*s.w+x] }
		// The inside grows from the corner point by point.
		inside := []int{0}
		*at(0, 0) = '.'
		for size := 3 + rng.IntN(6); len(inside) < size; {
			p := inside[rng.IntN(len(inside))]
			x, y := p%s.w+[]int{1, 0, -1, 0}[rng.IntN(4)], p/s.w
			if rng.IntN(2) == 0 {
				x, y = p%s.w, p/s.w+[]int{1, -1}[rng.IntN(2)]
			}
			if x < 0 || y < 0 || x >= w || y >= h {
				if rng.IntN(20) == 0 {
					break
				}
				continue
			}
			if *at(x, y) == 'X' {
				*at(x, y) = '.'
				inside = append(inside, y*s.w+x)
			}
		}
		for p := range s.cells {
			if s.cells[p] != 'X' {
				continue
			}
			x, y := p%s.w, p/s.w
			for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				nx, ny := x+d[0], y+d[1]
				if nx >= 0 && ny >= 0 && nx < s.w && ny < s.h && *at(nx, ny) == '.' {
					s.cells[p] = 'T'
				}
			}
		}
		spoil := rng.IntN(4)
		for p := range s.cells {
			switch s.cells[p] {
			case '.':
				s.cells[p] = "......aaaadd.."[rng.IntN(14)]
			case 'T':
				if spoil > 0 && rng.IntN(9) == 0 {
					s.cells[p] = "..adX"[rng.IntN(5)]
				}
			case 'X':
				if spoil > 1 && rng.IntN(12) == 0 {
					s.cells[p] = ".O.."[rng.IntN(4)]
				}
			}
		}
		if s.tidy() {
			return s
		}
	}
}

// tidy makes the largest of the target chains the only target. It reports whether the shape is usable: it has few free
// points, and each chain has a liberty.
func (s *shape) tidy() bool {
	o := &oracle{s: s}
	if err := o.setUp(); err != nil || len(o.target) == 0 {
		return false
	}
	var best []int
	for _, t := range o.target {
		chain, _, _ := o.chain(&o.start, t)
		for _, q := range chain {
			if s.cells[q] == 'T' {
				s.cells[q] = 'd'
			}
		}
		if len(chain) > len(best) {
			best = chain
		}
	}
	for _, q := range best {
		if s.cells[q] == 'd' {
			s.cells[q] = 'T'
		}
	}
	s.wallOff(o, best[0])
	room := 0
	for _, p := range o.free {
		if s.cells[p] != 'T' {
			room++
		}
	}
	return room <= 11
}

// nextShape draws shapes until one has at most the given number of states.
func nextShape(rng *rand.Rand, states int) (*shape, *oracle) {
	for {
		s := randomShape(rng)
		s.vary(rng)
		o, err := newOracle(s, states)
		if err != nil || o.nodes[0].end != openEnd {
			continue
		}
		if _, err := s.question().encode(); err != nil {
			continue
		}
		return s, o
	}
}

// vary makes some shapes allow suicide, and gives some shapes two target chains, of which the
// attacker must capture one or both.
func (s *shape) vary(rng *rand.Rand) {
	s.suicide = rng.IntN(5) == 0
	if rng.IntN(4) > 0 {
		return
	}
	o := &oracle{s: s}
	if o.setUp() != nil {
		return
	}
	s.all = rng.IntN(2) == 0
	for p, c := range s.cells {
		if c == 'd' {
			if chain, _, fixed := o.chain(&o.start, p); !fixed {
				for _, q := range chain {
					s.cells[q] = 'T'
				}
				return
			}
		}
	}
}

// wallOff puts an X on each point that stones alive by assumption cut off from p.
func (s *shape) wallOff(o *oracle, p int) {
	fixed := make([]bool, len(s.cells))
	for p := range s.cells {
		if o.start.stones[p] != 0 {
			_, _, fixed[p] = o.chain(&o.start, p)
		}
	}
	in := make([]bool, len(s.cells))
	in[p] = true
	for list := []int{p}; len(list) > 0; {
		p := list[0]
		list = list[1:]
		for _, q := range o.adj[p] {
			if !in[q] && !fixed[q] {
				in[q] = true
				list = append(list, q)
			}
		}
	}
	for p := range s.cells {
		if !in[p] && !fixed[p] {
			s.cells[p] = 'X'
		}
	}
}
