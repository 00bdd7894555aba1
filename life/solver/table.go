package solver

// entry is what the table keeps of a state.
type entry struct {
	key     uint64
	cost    [2]uint32
	work    uint32
	tainted uint32 // the round in which it was refuted by a repetition, 0 if it was not
}

const (
	bucket      = 4
	firstBits   = 12
	mostEntries = 1 << 21
)

// table keeps numbers of states that are not proved. It grows up to mostEntries;
// then what took the least work goes.
type table struct {
	entries []entry
	used    int
	round   uint32
}

func (t *table) bucket(key uint64) []entry {
	i := key >> 20 & uint64(len(t.entries)/bucket-1) * bucket
	return t.entries[i : i+bucket : i+bucket]
}

func (t *table) get(key uint64) *entry {
	if len(t.entries) == 0 {
		return nil
	}
	for b, i := t.bucket(key), 0; i < bucket; i++ {
		if b[i].key == key {
			if b[i].tainted != 0 && b[i].tainted != t.round {
				return nil
			}
			return &b[i]
		}
	}
	return nil
}

func (t *table) put(key uint64, r result, work uint64) {
	if 2*t.used >= len(t.entries) && len(t.entries) < mostEntries {
		t.grow()
	}
	b := t.bucket(key)
	at := 0
	for i := range b {
		if b[i].key == key {
			work += uint64(b[i].work)
			at = i
			break
		}
		if b[i].work < b[at].work {
			at = i
		}
	}
	if r.proof >= 0 {
		return
	}
	if b[at].key == 0 {
		t.used++
	}
	b[at] = entry{key: key, cost: r.cost, work: uint32(min(work, 1<<32-1))}
	if r.tainted {
		b[at].tainted = t.round
	}
}

func (t *table) grow() {
	old := t.entries
	t.entries = make([]entry, max(1<<firstBits, 2*len(old)))
	t.used = 0
	for i := range old {
		if e := &old[i]; e.key != 0 {
			if e.tainted == 0 || e.tainted == t.round {
				t.put(e.key, result{cost: e.cost, proof: -1, tainted: e.tainted != 0}, uint64(e.work))
			}
		}
	}
}

// forgetTainted drops what was refuted by a repetition of some path.
func (t *table) forgetTainted() { t.round++ }
