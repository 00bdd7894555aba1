package search

import (
	"math"

	"kosumi/board"
)

// biasKey identifies a local pattern: the last move with its surroundings and the move
// before it.
type biasKey = board.Hash

// biasEntry sums the weighted errors of evaluations over all nodes with one pattern. The error is the
// average utility of a node's children minus the node's own utility, in White's view.
type biasEntry struct {
	key       biasKey
	sumDelta  float64
	sumWeight float64
	nodes     int32 // number of nodes that refer to the entry
}

// biasTable maps patterns to entries in a dense list by an open hash table. Entry 0 is not used.
type biasTable struct {
	p       Bias
	slots   []uint32
	entries []biasEntry
}

func (b *biasTable) reset() {
	clear(b.slots)
	if b.entries == nil {
		b.entries = make([]biasEntry, 1, 256)
	}
	b.entries = b.entries[:1]
}

// find returns the place of a pattern's entry, and makes the entry if it is missing.
func (b *biasTable) find(key biasKey) uint32 {
	if 2*len(b.entries) >= len(b.slots) {
		b.slots = make([]uint32, max(1024, 2*len(b.slots)))
		b.index()
	}
	mask := uint64(len(b.slots) - 1)
	for at := key.Lo & mask; ; at = (at + 1) & mask {
		i := b.slots[at]
		if i == 0 {
			b.entries = append(b.entries, biasEntry{key: key})
			b.slots[at] = uint32(len(b.entries) - 1)
			return b.slots[at]
		}
		if b.entries[i].key == key {
			return i
		}
	}
}

// index enters all entries into the slots, which must be zero.
func (b *biasTable) index() {
	mask := uint64(len(b.slots) - 1)
	for i := 1; i < len(b.entries); i++ {
		at := b.entries[i].key.Lo & mask
		for b.slots[at] != 0 {
			at = (at + 1) & mask
		}
		b.slots[at] = uint32(i)
	}
}

// attach lets a node share the entry of its pattern.
func (b *biasTable) attach(n *node, key biasKey) {
	n.bias.entry = b.find(key)
	b.entries[n.bias.entry].nodes++
}

// correction returns what to add to a node's own utility because of its pattern, in White's view.
func (b *biasTable) correction(n *node) float64 {
	e := &b.entries[n.bias.entry]
	if e.sumWeight <= 0.001 {
		return 0
	}
	return b.p.Factor * e.sumDelta / e.sumWeight
}

// update replaces a node's contribution to its entry and returns the correction. original and total
// are the weights of the node's children before and after pruning; sum adds up the children's
// utilities, each times its weight after pruning.
func (b *biasTable) update(n *node, original, sum, total float64) float64 {
	if total > 1e-10 {
		e := &b.entries[n.bias.entry]
		weight := math.Exp(b.p.WeightExponent * math.Log(original)) // takes half the time of math.Pow
		delta := (sum/total - float64(n.ownUtility)) * weight
		d, w := float32(delta), float32(weight)
		e.sumDelta += float64(d) - float64(n.bias.delta)
		e.sumWeight += float64(w) - float64(n.bias.weight)
		n.bias.delta, n.bias.weight = d, w
	}
	return b.correction(n)
}

// release detaches a discarded node from its entry. A share of the node's contribution stays there.
func (b *biasTable) release(n *node) {
	if n.bias.entry == 0 {
		return
	}
	e := &b.entries[n.bias.entry]
	e.sumDelta -= b.p.FreeProp * float64(n.bias.delta)
	e.sumWeight -= b.p.FreeProp * float64(n.bias.weight)
	e.nodes--
	n.bias = biasShare{}
}

// sweep drops entries without nodes. moved maps old indices to new ones.
func (b *biasTable) sweep() (moved []uint32) {
	moved = make([]uint32, len(b.entries))
	kept := 1
	for i := 1; i < len(b.entries); i++ {
		if b.entries[i].nodes > 0 {
			b.entries[kept] = b.entries[i]
			moved[i] = uint32(kept)
			kept++
		}
	}
	b.entries = b.entries[:kept]
	clear(b.slots)
	b.index()
	return moved
}

// biasPattern returns the pattern of a move about to be made; false for a pass or for the first
// move of a game.
func biasPattern(g *board.Game, c board.Color, p board.Point) (biasKey, bool) {
	if p == board.Pass || len(g.Moves()) == g.Forgotten() {
		return biasKey{}, false
	}
	b := g.Board()
	size := b.Size()
	h := mixInto(mixInto(uint64(c), uint64(p)), uint64(uint16(g.LastMove(0).Point)))
	x, y := size.XY(p)
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			nx, ny := x+dx, y+dy
			if nx < 0 || ny < 0 || nx >= size.W || ny >= size.H {
				continue
			}
			q := size.Point(nx, ny)
			stone := b.At(q)
			if stone == board.Empty {
				continue
			}
			fact := uint64(stone) | uint64(q)<<8
			if b.Liberties(q) == 1 {
				fact |= 1 << 4
			}
			h = mixInto(h, fact)
		}
	}
	h = mixInto(h, uint64(uint16(b.KoPoint()))|1<<32)
	return biasKey{Hi: scramble(h ^ 0x9e3779b97f4a7c15), Lo: h}, true
}

// mixInto folds a number into a hash.
func mixInto(h, v uint64) uint64 { return scramble(h ^ v*0x9e3779b97f4a7c15) }

// scramble is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
