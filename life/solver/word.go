package solver

import "math/bits"

// Most enclosed fights have at most 64 points and fit into the first 64-bit word of a set, some of them only after
// [Game.Pack]. For these fights, the functions that run for every state have a second form that is several times as
// fast and gives the same results. A generic function for both forms is slower: its flood takes 1.6 to 4 times as
// long, since the compiler keeps the loop over the words of a set.

// small reports whether a fight fits into one 64-bit word.
func (a *area) small() bool { return a.used == 1 }

func (a *area) around1(v uint64) uint64 {
	j, k := a.right&63, a.down&63
	return (v | v<<j | v>>j | v<<k | v>>k) & a.On[0]
}

func (a *area) flood1(seed, within uint64) uint64 {
	j, k := a.right&63, a.down&63
	for {
		t := (seed | seed<<j | seed>>j | seed<<k | seed>>k) & within
		if t == seed {
			return seed
		}
		seed = t
	}
}

// move1 is Move for fights that fit into one 64-bit word.
func (g *Game) move1(p *Position, m int16) (suicide, legal bool) {
	c := p.Mover
	x := uint64(1) << m
	mine, yours := p.Stones[c][0], p.Stones[c.Other()][0]
	empty := g.On[0] &^ (mine | yours | x)
	near := g.around1(x) &^ x
	taken, gone, ban := uint64(0), uint64(0), NoBan
	for rest := near & yours; rest != 0; {
		chain := g.flood1(rest&-rest, yours)
		rest &^= chain
		if g.around1(chain)&empty == 0 && chain&g.Fixed[0] == 0 {
			taken |= chain
		}
	}
	switch {
	case taken != 0:
		if near&(mine|empty) == 0 && taken&(taken-1) == 0 {
			ban = int16(bits.TrailingZeros64(taken))
		}
	case near&empty == 0:
		chain := g.flood1(x, mine|x)
		if g.around1(chain)&empty == 0 && chain&g.Fixed[0] == 0 {
			if !g.suicide || near&mine == 0 {
				return false, false
			}
			gone = chain
		}
	}
	g.play(p, m, &effect{taken: Set{taken}, suicide: Set{gone}, ban: ban})
	return gone != 0, true
}

// mayLive1 is mayLive for fights that fit into one 64-bit word.
func (g *Game) mayLive1(p *Position, chain uint64) bool {
	out := g.On[0] &^ p.Stones[Defender][0]
	near := g.around1(chain)
	need := out &^ near
	if !g.suicide {
		need &^= p.Stones[Attacker][0]
	}
	need |= g.Fixed[0]
	g.eyes = 0
	for rest := near & out; rest != 0; {
		points := g.flood1(rest&-rest, out)
		rest &^= points
		if points&need == 0 {
			if g.eyes++; g.eyes == 2 {
				return true
			}
		}
	}
	return false
}

// doomed1 is doomed for fights that fit into one 64-bit word.
func (g *Game) doomed1(p *Position) bool {
	g.space = 0
	net := g.linked1(p)
	if net == 0 {
		return false
	}
	closed, open := g.around1(net), g.On[0]&^net
	for i, t := range g.Targets {
		if p.left>>i&1 == 0 {
			continue
		}
		chain := g.flood1(1<<t, p.Stones[Defender][0])
		room := g.flood1(chain, open)
		eyes := room &^ closed
		if !g.all || p.left&(p.left-1) == 0 {
			eyes &^= chain
		}
		g.space = bits.OnesCount64(eyes)
		if dies := room&g.Fixed[0] == 0 && g.together1(eyes); dies != g.all {
			return dies
		}
	}
	return g.all
}

func (g *Game) together1(s uint64) bool {
	return s&(s-1) == 0 || bits.OnesCount64(s) == 2 && s&^g.around1(s&-s) == 0
}

