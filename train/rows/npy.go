package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Number types of arrays in numpy's format (numpy.lib.format), as headers write them.
const (
	npyU1 = "|u1"
	npyI1 = "|i1"
	npyI2 = "<i2"
	npyF4 = "<f4"
)

// npyBytes is the size of a number of one of the types.
func npyBytes(t string) int {
	switch t {
	case npyI2:
		return 2
	case npyF4:
		return 4
	}
	return 1
}

const npyMagic = "\x93NUMPY"

// maxHeader bounds the text of a header; real ones have some 100 bytes.
const maxNpyHeader = 4096

// npyHeader is what the header of an array says.
type npyHeader struct {
	Type    string
	Shape   []int
	Fortran bool
	Bytes   int // of the header, npyMagic included
}

// readNpyHeader reads the header of an array, versions 1.0 to 3.0, and leaves r at the first
// number.
func readNpyHeader(r io.Reader) (npyHeader, error) {
	var h npyHeader
	var fixed [12]byte
	if _, err := io.ReadFull(r, fixed[:10]); err != nil {
		return h, errors.New("the array is shorter than an npy header")
	}
	if string(fixed[:6]) != npyMagic {
		return h, errors.New("the array does not begin as npy arrays do")
	}
	n := int(binary.LittleEndian.Uint16(fixed[8:]))
	h.Bytes = 10 + n
	switch major := fixed[6]; major {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, fixed[10:12]); err != nil {
			return h, errors.New("the array is shorter than an npy header")
		}
		long := binary.LittleEndian.Uint32(fixed[8:])
		if long > maxNpyHeader {
			return h, fmt.Errorf("an npy header of %d bytes", long)
		}
		n = int(long)
		h.Bytes = 12 + n
	default:
		return h, fmt.Errorf("npy version %d; versions 1 to 3 are known", major)
	}
	if n > maxNpyHeader {
		return h, fmt.Errorf("an npy header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("the npy header is cut off")
	}
	return h, h.parse(string(text))
}

// parse reads the dictionary of a header: {'descr': '<f4', 'fortran_order':
// False, 'shape': (3, 4), } with the keys in any order.
func (h *npyHeader) parse(text string) error {
	body := strings.TrimSpace(text)
	bad := func() error { return fmt.Errorf("npy header %q cannot be read", body) }
	if !strings.HasPrefix(body, "{") || !strings.HasSuffix(body, "}") {
		return bad()
	}
	rest := strings.TrimSpace(body[1 : len(body)-1])
	var seen [3]bool
	for rest != "" {
		key, after, ok := cutQuoted(rest)
		after, colon := strings.CutPrefix(strings.TrimSpace(after), ":")
		if !ok || !colon {
			return bad()
		}
		after = strings.TrimSpace(after)
		switch key {
		case "descr":
			h.Type, after, ok = cutQuoted(after)
			seen[0] = true
		case "fortran_order":
			var word string
			word, after = cutWord(after)
			h.Fortran, ok = word == "True", word == "True" || word == "False"
			seen[1] = true
		case "shape":
			h.Shape, after, ok = cutTuple(after)
			seen[2] = true
		default:
			ok = false
		}
		if !ok {
			return bad()
		}
		rest = strings.TrimSpace(after)
		if rest == "" {
			break
		}
		var comma bool
		if rest, comma = strings.CutPrefix(rest, ","); !comma {
			return bad()
		}
		rest = strings.TrimSpace(rest)
	}
	if seen != [3]bool{true, true, true} {
		return bad()
	}
	return nil
}

func cutQuoted(s string) (value, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s, false
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return "", s, false
	}
	return s[1 : 1+end], s[2+end:], true
}

func cutWord(s string) (word, rest string) {
	end := 0
	for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z') {
		end++
	}
	return s[:end], s[end:]
}

// cutTuple reads (3, 4) or (3,).
func cutTuple(s string) (shape []int, rest string, ok bool) {
	if !strings.HasPrefix(s, "(") {
		return nil, s, false
	}
	end := strings.IndexByte(s, ')')
	if end < 0 {
		return nil, s, false
	}
	for _, word := range strings.Split(s[1:end], ",") {
		word = strings.TrimSuffix(strings.TrimSpace(word), "L") // Python 2
		if word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > 1<<31-1 || len(shape) == 8 {
			return nil, s, false
		}
		shape = append(shape, n)
	}
	return shape, s[end+1:], true
}

// appendNpyHeader writes a header of version 1.0, padded so that the numbers
// begin at a multiple of 64.
func appendNpyHeader(dst []byte, dtype string, shape []int) []byte {
	words := make([]string, len(shape))
	for i, n := range shape {
		words[i] = strconv.Itoa(n)
	}
	tuple := strings.Join(words, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, tuple)
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	dst = append(dst, npyMagic...)
	dst = append(dst, 1, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(text)+1))
	return append(append(dst, text...), '\n')
}
