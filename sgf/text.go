package sgf

import "strings"

// Text converts a value to plain text: escapes resolved,
// soft line breaks removed, line breaks of any kind as \n, other white space as
// a space (FF[4], type Text).
func Text(value string) string {
	if !strings.ContainsAny(value, "\\\r\t\v\f") {
		return value
	}
	var out strings.Builder
	out.Grow(len(value))
	for i := 0; i < len(value); {
		if n := lineBreak(value[i:]); n > 0 {
			out.WriteByte('\n')
			i += n
			continue
		}
		if value[i] == '\\' {
			i++
			if n := lineBreak(value[i:]); n > 0 {
				i += n
				continue
			}
			if i == len(value) {
				break
			}
		}
		out.WriteByte(plain(value[i]))
		i++
	}
	return out.String()
}

// SimpleText is Text with line breaks turned into spaces (FF[4], SimpleText).
func SimpleText(value string) string {
	return strings.ReplaceAll(Text(value), "\n", " ")
}

// Escape turns plain text into a value: the inverse of Text for text without
// tabs and carriage returns.
func Escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer(`\`, `\\`, `]`, `\]`)

// lineBreak returns the length of the line break at the start of s: 0 if there is none, 2
// for CR LF and LF CR.
func lineBreak(s string) int {
	if s == "" || s[0] != '\n' && s[0] != '\r' {
		return 0
	}
	if len(s) > 1 && (s[1] == '\n' || s[1] == '\r') && s[1] != s[0] {
		return 2
	}
	return 1
}

func plain(c byte) byte {
	if c == '\t' || c == '\v' || c == '\f' {
		return ' '
	}
	return c
}

// mended escapes a value for use between brackets: an unescaped ], a [ that would seem to begin the
// next property's value, and a trailing backslash. A value that is escaped already is returned unchanged.
func mended(property, value string) string {
	if tornAt(property, value) >= 0 {
		i := strings.LastIndexByte(value, '[')
		if closesFirst(property) {
			i = strings.IndexByte(value, '[')
		}
		value = value[:i] + `\` + value[i:]
	}
	if !strings.ContainsAny(value, `]\`) {
		return value
	}
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] == ']':
			out.WriteByte('\\')
		case value[i] == '\\':
			out.WriteByte('\\')
			if i++; i == len(value) {
				i--
			}
		}
		out.WriteByte(value[i])
	}
	return out.String()
}
