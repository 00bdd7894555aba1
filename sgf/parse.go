package sgf

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// rootOnly are properties allowed only in the first node of a game.
const rootOnly = " FF GM SZ CA AP ST "

// usualIDs are properties that reveal a node whose semicolon is missing.
const usualIDs = rootOnly + "B W AB AW AE PL C N KM RU HA PB PW BR WR BT WT EV RO DT PC RE GN GC TM OT US SO AN CP ON "

// texts are properties whose values are free text.
const texts = " C N GN GC PB PW BR WR BT WT EV RO DT PC RE US SO AN CP ON RU OT "

// points are properties whose values are only points.
const points = " B W AB AW AE "

func listed(list, id string) bool { return strings.Contains(list, " "+id+" ") }

// idAt returns the name, in capitals, of the property that begins at src[i]; "" if none
// does.
func (p *parser) idAt(i int) string {
	end := skipIdent(p.src, i)
	if i == end || !isLetter(p.src[i]) || end-i > maxID {
		return ""
	}
	if next := skipSpace(p.src, end); next == len(p.src) || p.src[next] != '[' {
		return ""
	}
	return capitals(p.src[i:end])
}

// nodeAt returns the name of the first property of the node at src[i]; "" if no node begins there or
// it has no property.
func (p *parser) nodeAt(i int) string {
	if i == len(p.src) || p.src[i] != ';' {
		return ""
	}
	return p.idAt(skipSpace(p.src, i+1))
}

// findTree moves to the parenthesis of the next game tree. If a file has no intact
// beginning of a tree, it accepts one without the semicolon, then one without the
// parenthesis.
func (p *parser) findTree(first bool) bool {
	if next := skipClosed(p.src, p.pos); !first && listed(rootOnly, p.nodeAt(next)) {
		p.pos = next
		return true
	}
	at, ok := p.nextTree(p.pos, rootOnly)
	if !ok && first {
		at, ok = p.nextTree(p.pos, usualIDs)
	}
	for i := p.pos; !ok && first && i < len(p.src); i++ {
		if listed(usualIDs, p.nodeAt(i)) {
			at, ok = i, true
		}
	}
	p.pos = at
	return ok
}

// nextTree finds the first parenthesis, from an index on, that is followed by a semicolon or by a
// property in ids.
func (p *parser) nextTree(at int, ids string) (int, bool) {
	for {
		i := strings.IndexByte(p.src[at:], '(')
		if i < 0 {
			return len(p.src), false
		}
		at += i
		next := skipSpace(p.src, at+1)
		if next < len(p.src) && p.src[next] == ';' || listed(ids, p.idAt(next)) {
			return at, true
		}
		at = max(next, at+1) // only white space is in between
	}
}

// tree reads the game tree that starts at p.pos.
func (p *parser) tree() (*Node, error) {
	start, left := p.pos, p.left
	root, closed, err := p.readTree()
	if err == nil && !closed && p.nested && !p.split {
		// Parentheses are missing, so the apparent variations are further games.
		p.pos, p.left, p.split = start, left, true
		root, _, err = p.readTree()
	}
	if err != nil {
		return nil, err
	}
	p.decodeAll(charsetOf(root.SimpleText("CA")))
	if p.high || root.Has("CA") { // an ASCII file without CA is left unchanged
		root.Set("CA", "UTF-8")
	}
	if notes := p.notes; len(notes) > 0 {
		root.notes = &notes
	}
	return root, nil
}

// readTree reads up to the parenthesis that closes the tree, or to the end of the file.
func (p *parser) readTree() (root *Node, closed bool, err error) {
	p.high, p.nested, p.notes = false, false, nil
	clear(p.raw)
	p.open, p.raw = p.open[:0], p.raw[:0]
	if p.src[p.pos] != '(' {
		p.note(p.pos, "the game has no opening parenthesis.")
		p.open = append(p.open, nil)
	}
	var at *Node
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) {
			p.note(p.pos, "the file ends before the game does; the part before was read.")
			return root, false, nil
		}
		switch c := p.src[p.pos]; {
		case c == '(' && root != nil && p.split && p.beginsGame():
			p.note(p.pos, "the game is not closed; the next one begins here.")
			return root, false, nil
		case c == '(':
			if err := p.count(); err != nil {
				return nil, false, err
			}
			p.nested = p.nested || root != nil && p.beginsGame()
			p.open = append(p.open, at)
			p.pos++
		case c == ')':
			last := at
			p.pos++
			at = p.open[len(p.open)-1]
			p.open = p.open[:len(p.open)-1]
			if len(p.open) > 0 {
				break
			}
			next := skipClosed(p.src, p.pos)
			if id := p.nodeAt(next); last == nil || !listed(usualIDs, id) || listed(rootOnly, id) {
				return root, true, nil
			}
			p.note(p.pos-1, "a parenthesis closes the game too early; it was left out.")
			p.pos, at, p.open = next, last, append(p.open, nil)
		case c == ';' || listed(usualIDs, p.idAt(p.pos)):
			n, err := p.node()
			if err != nil {
				return nil, false, err
			}
			if root == nil {
				root = n
			} else {
				p.attach(at, n)
			}
			at = n
		default:
			p.skipJunk()
		}
	}
}

