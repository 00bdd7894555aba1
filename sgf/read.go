package sgf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// Errors of reading, found with errors.Is; a SyntaxError wraps the first two.
var (
	// ErrSyntax means that the file is not SGF from some place on.
	ErrSyntax = errors.New("bad sgf")
	// ErrTooLarge means that the file is over the limits of Options.
	ErrTooLarge = errors.New("sgf too large")
	// ErrNoTree means that the file has no game tree at all.
	ErrNoTree = errors.New("no game tree: not an sgf file")
)

// Defaults of Options.
const (
	// DefaultMaxBytes is the largest file that is read.
	DefaultMaxBytes = 64 << 20
	// DefaultMaxElements is how many nodes, properties, values and variations
	// together are read. An element takes about 50 bytes of memory.
	DefaultMaxElements = 8 << 20
)

// Options are the settings of reading. The zero value is the default.
type Options struct {
	// Charset is the encoding of game trees that do not name one in CA: a name
	// such as "gbk". Empty: UTF-8 where valid, else Latin-1.
	Charset string
	// MaxBytes bounds the size of the file; 0 means DefaultMaxBytes.
	MaxBytes int64
	// MaxElements bounds nodes + properties + values + variations of the file;
	// 0 means DefaultMaxElements.
	MaxElements int
}

// SyntaxError says where a file stops being readable.
type SyntaxError struct {
	// Line and Column count from 1, Column in bytes; Offset counts bytes from 0.
	Line, Column, Offset int
	// Reason is what is wrong there.
	Reason string
	// Err is ErrSyntax or ErrTooLarge.
	Err error
}

// Error gives place and reason on one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%v: line %d, column %d (byte %d): %s", e.Err, e.Line, e.Column, e.Offset, e.Reason)
}

// Unwrap returns ErrSyntax or ErrTooLarge.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a collection: the root nodes of all game trees, at least one.
func Parse(data []byte) ([]*Node, error) { return Options{}.Parse(data) }

// Read reads a collection from r.
func Read(r io.Reader) ([]*Node, error) { return Options{}.Read(r) }

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

// Read is the function Read under these options.
func (o Options) Read(r io.Reader) ([]*Node, error) {
	most := o.maxBytes()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read sgf: %w", err)
	}
	return o.Parse(data)
}

