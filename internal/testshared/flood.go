package testshared

import "runtime"

// Flood is a client that sends the same line for ever.
type Flood struct{ rest, line string }

// NewFlood returns a client that sends line with a line end.
func NewFlood(line string) *Flood { return &Flood{line: line + "\n"} }

func (f *Flood) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if f.rest == "" {
			f.rest = f.line
		}
		k := copy(p[n:], f.rest)
		n, f.rest = n+k, f.rest[k:]
	}
	return n, nil
}

// Heap returns the size in bytes of all objects in use, after a garbage collection.
func Heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