// beginsGame reports whether the parenthesis at p.pos opens another game rather than a variation:
// its first property belongs to root nodes only.
func (p *parser) beginsGame() bool {
	return listed(rootOnly, p.nodeAt(skipSpace(p.src, p.pos+1)))
}

func (p *parser) attach(parent, child *Node) {
	if parent.Children == nil {
		parent.Children = p.childSlab.take(1)[:0]
	}
	parent.Children = append(parent.Children, child)
}

func (p *parser) count() error {
	if p.left--; p.left < 0 {
		return fmt.Errorf("%w: line %d: too many nodes, properties and values", ErrTooLarge, p.lines.of(p.src, p.pos))
	}
	return nil
}

// mostNotes bounds the notes about one game tree.
const mostNotes = 5

// note adds a note about the text at a position.
func (p *parser) note(at int, format string, args ...any) {
	switch n := len(p.notes); {
	case n < mostNotes:
		p.notes = append(p.notes, fmt.Sprintf("Line %d of the file: ", p.lines.of(p.src, at))+fmt.Sprintf(format, args...))
	case n == mostNotes:
		p.notes = append(p.notes, "There is more damage further on.")
	}
}

// lineCount counts lines up to a position. It continues from the position of the previous call.
type lineCount struct{ at, line int }

func (l *lineCount) of(src string, at int) int {
	if at < l.at {
		*l = lineCount{}
	}
	l.line += strings.Count(src[l.at:at], "\n")
	l.at = at
	return l.line + 1
}

// skipJunk leaves out a character, a word, or a value without a property.
func (p *parser) skipJunk() {
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	p.note(p.pos, "%q is no part of a record; it was left out.", r)
	if p.pos = max(skipIdent(p.src, p.pos), p.pos+1); r != '[' {
		return
	}
	end, _ := p.valueEnd(p.pos)
	if p.pos = end + 1; end < 0 {
		p.pos = len(p.src)
	}
}

// node reads one node; p.pos is at its semicolon, or at its first property.
func (p *parser) node() (*Node, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	if p.src[p.pos] == ';' {
		p.pos++
	} else {
		p.note(p.pos, "a node has no semicolon.")
	}
	p.props = p.props[:0]
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) || p.src[p.pos] == ';' || p.src[p.pos] == '(' || p.src[p.pos] == ')' {
			break
		}
		if !isLetter(p.src[p.pos]) {
			p.skipJunk()
			continue
		}
		prop, err := p.property()
		if err != nil {
			return nil, err
		}
		if len(prop.Values) > 0 {
			p.props = append(p.props, prop)
		}
	}
	n := &p.nodeSlab.take(1)[0]
	if len(p.props) > 0 {
		n.Properties = p.propSlab.take(len(p.props))
		copy(n.Properties, p.props)
		clear(p.props)
	}
	return n, nil
}

// maxID is the greatest length of a property name that is read, long FF[3] forms included.
const maxID = 64

// property reads a name and its values; p.pos is at the name's first letter. If the property cannot
// be kept, it is returned without values.
func (p *parser) property() (Property, error) {
	if err := p.count(); err != nil {
		return Property{}, err
	}
	start := p.pos
	p.pos = skipIdent(p.src, start)
	name := p.src[start:p.pos]
	id := ""
	if len(name) <= maxID {
		id = capitals(name)
	}
	p.values, p.highs = p.values[:0], p.highs[:0]
	brackets := false
	for {
		p.pos = skipSpace(p.src, p.pos)
		if p.pos == len(p.src) || p.src[p.pos] != '[' {
			break
		}
		brackets = true
		if err := p.count(); err != nil {
			return Property{}, err
		}
		if v, high, ok := p.value(id); ok {
			if high {
				p.highs = append(p.highs, len(p.values))
			}
			p.values = append(p.values, v)
		}
	}
	switch {
	case id == "":
		p.note(start, "a property has a name of %d letters; it was left out.", len(name))
		return Property{}, nil
	case !brackets:
		p.note(start, "%s has no value; it was left out.", clip(name))
	}
	values := p.valueSlab.take(len(p.values))
	copy(values, p.values)
	for _, i := range p.highs {
		p.raw = append(p.raw, rawValue{id, &values[i]})
	}
	return Property{ID: id, Values: values}, nil
}

