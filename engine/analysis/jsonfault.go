package analysis

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonFault says what is wrong with a text that is no JSON, in the words of the
// library that KataGo reads it with; "" if it is JSON.
func jsonFault(text []byte) string {
	p := &jsonReader{text: text}
	p.next()
	if p.value() {
		p.want(tokenEnd, "value")
	}
	if p.fault == "" && !(json.Valid(text) && utf8.Valid(text)) {
		return "not JSON" // the two readers differ
	}
	return p.fault
}

// tokens of JSON, by the library's names.
const (
	tokenTrue    = "true literal"
	tokenFalse   = "false literal"
	tokenNull    = "null literal"
	tokenString  = "string literal"
	tokenNumber  = "number literal"
	tokenError   = "<parse error>"
	tokenEnd     = "end of input"
	tokenLiteral = "'[', '{', or a literal"
)

// jsonReader is a reader of JSON that keeps its first fault.
type jsonReader struct {
	text  []byte
	at    int    // behind the last byte read
	begin int    // of the newest string or number, from which on the library remembers what it read
	token string // the present token
	wrong string // of an erroneous token
	fault string
	depth int
}

// next reads a token.
func (p *jsonReader) next() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		p.at++ // the end counts as a character
		p.token = tokenEnd
		return
	}
	c := p.text[p.at]
	p.at++
	switch c {
	case '[', ']', '{', '}', ':', ',':
		p.token = "'" + string(c) + "'"
	case 't':
		p.literal("true", tokenTrue)
	case 'f':
		p.literal("false", tokenFalse)
	case 'n':
		p.literal("null", tokenNull)
	case '"':
		p.string()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.at--
		p.number()
	default:
		p.bad("invalid literal")
	}
}

func (p *jsonReader) bad(text string) { p.token, p.wrong = tokenError, text }

// get reads a byte; 0 at the end.
func (p *jsonReader) get() byte {
	p.at++
	if p.at > len(p.text) {
		return 0
	}
	return p.text[p.at-1]
}

func (p *jsonReader) literal(word, token string) {
	for i := 1; i < len(word); i++ {
		if p.get() != word[i] {
			p.bad("invalid literal")
			return
		}
	}
	p.token = token
}

// digits reads digits, at least one; the byte behind them is read and given back.
func (p *jsonReader) digits(fault string) bool {
	if c := p.get(); c < '0' || c > '9' {
		p.bad(fault)
		return false
	}
	for c := p.get(); c >= '0' && c <= '9'; c = p.get() {
	}
	p.at--
	return true
}

func (p *jsonReader) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonReader) number() {
	p.begin = p.at
	if p.peek() == '-' {
		p.at++
		if c := p.peek(); c < '0' || c > '9' {
			p.at++
			p.bad("invalid number; expected digit after '-'")
			return
		}
	}
	if p.peek() == '0' {
		p.at++
	} else if !p.digits("invalid number; expected digit after '-'") {
		return
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits("invalid number; expected digit after '.'") {
			return
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		fault := "invalid number; expected '+', '-', or digit after exponent"
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
			fault = "invalid number; expected digit after exponent sign"
		}
		if !p.digits(fault) {
			return
		}
	}
	p.token = tokenNumber
	number := string(p.text[p.begin:p.at])
	if _, err := strconv.ParseFloat(number, 64); err != nil && p.fault == "" {
		p.fault = "[json.exception.out_of_range.406] number overflow parsing '" + number + "'"
		p.bad("")
	}
}

func (p *jsonReader) string() {
	p.begin = p.at - 1
	for {
		if p.at >= len(p.text) {
			p.at++
			p.bad("invalid string: missing closing quote")
			return
		}
		switch c := p.get(); {
		case c == '"':
			p.token = tokenString
			return
		case c == '\\':
			if !p.escape() {
				return
			}
		case c < ' ':
			p.bad(fmt.Sprintf("invalid string: control character U+%04X%s must be escaped to %s", c, controlNames[c], controlEscape(c)))
			return
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(p.text[p.at-1:])
			if r == utf8.RuneError && n <= 1 {
				p.at++
				p.bad("invalid string: ill-formed UTF-8 byte")
				return
			}
			p.at += n - 1
		}
	}
}

