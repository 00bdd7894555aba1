package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/nn/features"
)

// Options select the rows that a stream delivers. Batch is required.
type Options struct {
	// Size is the one board size wanted; the zero value takes all sizes, though each batch has only
	// one.
	Size     board.Size
	Batch    int // rows in a batch
	Wants    Wants
	Encoding features.Encoding // encoding of the network; None means V7
	Seed     uint64

	// Symmetries turns each row at random. HistoryDropout hides the moves before a random place in
	// the history, as KataGo's trainer does (2 % a move).
	Symmetries     bool
	HistoryDropout bool

	// WindowRows bounds the rows of a pass by leaving out the oldest files; 0: all files.
	WindowRows int
	// MemoryBytes bounds the rows held at a time; 0 means 256 MiB. The parts of the files are shuffled
	// first, then the rows of as many parts as fill half the memory.
	MemoryBytes int64
	// Catalog is shared by streams that read the same files; nil: a new one.
	Catalog *Catalog

	Split Split
	Log   *slog.Logger // names files that are skipped; nil: silent
}

// Split holds back a share of the games for validation. A hash of the game decides, so the
// rows of one game are always on the same side.
type Split struct {
	Share float64 // fraction of games held back, 0 to 1
	Held  bool    // deliver the games that are held back, not the others
}

// check returns an error if an option is out of range. The defaults must be filled in before.
func (o *Options) check() error {
	switch {
	case o.Batch < 1 || o.Batch > 1<<16:
		return fmt.Errorf("batches must have 1 to 65536 rows, not %d", o.Batch)
	case !(o.Split.Share >= 0 && o.Split.Share <= 1):
		return fmt.Errorf("the share of games for validation must be 0 to 1, not %v", o.Split.Share)
	case o.WindowRows < 0 || o.MemoryBytes < 0:
		return errors.New("window and memory must not be negative")
	}
	if o.Size != (board.Size{}) {
		if err := o.Size.Check(); err != nil {
			return err
		}
	}
	return (Layout{o.Encoding, board.MaxSize}).Check()
}

const defaultMemory = 256 << 20

func (o *Options) fill() {
	o.Encoding = cmp.Or(o.Encoding, features.V7)
	o.MemoryBytes = cmp.Or(o.MemoryBytes, defaultMemory)
	o.Catalog = cmp.Or(o.Catalog, new(Catalog))
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
}

// Lister returns the paths of the files to draw from, newest first.
type Lister func() ([]string, error)

// ListFolders returns a lister of all .npz, .sgf and .sgfs files below folders, by time of
// modification, newest first. Files may be named directly too. If self-play has left rows in a
// folder tdata, the records of the same games in the folder sgfs beside it are left out.
func ListFolders(roots ...string) Lister {
	return func() ([]string, error) {
		type dated struct {
			path string
			at   int64
		}
		var found []dated
		for _, root := range roots {
			if info, err := os.Stat(root); err == nil && !info.IsDir() && !isData(root) {
				return nil, fmt.Errorf("%s: neither rows (.npz) nor game records (.sgf, .sgfs)", root)
			}
			err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					if errors.Is(err, fs.ErrNotExist) && path != root {
						return nil // deleted meanwhile
					}
					return err
				}
				if d.IsDir() && path != root && d.Name() == "sgfs" && hasRows(filepath.Join(filepath.Dir(path), "tdata")) {
					return filepath.SkipDir
				}
				if d.IsDir() || !isData(path) {
					return nil
				}
				info, err := os.Stat(path)
				if err != nil || !info.Mode().IsRegular() {
					return nil
				}
				found = append(found, dated{path, info.ModTime().UnixNano()})
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("looking for training data: %w", err)
			}
		}
		slices.SortFunc(found, func(a, b dated) int {
			return cmp.Or(cmp.Compare(b.at, a.at), strings.Compare(a.path, b.path))
		})
		paths := make([]string, len(found))
		for i := range found {
			paths[i] = found[i].path
		}
		return paths, nil
	}
}

func hasRows(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isNpz(e.Name()) })
}

// isData reports whether a file, judging by its name, may have rows or game records.
func isData(path string) bool {
	if strings.HasPrefix(filepath.Base(path), ".") {
		return false
	}
	return isNpz(path) || isSGF(path)
}

func isNpz(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

func isSGF(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".sgf" || ext == ".sgfs"
}
