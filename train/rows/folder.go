package rows

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"kosumi/board"
)

// ErrNoRows says that a whole pass through the files delivered nothing.
var ErrNoRows = errors.New("no training rows")

// Folder is a Stream of the rows in files: game records and npz files in any mixture. A pass reads
// the files in random order, as many at a time as half the memory holds, delivers their rows in
// random order, and reads the next files meanwhile. Rows that do not fill a batch wait for the
// next ones of their board size, so none is lost.
//
// The batches depend on the options, the files and the calls alone, not on how fast files are read.
type Folder struct {
	o    Options
	list Lister
	rng  *rand.PCG

	pass    uint64 // passes begun
	order   []part // parts of the pass, in order
	seg     *segment
	at      int // next row of the segment
	ahead   chan *segment
	waiting map[waitKey]*Set
	window  int // number of rows in the files of the pass
	yielded bool
	skipped map[string]error
	unpack  unpacker
}

// waitKey identifies rows that fit in the same batch.
type waitKey struct {
	side int
	size board.Size
}

// OpenFolder returns a stream of all rows below the given folders.
func OpenFolder(o Options, roots ...string) (*Folder, error) {
	return Open(o, ListFolders(roots...))
}

// Open returns a stream of the rows in the files named by list. The files are listed now, and
// before each pass.
func Open(o Options, list Lister) (*Folder, error) {
	o.fill()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("training data: %w", err)
	}
	f := &Folder{o: o, list: list, rng: rand.NewPCG(o.Seed, 0xba7c4),
		waiting: map[waitKey]*Set{}, skipped: map[string]error{}}
	return f, f.beginPass()
}