// escape reads what follows a backslash.
func (p *jsonReader) escape() bool {
	switch c := p.get(); {
	case c == 'u':
		return p.unicode()
	case c == 0 || strings.IndexByte(`"\/bfnrt`, c) < 0:
		p.bad("invalid string: forbidden character after backslash")
		return false
	}
	return true
}

// hex reads four hex digits.
func (p *jsonReader) hex() (r rune, ok bool) {
	for range 4 {
		c := p.get()
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			p.bad(`invalid string: '\u' must be followed by 4 hex digits`)
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}

// unicode reads what follows \u, the second half of a pair included.
func (p *jsonReader) unicode() bool {
	const first, second, past = 0xD800, 0xDC00, 0xE000
	r, ok := p.hex()
	switch {
	case !ok:
		return false
	case r >= second && r < past:
		p.bad("invalid string: surrogate U+DC00..U+DFFF must follow U+D800..U+DBFF")
		return false
	case r < first || r >= past:
		return true
	}
	const alone = "invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF"
	if p.get() != '\\' || p.get() != 'u' {
		p.bad(alone)
		return false
	}
	if r, ok = p.hex(); ok && (r < second || r >= past) {
		p.bad(alone)
		ok = false
	}
	return ok
}

// controlNames are the names of the control characters, as the library writes
// them.
var controlNames = func() (names [' ']string) {
	for i, name := range strings.Fields("NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US") {
		names[i] = " (" + name + ")"
	}
	return names
}()

func controlEscape(c byte) string {
	text := fmt.Sprintf(`\u%04X`, c)
	if i := strings.IndexByte("\b\t\n\f\r", c); i >= 0 {
		text += ` or \` + "btnfr"[i:i+1]
	}
	return text
}

// want requires the present token to be one.
func (p *jsonReader) want(token, context string) bool {
	if p.token == token {
		return true
	}
	p.fail(context, token)
	return false
}

func (p *jsonReader) fail(context, expected string) {
	if p.fault != "" {
		return
	}
	line, column := 1, 0
	for i := range min(p.at, len(p.text)) {
		if column++; p.text[i] == '\n' {
			line, column = line+1, 0
		}
	}
	if p.at > len(p.text) {
		column++
	}
	what := "unexpected " + p.token
	if p.token == tokenError {
		read := p.text[p.begin:min(p.at, len(p.text))]
		var shown strings.Builder
		for _, c := range read {
			if c < ' ' {
				fmt.Fprintf(&shown, "<U+%04X>", c)
			} else {
				shown.WriteByte(c)
			}
		}
		what = p.wrong + "; last read: '" + shown.String() + "'"
		if expected == tokenLiteral {
			expected = ""
		}
	}
	if expected != "" {
		what += "; expected " + expected
	}
	p.fault = fmt.Sprintf("[json.exception.parse_error.101] parse error at line %d, column %d: syntax error while parsing %s - %s", line, column, context, what)
}

// value reads a value that begins with the present token, and the token behind it.
func (p *jsonReader) value() bool {
	const deepest = 10000
	if p.depth++; p.depth > deepest {
		return false
	}
	defer func() { p.depth-- }()
	switch p.token {
	case "'{'":
		return p.object()
	case "'['":
		return p.array()
	case tokenTrue, tokenFalse, tokenNull, tokenString, tokenNumber:
		p.next()
		return true
	}
	p.fail("value", tokenLiteral)
	return false
}

func (p *jsonReader) object() bool {
	if p.next(); p.token == "'}'" {
		p.next()
		return true
	}
	for {
		if !p.want(tokenString, "object key") {
			return false
		}
		if p.next(); !p.want("':'", "object separator") {
			return false
		}
		if p.next(); !p.value() {
			return false
		}
		if p.token != "','" {
			break
		}
		p.next()
	}
	if !p.want("'}'", "object") {
		return false
	}
	p.next()
	return true
}

func (p *jsonReader) array() bool {
	if p.next(); p.token == "']'" {
		p.next()
		return true
	}
	for {
		if !p.value() {
			return false
		}
		if p.token != "','" {
			break
		}
		p.next()
	}
	if !p.want("']'", "array") {
		return false
	}
	p.next()
	return true
}
