package store

import (
	"errors"
	"io/fs"
	"sync"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// Shelf holds the open games or documents of a folder. Each is read once, by the first Open, and
// stays open until Drop. It is safe for concurrent use. Make one with [NewShelf].
type Shelf[T any] struct {
	folder          *Folder
	warnings        *wire.Warnings
	kind, ext, noun string
	read            func(id string) (T, error)

	mu   sync.Mutex
	open map[string]*opened[T] // by ID
}

// opened is a file that is open, or being read.
type opened[T any] struct {
	ready chan struct{} // closed when value and err are set
	value T
	err   error
}

// NewShelf returns a shelf of the files kind/ID+ext of a folder. read opens a file; only one
// goroutine at a time calls it for the same ID. noun is the word for such a file in errors.
func NewShelf[T any](f *Folder, w *wire.Warnings, kind, ext, noun string, read func(id string) (T, error)) *Shelf[T] {
	return &Shelf[T]{folder: f, warnings: w, kind: kind, ext: ext, noun: noun, read: read, open: map[string]*opened[T]{}}
}

// Open returns the item with an ID, and reads its file if it is not open. Errors are refusals.
func (s *Shelf[T]) Open(id string) (value T, err error) {
	if !ValidID(id) {
		return value, api.Refuse("not_found", "no such %s", s.noun)
	}
	s.mu.Lock()
	o, known := s.open[id]
	if !known {
		o = &opened[T]{ready: make(chan struct{})}
		s.open[id] = o
	}
	s.mu.Unlock()
	if !known {
		if o.value, o.err = s.read(id); o.err != nil {
			s.Drop(id)
		}
		close(o.ready)
	}
	<-o.ready
	if errors.Is(o.err, fs.ErrNotExist) {
		return value, api.Refuse("not_found", "no such %s", s.noun)
	}
	if o.err != nil {
		return value, api.Refuse("not_found", "%v", o.err)
	}
	return o.value, nil
}

// Put adds a new item.
func (s *Shelf[T]) Put(id string, value T) {
	o := &opened[T]{ready: make(chan struct{}), value: value}
	close(o.ready)
	s.mu.Lock()
	s.open[id] = o
	s.mu.Unlock()
}

// Drop removes an item; the next Open reads its file again.
func (s *Shelf[T]) Drop(id string) {
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
}

// All returns the open items, by ID.
func (s *Shelf[T]) All() map[string]T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]T{}
	for id, o := range s.open {
		select {
		case <-o.ready:
			all[id] = o.value
		default: // the file is being read
		}
	}
	return all
}

// List returns cards of the newest [MaxListed] files, and the files that cannot be read.
func List[T, C any](s *Shelf[T], card func(id string) (C, error)) (cards []C, unread []api.Unread, err error) {
	ids, err := s.folder.Newest(s.kind, s.ext, MaxListed)
	cards = []C{}
	for _, id := range ids {
		c, err := card(id)
		if err != nil {
			unread = append(unread, s.warnings.Unread(s.kind, id+s.ext, err))
			continue
		}
		cards = append(cards, c)
	}
	return cards, unread, err
}