// value reads one value of a property; p.pos is at its opening bracket. An unclosed value ends where
// the next property or node begins, or with the file; ok reports whether enough of it is left to keep.
func (p *parser) value(id string) (v string, high, ok bool) {
	start := p.pos + 1
	end, high := p.valueEnd(start)
	next := end + 1
	if end < 0 {
		end, next = len(p.src), len(p.src)
	}
	v, ok = p.src[start:end], true
	if at := tornAt(id, v); at >= 0 && p.ahead >= 0 && p.follows(next) {
		p.ahead -= end - start // the bytes from start+at on will be read again
		v, next = v[:at], start+at
	} else if next > end { // closed
		if at >= 0 {
			v = mended(id, v)
		}
		p.high = p.high || high
		p.pos = next
		return v, high && !p.plain, true
	}
	v = mended(id, strings.TrimSpace(v))
	p.note(p.pos, "%s[%s has no closing bracket.", id, clip(strings.ToValidUTF8(SimpleText(v), "\uFFFD")))
	p.pos = next
	switch {
	case listed(points, id):
		ok = len(v) == 2
	case !listed(texts, id):
		ok = next < len(p.src)
	}
	p.high = p.high || high
	return v, high && !p.plain, ok
}

// tornAt returns the position inside an unclosed value where the next property, node or game begins,
// -1 if all of it looks like one value.
func tornAt(property, value string) int {
	if strings.IndexByte(value, '[') < 0 {
		return -1
	}
	if closesFirst(property) {
		return tornAtFirst(value)
	}
	head, after, found := lastOpen(value)
	if !found {
		return -1
	}
	if at := tornLine(head); at >= 0 && property != "C" && property != "GC" && listed(texts, property) {
		return at
	}
	id := head[len(strings.TrimRight(head, letters)):]
	rest, found := strings.CutSuffix(trimSpace(head[:len(head)-len(id)]), ";")
	if !found || id == "" || !listed(usualIDs, id) {
		return -1
	}
	before, opened := strings.CutSuffix(trimSpace(rest), "(")
	switch {
	case !opened && (id != "B" && id != "W" || len(after) > 2):
		return -1
	case opened:
		return len(strings.TrimRight(before, ") \t\r\n"))
	}
	return len(rest)
}

// closesFirst reports whether a property's values never contain brackets: they are numbers, points or
// names of charsets, for example.
func closesFirst(property string) bool {
	return listed(usualIDs, property) && !listed(texts, property)
}

// tornAtFirst is tornAt for a property whose values hold no brackets.
func tornAtFirst(value string) int {
	head, _, found := strings.Cut(value, "[")
	head = trimSpace(head)
	rest := strings.TrimRight(head, letters[:26])
	if !found || !listed(usualIDs, head[len(rest):]) {
		return -1
	}
	if i := strings.IndexAny(rest, ";()"); i >= 0 {
		return i
	}
	return len(trimSpace(rest))
}

// tornLine returns the length of head without its last line if that line is a property's name, else
// -1.
func tornLine(head string) int {
	rest := strings.TrimRight(head, letters[:26])
	before := trimSpace(rest)
	if !listed(usualIDs, head[len(rest):]) || !strings.ContainsAny(rest[len(before):], "\r\n") {
		return -1
	}
	return len(before)
}

// trimSpace cuts off white space at the end.
func trimSpace(s string) string { return strings.TrimRight(s, " \t\r\n") }

// capitals turns a property name of any FF version into the name in FF[4]. It drops the meaningless
// lower-case letters that FF[3] allowed between the capitals. A name without capitals is taken as one
// typed in the wrong case.
func capitals(name string) string {
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

func skipIdent(s string, i int) int {
	for i < len(s) && isIdent(s[i]) {
		i++
	}
	return i
}

// skipClosed skips closing parentheses and white space.
func skipClosed(s string, i int) int {
	for i = skipSpace(s, i); i < len(s) && s[i] == ')'; {
		i = skipSpace(s, i+1)
	}
	return i
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r' || s[i] == 0) {
		i++
	}
	return i
}
