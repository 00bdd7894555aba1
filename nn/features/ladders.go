package features

import (
	"sync"

	"kosumi/board"
)

// Memory remembers for a while on which boards which stones are in ladders. In a
// tree search the boards of one and two moves ago have mostly been looked at
// before, as leaves of their own, and ladder search is a large part of the cost
// of encoding. Any number of scratches may share a Memory; answers are the same
// with and without.
type Memory struct {
	shards [memoryShards]memoryShard
}

// Both are powers of two.
const (
	memoryShards = 64
	memorySlots  = 64 // entries in each shard
)

type memoryShard struct {
	mu      sync.Mutex
	entries []ladderEntry // made when first used
}

// ladderEntry is the answer for one board. It is valid if the board's hash,
// which covers stones and size, and its ko point match.
type ladderEntry struct {
	hash  board.Hash
	ko    board.Point
	known bool
	count uint8
	where [maxLadderStones]uint16 // the stones of laddered chains
}

// maxLadderStones bounds what is worth remembering; boards with more laddered
// stones are searched again.
const maxLadderStones = 60

// NewMemory returns an empty memory.
func NewMemory() *Memory { return new(Memory) }

// Forget empties the memory.
func (m *Memory) Forget() {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		clear(s.entries)
		s.mu.Unlock()
	}
}

func (m *Memory) shard(h board.Hash) *memoryShard { return &m.shards[h.Hi%memoryShards] }

// recall marks the laddered stones of b in plane, if the board is known.
func (m *Memory) recall(b *board.Board, plane []float32) bool {
	h := b.Hash()
	s := m.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		return false
	}
	e := &s.entries[h.Lo%memorySlots]
	if !e.known || e.hash != h || e.ko != b.KoPoint() {
		return false
	}
	for _, p := range e.where[:e.count] {
		plane[p] = 1
	}
	return true
}

// store marks the stones of all laddered chains of b in plane and remembers
// them.
func (m *Memory) store(b *board.Board, ladders []board.Ladder, plane []float32) {
	e := ladderEntry{hash: b.Hash(), ko: b.KoPoint(), known: true}
	for i := range ladders {
		head := ladders[i].Head
		for p := head; ; {
			plane[p] = 1
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
	s := m.shard(e.hash)
	s.mu.Lock()
	if s.entries == nil {
		s.entries = make([]ladderEntry, memorySlots)
	}
	s.entries[e.hash.Lo%memorySlots] = e
	s.mu.Unlock()
}

// ladderPlanes marks laddered stones now, one and two moves ago, and the moves
// that start a working ladder against the opponent. An older board that is not
// shown repeats the next newer one.
func (w *writer) ladderPlanes(shown int) {
	ladders := w.b.Ladders(&w.s.search)
	w.s.memory.store(w.b, ladders, w.plane(planeLadders))
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

// pastLadders marks the laddered stones of an older board: the one of two moves
// ago only after that of one move ago.
func (w *writer) pastLadders(ago int, plane []float32) bool {
	past := &w.s.past
	switch {
	case ago == 1 && !w.g.PastBoard(past, 1), past.CanUndo() == 0 && ago > 1:
		return false
	case ago > 1:
		past.Undo()
	}
	if !w.s.memory.recall(past, plane) {
		w.s.memory.store(past, past.Ladders(&w.s.search), plane)
	}
	return true
}