// beginPass lists the files, takes the newest until the window is full, and puts
// their parts in random order.
func (f *Folder) beginPass() error {
	paths, err := f.list()
	if err != nil {
		return err
	}
	f.order, f.window = f.surveyWindow(paths)
	slices.SortFunc(f.order, part.compare)
	f.pass++
	rng := rand.New(rand.NewPCG(f.o.Seed, f.pass))
	rng.Shuffle(len(f.order), func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
	return nil
}

func (f *Folder) skip(path string, err error) {
	if _, told := f.o.Catalog.told.LoadOrStore(err.Error(), true); !told {
		what := "a file of training data is skipped"
		if errors.Is(err, ErrRecord) {
			what = "game records are left out"
		}
		f.o.Log.Warn(what, "error", err)
	}
	if before := f.skipped[path]; before != nil && !strings.Contains(before.Error(), err.Error()) { // the file already has a different error
		err = errors.Join(before, err)
	}
	f.skipped[path] = err
}

// WindowRows returns the number of rows in the files of the current pass. Those of game records are
// estimated.
func (f *Folder) WindowRows() int { return f.window }

// Passes returns how many passes through the files have been begun.
func (f *Folder) Passes() uint64 { return f.pass }

// Close waits for the reading of files and drops what was read.
func (f *Folder) Close() {
	if f.ahead != nil {
		<-f.ahead
	}
	f.ahead, f.seg, f.at = nil, nil, 0
}

// Next fills a batch. Errors wrap ErrNoRows when a whole pass delivered nothing.
func (f *Folder) Next(b *Batch) error {
	for {
		set, i, err := f.nextRow()
		if err != nil {
			return err
		}
		key := waitKey{set.Layout.Side, set.Size(i)}
		w := f.waiting[key]
		if w == nil {
			w = NewSet(set.Layout)
			f.waiting[key] = w
		}
		if err := w.Append(set, i); err != nil {
			return err
		}
		if w.N >= f.o.Batch {
			f.deliver(b, w, key.size)
			return nil
		}
	}
}

func (f *Folder) deliver(b *Batch, w *Set, size board.Size) {
	b.prepare(w.Layout, size, f.o.Batch, f.o.Wants)
	rng := rand.New(f.rng)
	for k := range f.o.Batch {
		sym, history := board.Symmetry(0), historyMoves
		if f.o.Symmetries {
			sym = board.Symmetry(rng.IntN(size.Symmetries()))
		}
		if f.o.HistoryDropout {
			history = 0
			for history < historyMoves && rng.Float64() < historyKept {
				history++
			}
		}
		f.unpack.put(b, k, w, k, sym, history)
	}
	w.Reset()
}

// historyKept is KataGo's probability of showing one more move of the history.
const historyKept = 0.98

// nextRow returns the next row of the pass, or of the one after it.
func (f *Folder) nextRow() (*Set, int, error) {
	for f.seg == nil || f.at >= len(f.seg.refs) {
		if err := f.nextSegment(); err != nil {
			return nil, 0, err
		}
	}
	r := f.seg.refs[f.at]
	f.at++
	f.yielded = true
	return f.seg.sets[r.set], int(r.row), nil
}

// nextSegment moves on to the next files, beginning a new pass if need be.
func (f *Folder) nextSegment() error {
	old, seg, first := f.order, f.seg, 0
	if seg != nil {
		first = seg.end
	}
	if first < len(old) {
		f.install(f.obtain(first))
		return nil
	}
	if len(old) == 0 || !f.yielded {
		return f.nothing()
	}
	if err := f.beginPass(); err != nil {
		return err
	}
	if len(f.order) == 0 {
		return f.nothing()
	}
	f.yielded = false
	if seg.first == 0 && len(seg.bad) == 0 && sameParts(old, f.order) { // all rows of the pass are in memory
		f.install(&segment{first: 0, end: len(f.order), sets: seg.sets, bytes: seg.bytes})
		return nil
	}
	f.install(f.obtain(0))
	return nil
}

// obtain returns the segment that begins at a place: the one read ahead, or one read now.
func (f *Folder) obtain(first int) *segment {
	if f.ahead != nil {
		seg := <-f.ahead
		f.ahead = nil
		if seg.first == first {
			return seg
		}
	}
	return f.loadSegment(f.order, first)
}

// install makes a segment the one in use, shuffles it, and has the next one read.
func (f *Folder) install(seg *segment) {
	for _, bad := range seg.bad {
		f.skip(bad.path, bad.err)
	}
	// The order of the sets must not depend on how they were read.
	slices.SortStableFunc(seg.sets, func(a, b *Set) int {
		return cmp.Or(strings.Compare(a.source, b.source), a.first-b.first, a.Layout.Side-b.Layout.Side)
	})
	seg.refs = seg.refs[:0]
	for k, s := range seg.sets {
		for i := range s.N {
			seg.refs = append(seg.refs, rowRef{int32(k), int32(i)})
		}
	}
	rng := rand.New(rand.NewPCG(f.o.Seed^0x5e67, f.pass<<24+uint64(seg.first)))
	rng.Shuffle(len(seg.refs), func(i, j int) { seg.refs[i], seg.refs[j] = seg.refs[j], seg.refs[i] })
	f.seg, f.at = seg, 0
	if seg.end < len(f.order) {
		ahead := make(chan *segment, 1)
		f.ahead = ahead
		order, end := f.order, seg.end
		go func() { ahead <- f.loadSegment(order, end) }()
	}
}

func (f *Folder) nothing() error {
	var seen []string
	for _, path := range slices.Sorted(maps.Keys(f.skipped)) {
		seen = append(seen, f.skipped[path].Error())
	}
	if len(seen) > 3 {
		seen = append(seen[:3], "...")
	}
	if len(f.order)+len(f.skipped) == 0 {
		return fmt.Errorf("%w: no file of rows (.npz) or game records (.sgf, .sgfs) is there", ErrNoRows)
	}
	text := ""
	if f.o.Size != (board.Size{}) {
		text = fmt.Sprintf(" for %v", f.o.Size)
	}
	if len(seen) > 0 {
		text += "; skipped: " + strings.Join(seen, "; ")
	}
	return fmt.Errorf("%w%s", ErrNoRows, text)
}

func sameParts(a, b []part) bool {
	return slices.Equal(slices.SortedFunc(slices.Values(a), part.compare), slices.SortedFunc(slices.Values(b), part.compare))
}

type folderState struct {
	Options string    `json:"options"`
	RNG     []byte    `json:"rng"`
	Pass    uint64    `json:"pass"`
	Yielded bool      `json:"yielded"`
	Order   []part    `json:"order"`
	First   int       `json:"first"` // index in Order of the first part of the segment in use; -1: none
	At      int       `json:"at"`
	Waiting []waitSet `json:"waiting"`
}

type waitSet struct {
	W    int    `json:"w"`
	H    int    `json:"h"`
	Rows []byte `json:"rows"` // an npz file
}

// fingerprint contains the options that determine the batches.
func (f *Folder) fingerprint() string {
	o := f.o
	return fmt.Sprintf("size %v batch %d encoding %v seed %d symmetries %v dropout %v memory %d split %v %v",
		o.Size, o.Batch, o.Encoding, o.Seed, o.Symmetries, o.HistoryDropout, o.MemoryBytes, o.Split.Share, o.Split.Held)
}

// State returns the position in the stream.
func (f *Folder) State() ([]byte, error) {
	rng, err := f.rng.MarshalBinary()
	if err != nil {
		return nil, err
	}
	st := folderState{Options: f.fingerprint(), RNG: rng, Pass: f.pass, Yielded: f.yielded, Order: f.order, First: -1, At: f.at}
	if f.seg != nil {
		st.First = f.seg.first
	}
	keys := slices.SortedFunc(maps.Keys(f.waiting), func(a, b waitKey) int {
		return cmp.Or(a.side-b.side, a.size.W-b.size.W, a.size.H-b.size.H)
	})
	for _, key := range keys {
		if w := f.waiting[key]; w.N > 0 {
			var text bytes.Buffer
			if err := w.Write(&text); err != nil {
				return nil, err
			}
			st.Waiting = append(st.Waiting, waitSet{key.size.W, key.size.H, text.Bytes()})
		}
	}
	return json.Marshal(st)
}

// Restore sets the stream to a State of a stream with the same options. The files that were in
// use must still exist.
func (f *Folder) Restore(state []byte) error {
	if err := f.restore(state); err != nil {
		return fmt.Errorf("the state of the training data: %w", err)
	}
	return nil
}

func (f *Folder) restore(state []byte) error {
	var st folderState
	if err := json.Unmarshal(state, &st); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if st.Options != f.fingerprint() {
		return fmt.Errorf("it was saved with other options (%s, now %s)", st.Options, f.fingerprint())
	}
	impossible := func(p part) bool { return p.From < 0 || p.N < 1 || p.From > maxFileRows || p.N > maxFileRows }
	if st.First < -1 || st.First >= len(st.Order) && st.First > 0 || st.At < 0 || slices.ContainsFunc(st.Order, impossible) {
		return errContradiction
	}
	waiting := map[waitKey]*Set{}
	for _, w := range st.Waiting {
		file, err := newFile(bytes.NewReader(w.Rows), int64(len(w.Rows)))
		if err != nil {
			return err
		}
		set, err := file.Read(0, file.N)
		key := waitKey{file.Layout.Side, board.Size{W: w.W, H: w.H}}
		for i := 0; err == nil && i < set.N; i++ {
			if err = set.Check(i); err == nil && (set.Size(i) != key.size || set.Layout.Encoding != f.o.Encoding) {
				err = errContradiction
			}
		}
		if err != nil {
			return err
		}
		waiting[key] = set
	}
	var rng rand.PCG
	if err := rng.UnmarshalBinary(st.RNG); err != nil {
		return err
	}
	return f.resume(&st, &rng, waiting)
}

var errContradiction = fmt.Errorf("%w: it contradicts itself", ErrFormat)

// resume continues at a saved state; it reads the segment that was in use then again.
func (f *Folder) resume(st *folderState, rng *rand.PCG, waiting map[waitKey]*Set) error {
	f.Close()
	f.pass, f.order, f.yielded = st.Pass, st.Order, st.Yielded
	f.rng, f.waiting = rng, waiting
	if st.First < 0 {
		return nil
	}
	seg := f.loadSegment(f.order, st.First)
	if st.At > 0 {
		for _, bad := range seg.bad {
			if _, before := f.skipped[bad.path]; !before {
				f.o.Log.Warn("the training data cannot be resumed exactly", "error", bad.err)
			}
		}
	}
	f.install(seg)
	if st.At > len(f.seg.refs) {
		return fmt.Errorf("the files in use have fewer rows than before (%d, at row %d)", len(f.seg.refs), st.At)
	}
	f.at = st.At
	return nil
}
