package sgf

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// charset is an encoding of text. The zero value is no charset.
type charset struct {
	table table // nil for UTF-8
	utf8  bool
	cut   cut
}

// table turns bytes of a charset into UTF-8. Two tables are equal if they are of the same
// charset.
type table interface {
	decode(raw string) (string, error)
}

// The charsets of records whose CA is missing or wrong.
var (
	utf8Text = charset{utf8: true}
	gb18030  = known("gb18030", cutPairs)
	big5     = known("big5", cutPairs)
	shiftJIS = known("shift_jis", cutKana)
	eucKR    = known("euc-kr", cutPairs)
	iso2022  = known("iso-2022-jp", cutShifts)
	western  = known("windows-1252", cutBytes)

	candidates = []charset{
		gb18030, shiftJIS, big5, eucKR, known("euc-jp", cutBytes), western, known("windows-1251", cutBytes), known("koi8-r", cutBytes),
	}
)

// known returns a charset of the WHATWG index.
func known(name string, how cut) charset {
	t, _ := tableOf(name)
	return charset{table: t, cut: how}
}

// aliases maps the names of charsets in files to those of the WHATWG index. A key has only letters
// and digits, and no prefix such as "cp" of Windows code pages.
var aliases = map[string]string{
	"932": "shift_jis", "31j": "shift_jis", "shiftjis": "shift_jis",
	"936": "gbk", "gb": "gbk", "gb2312": "gbk", "gb231280": "gbk", "euccn": "gbk", "54936": "gb18030",
	"949": "euc-kr", "uhc": "euc-kr", "euckr": "euc-kr", "51949": "euc-kr", "ksc5601": "euc-kr", "ksc56011987": "euc-kr",
	"950": "big5", "big5": "big5", "big5eten": "big5", "cnbig5": "big5",
	"eucjp": "euc-jp", "eucjpms": "euc-jp", "51932": "euc-jp", "jis": "iso-2022-jp", "iso2022jp": "iso-2022-jp",
	"koi8": "koi8-r", "koi8r": "koi8-r", "koi8u": "koi8-u", "20866": "koi8-r", "866": "ibm866", "28591": "latin1",
	"utf8": "utf-8", "utf": "utf-8", "unicode": "utf-8", "65001": "utf-8",
}

// charsetName returns the WHATWG index's name of a charset; name is in lower case. It ignores
// punctuation and prefixes.
func charsetName(name string) string {
	key := strings.TrimPrefix(strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name), "x"), "cs")
	digits := strings.TrimLeft(key, letters)
	switch key[:len(key)-len(digits)] {
	case "", "cp", "ms", "mscp", "win", "windows", "codepage", "dos", "ibm":
		if key = digits; strings.HasPrefix(digits, "125") {
			return "windows-" + digits
		}
	case "iso":
		if part, ok := strings.CutPrefix(digits, "8859"); ok {
			return "iso-8859-" + part
		}
	}
	if to, ok := aliases[key]; ok {
		return to
	}
	return key
}

// charsetOf returns the charset that a CA property names; the zero value if the name is unknown, or
// is UTF-16, since the parser never sees UTF-16.
func charsetOf(name string) charset {
	name = strings.ToLower(strings.TrimSpace(name))
	t, canonical := tableOf(name)
	if t == nil {
		t, canonical = tableOf(charsetName(name))
	}
	switch canonical {
	case "utf-8":
		return utf8Text
	case "gbk", "gb18030":
		return gb18030
	case "big5":
		return big5
	case "euc-kr":
		return eucKR
	case "shift_jis":
		return shiftJIS
	case "iso-2022-jp":
		return iso2022
	case "", "replacement", "utf-16be", "utf-16le":
		return charset{}
	}
	return charset{table: t}
}

// decode turns the raw bytes of a value into UTF-8, with its escapes kept.
// Characters that the charset does not have become U+FFFD.
func (c charset) decode(raw string) string {
	if c.table == nil {
		return strings.ToValidUTF8(raw, "\uFFFD")
	}
	if c.cut == cutPairs || c.cut == cutKana {
		raw = withoutByteEscapes(raw, c.cut)
	}
	text, err := c.table.decode(raw)
	if err != nil {
		return strings.ToValidUTF8(raw, "\uFFFD")
	}
	return text
}

// withoutByteEscapes undoes an error of writers that ignore charsets, such as MultiGo: they
// escape the second byte of a character if it is a backslash or a bracket. A value without that
// error is left unchanged.
func withoutByteEscapes(raw string, how cut) string {
	if end, _, _ := how.end(raw+"]", 0); end == len(raw) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		out = append(out, raw[i])
		if i+1 == len(raw) || !how.takesNext(raw[i]) {
			continue
		}
		if i++; raw[i] == '\\' && i+1 < len(raw) {
			i++
		}
		out = append(out, raw[i])
	}
	return string(out)
}

// fromUTF16 converts a file in UTF-16, recognised by a byte order mark or by the zero byte next
// to its first parenthesis, and returns any other file unchanged.
func fromUTF16(src string) string {
	order := unicode.BigEndian
	switch {
	case strings.HasPrefix(src, "\xFF\xFE"), strings.HasPrefix(src, "\xFE\xFF"), strings.HasPrefix(src, "\x00(\x00;"):
	case strings.HasPrefix(src, "(\x00;\x00"):
		order = unicode.LittleEndian
	default:
		return src
	}
	text, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().String(src)
	if err != nil {
		return src
	}
	return text
}

