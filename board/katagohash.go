package board

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
)

// PositionHash is the hash by which KataGo's JSON protocol names a position: board size, stones,
// the side to move and the simple ko point, whatever the rules and earlier moves. Clients compute
// it themselves and compare.
func PositionHash(g *Game) Hash {
	return katagoHashes().of(g, 0)
}

// SymmetricHash is the least PositionHash of all eight images of the position:
// the same for a position however its board is turned or mirrored.
func SymmetricHash(g *Game) Hash {
	t := katagoHashes()
	var least Hash
	for k := range Symmetry(NumSymmetries) {
		h := t.of(g, k)
		if k == 0 || h.Less(least) {
			least = h
		}
	}
	return least
}

// BoardHash is PositionHash without the side to move and the ko point, as KataGo prints it with a
// board.
func BoardHash(g *Game) Hash { return katagoHashes().stones(g, 0) }

// Less orders hashes as 128-bit numbers.
func (h Hash) Less(o Hash) bool { return h.Hi < o.Hi || h.Hi == o.Hi && h.Lo < o.Lo }

// String writes a hash as 32 upper-case hexadecimal digits.
func (h Hash) String() string { return fmt.Sprintf("%016X%016X", h.Hi, h.Lo) }

// katagoTables are the random numbers of KataGo's hashes, by the index of a point
// on KataGo's padded board: (x+1) + (y+1)*(W+1).
type katagoTables struct {
	player        [White + 1]Hash
	stone         [White + 1][]Hash
	ko            []Hash
	width, height [MaxSize + 1]Hash
}

var katagoHashes = sync.OnceValue(newKatagoTables)

// newKatagoTables draws the numbers in KataGo's order, including unused ones.
func newKatagoTables() *katagoTables {
	t := &katagoTables{}
	rng := newKatagoRand("Board::initHash()")
	t.player[Empty], t.player[Black], t.player[White] = rng.hash(), rng.hash(), rng.hash()
	for range 4 { // unused: the colour of the edge, and three phases
		rng.hash()
	}
	for range (MaxSize + 1) * (MaxSize + 1) {
		for c := Black; c <= White; c++ {
			t.stone[c] = append(t.stone[c], rng.hash())
			rng.hash() // unused: a stone on the board when a phase began
		}
		t.ko = append(t.ko, rng.hash())
	}
	rng = newKatagoRand("Board::initHash() for ZOBRIST_SIZE hashes")
	for n := range MaxSize + 1 {
		t.width[n], t.height[n] = rng.hash(), rng.hash()
	}
	return t
}

// index returns the index in the tables of the point p of g in orientation k. Unlike
// Size.SymMap it transposes rectangles too.
func (t *katagoTables) index(g *Game, p Point, k Symmetry) int {
	s := g.Size()
	x, y := s.XY(p)
	if k&2 != 0 {
		x = s.W - 1 - x
	}
	if k&1 != 0 {
		y = s.H - 1 - y
	}
	w := s.W
	if k&4 != 0 {
		x, y, w = y, x, s.H
	}
	return x + 1 + (y+1)*(w+1)
}

func (t *katagoTables) of(g *Game, k Symmetry) Hash {
	h := t.stones(g, k).xor(t.player[g.toMove])
	if ko := g.board.state.ko; ko != NoPoint && g.phase == 0 {
		h = h.xor(t.ko[t.index(g, ko, k)])
	}
	return h
}

// stones hashes size and stones, seen in orientation k.
func (t *katagoTables) stones(g *Game, k Symmetry) Hash {
	s := g.Size()
	h := t.width[s.W].xor(t.height[s.H])
	if k&4 != 0 {
		h = t.width[s.H].xor(t.height[s.W])
	}
	for p := range Point(s.Area()) {
		if c := g.At(p); c != Empty {
			h = h.xor(t.stone[c][t.index(g, p, k)])
		}
	}
	return h
}

// katagoRand is KataGo's generator: the sum of an xorshift1024* (Vigna 2014) and a
// PCG (O'Neill 2014), both seeded by SHA-256 from a text.
type katagoRand struct {
	a   [16]uint64
	i   int
	pcg uint64
}

func newKatagoRand(seed string) *katagoRand {
	sum := md5.Sum([]byte(seed))
	tail := fmt.Sprintf("|%d|%s", binary.LittleEndian.Uint32(sum[:]), seed)
	r := &katagoRand{}
	var words []uint64
	for counter := 0; len(words) <= len(r.a); counter += 37 {
		block := sha256.Sum256([]byte(strconv.Itoa(counter) + tail))
		for i := 0; i < len(block); i += 8 {
			if w := binary.BigEndian.Uint64(block[i:]); w != 0 {
				words = append(words, w)
			}
		}
	}
	copy(r.a[:], words)
	r.pcg = words[len(r.a)]
	return r
}

func (r *katagoRand) uint32() uint32 {
	r.pcg = r.pcg*6364136223846793005 + 1442695040888963407
	p := bits.RotateLeft32(uint32((r.pcg>>18^r.pcg)>>27), -int(r.pcg>>59))
	x := r.a[r.i]
	r.i = (r.i + 1) % len(r.a)
	y := r.a[r.i]
	y ^= y << 31
	y ^= y >> 11
	x ^= x >> 30
	r.a[r.i] = x ^ y
	return p + uint32(r.a[r.i]*1181783497276652981>>32)
}

func (r *katagoRand) uint64() uint64 {
	low := uint64(r.uint32())
	return low | uint64(r.uint32())<<32
}

func (r *katagoRand) hash() Hash {
	low := r.uint64()
	return Hash{Hi: r.uint64(), Lo: low}
}
