package sgf

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Errors of reading, found with errors.Is.
var (
	// ErrTooLarge means that the file is over the limits of Options.
	ErrTooLarge = errors.New("sgf too large")
	// ErrNoTree means that the file has no game tree at all.
	ErrNoTree = errors.New("no game tree: not an sgf file")
)

// Defaults of Options.
const (
	// DefaultMaxBytes is the largest file that is read.
	DefaultMaxBytes = 64 << 20
	// DefaultMaxElements is the largest number of nodes, properties, values and variations
	// together. An element takes about 50 bytes of memory.
	DefaultMaxElements = 8 << 20
)

// Options are the settings of reading. The zero value is the default.
type Options struct {
	// MaxBytes bounds the size of the file; 0 means DefaultMaxBytes.
	MaxBytes int64
	// MaxElements bounds nodes + properties + values + variations of the file;
	// 0 means DefaultMaxElements.
	MaxElements int
}

// Parse reads a collection: the root nodes of all game trees, at least one. A
// damaged tree is read as far as possible, and [Node.Notes] of the root say what was
// mended or left out; errors are ErrNoTree and ErrTooLarge.
func Parse(data []byte) ([]*Node, error) { return Options{}.Parse(data) }

// Read reads a collection from r.
func Read(r io.Reader) ([]*Node, error) {
	data, err := io.ReadAll(io.LimitReader(r, DefaultMaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read sgf: %w", err)
	}
	return Parse(data)
}

// First returns the first game of a collection, with a note if there are others.
func First(roots []*Node) (root *Node, notes []string) {
	if len(roots) > 1 {
		notes = []string{fmt.Sprintf("It holds %d games, of which only the first was read.", len(roots))}
	}
	return roots[0], notes
}

// ReadFile reads the collection in a file.
func ReadFile(name string) ([]*Node, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read game: %w", err)
	}
	defer f.Close()
	roots, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return roots, nil
}

// Parse does the same as the function [Parse], with these options.
func (o Options) Parse(data []byte) ([]*Node, error) {
	if most := cmp.Or(o.MaxBytes, DefaultMaxBytes); int64(len(data)) > most {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	p := parser{src: fromUTF16(string(data)), left: cmp.Or(o.MaxElements, DefaultMaxElements)}
	p.plain = utf8.ValidString(p.src) && !strings.Contains(p.src, "\x1b$")
	p.ahead = 4 * len(p.src)
	var roots []*Node
	for p.findTree(len(roots) == 0) {
		root, err := p.tree()
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	if len(roots) == 0 {
		return nil, ErrNoTree
	}
	return roots, nil
}

// parser holds the state of reading one file. It never recurses.
type parser struct {
	src    string
	pos    int
	left   int        // elements that may still be made
	ahead  int        // bytes that may still be read ahead to find the end of a value in doubt
	last   charset    // charset of the previous game tree
	plain  bool       // the whole file is UTF-8
	high   bool       // the game tree has values with bytes above 127
	raw    []rawValue // the game tree's values with bytes above 127, undecoded
	split  bool       // games inside another one become separate games
	nested bool       // a game inside another one was found
	notes  []string
	lines  lineCount

	open   []*Node    // for each open parenthesis, the node that it branches from
	props  []Property // properties of the current node
	values []string   // values of the current property
	highs  []int      // indices of values that are not ASCII

	nodeSlab  slab[Node]
	propSlab  slab[Property]
	valueSlab slab[string]
	childSlab slab[*Node]
}

// rawValue is a value with bytes above 127.
type rawValue struct {
	property string
	value    *string
}

// slab hands out short slices of long arrays, so that a big file is not millions
// of small allocations.
type slab[T any] struct {
	free []T
	next int
}

func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.next = min(max(2*s.next, 16), 4096)
		s.free = make([]T, max(n, s.next))
	}
	got := s.free[:n:n]
	s.free = s.free[n:]
	return got
}
