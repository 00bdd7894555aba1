package solver

import "runtime"

// entry is the table's record of a state.
type entry struct {
	check uint32 // part of the state's key
	cost  [2]uint32
	work  uint16 // number of searched states in units of workUnit; it stops at its maximum
	round uint16 // for a result by repetition, table.round when it was stored; else 0
}

// row fits into a cache line.
type row [4]entry

const (
	firstRows = 1 << 12
	mostRows  = 1 << 19
	manyRows  = 1 << 18
	checkBits = 12 // number of a key's lowest bits that entry.check leaves out
	workUnit  = 4
)

// table keeps the proof numbers of unproved states. It grows up to mostRows. In a row without a free entry, a new
// entry replaces the one with the least work.
type table struct {
	rows  []row
	used  int
	round uint16 // number of the present turn; results by repetition from earlier turns do not count
}

func (t *table) row(key uint64) *row { return &t.rows[key&uint64(len(t.rows)-1)] }

func (t *table) get(key uint64) *entry {
	if len(t.rows) == 0 {
		return nil
	}
	b := t.row(key)
	for i := range b {
		if e := &b[i]; e.check == uint32(key>>checkBits) {
			if e.round != 0 && e.round != t.round {
				return nil
			}
			return e
		}
	}
	return nil
}

// put stores the result of an unproved state.
func (t *table) put(key uint64, r *result, work uint64) {
	if 2*t.used >= len(t.rows)*len(row{}) && len(t.rows) < mostRows {
		t.grow()
	}
	e := entry{check: uint32(key >> checkBits), cost: r.cost, work: 1}
	if r.tainted {
		e.round = t.round
	}
	b := t.row(key)
	at := 0
	for i := range b {
		if b[i].check == e.check {
			work += workUnit * uint64(b[i].work)
			at = i
			break
		}
		if b[i].work < b[at].work {
			at = i
		}
	}
	if b[at].work == 0 {
		t.used++
	}
	e.work += uint16(min(work/workUnit, 1<<16-2))
	b[at] = e
}

// grow doubles the table. A bit of the stored key decides to which of two new rows an entry moves.
func (t *table) grow() {
	if len(t.rows) == 0 {
		t.rows = make([]row, firstRows)
		return
	}
	n := len(t.rows)
	rows := make([]row, 2*n)
	t.used = 0
	for i := range t.rows {
		var count [2]int
		for _, e := range t.rows[i] {
			if e.work == 0 || e.round != 0 && e.round != t.round {
				continue
			}
			half := 0
			if uint64(e.check)<<checkBits&uint64(n) != 0 {
				half = 1
			}
			rows[i+half*n][count[half]] = e
			count[half]++
			t.used++
		}
	}
	t.rows = rows
	tidy(len(rows) >= manyRows)
}

// tidy collects garbage if much is true, that is, after a large structure was replaced. There is little
// other garbage, so the runtime would not collect until memory has doubled.
func tidy(much bool) {
	if much {
		runtime.GC()
	}
}

// Forget frees the memory that only a search needs. Proofs stay.
func (s *Search) Forget() {
	s.table, s.known = table{}, index{slots: make([]uint64, firstSlots)}
	tidy(s.records.used >= manyRows)
}

// index is a hash table of proofs, at most three quarters full. A slot is a proof's number plus 1
// and part of its key.
type index struct {
	slots []uint64
	used  int
}

const firstSlots = 1 << 12

// home returns the slot at which the search for a state begins.
func (x *index) home(free uint64) *uint64 { return &x.slots[free&uint64(len(x.slots)-1)] }

func (x *index) put(free, key uint64, at int32) {
	x.used++
	for i := free; ; i++ {
		if slot := x.home(i); *slot == 0 {
			*slot = key>>32<<32 | uint64(at+1)
			return
		}
	}
}

// find returns the number of a state's proof, -1 without one. free and key are the state's hashes without and with
// its ko threats: the slot of a proof contains part of free if the proof holds for all threats, else part of key.
func (s *Search) find(free, key uint64, p *Position) int32 {
	for i := free; ; i++ {
		slot := *s.known.home(i)
		if slot == 0 {
			return -1
		}
		if slot>>32 != free>>32 && slot>>32 != key>>32 {
			continue
		}
		at := int32(uint32(slot)) - 1
		r := s.record(at)
		if r.goal.contest() == s.contest && r.ban == p.Ban && r.mover == p.Mover && r.left == p.left && (r.free || r.threat == p.Threat) &&
			s.set(at, 0) == p.Stones[0] && s.set(at, 1) == p.Stones[1] {
			return at
		}
	}
}

// learn adds a proof to the index; hash is the hash of the proof's stones.
func (s *Search) learn(at int32, hash uint64) {
	if x := &s.known; 4*(x.used+1) > 3*len(x.slots) {
		x.slots, x.used = make([]uint64, 2*len(x.slots)), 0
		for i := range at {
			s.learn(i, s.hashOf(i))
		}
		tidy(len(x.slots) >= 4*manyRows)
	}
	r := s.record(at)
	p := Position{hash: hash, Ban: r.ban, Mover: r.mover, left: r.left, Threat: r.threat}
	free := s.freeKey(r.goal.contest(), &p)
	key := free
	if !r.free {
		key = s.key(free, &p)
	}
	s.known.put(free, key, at)
}

// hashOf returns the hash of a proof's stones.
func (s *Search) hashOf(at int32) (hash uint64) {
	for c := range s.zobrist {
		for p := range s.set(at, c).All {
			hash ^= s.zobrist[c][p]
		}
	}
	return hash
}
