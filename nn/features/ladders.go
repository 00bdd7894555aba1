package features

import (
	"sync"

	"kosumi/board"
)

// Memory caches which stones of a board are in ladders. Ladder search is a large part of
// the cost of encoding, and in a tree search the boards of one and two moves ago have
// mostly been encoded before, as leaves. Any number of scratches may share a Memory;
// it changes no result.
type Memory struct {
	shards [memoryShards]memoryShard
}

// Sizes of a Memory, both powers of two.
const (
	memoryShards = 64
	memorySlots  = 64 // entries in each shard
)

type memoryShard struct {
	mu      sync.Mutex
	entries []ladderEntry // made when first used
}

// ladderEntry is the answer for one board. It is valid if the hash, which covers
// stones, size and ko point, matches.
type ladderEntry struct {
	hash  board.Hash
	known bool
	count uint8
	where [maxLadderStones]uint16 // points of stones in ladders
}

// maxLadderStones bounds the size of a stored result; boards with more laddered stones are
// searched again.
const maxLadderStones = 60

func (m *Memory) shard(h board.Hash) *memoryShard { return &m.shards[h.Hi%memoryShards] }

// recall marks a known board's laddered stones in a plane; false if the board with this hash is
// not known. turn maps points to indices in the plane.
func (m *Memory) recall(h board.Hash, plane []float32, turn []board.Point) bool {
	s := m.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		return false
	}
	e := &s.entries[h.Lo%memorySlots]
	if !e.known || e.hash != h {
		return false
	}
	for _, p := range e.where[:e.count] {
		plane[turn[p]] = 1
	}
	return true
}

// store marks the stones of all laddered chains of b in a plane, and remembers them under b's
// hash.
func (m *Memory) store(h board.Hash, b *board.Board, ladders []board.Ladder, plane []float32, turn []board.Point) {
	e := ladderEntry{hash: h, known: true}
	for i := range ladders {
		head := ladders[i].Head
		for p := head; ; {
			plane[turn[p]] = 1
			if int(e.count) < len(e.where) {
				e.where[e.count] = uint16(p)
				e.count++
			} else {
				e.known = false
			}
			if p = b.NextInChain(p); p == head {
				break
			}
		}
	}
	if !e.known {
		return
	}
	s := m.shard(h)
	s.mu.Lock()
	if s.entries == nil {
		s.entries = make([]ladderEntry, memorySlots)
	}
	s.entries[h.Lo%memorySlots] = e
	s.mu.Unlock()
}

// ladderPlanes marks laddered stones now, one and two moves ago, and the moves that start a
// working ladder against the opponent. If an older board is hidden or does not exist, its
// plane repeats that of the next newer board.
func (w *writer) ladderPlanes(shown int) {
	ladders := w.b.Ladders(&w.s.search)
	now, _ := w.g.PastHash(0)
	w.s.memory.store(now, w.b, ladders, w.plane(planeLadders), w.turn)
	for i := range ladders {
		l := &ladders[i]
		if l.Color == w.opp && l.Liberties == 2 {
			for _, p := range l.Working[:l.Count] {
				w.set(planeWorking, p)
			}
		}
	}
	for ago := 1; ago <= 2; ago++ {
		plane := w.plane(planeLadders + ago)
		if shown < ago || !w.pastLadders(ago, plane) {
			copy(plane, w.plane(planeLadders+ago-1))
		}
	}
}

// pastLadders marks the laddered stones of an older board; false if there is none.
func (w *writer) pastLadders(ago int, plane []float32) bool {
	then, known := w.g.PastHash(ago)
	if !known {
		return false
	}
	if past := &w.s.past; !w.s.memory.recall(then, plane, w.turn) && w.g.PastBoard(past, ago) {
		w.s.memory.store(then, past, past.Ladders(&w.s.search), plane, w.turn)
	}
	return true
}
