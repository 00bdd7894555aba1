package rows

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// LeastShare is the smallest share of a source.
const LeastShare = 1e-4

// Source is a part of a mixture: folders and files, and the share of batches that comes
// from them, [LeastShare] to 1.
type Source struct {
	Paths []string
	Share float64
}

// Mix is a Stream that takes each batch from one of several folders, so that after any number of batches
// every folder has had its share. The order depends on the shares alone.
type Mix struct {
	sources []Source
	folders []*Folder
	taken   []int64 // number of batches taken from each source
}

// OpenMix returns a stream of the rows of one or more sources. The caller has checked that their
// shares add up to 1. The sources share the memory that the options allow.
func OpenMix(o Options, sources ...Source) (*Mix, error) {
	m := &Mix{sources: sources, taken: make([]int64, len(sources))}
	if len(sources) > 1 {
		o.MemoryBytes = max(1, cmp.Or(o.MemoryBytes, defaultMemory)/int64(len(sources)))
	}
	for k, s := range sources {
		of := o
		of.Seed += uint64(k)
		f, err := OpenFolder(of, s.Paths...)
		if err != nil {
			m.Close()
			return nil, err
		}
		m.folders = append(m.folders, f)
	}
	return m, nil
}

// next returns the source furthest behind its share; of equal sources, the first.
func (m *Mix) next() int {
	all := int64(1)
	for _, n := range m.taken {
		all += n
	}
	best, most := 0, math.Inf(-1)
	for k, s := range m.sources {
		if behind := s.Share*float64(all) - float64(m.taken[k]); behind > most {
			best, most = k, behind
		}
	}
	return best
}

// Next fills a batch from one of the sources. If there are several, errors name the source; they
// wrap ErrNoRows if it has no rows.
func (m *Mix) Next(b *Batch) error {
	k := m.next()
	if err := m.folders[k].Next(b); err != nil {
		if len(m.sources) > 1 {
			return fmt.Errorf("%s: %w", strings.Join(m.sources[k].Paths, ", "), err)
		}
		return err
	}
	m.taken[k]++
	return nil
}

// mixState is the saved state of several sources; a single source saves its folder's state.
type mixState struct {
	Shares  []float64         `json:"shares"`
	Taken   []int64           `json:"taken"`
	Folders []json.RawMessage `json:"folders"`
}

func (m *Mix) shares() []float64 {
	var list []float64
	for _, s := range m.sources {
		list = append(list, s.Share)
	}
	return list
}

// State returns the position in the stream.
func (m *Mix) State() ([]byte, error) {
	if len(m.folders) == 1 {
		return m.folders[0].State()
	}
	st := mixState{Shares: m.shares(), Taken: m.taken}
	for _, f := range m.folders {
		state, err := f.State()
		if err != nil {
			return nil, err
		}
		st.Folders = append(st.Folders, state)
	}
	return json.Marshal(st)
}

// Restore sets the stream to a State of a stream with the same options and sources. After an error
// the stream is unusable.
func (m *Mix) Restore(state []byte) error {
	if len(m.folders) == 1 {
		return m.folders[0].Restore(state)
	}
	var st mixState
	if err := json.Unmarshal(state, &st); err != nil {
		return fmt.Errorf("the state of the training data: %w: %w", ErrFormat, err)
	}
	if !slices.Equal(st.Shares, m.shares()) {
		return fmt.Errorf("the state of the training data was saved with the shares %v, now they are %v", st.Shares, m.shares())
	}
	impossible := func(n int64) bool { return n < 0 || n > 1<<53 }
	if len(st.Taken) != len(m.folders) || len(st.Folders) != len(m.folders) || slices.ContainsFunc(st.Taken, impossible) {
		return fmt.Errorf("the state of the training data: %w", errContradiction)
	}
	for k, f := range m.folders {
		if err := f.Restore(st.Folders[k]); err != nil {
			return err
		}
	}
	m.taken = st.Taken
	return nil
}

// WindowRows returns the sum of the folders' WindowRows.
func (m *Mix) WindowRows() int {
	n := 0
	for _, f := range m.folders {
		n += f.WindowRows()
	}
	return n
}

// Skipped returns the files that could not be used so far, with the reasons.
func (m *Mix) Skipped() map[string]error {
	all := map[string]error{}
	for _, f := range m.folders {
		maps.Copy(all, f.skipped)
	}
	return all
}

// Close waits for the reading of files.
func (m *Mix) Close() {
	for _, f := range m.folders {
		f.Close()
	}
}
