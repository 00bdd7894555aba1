package rows

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Catalog remembers the sizes of files. Streams that share a catalog read the headers of each file
// once. Safe for concurrent use; the zero value is empty.
type Catalog struct {
	files sync.Map // listed, by path
	told  sync.Map // warnings that were logged
}

// listed is a catalog's entry for a file.
type listed struct {
	size   int64 // in bytes
	at     int64 // modification time
	layout Layout
	rows   int // an estimate for game records
}

// lookUp returns the description of a file. It reads the header of a new or changed one.
func (c *Catalog) lookUp(path string) (listed, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return listed{}, err
	}
	l := listed{size: stat.Size(), at: stat.ModTime().UnixNano()}
	if known, ok := c.files.Load(path); ok && known.(listed).size == l.size && known.(listed).at == l.at {
		return known.(listed), nil
	}
	if isSGF(path) {
		if l.size > maxSGFBytes {
			return listed{}, fmt.Errorf("%s: %w: %d bytes of game records in one file; at most %d", path, ErrTooLarge, l.size, maxSGFBytes)
		}
		if l.rows, err = movesOfFile(path, l.size); err != nil {
			return listed{}, err
		}
	} else {
		r, err := OpenFile(path)
		if err != nil {
			return listed{}, err
		}
		defer r.Close()
		l.layout, l.rows = r.Layout, r.N
	}
	c.files.Store(path, l)
	return l, nil
}

// surveyed is a file cut into parts.
type surveyed struct {
	parts []part
	rows  int
	err   error
}

// partBytes is the least size of the rows in a part, unless half the memory is less. Smaller parts would take
// longer to read, since reading a part unpacks all data before it in the file.
const partBytes = 8 << 20

// survey finds out how many rows a file has and cuts it into parts.
func (f *Folder) survey(path string) surveyed {
	l, err := f.o.Catalog.lookUp(path)
	if err != nil {
		return surveyed{err: err}
	}
	s := surveyed{rows: l.rows}
	if isSGF(path) {
		n := 1 + int(l.size/sgfPartBytes)
		for k := range n {
			s.parts = append(s.parts, part{path, k, n})
		}
		return s
	}
	if l.layout.Encoding != f.o.Encoding {
		return surveyed{err: f.otherEncoding(path, l.layout)}
	}
	most := max(256, int(max(f.o.MemoryBytes/8, min(partBytes, f.o.MemoryBytes/2)))/l.layout.RowBytes())
	for from := 0; from < l.rows; from += most {
		s.parts = append(s.parts, part{path, from, min(most, l.rows-from)})
	}
	return s
}

// A survey checks after each surveyChunk files whether the window is full, and reports progress at
// intervals of surveyNotice.
const (
	surveyChunk  = 256
	surveyNotice = 5 * time.Second
)

// surveyWindow returns the parts of the newest files that fill the window, and the number of rows in these files.
func (f *Folder) surveyWindow(paths []string) (order []part, rows int) {
	said := time.Now()
	results := make([]surveyed, surveyChunk)
	for at := 0; at < len(paths); at += surveyChunk {
		chunk := paths[at:min(at+surveyChunk, len(paths))]
		f.surveyAll(chunk, results)
		for i, path := range chunk {
			if f.o.WindowRows > 0 && rows >= f.o.WindowRows {
				return order, rows
			}
			if s := results[i]; s.err != nil {
				f.skip(path, s.err)
			} else {
				rows += s.rows
				order = append(order, s.parts...)
			}
		}
		if time.Since(said) > surveyNotice {
			said = time.Now()
			f.o.Log.Info("looking into the training data", "files", at+len(chunk), "of", len(paths), "rows", rows)
		}
	}
	return order, rows
}

func (f *Folder) surveyAll(paths []string, results []surveyed) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				results[i] = f.survey(paths[i])
			}
		})
	}
	wait.Wait()
}
