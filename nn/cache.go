package nn

import (
	"math"
	"math/bits"
	"sync"

	"kosumi/board"
)

// cacheKey identifies everything that an evaluation depends on, except the last moves and the
// orientation. As in KataGo, transpositions share one evaluation, in the orientation that was asked
// for first. A reproducible server's key includes the last moves and the orientation.
type cacheKey struct{ hi, lo uint64 }

// mix folds one more number into the key, by MurmurHash3's finalizer on two
// lanes that feed each other.
func (k cacheKey) mix(x uint64) cacheKey {
	k.lo = scramble(k.lo ^ x)
	k.hi = scramble(k.hi + bits.RotateLeft64(k.lo, 23) + x)
	return k
}

func scramble(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Layout of an entry in 32-bit words: a header, then the policy, then the ownership if there is
// one. Compact entries hold two values per word.
const (
	entryKey    = 0 // 4 words
	entryMeta   = 4 // area | flags | symmetry
	entryValues = 5 // 10 float32
	entryPolicy = 15

	flagOwnership = 1 << 16
	flagScore     = 1 << 17
	symmetryShift = 24
)

// cacheShards is a power of two. Shards reduce contention and allocate memory only when used.
const cacheShards = 64

// cacheWays is the number of index slots that one key can use.
const cacheWays = 4

// cache remembers outputs by key within a fixed number of bytes. Entries of
// every board size share it. Each shard has a ring, in which new entries
// overwrite the oldest, and an index into the ring. Neither holds pointers
// that the garbage collector would follow.
type cache struct {
	exact  bool
	shards [cacheShards]cacheShard
}

type cacheShard struct {
	mu    sync.Mutex
	words uint64   // size of the ring
	ring  []uint32 // allocated at the first store
	index []uint64 // position+1 of an entry, with a tag in the high bits; 0 = empty
	head  uint64   // next position to write; positions only grow
	_     [32]byte // puts neighbours on different cache lines
}

// newCache returns a cache of limited size, nil if the limit is too small.
func newCache(bytes int64, exact bool) *cache {
	words := bytes / cacheShards / 4 * 8 / 9 // the index takes at most an eighth as much memory as the ring
	if words < 2*maxEntryWords {
		return nil
	}
	c := &cache{exact: exact}
	for i := range c.shards {
		c.shards[i].words = uint64(words)
	}
	return c
}

// maxEntryWords is the size of the largest entry: exact, 25x25, with ownership.
const maxEntryWords = entryPolicy + board.MaxMoves + board.MaxPoints

// allocate makes the ring, and an index of one or two slots per 32 words of the ring: almost
// every entry is longer than 32 words.
func (s *cacheShard) allocate() {
	s.ring = make([]uint32, s.words)
	slots := max(cacheWays, 1<<bits.Len64(s.words/32))
	s.index = make([]uint64, slots)
	clear(s.index) // writes to all pages: a page that is read before it is written is mapped twice
	s.head = 0
}

// An index slot holds a part of the key as a tag. A look-up therefore hardly ever reads
// entries of other keys, which are seldom in the processor's caches.
const (
	tagShift     = 48
	positionMask = 1<<tagShift - 1
)

func (k cacheKey) tag() uint64 { return k.hi &^ positionMask }

func (c *cache) shard(k cacheKey) *cacheShard { return &c.shards[k.hi&(cacheShards-1)] }

// ways returns the index slots for a key.
func (s *cacheShard) ways(k cacheKey) []uint64 {
	at := int(k.lo) & (len(s.index) - 1) &^ (cacheWays - 1)
	return s.index[at : at+cacheWays : at+cacheWays]
}

// find returns the entry of a key, nil if there is none. The caller holds mu.
func (s *cacheShard) find(k cacheKey) []uint32 {
	if s.ring == nil {
		return nil
	}
	for _, slot := range s.ways(k) {
		if s.holds(slot, k) {
			return s.entry(slot)
		}
	}
	return nil
}

// live reports whether an index slot points at an entry not yet overwritten.
func (s *cacheShard) live(slot uint64) bool {
	return slot != 0 && s.head-(slot&positionMask-1) <= s.words
}

// holds reports whether an index slot points at the entry of a key.
func (s *cacheShard) holds(slot uint64, k cacheKey) bool {
	return slot&^positionMask == k.tag() && s.live(slot) && keyOf(s.entry(slot)) == k
}

// entry returns the entry that a live index slot points at.
func (s *cacheShard) entry(slot uint64) []uint32 { return s.ring[(slot&positionMask-1)%s.words:] }

func keyOf(e []uint32) cacheKey {
	return cacheKey{uint64(e[0])<<32 | uint64(e[1]), uint64(e[2])<<32 | uint64(e[3])}
}

// get copies a key's entry to an Output and reports whether there was one. If the entry lacks
// ownership that is wanted, get copies the rest and partial is true.
func (c *cache) get(k cacheKey, ownership bool, out *Output) (hit, partial bool) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.find(k)
	if e == nil {
		return false, false
	}
	c.read(e, ownership, out)
	return true, ownership && !out.HasOwnership
}

