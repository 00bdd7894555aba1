package katago

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kosumi/internal/file"
)

// Format of a network file.
type Format struct {
	Text bool // numbers in decimal instead of binary
	Gzip bool
}

// FormatOf returns the format of a file name's ending: .bin.gz, .txt.gz, .bin or .txt, in any
// case. KataGo accepts these endings.
func FormatOf(name string) (Format, error) {
	low := strings.ToLower(name)
	var f Format
	low, f.Gzip = strings.CutSuffix(low, ".gz")
	switch {
	case strings.HasSuffix(low, ".bin"):
	case strings.HasSuffix(low, ".txt"):
		f.Text = true
	default:
		return f, fmt.Errorf("file name %q should end in .bin.gz, .txt.gz, .bin or .txt", filepath.Base(name))
	}
	return f, nil
}

// Write writes the network in a format. Reading it back gives the same bits in every
// number. Errors: those of Check, or w's.
func Write(w io.Writer, n *Network, f Format) error {
	err := n.Check()
	if err == nil {
		err = n.write(w, f)
	}
	if err != nil {
		err = fmt.Errorf("write katago network: %w", err)
	}
	return err
}

func (n *Network) write(w io.Writer, f Format) error {
	if f.Gzip {
		z, _ := gzip.NewWriterLevel(w, 6) // weights hardly compress; a higher level costs time and gains nothing
		return errors.Join(n.write(z, Format{Text: f.Text}), z.Close())
	}
	out := &sink{bw: bufio.NewWriterSize(w, 1<<18), text: f.Text}
	walk := walker{m: out}
	if walk.network(n); walk.err != nil {
		return walk.err
	}
	return out.bw.Flush()
}

// WriteFile writes the network in the format of the path's ending. The file
// appears whole or not at all.
func WriteFile(path string, n *Network) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error { return Write(w, n, format) })
}

// sink is the medium that writes: one token per line, float blocks in between, as KataGo's
// exporters do.
type sink struct {
	bw   *bufio.Writer
	text bool
	bare bool // leave the float blocks out
	buf  []byte
}

func (s *sink) token(v *string) error {
	if *v == "" || len(*v) > maxToken {
		return fmt.Errorf("%w: a name must have 1 to %d bytes", ErrShape, maxToken)
	}
	if strings.ContainsFunc(*v, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%w: name %.40q holds white space", ErrShape, *v)
	}
	s.bw.WriteString(*v)
	return s.bw.WriteByte('\n')
}

func (s *sink) integer(v *int) error {
	t := strconv.Itoa(*v)
	return s.token(&t)
}

func (s *sink) real(v *float64) error {
	t := formatReal(*v)
	return s.token(&t)
}

// formatReal writes a real as KataGo's exporters do, shortest form with a
// decimal point: 20.0, 0.25, 1e-20.
func formatReal(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	t := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}

func (s *sink) floats(_ string, _ int64, _ []int, v *[]float32) error {
	switch {
	case s.bare:
		return nil
	case s.text:
		return s.textBlock(*v)
	}
	s.bw.WriteString(blockMark)
	for part := range slices.Chunk(*v, 1<<14) {
		s.buf, _ = binary.Append(s.buf[:0], binary.LittleEndian, part) // fails only on types without a fixed size
		if _, err := s.bw.Write(s.buf); err != nil {
			return err
		}
	}
	return s.bw.WriteByte('\n')
}

func (s *sink) textBlock(v []float32) error {
	for i, f := range v {
		s.buf = strconv.AppendFloat(s.buf[:0], float64(f), 'g', -1, 32)
		sep := byte(' ')
		if i == len(v)-1 {
			sep = '\n'
		}
		if _, err := s.bw.Write(append(s.buf, sep)); err != nil {
			return err
		}
	}
	return nil
}