// Parse is the function Parse under these options.
func (o Options) Parse(data []byte) ([]*Node, error) {
	if most := o.maxBytes(); int64(len(data)) > most {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	p := parser{src: fromUTF16(string(data)), fallback: charsetOf(o.Charset), left: o.MaxElements}
	if p.left <= 0 {
		p.left = DefaultMaxElements
	}
	p.scan = 4 * len(p.src)
	var roots []*Node
	for p.findTree() {
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

func (o Options) maxBytes() int64 {
	if o.MaxBytes > 0 && o.MaxBytes < math.MaxInt64 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

// parser holds the state of reading one file. It never recurses.
type parser struct {
	src      string
	pos      int
	left     int // elements that may still be made
	scan     int // bytes that may still be looked at in search of CA
	fallback charset
	charset  charset
	high     bool // the game tree has values with bytes above 127

	open   []*Node    // for each open parenthesis, the node that it branches from
	props  []Property // of the node being read
	values []string   // of the property being read

	nodeSlab  slab[Node]
	propSlab  slab[Property]
	valueSlab slab[string]
	childSlab slab[*Node]
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

// fail describes a fault at a byte of the source.
func (p *parser) fail(at int, kind error, format string, args ...any) error {
	before := p.src[:at]
	return &SyntaxError{
		Line:   1 + strings.Count(before, "\n"),
		Column: at - strings.LastIndexByte(before, '\n'),
		Offset: at,
		Reason: fmt.Sprintf(format, args...),
		Err:    kind,
	}
}

func (p *parser) count() error {
	if p.left--; p.left < 0 {
		return p.fail(p.pos, ErrTooLarge, "too many nodes, properties and values")
	}
	return nil
}

// findTree moves to the next "(;" with nothing but white space between, and
// skips everything before it.
func (p *parser) findTree() bool {
	for {
		i := strings.IndexByte(p.src[p.pos:], '(')
		if i < 0 {
			p.pos = len(p.src)
			return false
		}
		p.pos += i
		next := skipSpace(p.src, p.pos+1)
		if next < len(p.src) && p.src[next] == ';' {
			return true
		}
		// Between this parenthesis and next there is only white space.
		p.pos = max(next, p.pos+1)
	}
}

// tree reads the game tree that starts at the parenthesis under p.pos.
func (p *parser) tree() (*Node, error) {
	start := p.pos
	p.charset, p.high, p.open = p.fallback, false, p.open[:0]
	if p.scan > 0 {
		name, looked := declared(p.src[skipSpace(p.src, p.pos+1):])
		p.scan -= looked
		if c := charsetOf(name); c != (charset{}) {
			p.charset = c
		}
	}
	var root, at *Node
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) {
			return nil, p.fail(start, ErrSyntax, "game tree is never closed: %d ) missing", len(p.open))
		}
		switch c := p.src[p.pos]; c {
		case '(':
			if err := p.count(); err != nil {
				return nil, err
			}
			p.open = append(p.open, at)
			p.pos++
		case ')':
			p.pos++
			at = p.open[len(p.open)-1]
			p.open = p.open[:len(p.open)-1]
			if len(p.open) == 0 {
				p.nameCharset(root)
				return root, nil
			}
		case ';':
			n, err := p.node()
			if err != nil {
				return nil, err
			}
			if root == nil {
				root = n
			} else {
				p.attach(at, n)
			}
			at = n
		default:
			return nil, p.fail(p.pos, ErrSyntax, "found %q where a node, a property or a variation should start", rune(c))
		}
	}
}

func (p *parser) attach(parent, child *Node) {
	if parent.Children == nil {
		parent.Children = p.childSlab.take(1)[:0]
	}
	parent.Children = append(parent.Children, child)
}

// nameCharset makes the tree say what it now is. An ASCII file that named no
// charset is left alone.
func (p *parser) nameCharset(root *Node) {
	named := false
	for i := range root.Properties {
		if root.Properties[i].ID == "CA" {
			root.Properties[i].Values = []string{"UTF-8"}
			named = true
		}
	}
	if !named && p.high {
		root.Properties = append(root.Properties, Property{ID: "CA", Values: []string{"UTF-8"}})
	}
}

// node reads one node; p.pos is at its semicolon.
func (p *parser) node() (*Node, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	p.pos++
	p.props = p.props[:0]
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) || !isLetter(p.src[p.pos]) {
			break
		}
		prop, err := p.property()
		if err != nil {
			return nil, err
		}
		p.props = append(p.props, prop)
	}
	n := &p.nodeSlab.take(1)[0]
	if len(p.props) > 0 {
		n.Properties = p.propSlab.take(len(p.props))
		copy(n.Properties, p.props)
		clear(p.props)
	}
	return n, nil
}

// maxID is the longest property name that is read, long FF[3] forms included.
const maxID = 64

// property reads a name and its values; p.pos is at the name's first letter.
func (p *parser) property() (Property, error) {
	if err := p.count(); err != nil {
		return Property{}, err
	}
	start := p.pos
	for p.pos < len(p.src) && isIdent(p.src[p.pos]) {
		p.pos++
	}
	name := p.src[start:p.pos]
	if len(name) > maxID {
		return Property{}, p.fail(start, ErrSyntax, "property name of %d letters", len(name))
	}
	p.values = p.values[:0]
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) || p.src[p.pos] != '[' {
			break
		}
		v, err := p.value()
		if err != nil {
			return Property{}, err
		}
		p.values = append(p.values, v)
	}
	if len(p.values) == 0 {
		return Property{}, p.fail(start, ErrSyntax, "property %s has no value", name)
	}
	values := p.valueSlab.take(len(p.values))
	copy(values, p.values)
	return Property{ID: capitals(name), Values: values}, nil
}

// value reads one value; p.pos is at its opening bracket.
func (p *parser) value() (string, error) {
	if err := p.count(); err != nil {
		return "", err
	}
	end, high := p.charset.valueEnd(p.src, p.pos+1)
	if end < 0 {
		return "", p.fail(p.pos, ErrSyntax, "value is never closed: ] missing")
	}
	raw := p.src[p.pos+1 : end]
	p.pos = end + 1
	if high {
		p.high = true
		return p.charset.decode(raw), nil
	}
	return raw, nil
}

// capitals turns a property name of any age into FF[4]'s: FF[3] allowed small
// letters between the capitals, which mean nothing. A name all in small letters
// is taken as one typed in the wrong case.
func capitals(name string) string {
	lower := strings.IndexFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if lower < 0 {
		return name
	}
	short := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return -1
		}
		return r
	}, name)
	if short == "" || !isLetter(short[0]) {
		return strings.ToUpper(name)
	}
	return short
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func isIdent(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r' || s[i] == 0) {
		i++
	}
	return i
}
