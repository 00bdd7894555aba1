package life

import "errors"

func (o *oracle) setUp() error {
	s := o.s
	n := s.w * s.h
	o.adj, o.fixed, o.place = make([][]int, n), make([]bool, n), make([]uint64, n)
	unit := uint64(1)
	for p := range n {
		x, y := p%s.w, p/s.w
		for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			if nx, ny := x+d[0], y+d[1]; nx >= 0 && ny >= 0 && nx < s.w && ny < s.h {
				o.adj[p] = append(o.adj[p], ny*s.w+nx)
			}
		}
		o.start.stones[p] = map[byte]int8{'X': 1, 'O': 2, 'a': 1, 'T': 2, 'd': 2}[s.cells[p]]
		o.fixed[p] = s.cells[p] == 'X' || s.cells[p] == 'O'
		if !o.fixed[p] {
			o.free = append(o.free, p)
			o.place[p] = unit
			unit *= 3
		}
	}
	if len(o.free) > 40 {
		return errTooLarge
	}
	seen := map[int]bool{}
	for p := range n {
		if o.start.stones[p] == 0 || seen[p] || o.fixed[p] {
			continue
		}
		chain, libs, fixed := o.chain(&o.start, p)
		named := -1
		for _, q := range chain {
			seen[q] = true
			if s.cells[q] == 'T' {
				named = q
			}
		}
		if libs == 0 && !fixed {
			return errors.New("a chain without liberties")
		}
		if named >= 0 {
			o.target = append(o.target, named)
		}
	}
	return nil
}

func (o *oracle) encode(b *oraclePos) (code uint64) {
	for _, p := range o.free {
		code += o.place[p] * uint64(b.stones[p])
	}
	return code
}

func (o *oracle) decode(code uint64) (b oraclePos) {
	for _, p := range o.free {
		b.stones[p] = int8(code % 3)
		code /= 3
	}
	for p := range o.fixed {
		if o.fixed[p] {
			b.stones[p] = 1
			if o.s.cells[p] == 'O' {
				b.stones[p] = 2
			}
		}
	}
	return b
}

// chain returns the chain on p and how many liberties it has; fixed reports that it has a stone alive by assumption.
func (o *oracle) chain(b *oraclePos, p int) (chain []int, libs int, fixed bool) {
	var in, lib [64]bool
	in[p] = true
	chain = append(make([]int, 0, 16), p)
	for i := 0; i < len(chain); i++ {
		fixed = fixed || o.fixed[chain[i]]
		for _, q := range o.adj[chain[i]] {
			switch {
			case b.stones[q] == 0:
				if !lib[q] {
					lib[q] = true
					libs++
				}
			case b.stones[q] == b.stones[p] && !in[q]:
				in[q] = true
				chain = append(chain, q)
			}
		}
	}
	return chain, libs, fixed
}

// play places a stone; ok is false if it would be an illegal suicide.
func (o *oracle) play(b *oraclePos, mover int8, p int) (ban int8, ok bool) {
	b.stones[p] = mover
	ban = -1
	total, at := 0, -1
	for _, q := range o.adj[p] {
		if b.stones[q] != 3-mover {
			continue
		}
		if chain, libs, fixed := o.chain(b, q); libs == 0 && !fixed {
			total += len(chain)
			at = chain[0]
			for _, r := range chain {
				b.stones[r] = 0
			}
		}
	}
	chain, libs, fixed := o.chain(b, p)
	switch {
	case libs == 0 && !fixed:
		if !o.s.suicide || len(chain) == 1 {
			return -1, false
		}
		for _, r := range chain {
			b.stones[r] = 0
		}
	case total == 1 && len(chain) == 1 && libs == 1 && !fixed:
		ban = int8(at)
	}
	return ban, true
}

// alive reports whether the targets are pass-alive: all of them, or one if the attacker must
// capture all.
func (o *oracle) alive(b *oraclePos, left uint8) bool {
	live := o.benson(b)
	for i, t := range o.target {
		if left>>i&1 != 0 && live[t] == o.s.all {
			return o.s.all
		}
	}
	return !o.s.all
}

// benson returns which of the defender's stones are pass-alive, by the definition: start with all
// chains and all regions; remove chains with fewer than two vital regions, and regions next to a
// removed chain, until nothing changes.
func (o *oracle) benson(b *oraclePos) [64]bool {
	var id, reg [64]int
	n := o.s.w * o.s.h
	nc, nr := 0, 0
	var fixedChain [65]bool
	for p := range n {
		if b.stones[p] == 2 && id[p] == 0 {
			nc++
			chain, _, fixed := o.chain(b, p)
			fixedChain[nc] = fixed
			for _, q := range chain {
				id[q] = nc
			}
		}
	}
	// vital[r] and border[r] are sets of chains of the region r, with a bit for each chain.
	var vital, border [65]uint64
	for p := range n {
		if b.stones[p] == 2 || reg[p] != 0 {
			continue
		}
		nr++
		vital[nr] = ^uint64(0)
		list := []int{p}
		reg[p] = nr
		for i := 0; i < len(list); i++ {
			touch := uint64(0)
			for _, q := range o.adj[list[i]] {
				if b.stones[q] == 2 {
					touch |= 1 << id[q]
				} else if reg[q] == 0 {
					reg[q] = nr
					list = append(list, q)
				}
			}
			border[nr] |= touch
			if b.stones[list[i]] == 0 || o.s.suicide {
				vital[nr] &= touch
			}
			if o.fixed[list[i]] {
				vital[nr] = 0
			}
		}
	}
	alive := uint64(1<<(nc+1) - 2)
	for {
		next := uint64(0)
		for c := 1; c <= nc; c++ {
			if alive>>c&1 == 0 {
				continue
			}
			eyes := 0
			for r := 1; r <= nr; r++ {
				if border[r]&^alive == 0 && vital[r]>>c&1 != 0 {
					eyes++
				}
			}
			if eyes >= 2 || fixedChain[c] {
				next |= 1 << c
			}
		}
		if next == alive {
			break
		}
		alive = next
	}
	var out [64]bool
	for p := range n {
		out[p] = b.stones[p] == 2 && alive>>id[p]&1 != 0
	}
	return out
}
