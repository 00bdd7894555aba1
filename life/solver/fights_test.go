package solver

import "math/rand/v2"

// drawn is a fight as a drawing, row by row: a and d are stones of the attacker and the defender, and X is a stone of
// the attacker that is alive by assumption.
type drawn struct {
	w, h    int
	cells   []byte
	suicide bool
}

func (d *drawn) String() (out string) {
	for y := range d.h {
		out += string(d.cells[y*d.w:(y+1)*d.w]) + "\n"
	}
	return out
}

// lay makes a game from a drawing, with the defender's largest chain as the target. It returns nil if the
// defender has no chain, or if a chain that is not alive by assumption has no liberty.
func (d *drawn) lay() (*Game, *Position) {
	g := NewGame(d.w, d.h, d.suicide, false)
	p := &Position{Ban: NoBan}
	for i, c := range d.cells {
		at := g.At(i%d.w, i/d.w)
		g.On.Add(at)
		switch c {
		case 'X':
			g.Fixed.Add(at)
			g.Place(p, Attacker, at)
		case 'a':
			g.Place(p, Attacker, at)
		case 'd':
			g.Place(p, Defender, at)
		}
	}
	if !g.stands(p) {
		return nil, nil
	}
	var largest Set
	for rest := p.Stones[Defender]; !rest.empty(); {
		chain := g.take(&rest, &p.Stones[Defender])
		if chain.Count() > largest.Count() {
			largest = chain
		}
	}
	if largest.empty() || !g.Aim(p, []int16{largest.first()}) {
		return nil, nil
	}
	return g, p
}

// stands reports whether every chain has a liberty or is alive by assumption.
func (g *Game) stands(p *Position) bool {
	empty := g.Empty(p)
	for c := range p.Stones {
		for rest := p.Stones[c]; !rest.empty(); {
			chain := g.take(&rest, &p.Stones[c])
			if near := g.Around(&chain); !near.Meets(&empty) && !g.immortal(&chain) {
				return false
			}
		}
	}
	return true
}

// randomFight returns random stones on a small board, or a corner. A chain of the defender encloses the corner, and a
// wall of the attacker encloses that chain; both have holes.
func randomFight(rng *rand.Rand) *drawn {
	for {
		d := openFight(rng)
		if rng.IntN(4) == 0 {
			d = cornerFight(rng)
		}
		d.suicide = rng.IntN(2) == 0
		if g, _ := d.lay(); g != nil {
			return d
		}
	}
}

func openFight(rng *rand.Rand) *drawn {
	d := &drawn{w: 3 + rng.IntN(4), h: 4 + rng.IntN(3)}
	fill := 3 + rng.IntN(7)
	for range d.w * d.h {
		c := byte('.')
		if rng.IntN(10) < fill {
			c = "adadadadX"[rng.IntN(9)]
		}
		d.cells = append(d.cells, c)
	}
	return d
}

func cornerFight(rng *rand.Rand) *drawn {
	w, h := 2+rng.IntN(3), 2+rng.IntN(2)
	d := &drawn{w: w + 2, h: h + 2}
	for i := range d.w * d.h {
		switch x, y := i%d.w, i/d.w; {
		case x > w || y > h:
			d.cells = append(d.cells, "XXXXXXXXXXX."[rng.IntN(12)])
		case x == w || y == h:
			d.cells = append(d.cells, "ddddddddddddddd..daX"[rng.IntN(20)])
		default:
			d.cells = append(d.cells, "......aaaadd.."[rng.IntN(14)])
		}
	}
	return d
}
