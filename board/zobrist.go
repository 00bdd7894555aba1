package board

// Hash is a 128-bit Zobrist hash (Zobrist 1970). The zero value is the hash of
// nothing; no position has it.
type Hash struct{ Hi, Lo uint64 }

func (h Hash) xor(o Hash) Hash { return Hash{h.Hi ^ o.Hi, h.Lo ^ o.Lo} }

// splitMix is the generator SplitMix64 (Steele, Lea and Flood 2014).
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix64(uint64(*s))
}

// mix64 is the finalizer of SplitMix64, a bijection that spreads every bit.
func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// zobristSeed fixes all hashes, also across runs and machines.
const zobristSeed splitMix = 0x6b6f73756d69

// zobristTables holds one random number for each fact that a hash covers.
type zobristTables struct {
	stone   [White + 1][MaxPoints]Hash // a stone of a colour on a point
	ko      [MaxPoints]Hash            // the simple ko point
	banned  [MaxPoints]Hash            // a point forbidden by superko
	blocked [MaxPoints]Hash            // a stone that may not be retaken in the clean-up phases
	second  [White + 1][MaxPoints]Hash // a stone at the start of the second clean-up phase
	width   [MaxSize + 1]Hash
	height  [MaxSize + 1]Hash
	toMove  [White + 1]Hash
}

var zobrist = newZobrist()

func newZobrist() *zobristTables {
	t, rng := new(zobristTables), zobristSeed
	fill := func(list []Hash) {
		for i := range list {
			list[i] = Hash{rng.next(), rng.next()}
		}
	}
	for c := Black; c <= White; c++ {
		fill(t.stone[c][:])
		fill(t.second[c][:])
	}
	for _, list := range [][]Hash{t.ko[:], t.banned[:], t.blocked[:], t.width[:], t.height[:], t.toMove[:]} {
		fill(list)
	}
	return t
}
