package board

// koMemory is what a game remembers of earlier positions.
type koMemory struct {
	keys     keyList // the ko keys of the positions that still count
	passKeys [White + 1][]Hash
}

func (k *koMemory) reset() {
	k.keys.reset()
	for c := range k.passKeys {
		k.passKeys[c] = k.passKeys[c][:0]
	}
}

func (k *koMemory) copyFrom(src *koMemory) {
	k.keys.list = append(k.keys.list[:0], src.keys.list...)
	k.keys.bloom = src.keys.bloom
	for c := range k.passKeys {
		k.passKeys[c] = append(k.passKeys[c][:0], src.passKeys[c]...)
	}
}

// passed tells whether c has passed before with that key.
func (k *koMemory) passed(c Color, key Hash) bool {
	for _, h := range k.passKeys[c] {
		if h == key {
			return true
		}
	}
	return false
}

// keyList is a list of keys with a Bloom filter (Bloom 1970) before it, so that
// most questions for absent keys need no scan.
type keyList struct {
	list  []Hash
	bloom [bloomBits / 64]uint64
}

// bloomBits is the size of the filter; a game of 400 moves fills a sixth of it.
const bloomBits = 4096

func (k *keyList) reset() {
	k.list = k.list[:0]
	clear(k.bloom[:])
}

func (k *keyList) add(h Hash) {
	k.list = append(k.list, h)
	k.bloom[h.Lo%bloomBits/64] |= 1 << (h.Lo % 64)
	k.bloom[h.Hi%bloomBits/64] |= 1 << (h.Hi % 64)
}

// mayHave tells whether a key may be in the list; false is certain.
func (k *keyList) mayHave(h Hash) bool {
	return k.bloom[h.Lo%bloomBits/64]>>(h.Lo%64)&1 != 0 && k.bloom[h.Hi%bloomBits/64]>>(h.Hi%64)&1 != 0
}

// count returns how often a key is in the list.
func (k *keyList) count(h Hash) int {
	n := 0
	for i := range k.list {
		if k.list[i] == h {
			n++
		}
	}
	return n
}

// has tells whether a key is in the list.
func (k *keyList) has(h Hash) bool {
	if !k.mayHave(h) {
		return false
	}
	for i := len(k.list) - 1; i >= 0; i-- {
		if k.list[i] == h {
			return true
		}
	}
	return false
}
