package board

import "slices"

// koMemory holds the earlier positions of a game.
type koMemory struct {
	keys     keyList // the ko keys of the positions that still count
	passKeys [White + 1]hashList
}

func (k *koMemory) reset() {
	k.keys.reset()
	for c := range k.passKeys {
		k.passKeys[c].reset()
	}
}

func (k *koMemory) copyFrom(src *koMemory) {
	k.keys.copyFrom(&src.keys.hashList)
	k.keys.bloom = src.keys.bloom
	for c := range k.passKeys {
		k.passKeys[c].copyFrom(&src.passKeys[c])
	}
}

// hashList is a list of hashes that counts how often each occurs. Short lists are searched; a
// long one gets an index, so that lookups do not slow down as the game goes on. Copies have no
// index, since a search makes many of them.
type hashList struct {
	list  []Hash
	index map[Hash]int32 // count of each key in list; nil until needed
}

// shortList is the length up to which a list has no index.
const shortList = 1024

func (l *hashList) reset() { l.list, l.index = l.list[:0], nil }

func (l *hashList) copyFrom(src *hashList) { l.list, l.index = append(l.list[:0], src.list...), nil }

func (l *hashList) add(h Hash) {
	l.list = append(l.list, h)
	switch {
	case l.index != nil:
		l.index[h]++
	case len(l.list) == shortList:
		l.index = make(map[Hash]int32, 2*shortList)
		for _, h := range l.list {
			l.index[h]++
		}
	}
}

func (l *hashList) count(h Hash) int {
	if l.index != nil {
		return int(l.index[h])
	}
	n := 0
	for i := range l.list {
		if l.list[i] == h {
			n++
		}
	}
	return n
}

func (l *hashList) has(h Hash) bool {
	if l.index != nil {
		return l.index[h] > 0
	}
	return slices.Contains(l.list, h)
}

// keyList is a hashList with a Bloom filter (Bloom 1970), so that most lookups of
// absent keys need no scan.
type keyList struct {
	hashList
	bloom [bloomBits / 64]uint64
}

// bloomBits is the size of the filter; a game of 400 moves fills a sixth of it.
const bloomBits = 4096

func (k *keyList) reset() {
	k.hashList.reset()
	clear(k.bloom[:])
}

func (k *keyList) add(h Hash) {
	k.hashList.add(h)
	k.bloom[h.Lo%bloomBits/64] |= 1 << (h.Lo % 64)
	k.bloom[h.Hi%bloomBits/64] |= 1 << (h.Hi % 64)
}

// mayHave reports whether a key may be in the list; false is certain.
func (k *keyList) mayHave(h Hash) bool {
	return k.bloom[h.Lo%bloomBits/64]>>(h.Lo%64)&1 != 0 && k.bloom[h.Hi%bloomBits/64]>>(h.Hi%64)&1 != 0
}

func (k *keyList) has(h Hash) bool { return k.mayHave(h) && k.hashList.has(h) }
