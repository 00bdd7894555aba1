package katago

import (
	"cmp"
	"fmt"
	"strings"
)

// Bounds on sizes in a file, far above any real network. They keep products of sizes within an
// int64.
const (
	maxKernel   = 63
	maxChannels = 1 << 16
	maxBlocks   = 1 << 12
	maxDepth    = 8
	maxNameLen  = 96
)

// medium is the source or the target of tokens and float blocks.
type medium interface {
	token(s *string) error
	integer(v *int) error
	real(v *float64) error
	// floats handles the block of numbers at the dotted path: n of them, the
	// product of dims.
	floats(path string, n int64, dims []int, v *[]float32) error
}

// walker visits a network in the order of the file. The same walk reads, writes, and checks whether
// layers fit each other; the first error stops it and is kept.
type walker struct {
	m       medium
	reading bool
	path    []string
	depth   int            // depth of nested blocks
	layers  map[string]any // *Conv and *Norm by path; nil: not collected
	name    string
	err     error
}

func (w *walker) where() string { return strings.Join(w.path, ".") }

func (w *walker) fail(err error) {
	if w.err != nil || err == nil {
		return
	}
	at := w.where()
	at = cmp.Or(at, "header")
	if w.name != "" {
		at += " (" + w.name + ")"
	}
	w.err = fmt.Errorf("%s: %w", at, err)
}

// note stores a layer under its path.
func (w *walker) note(layer any) {
	if w.layers != nil {
		w.layers[w.where()] = layer
	}
}

// in runs f with one more element on the path.
func (w *walker) in(field string, f func()) {
	if w.err != nil {
		return
	}
	w.path = append(w.path, field)
	w.name = ""
	f()
	w.path = w.path[:len(w.path)-1]
}

// label visits a layer's name token.
func (w *walker) label(s *string) {
	w.token("name", s)
	if w.err == nil && !strings.ContainsFunc(*s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		w.name = fmt.Sprintf("%.64s", *s)
	}
}

// visit passes a value to or from the medium and reports whether that went well.
func visit[T any](w *walker, what string, v *T, by func(*T) error) bool {
	if w.err != nil {
		return false
	}
	if err := by(v); err != nil {
		w.fail(fmt.Errorf("%s: %w", what, err))
	}
	return w.err == nil
}

func (w *walker) token(what string, s *string) { visit(w, what, s, w.m.token) }

// count visits an integer between lo and hi.
func (w *walker) count(what string, v *int, lo, hi int) {
	if visit(w, what, v, w.m.integer) && (*v < lo || *v > hi) {
		w.fail(fmt.Errorf("%w: %s is %d, should be %d to %d", ErrFormat, what, *v, lo, hi))
	}
}

// anySize is the expected size of a dimension that nothing before it determines.
const anySize = -1

// channels visits a size, which must equal want unless want is anySize.
func (w *walker) channels(what string, v *int, want int) {
	if w.count(what, v, 1, maxChannels); want != anySize && *v != want {
		w.misfit("%s: %d, should be %d", what, *v, want)
	}
}

// misfit reports a layer that does not fit the others.
func (w *walker) misfit(format string, args ...any) {
	w.fail(fmt.Errorf("%w: %s", ErrShape, fmt.Sprintf(format, args...)))
}

// boolean visits a flag that is stored as a number between lo and hi, and returns the number.
func (w *walker) boolean(what string, v *bool, lo, hi int) (i int) {
	if *v {
		i = 1
	}
	w.count(what, &i, lo, hi)
	if w.reading {
		*v = i == 1
	}
	return i
}

func (w *walker) flag(what string, v *bool) { w.boolean(what, v, 0, 1) }

// preference visits a flag that newer versions may give values other than 0 and 1.
func (w *walker) preference(name string, v *bool) {
	if i := w.boolean(name, v, -1<<31, 1<<31-1); w.err == nil && i != 0 && i != 1 {
		w.fail(unknown("%s unexpected value: %d", name, i))
	}
}

// options visits n integers that must be 0, since no known version gives them
// a meaning. KataGo calls them options of a part and names them by letters.
func (w *walker) options(part string, first byte, n int) {
	for i := range n {
		zero := 0
		name := fmt.Sprintf("%s option %c", part, first+byte(i))
		if w.count(name, &zero, -1<<31, 1<<31-1); w.err == nil && zero != 0 {
			w.fail(unknown("unknown/unsupported %s: %d", name, zero))
		}
	}
}

// number visits a finite real of at least lo and at most hi.
func (w *walker) number(what string, v *float64, lo, hi float64) {
	if visit(w, what, v, w.m.real) && !(*v >= lo && *v <= hi) {
		w.fail(fmt.Errorf("%w: %s is %g, should be %g to %g", ErrFormat, what, *v, lo, hi))
	}
}

// floats visits a block whose length is the product of dims.
func (w *walker) floats(field string, v *[]float32, dims ...int) {
	if w.err != nil {
		return
	}
	n := int64(1)
	for _, d := range dims {
		n *= int64(d)
	}
	if err := w.m.floats(w.where()+"."+field, n, dims, v); err != nil {
		w.fail(fmt.Errorf("%s: %w", field, err))
	}
}