// linked1 is linked for fights that fit into one 64-bit word; it finds the walls itself and omits the links.
func (g *Game) linked1(p *Position) (net uint64) {
	a := p.Stones[Attacker][0]
	net = g.flood1(g.Fixed[0]&a, a)
	if net == 0 {
		return 0
	}
	empty := g.On[0] &^ a &^ p.Stones[Defender][0]
	links := uint64(0)
	for changed := true; changed; {
		changed = false
		for rest := a &^ net; rest != 0; {
			chain := g.flood1(rest&-rest, a)
			rest &^= chain
			libs := g.around1(chain) & empty &^ links
			if pair := g.link1(chain, net, libs); pair != 0 {
				net, links, changed = net|chain, links|pair, true
			}
		}
	}
	return net
}

func (g *Game) link1(chain, net, libs uint64) (pair uint64) {
	gates := libs & g.around1(net)
	if gates == 0 || libs&(libs-1) == 0 {
		return 0
	}
	for rest := gates; rest != 0; rest &= rest - 1 {
		q := rest & -rest
		if g.around1(q)&^q&^net&^chain == 0 {
			libs &^= q
			return q | libs&-libs
		}
	}
	first := gates & -gates
	if gates == first {
		return 0
	}
	gates &^= first
	return first | gates&-gates
}

// passAlive1 returns the defender's pass-alive stones, as benson does for larger fights.
func (g *Game) passAlive1(p *Position) (alive uint64) {
	b := &g.benson
	b.words = b.words[:0]
	alive = p.Stones[Defender][0]
	out := g.On[0] &^ alive
	hard := g.Fixed[0]
	if g.suicide {
		hard |= p.Stones[Attacker][0]
	}
	for rest := out; rest != 0; {
		points := g.flood1(rest&-rest, out)
		rest &^= points
		if points&g.Fixed[0] == 0 {
			b.words = append(b.words, points)
		}
	}
	must := out&^p.Stones[Attacker][0] | out&hard
	for changed := true; changed; {
		changed = false
		for rest := alive; rest != 0; {
			chain := g.flood1(rest&-rest, alive)
			rest &^= chain
			if chain&g.Fixed[0] != 0 {
				continue
			}
			near := g.around1(chain)
			eyes := 0
			for _, points := range b.words {
				if points&near != 0 && points&must&^near == 0 && g.around1(points)&p.Stones[Defender][0]&^alive == 0 {
					eyes++
				}
			}
			if eyes < 2 {
				alive, changed = alive&^chain, true
			}
		}
	}
	return alive
}

// closed1 is closed for fights that fit into one 64-bit word under rules without suicide.
func (g *Game) closed1(p *Position, z uint64) uint64 {
	w, l := p.Stones[p.Mover.Other()][0], p.Stones[p.Mover][0]
	empty := g.On[0] &^ w &^ l
	for {
		before := z
		for rest := z & w; rest != 0; {
			chain := g.flood1(rest&-rest, w)
			z |= g.held1(chain, rest, z, empty)
			rest &^= chain
		}
		for rest := z & empty; rest != 0; rest &= rest - 1 {
			z |= g.sameMove1(rest&-rest, w, l, empty)
		}
		if z == before {
			return z
		}
	}
}

func (g *Game) held1(chain, touched, z, empty uint64) uint64 {
	if chain&g.Fixed[0] != 0 {
		if t := touched & chain; t&^g.Fixed[0] == 0 {
			return t
		}
		return g.anchored(Set{chain})[0]
	}
	around := g.around1(chain)
	libs := around & empty
	if libs&(libs-1) == 0 {
		return around
	}
	have := libs & z
	for have&(have-1) == 0 {
		more := libs &^ have
		have |= more & -more
	}
	return chain | have
}

func (g *Game) sameMove1(x, w, l, empty uint64) uint64 {
	near := g.around1(x)
	empty &^= x
	taken := false
	for rest := near & w; rest != 0; {
		chain := g.flood1(rest&-rest, w)
		rest &^= chain
		if g.around1(chain)&empty == 0 && chain&g.Fixed[0] == 0 {
			if taken = true; chain&(chain-1) == 0 {
				return near
			}
		}
	}
	if taken || near&empty != 0 {
		return 0
	}
	own := g.flood1(x, l|x)
	around := g.around1(own)
	if around&empty != 0 || own&g.Fixed[0] != 0 {
		return 0
	}
	return around
}
