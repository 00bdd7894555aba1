package model

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// maxCache is how much the graphs on disk may take, in bytes: all that a large
// network needs on the usual boards, several times over.
const maxCache = 2 << 30

// CacheUse is what the graphs on disk take.
type CacheUse struct {
	Dir          string
	Files        int
	Bytes, Limit int64 // of graphs
}

// Cache looks at the cache of graphs in a folder, as [Config.CacheDir] names it. A
// folder that is not there yet is empty.
func Cache(dir string) (CacheUse, error) {
	c := newGraphCache(dir, slog.New(slog.DiscardHandler))
	graphs, bytes, err := c.graphs()
	return CacheUse{Dir: c.dir, Files: len(graphs), Bytes: bytes, Limit: maxCache}, err
}

// CleanCache removes the graphs, and what was found out about them; the next start
// makes them anew. It returns what the graphs took. What another program is making
// at this moment stays.
func CleanCache(dir string) (CacheUse, error) {
	c := newGraphCache(dir, slog.New(slog.DiscardHandler))
	use, err := Cache(dir)
	if err != nil {
		return use, err
	}
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return use, nil
	}
	for _, e := range entries {
		path := filepath.Join(c.dir, e.Name())
		switch filepath.Ext(path) {
		case ".lock":
			lock := flock.New(path)
			if free, lockErr := lock.TryLock(); lockErr == nil && free {
				err = errors.Join(err, os.Remove(path), lock.Unlock())
			}
		case ".onnx", ".json":
			if !strings.HasPrefix(e.Name(), strings.TrimSuffix(unfinished, "*")) {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}
	c.sweep()
	return use, err
}

// graph is a file of the cache.
type graph struct {
	path string
	size int64
	used time.Time
}

// graphs lists the finished graphs, the one that was not used for longest first.
func (c graphCache) graphs() (all []graph, bytes int64, err error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) || c.dir == "" {
		return nil, 0, nil
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".onnx" || strings.HasPrefix(e.Name(), strings.TrimSuffix(unfinished, "*")) {
			continue
		}
		if info, err := e.Info(); err == nil { // else it has just gone
			all = append(all, graph{filepath.Join(c.dir, e.Name()), info.Size(), info.ModTime()})
			bytes += info.Size()
		}
	}
	slices.SortFunc(all, func(a, b graph) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	return all, bytes, err
}

// touch notes that a graph was used: its time of change is that of its last use.
func (c graphCache) touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // of another user's cache: then it ages
}

// shrink removes the graphs that were not used for longest until the others take
// no more than so many bytes; the newest one stays.
func (c graphCache) shrink(most int64) {
	all, bytes, err := c.graphs()
	if err != nil {
		return
	}
	for i := 0; i < len(all)-1 && bytes > most; i++ {
		if err := os.Remove(all[i].path); err == nil || errors.Is(err, fs.ErrNotExist) {
			bytes -= all[i].size
		}
	}
}
