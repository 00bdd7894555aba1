package sgf

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// charset is how the bytes of one game tree become text.
type charset struct {
	// table converts to UTF-8; nil means UTF-8 where a value is valid UTF-8,
	// and Latin-1, FF[4]'s default, where it is not.
	table encoding.Encoding
	// utf8 says that the file claims UTF-8: bytes that are not are replaced.
	utf8 bool
	// pairs says that a byte above 127 may take the next byte with it, even a
	// bracket or a backslash: GBK, Big5, Shift-JIS, EUC-KR with extensions.
	pairs bool
	// kana says that the bytes A1 to DF stand alone: Shift-JIS.
	kana bool
}

// aliases are names that files use and that the WHATWG index does not know.
var aliases = map[string]string{
	"cp932": "shift_jis", "windows-932": "shift_jis", "shiftjis": "shift_jis",
	"cp936": "gbk", "ms936": "gbk", "windows-936": "gbk", "gb": "gbk", "gb-2312": "gbk", "gb2312-80": "gbk",
	"cp949": "euc-kr", "uhc": "euc-kr", "ks_c_5601": "euc-kr", "ms949": "euc-kr",
	"cp950": "big5", "ms950": "big5", "windows-950": "big5", "big-5": "big5",
	"cp1252": "windows-1252", "cp1251": "windows-1251", "latin-1": "latin1", "iso 8859-1": "latin1",
	"utf8": "utf-8", "utf": "utf-8", "unicode": "utf-8",
}

// charsetOf finds the charset for a name in a CA property. An unknown name, or
// one whose bytes do not keep ASCII (UTF-16, ISO-2022-JP), counts as none.
func charsetOf(name string) charset {
	name = strings.ToLower(strings.TrimSpace(name))
	if to, ok := aliases[name]; ok {
		name = to
	}
	table, err := htmlindex.Get(name)
	if err != nil {
		return charset{}
	}
	canonical, err := htmlindex.Name(table)
	if err != nil {
		return charset{}
	}
	switch canonical {
	case "utf-8":
		return charset{utf8: true}
	case "gbk", "gb18030", "big5", "euc-kr":
		return charset{table: table, pairs: true}
	case "shift_jis":
		return charset{table: table, pairs: true, kana: true}
	case "replacement", "iso-2022-jp", "utf-16be", "utf-16le":
		return charset{}
	}
	return charset{table: table}
}

// takesNext reports whether byte c takes the following byte with it.
func (c charset) takesNext(b byte) bool {
	return c.pairs && b >= 0x81 && !(c.kana && b >= 0xA0 && b <= 0xDF)
}

// decode turns the raw bytes of a value that are not all ASCII into UTF-8.
func (c charset) decode(raw string) string {
	switch {
	case c.utf8 || c.table == nil && utf8.ValidString(raw):
		return strings.ToValidUTF8(raw, "\uFFFD")
	case c.table == nil:
		c.table = charmap.Windows1252
	}
	text, err := c.table.NewDecoder().String(raw)
	if err != nil {
		return strings.ToValidUTF8(raw, "\uFFFD")
	}
	if c.pairs {
		// A broken pair may leave a bare bracket behind.
		text = mended(text)
	}
	return text
}

// fromUTF16 converts a file that starts with a byte order mark of UTF-16, and
// returns any other file as it is.
func fromUTF16(src string) string {
	if !strings.HasPrefix(src, "\xFF\xFE") && !strings.HasPrefix(src, "\xFE\xFF") {
		return src
	}
	text, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().String(src)
	if err != nil {
		return src
	}
	return text
}

// declared finds the value of CA in the root node that starts at src[0], and
// how many bytes it looked at. The charset must be known before the values can
// be cut apart, so this looks for it with a plain cut, and where that finds
// nothing and there are bytes above 127, with two bytes a character.
func declared(src string) (name string, looked int) {
	name, looked, high := scanCA(src, charset{})
	if name == "" && high {
		var again int
		name, again, _ = scanCA(src, charset{pairs: true})
		looked += again
	}
	return name, looked
}

func scanCA(src string, c charset) (name string, looked int, high bool) {
	i := 0
	for i < len(src) {
		b := src[i]
		switch {
		case b == ';' && i > 0, b == '(', b == ')':
			return "", i, high
		case isLetter(b):
			start := i
			for i < len(src) && isIdent(src[i]) {
				i++
			}
			id := capitals(src[start:i])
			i = skipSpace(src, i)
			for i < len(src) && src[i] == '[' {
				end, bytes := c.valueEnd(src, i+1)
				high = high || bytes
				if end < 0 {
					return "", len(src), high
				}
				if id == "CA" {
					return src[i+1 : end], end, high
				}
				i = skipSpace(src, end+1)
			}
		default:
			i++
		}
	}
	return "", i, high
}

// valueEnd returns where the value that starts at src[i] ends: the index of its
// closing bracket, or -1. high says that the value has bytes above 127.
func (c charset) valueEnd(src string, i int) (end int, high bool) {
	for ; i < len(src); i++ {
		b := src[i]
		if b == '\\' {
			if i++; i == len(src) {
				break
			}
			b = src[i]
		} else if b == ']' {
			return i, high
		}
		if b >= 0x80 {
			high = true
			if c.takesNext(b) {
				i++
			}
		}
	}
	return -1, high
}
