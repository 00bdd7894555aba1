package rows

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
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

// npyBytes is the size of a number of type t, in bytes.
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

// maxNpyHeader bounds the text of a header; usual ones have some 100 bytes.
const maxNpyHeader = 4096

// npyHeader is the content of an array's header.
type npyHeader struct {
	Type    string
	Shape   []int
	Fortran bool
	Bytes   int // length of the header, npyMagic included
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

// python turns a dictionary in Python's notation into JSON, except for commas behind the last
// element; Python 2 writes 3L for 3.
var python = strings.NewReplacer("'", "\"", "(", "[", ")", "]", "True", "true", "False", "false", "L", "")

var lastComma = regexp.MustCompile(`,\s*([\]}])`)

// parse reads the dictionary of a header: {'descr': '<f4', 'fortran_order':
// False, 'shape': (3, 4), } with the keys in any order.
func (h *npyHeader) parse(text string) error {
	var dict struct {
		Descr   *string
		Fortran *bool `json:"fortran_order"`
		Shape   []int
	}
	text = strings.TrimSpace(text)
	dec := json.NewDecoder(strings.NewReader(lastComma.ReplaceAllString(python.Replace(text), "$1")))
	dec.DisallowUnknownFields()
	err := dec.Decode(&dict)
	impossible := func(n int) bool { return n < 0 || n > 1<<31-1 }
	if err != nil || dict.Descr == nil || dict.Fortran == nil || dict.Shape == nil || len(dict.Shape) > 8 || slices.ContainsFunc(dict.Shape, impossible) {
		return fmt.Errorf("npy header %q cannot be read", text)
	}
	h.Type, h.Fortran, h.Shape = *dict.Descr, *dict.Fortran, dict.Shape
	return nil
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
