package store

import (
	"io/fs"
	"maps"
)

// Cache keeps the parsed content of files, by ID, until their time or size changes. Not safe for
// concurrent use.
type Cache[T any] struct {
	Read  func(id string, info fs.FileInfo) (T, error)
	files map[string]cached[T]
}

type cached[T any] struct {
	info  fs.FileInfo
	value T
	err   error
}

// Get returns the parsed content of a file whose state is info.
func (c *Cache[T]) Get(id string, info fs.FileInfo) (T, error) {
	f, ok := c.files[id]
	if !ok || !f.info.ModTime().Equal(info.ModTime()) || f.info.Size() != info.Size() {
		f = cached[T]{info: info}
		f.value, f.err = c.Read(id, info)
		if c.files == nil {
			c.files = map[string]cached[T]{}
		}
		c.files[id] = f
	}
	return f.value, f.err
}

// Refresh reads those of the given files that have changed, and forgets all other files.
func (c *Cache[T]) Refresh(files map[string]fs.FileInfo) {
	maps.DeleteFunc(c.files, func(id string, _ cached[T]) bool { return files[id] == nil })
	for id, info := range files {
		c.Get(id, info)
	}
}

// Known returns the cached content of a file; false if it is not cached or could not be read.
func (c *Cache[T]) Known(id string) (value T, ok bool) {
	f, ok := c.files[id]
	return f.value, ok && f.err == nil
}

// Each calls f with the cached content of each file, in no particular order.
func (c *Cache[T]) Each(f func(id string, value T, err error)) {
	for id, file := range c.files {
		f(id, file.value, file.err)
	}
}