// cut is a rule that decides whether a byte is the bracket at the end of a value or part of a
// character.
type cut uint8

const (
	cutBytes  cut = iota // a bracket is never part of a character: UTF-8, EUC, single-byte charsets, writers that escape each byte
	cutPairs             // a byte from 0x81 on forms a character with the next byte: GBK, Big5
	cutKana              // as cutPairs, but bytes 0xA0 to 0xDF are single: Shift-JIS
	cutShifts            // characters between ESC $ and ESC ( have two bytes: ISO-2022-JP
)

// takesNext reports whether byte b forms a character with the following byte.
func (c cut) takesNext(b byte) bool {
	return b >= 0x81 && (c == cutPairs || c == cutKana && (b < 0xA0 || b > 0xDF))
}

// end returns the index of the closing bracket of the value that starts at src[i], or -1. high: the value
// has non-ASCII bytes or an ESC. doubt: in another charset the value may end elsewhere.
func (c cut) end(src string, i int) (end int, high, doubt bool) {
	shifted := false
	for start := i; i < len(src); i++ {
		b := src[i]
		switch {
		case b == 0x1B:
			high, doubt = true, true
			if c == cutShifts && i+1 < len(src) {
				shifted = src[i+1] == '$'
				i += 2
			}
		case shifted:
			i++
		case b == ']':
			return i, high, doubt || i > start && src[i-1] >= 0x81
		case b == '\\':
			doubt = doubt || i > start && src[i-1] >= 0x81
			if i++; i < len(src) && src[i] >= 0x80 {
				high = true
				if c.takesNext(src[i]) {
					i++
				}
			}
		case b >= 0x80:
			high = true
			if c.takesNext(b) {
				i++
			}
		}
	}
	return -1, high, doubt
}

// mostAhead bounds, in bytes, how far cuts other than cutBytes look for the end of a value.
const mostAhead = 1 << 16

// valueEnd returns the end of the value that starts at src[start], or -1. If bytes of characters
// may be brackets or backslashes, it takes the nearest end after which the record continues
// normally, so that no move is read as part of a name.
func (p *parser) valueEnd(start int) (end int, high bool) {
	end, high, doubt := cutBytes.end(p.src, start)
	if p.plain || !doubt {
		return end, high
	}
	best := -1
	if end >= 0 && p.goesOn(start, end) {
		if best = end; isUTF8(p.src[start:end]) {
			return end, high
		}
	}
	ahead := p.src[:min(len(p.src), start+mostAhead)]
	if strings.Contains(p.src[start:max(end, start)], "\x1b$") { // only ISO-2022 text contains it
		if e, _, _ := cutShifts.end(ahead, start); e >= 0 && p.follows(e+1) {
			return e, high
		}
	}
	if best >= 0 {
		ahead = p.src[:best]
	}
	for _, how := range []cut{cutPairs, cutKana} {
		if p.ahead < 0 {
			break
		}
		e, _, _ := how.end(ahead, start)
		if e < 0 {
			p.ahead -= len(ahead) - start
		} else if p.ahead -= e - start; (best < 0 || e < best) && p.goesOn(start, e) {
			best = e
		}
	}
	if best < 0 {
		best = end
	}
	return best, high
}

// goesOn reports whether a value may end at a bracket: the text after it may follow a value, and
// the value swallows no other property.
func (p *parser) goesOn(start, end int) bool {
	return p.follows(end+1) && !swallows(p.src[start:end])
}

// follows reports whether the text at src[i] may follow a value.
func (p *parser) follows(i int) bool {
	for range 3 {
		i = skipSpace(p.src, i)
		if i == len(p.src) || p.src[i] == '[' {
			return true
		}
		if p.src[i] >= 'A' && p.src[i] <= 'Z' {
			next := skipSpace(p.src, skipIdent(p.src, i))
			return next < len(p.src) && (p.src[next] == '[' || i+2 >= next && strings.IndexByte(";()", p.src[next]) >= 0)
		}
		if strings.IndexByte(";()", p.src[i]) < 0 {
			return false
		}
		i++
	}
	return true
}

// swallows reports whether a value contains what looks like its own end and the start of the next
// property: ]B[aa.
func swallows(value string) bool {
	head, _, found := lastOpen(value)
	return found && strings.HasSuffix(strings.TrimRight(strings.TrimRight(head, letters), " \t\r\n();"), "]")
}

// lastOpen cuts a value at its last opening bracket, if no bracket closes it.
func lastOpen(value string) (before, after string, found bool) {
	i := strings.LastIndexByte(value, '[')
	if i < 0 || strings.IndexByte(value[i:], ']') >= 0 {
		return "", "", false
	}
	return trimSpace(value[:i]), value[i+1:], true
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isUTF8 reports whether a value is surely UTF-8: valid, and not by chance.
func isUTF8(value string) bool {
	if !utf8.ValidString(value) {
		return false
	}
	several := 0
	for _, r := range value {
		if r >= 0x800 {
			return true
		}
		if r >= 0x80 {
			several++
		}
	}
	return several >= 3
}
