package rows

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"github.com/klauspost/compress/flate"

	"kosumi/internal/file"
)

// deflateLevel trades size for time: rows are mostly zeros, so that higher
// levels gain little.
const deflateLevel = 4

// Write writes the rows as an npz file that KataGo's tools read too.
func (s *Set) Write(w io.Writer) error {
	if err := s.Layout.Check(); err != nil {
		return err
	}
	info := s.Info
	info.Encoding = s.Layout.Encoding.String()
	text, err := json.Marshal(info)
	if err != nil {
		return err
	}
	z := &npzWriter{zip: zip.NewWriter(w)}
	z.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, deflateLevel)
	})
	l, n := s.Layout, s.N
	z.array(nameBinary, npyU1, []int{n, l.Planes(), l.PlaneBytes()}, func(w *bufio.Writer) { w.Write(s.Binary) })
	z.array(nameGlobal, npyF4, []int{n, l.Globals()}, func(w *bufio.Writer) { writeFloats(w, s.Global) })
	z.array(namePolicy, npyI2, []int{n, policyRows, l.Area() + 1}, func(w *bufio.Writer) { writeInt16(w, s.Policy) })
	z.array(nameTargets, npyF4, []int{n, Targets}, func(w *bufio.Writer) { writeFloats(w, s.Globals) })
	z.array(nameScores, npyI1, []int{n, l.ScoreCells()}, func(w *bufio.Writer) { writeInt8(w, s.Scores) })
	z.array(namePoints, npyI1, []int{n, PointMaps, l.Side, l.Side}, func(w *bufio.Writer) { writeInt8(w, s.Points) })
	if s.Q != nil {
		z.array(nameQ, npyI2, []int{n, qRows, l.Area() + 1}, func(w *bufio.Writer) { writeInt16(w, s.Q) })
	}
	z.array(nameInfo, npyU1, []int{len(text)}, func(w *bufio.Writer) { w.Write(text) })
	if z.err != nil {
		return z.err
	}
	return z.zip.Close()
}

// npzWriter writes arrays until the first error.
type npzWriter struct {
	zip *zip.Writer
	err error
}

func (z *npzWriter) array(name, dtype string, shape []int, fill func(w *bufio.Writer)) {
	if z.err != nil {
		return
	}
	entry, err := z.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		z.err = err
		return
	}
	w := bufio.NewWriterSize(entry, 1<<16)
	w.Write(appendNpyHeader(nil, dtype, shape))
	fill(w)
	z.err = w.Flush() // also returns what went wrong before
}

func writeInt8(w *bufio.Writer, a []int8) {
	for _, v := range a {
		w.WriteByte(byte(v))
	}
}

func writeInt16(w *bufio.Writer, a []int16) {
	var b [2]byte
	for _, v := range a {
		binary.LittleEndian.PutUint16(b[:], uint16(v))
		w.Write(b[:])
	}
}

func writeFloats(w *bufio.Writer, a []float32) {
	var b [4]byte
	for _, v := range a {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
		w.Write(b[:])
	}
}

// WriteFile writes the rows so that the file is either there as a whole or not
// at all, also after a power cut.
func (s *Set) WriteFile(path string) error {
	return file.Write(path, s.Write)
}
