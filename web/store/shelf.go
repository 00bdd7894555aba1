package store

import (
	"errors"
	"io/fs"
	"sync"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// Shelf holds the games or the documents of a folder: each is read once, and stays open
// until it is dropped. It is safe for concurrent use. Make one with [NewShelf].
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
	ready chan struct{} // closed once value and err hold
	value T
	err   error
}

// NewShelf returns the files of a folder below kind whose names end in ext. One goroutine at
// a time calls read for an ID. noun is what a refusal calls such a file.
func NewShelf[T any](f *Folder, w *wire.Warnings, kind, ext, noun string, read func(id string) (T, error)) *Shelf[T] {
	return &Shelf[T]{folder: f, warnings: w, kind: kind, ext: ext, noun: noun, read: read, open: map[string]*opened[T]{}}
}

// Open returns what an ID names, read from its file if need be. Errors are refusals.
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

// Put makes a new one known.
func (s *Shelf[T]) Put(id string, value T) {
	o := &opened[T]{ready: make(chan struct{}), value: value}
	close(o.ready)
	s.mu.Lock()
	s.open[id] = o
	s.mu.Unlock()
}

// Drop closes one, which the next Open reads again.
func (s *Shelf[T]) Drop(id string) {
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
}

// All returns those that are open, by ID.
func (s *Shelf[T]) All() map[string]T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]T{}
	for id, o := range s.open {
		select {
		case <-o.ready:
			all[id] = o.value
		default: // being read
		}
	}
	return all
}

// List returns a card of each of the newest [MaxListed] files, and those that cannot be read.
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