// put stores an output under a key, replacing any earlier one.
func (c *cache) put(k cacheKey, area int, out *Output) {
	n := uint64(c.entryWords(area, out.HasOwnership))
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil {
		s.allocate()
	}
	if left := s.words - s.head%s.words; left < n {
		s.head += left // entries never wrap around
	}
	pos := s.head
	s.head += n
	c.write(s.ring[pos%s.words:][:n], k, area, out)
	ways := s.ways(k)
	oldest := 0
	for i, slot := range ways {
		// Entries that the new entry overwrites are no longer live.
		if !s.live(slot) || s.holds(slot, k) {
			oldest = i
			break
		}
		if slot&positionMask < ways[oldest]&positionMask {
			oldest = i
		}
	}
	ways[oldest] = k.tag() | pos + 1
}

// clear removes all entries and keeps the memory.
func (c *cache) clear() {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		clear(s.index)
		s.head = 0
		s.mu.Unlock()
	}
}

func (c *cache) entryWords(area int, ownership bool) int {
	policy, points := area+1, 0
	if ownership {
		points = area
	}
	if c.exact {
		return entryPolicy + policy + points
	}
	return entryPolicy + (policy+1)/2 + (points+1)/2
}

func (o *Output) numbers() [10]*float32 {
	return [10]*float32{&o.Win, &o.Loss, &o.NoResult, &o.ScoreMean, &o.ScoreStdev,
		&o.ScoreMeanSq, &o.Lead, &o.VarTimeLeft, &o.ErrWinLoss, &o.ErrScore}
}

func (c *cache) write(e []uint32, k cacheKey, area int, out *Output) {
	e[0], e[1], e[2], e[3] = uint32(k.hi>>32), uint32(k.hi), uint32(k.lo>>32), uint32(k.lo)
	meta := uint32(area) | uint32(out.Symmetry)<<symmetryShift
	if out.HasOwnership {
		meta |= flagOwnership
	}
	if out.HasScore {
		meta |= flagScore
	}
	e[entryMeta] = meta
	for i, x := range out.numbers() {
		e[entryValues+i] = math.Float32bits(*x)
	}
	policy, points := out.Policy[:area+1], out.Ownership[:area]
	pack, packOwners := packPolicy, packPoints
	if c.exact {
		pack, packOwners = packExact, packExact
	}
	if rest := pack(e[entryPolicy:], policy); out.HasOwnership {
		packOwners(rest, points)
	}
}

func (c *cache) read(e []uint32, ownership bool, out *Output) {
	meta := e[entryMeta]
	area := int(meta & 0xffff)
	out.HasScore = meta&flagScore != 0
	out.HasOwnership = meta&flagOwnership != 0 && ownership
	out.Symmetry = int8(meta >> symmetryShift & 7)
	out.FromCache = true
	for i, x := range out.numbers() {
		*x = math.Float32frombits(e[entryValues+i])
	}
	policy, points := out.Policy[:area+1], out.Ownership[:area]
	unpack, unpackOwners := unpackPolicy, unpackPoints
	if c.exact {
		unpack, unpackOwners = unpackExact, unpackExact
	}
	if rest := unpack(policy, e[entryPolicy:]); out.HasOwnership {
		unpackOwners(points, rest)
	}
}
