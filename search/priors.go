package search

import (
	"cmp"
	"math"
	"slices"

	"kosumi/board"
)

// A node's moves and their priors are in a block of words:
//
// owner, words in the block, count priors (float32 bits), count moves (two a word)
//
// Edges are made in descending order of prior, ties in board order with the pass last, unless a
// move is brought forward; the next one is at index edgeCount. Moves behind it are in no order
// while flagUnsorted is on: most nodes get few edges, and looking for the best of these moves at
// each edge costs less than sorting them all.

// priorKey makes a number that is larger for a larger prior and, of two equal
// ones, for the earlier move.
func priorKey(prior float32, index int) uint64 {
	return uint64(math.Float32bits(prior))<<16 | uint64(0xffff-index)
}

func keyPrior(k uint64) float32 { return math.Float32frombits(uint32(k >> 16)) }
func keyIndex(k uint64) int     { return 0xffff - int(k&0xffff) }

// rankKeys moves the largest keys to the front, the largest of all first. It keeps the number given
// by keep, or up to a third more if that covers all. A pass, which is the last key if present, is
// always kept. It returns the number kept and whether they are in order.
func rankKeys(keys []uint64, keep int, pass int) (kept int, sorted bool) {
	n := len(keys)
	kept = n
	if n > keep+keep/3 {
		kept = keep
		last := keys[n-1]
		selectLargest(keys, kept)
		if keyIndex(last) == pass {
			keepKey(keys, kept, last)
		}
	}
	top := 0
	for i, k := range keys[:kept] {
		if k > keys[top] {
			top = i
		}
	}
	if kept > 0 {
		keys[0], keys[top] = keys[top], keys[0]
	}
	return kept, kept <= 2
}

// selectLargest moves the n largest keys to the front, in any order
// (quickselect, Hoare 1961).
func selectLargest(keys []uint64, n int) {
	for lo, hi := 0, len(keys)-1; lo < hi; {
		a, b, c := keys[lo], keys[(lo+hi)/2], keys[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for keys[i] > pivot {
				i++
			}
			for keys[j] < pivot {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n > i:
			lo = i
		default:
			return
		}
	}
}

// keepKey makes sure that a key is among the kept ones, which come first. If it is not, the key
// replaces the smallest of them.
func keepKey(keys []uint64, keep int, key uint64) {
	at := slices.Index(keys[keep:], key)
	if at < 0 {
		return
	}
	least := 0
	for i, k := range keys[:keep] {
		if k < keys[least] {
			least = i
		}
	}
	keys[least], keys[keep+at] = key, keys[least]
}

// sortFalling sorts keys, largest first.
func sortFalling(keys []uint64) {
	slices.SortFunc(keys, func(a, b uint64) int { return cmp.Compare(b, a) })
}

// blockWords is the length in words of a block of count priors, header included, rounded up to even.
func blockWords(count int) int { return (2 + count + (count+1)/2 + 1) &^ 1 }

// packPriors writes keys into a block; owner and length are filled in later. Priors are not
// normalised over the list.
func packPriors(block []uint32, keys []uint64, size board.Size) {
	n := len(keys)
	priors, moves := block[2:2+n], block[2+n:]
	pass := uint32(size.Area())
	for i, k := range keys {
		priors[i] = uint32(k >> 16)
	}
	for len(keys) > 1 {
		moves[0] = moveOfKey(keys[0], pass) | moveOfKey(keys[1], pass)<<16
		keys, moves = keys[2:], moves[1:]
	}
	clear(moves)
	if len(keys) == 1 {
		moves[0] = moveOfKey(keys[0], pass)
	}
}

// moveOfKey returns a key's move, as blocks store it.
func moveOfKey(k uint64, pass uint32) uint32 {
	if i := uint32(0xffff - k&0xffff); i != pass {
		return i
	}
	return 0xffff // board.Pass in 16 bits
}

// storePriors gives a node a block; count is the number of priors in it.
func (a *arena) storePriors(i uint32, block []uint32, count int) {
	at := a.newWords(len(block))
	dst := a.wordsAt(at, len(block))
	copy(dst, block)
	dst[0], dst[1] = i, uint32(len(block))
	n := a.node(i)
	n.priors, n.priorCount = at, uint16(count)
}

// priorAt returns the k-th move of a node's block and its prior.
func (a *arena) priorAt(n *node, k int) (board.Point, float32) {
	count := int(n.priorCount)
	block := a.wordsAt(n.priors, blockWords(count))[2:]
	return board.Point(int16(moveIn(block[count:], k))), math.Float32frombits(block[k])
}

// priorOf returns the prior of the k-th move without reading the memory of the moves.
func (a *arena) priorOf(n *node, k int) float32 {
	return math.Float32frombits(*a.word(n.priors + 2 + uint32(k)))
}

// setPrior writes the k-th move of a node's block and its prior.
func (a *arena) setPrior(n *node, k int, p board.Point, prior float32) {
	count := int(n.priorCount)
	block := a.wordsAt(n.priors, blockWords(count))[2:]
	block[k] = math.Float32bits(prior)
	setMoveIn(block[count:], k, uint16(p))
}

// raiseNext puts the best move without an edge in front of the other such moves.
func (a *arena) raiseNext(n *node) {
	first, count := int(n.edgeCount), int(n.priorCount)
	if first >= count {
		return
	}
	block := a.wordsAt(n.priors, blockWords(count))[2:]
	priors, moves := block[:count], block[count:]
	at, best := first, priors[first]
	for k := first + 1; k < count; k++ { // positive floats compare like their bits
		if p := priors[k]; p > best || p == best && moveIn(moves, k) < moveIn(moves, at) {
			at, best = k, p
		}
	}
	if at == first {
		return
	}
	priors[at], priors[first] = priors[first], best
	x, y := moveIn(moves, first), moveIn(moves, at)
	setMoveIn(moves, first, y)
	setMoveIn(moves, at, x)
}

// moveIn reads move k, packed two to a word; a pass is the largest number.
func moveIn(moves []uint32, k int) uint16 { return uint16(moves[k/2] >> (16 * (k & 1))) }

func setMoveIn(moves []uint32, k int, move uint16) {
	shift := 16 * (k & 1)
	moves[k/2] = moves[k/2]&^(0xffff<<shift) | uint32(move)<<shift
}
