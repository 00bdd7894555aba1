package katago

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

const (
	maxToken   = 1024
	maxSkipped = 100 // bytes before a binary block's marker
	firstChunk = 1 << 16
	blockMark  = "@BIN@"
)

// source is the medium that reads decompressed bytes. The first float block
// decides whether all are binary or text.
type source struct {
	br     *bufio.Reader
	max    int64 // bytes of content that are allowed
	known  bool  // decideKind has set binary
	binary bool
	tok    []byte
	buf    []byte
}

func newSource(r io.Reader, max int64) *source {
	return &source{br: bufio.NewReaderSize(r, 1<<18), max: max, buf: make([]byte, 4*firstChunk)}
}

// endEarly turns the end of the input into ErrTruncated.
func endEarly(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// next reads a token; it is valid until the next call. A token at the end of the input may be
// incomplete. That is an error, unless the caller reads the last number of a text file.
func (s *source) next(last bool) ([]byte, error) {
	s.tok = s.tok[:0]
	for {
		c, err := s.br.ReadByte()
		switch {
		case err == io.EOF && len(s.tok) > 0 && last:
			return s.tok, nil
		case err != nil:
			return nil, endEarly(err)
		case isSpace(c):
			if len(s.tok) > 0 {
				return s.tok, nil
			}
			continue
		case c < ' ' || c == 0x7f:
			return nil, fmt.Errorf("%w: byte %#02x where text should be", ErrFormat, c)
		case len(s.tok) == maxToken:
			return nil, fmt.Errorf("%w: a word of more than %d bytes", ErrFormat, maxToken)
		}
		s.tok = append(s.tok, c)
	}
}

func (s *source) token(v *string) error {
	t, err := s.next(false)
	if err == nil {
		*v = string(t)
	}
	return err
}

func (s *source) integer(v *int) error {
	t, err := s.next(false)
	if err != nil {
		return err
	}
	*v, err = strconv.Atoi(string(t))
	if err != nil {
		return fmt.Errorf("%w: %.40q is not an integer", ErrFormat, t)
	}
	return nil
}

func (s *source) real(v *float64) error {
	t, err := s.next(false)
	if err != nil {
		return err
	}
	*v, err = strconv.ParseFloat(string(t), 64)
	if err != nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return fmt.Errorf("%w: %.40q is not a finite number", ErrFormat, t)
	}
	return nil
}

func (s *source) floats(_ string, n int64, _ []int, v *[]float32) error {
	if n > s.max/2 { // in every format a float takes at least two bytes
		return fmt.Errorf("%w: a layer of %d numbers", ErrTooLarge, n)
	}
	if err := s.decideKind(); err != nil {
		return err
	}
	var err error
	if s.binary {
		*v, err = s.binaryBlock(n)
	} else {
		*v, err = s.textBlock(n)
	}
	return err
}

// decideKind sets binary by the first byte of the first float block, unless binary is set already.
func (s *source) decideKind() error {
	for !s.known {
		c, err := s.br.ReadByte()
		if err != nil {
			return endEarly(err)
		}
		if isSpace(c) {
			continue
		}
		s.known = true
		s.binary = c == blockMark[0]
		return s.br.UnreadByte()
	}
	return nil
}

func (s *source) mark() error {
	for range maxSkipped + 1 {
		c, err := s.br.ReadByte()
		if err != nil {
			return endEarly(err)
		}
		if c != blockMark[0] {
			continue
		}
		rest := s.buf[:len(blockMark)-1]
		if _, err := io.ReadFull(s.br, rest); err != nil {
			return endEarly(err)
		}
		if string(rest) != blockMark[1:] {
			break
		}
		return nil
	}
	return fmt.Errorf("%w: no %s where a block of numbers should begin", ErrFormat, blockMark)
}

// binaryBlock reads n little-endian numbers. The slice grows as bytes arrive.
func (s *source) binaryBlock(n int64) ([]float32, error) {
	if err := s.mark(); err != nil {
		return nil, err
	}
	out := make([]float32, 0, min(n, firstChunk))
	for int64(len(out)) < n {
		k := int(min(n-int64(len(out)), int64(len(s.buf)/4)))
		raw := s.buf[:4*k]
		if _, err := io.ReadFull(s.br, raw); err != nil {
			return nil, endEarly(err)
		}
		out = grow(out, k, n)
		at := len(out)
		out = out[:at+k]
		if !decodeFloats(out[at:], raw) {
			return nil, fmt.Errorf("%w: a weight is not finite", ErrFormat)
		}
	}
	return out, nil
}

// grow makes room for k more numbers, never beyond n in all.
func grow(s []float32, k int, n int64) []float32 {
	if cap(s)-len(s) >= k {
		return s
	}
	t := make([]float32, len(s), min(n, 2*int64(cap(s))+int64(k)))
	copy(t, s)
	return t
}

// decodeFloats converts little-endian bytes and reports whether all are finite.
func decodeFloats(dst []float32, raw []byte) bool {
	bad := false
	for i := range dst {
		bits := binary.LittleEndian.Uint32(raw[4*i:])
		bad = bad || bits&0x7f800000 == 0x7f800000
		dst[i] = math.Float32frombits(bits)
	}
	return !bad
}

func (s *source) textBlock(n int64) ([]float32, error) {
	out := make([]float32, 0, min(n, firstChunk/16))
	for int64(len(out)) < n {
		t, err := s.next(int64(len(out)) == n-1)
		if err != nil {
			return nil, err
		}
		f, err := strconv.ParseFloat(string(t), 32)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%w: %.40q is not a finite number", ErrFormat, t)
		}
		out = append(grow(out, 1, n), float32(f))
	}
	return out, nil
}

// finish checks that only white space is left.
func (s *source) finish() error {
	for {
		c, err := s.br.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return endEarly(err)
		}
		if !isSpace(c) {
			return fmt.Errorf("%w: more data after the last layer", ErrFormat)
		}
	}
}
