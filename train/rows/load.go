package rows

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"kosumi/board"
)

// part is a piece of a file that is read in one go.
type part struct {
	Path string `json:"path"`
	From int    `json:"from"` // first row; for game records, index of the part
	N    int    `json:"n"`    // number of rows; for game records, number of parts of the file
}

func (p part) compare(o part) int {
	return cmp.Or(strings.Compare(p.Path, o.Path), cmp.Compare(p.From, o.From), cmp.Compare(p.N, o.N))
}

// sgfPartBytes is how much of a collection of game records makes one part.
const sgfPartBytes = 512 << 10

// maxSGFBytes bounds a file of game records.
const maxSGFBytes = 32 << 20

// load reads the wanted rows of a part, as sets. For game records it may return both sets and an
// error about some games.
func (f *Folder) load(p part) ([]*Set, error) {
	sets, err := f.read(p)
	for _, s := range sets {
		s.source, s.first = p.Path, p.From
		for i := range s.N {
			if err := s.Check(i); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Path, err)
			}
		}
		s.keep(func(i int) bool {
			return (f.o.Size == board.Size{} || s.Size(i) == f.o.Size) && f.o.Split.takes(s, i, p.Path)
		})
		s.clip()
	}
	return slices.DeleteFunc(sets, func(s *Set) bool { return s.N == 0 }), err
}

func (f *Folder) read(p part) ([]*Set, error) {
	if isSGF(p.Path) {
		return readRecords(p, f.o.Encoding)
	}
	r, err := OpenFile(p.Path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Layout.Encoding != f.o.Encoding {
		return nil, f.otherEncoding(p.Path, r.Layout)
	}
	if p.From+p.N > r.N {
		return nil, fmt.Errorf("%s: %w: the file has changed: it has %d rows, not %d or more", p.Path, ErrFormat, r.N, p.From+p.N)
	}
	s, err := r.Read(p.From, p.N)
	if err != nil {
		return nil, err
	}
	return []*Set{s}, nil
}

func (f *Folder) otherEncoding(path string, l Layout) error {
	return fmt.Errorf("%s: %w: the rows are %v, the network reads %v: label their games by 'engine label --rows-encoder %v', or train on the records",
		path, ErrLayout, l.Encoding, f.o.Encoding, f.o.Encoding)
}

func (s *Split) takes(set *Set, i int, path string) bool {
	if s.Share <= 0 {
		return !s.Held
	}
	h := fnv.New64a()
	hash := set.targets(i)[TargetHash : TargetHash+6]
	var zero [6]float32
	if slices.Equal(hash, zero[:]) {
		h.Write([]byte(path)) // rows without a hash: the whole file is on one side of the split
	}
	binary.Write(h, binary.LittleEndian, hash)
	x := h.Sum64()
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	return (float64(x>>11)/(1<<53) < s.Share) == s.Held
}

// segment holds the rows of some parts in memory, in random order.
type segment struct {
	first, end int // its parts are order[first:end] of the pass
	sets       []*Set
	refs       []rowRef
	bytes      int64
	bad        []badFile
}

// rowRef names a row of a segment.
type rowRef struct{ set, row int32 }

// badFile is a file that could not be used.
type badFile struct {
	path string
	err  error
}

// workers is the number of files read at the same time.
const workers = 2

// loadSegment reads order[first] and the parts after it, until half the memory is full or no part is
// left. The same order and index give the same segment.
func (f *Folder) loadSegment(order []part, first int) *segment {
	seg := &segment{first: first, end: first}
	type loaded struct {
		sets []*Set
		err  error
	}
	slots := make([]chan loaded, len(order)-first)
	next := 0
	var wait sync.WaitGroup
	launch := func() {
		if next >= len(slots) {
			return
		}
		k := next
		next++
		slots[k] = make(chan loaded, 1)
		wait.Go(func() {
			sets, err := f.load(order[first+k])
			slots[k] <- loaded{sets, err}
		})
	}
	for range workers {
		launch()
	}
	for k := range slots {
		if k > 0 && seg.bytes >= f.o.MemoryBytes/2 {
			break
		}
		got := <-slots[k]
		seg.end++
		if got.err != nil {
			seg.bad = append(seg.bad, badFile{order[first+k].Path, got.err})
		}
		for _, s := range got.sets {
			seg.sets = append(seg.sets, s)
			seg.bytes += int64(s.N) * int64(s.Layout.RowBytes())
		}
		launch()
	}
	wait.Wait() // parts beyond the end are dropped, and read again later
	return seg
}
