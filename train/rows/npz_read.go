package rows

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"kosumi/nn/features"
)

// Names of the arrays in a file. The last two are our own: KataGo's tools take
// the arrays that they know and leave others alone.
const (
	nameBinary  = "binaryInputNCHWPacked"
	nameGlobal  = "globalInputNC"
	namePolicy  = "policyTargetsNCMove"
	nameTargets = "globalTargetsNC"
	nameScores  = "scoreDistrN"
	namePoints  = "valueTargetsNCHW"
	nameQ       = "qValueTargetsNCMove"
	nameInfo    = "kosumiInfo" // JSON of Info, as bytes
)

// Limits of a file that is read.
const (
	maxFileRows  = 4 << 20
	maxEntries   = 64
	maxInfoBytes = 1 << 20
	mostGames    = 1 << 53 // of a run
	// Deflate cannot shrink data to less than about 1/1032.
	maxDeflate = 1100
)

// File is an npz file whose headers have been read. Close it.
type File struct {
	path    string
	closer  io.Closer
	entries map[string]*zip.File
	heads   map[string]npyHeader

	Layout Layout
	N      int // rows
	Info   Info
}

// OpenFile reads the headers of a file of training rows. Errors name the file
// and wrap ErrFormat or ErrTooLarge where the content is at fault.
func OpenFile(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := r.Stat()
	if err != nil {
		r.Close()
		return nil, err
	}
	f, err := newFile(r, stat.Size())
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.path, f.closer = path, r
	return f, nil
}

// Close lets go of the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// ReadFile reads a whole file, q values included.
func ReadFile(path string) (*Set, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Read(0, f.N, true)
}

func newFile(r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: not an npz (zip) file: %w", ErrFormat, err)
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	f := &File{path: "rows", entries: map[string]*zip.File{}, heads: map[string]npyHeader{}}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("%w: %d entries in the zip file", ErrFormat, len(z.File))
	}
	for _, e := range z.File {
		name := strings.TrimSuffix(e.Name, ".npy")
		if _, twice := f.entries[name]; twice {
			return nil, fmt.Errorf("%w: the array %s is there twice", ErrFormat, name)
		}
		f.entries[name] = e
	}
	if err := f.readHeads(); err != nil {
		return nil, err
	}
	return f, f.readInfo()
}

// open returns the data of an entry behind its header.
func (f *File) open(name string) (io.ReadCloser, npyHeader, error) {
	r, err := f.entries[name].Open()
	if err != nil {
		return nil, npyHeader{}, fmt.Errorf("%w: array %s: %w", ErrFormat, name, err)
	}
	h, err := readNpyHeader(r)
	if err != nil {
		r.Close()
		return nil, h, fmt.Errorf("array %s: %w: %w", name, ErrFormat, err)
	}
	return r, h, nil
}

func (f *File) readHeads() error {
	for _, name := range []string{nameBinary, nameGlobal, namePolicy, nameTargets, nameScores, namePoints, nameQ, nameInfo} {
		e, ok := f.entries[name]
		if !ok {
			if name == nameQ || name == nameInfo {
				continue
			}
			return fmt.Errorf("%w: the array %s is missing", ErrFormat, name)
		}
		if e.UncompressedSize64 > maxDeflate*(e.CompressedSize64+1024) {
			return fmt.Errorf("%w: array %s claims %d bytes made from %d", ErrFormat, name, e.UncompressedSize64, e.CompressedSize64)
		}
		r, h, err := f.open(name)
		if err != nil {
			return err
		}
		r.Close()
		if h.Fortran && len(h.Shape) > 1 {
			return fmt.Errorf("%w: array %s is in Fortran order", ErrFormat, name)
		}
		f.heads[name] = h
	}
	if err := f.findLayout(); err != nil {
		return err
	}
	return f.checkHeads()
}

// findLayout takes row count, side and encoding from the shapes and the info.
func (f *File) findLayout() error {
	b, p := f.heads[nameBinary], f.heads[namePoints]
	if len(b.Shape) != 3 || len(p.Shape) != 4 {
		return fmt.Errorf("%w: %s has shape %v and %s %v", ErrFormat, nameBinary, b.Shape, namePoints, p.Shape)
	}
	f.N = b.Shape[0]
	if f.N > maxFileRows {
		return fmt.Errorf("%w: %d rows in one file; at most %d", ErrTooLarge, f.N, maxFileRows)
	}
	f.Layout = Layout{Encoding: features.V7, Side: p.Shape[2]}
	switch b.Shape[1] {
	case features.Mini7.Planes():
		f.Layout.Encoding = features.Mini7
	case features.AGZ17.Planes():
		f.Layout.Encoding = features.AGZ17 // or AGZ17Split, if the info says so
	case features.V7.Planes():
		if g := f.heads[nameGlobal].Shape; len(g) == 2 && g[1] == len(constantPlanes(features.Seed22)) {
			f.Layout.Encoding = features.Seed22
		}
	default:
		return fmt.Errorf("%w: %d input planes; v7 and seed22 have 22, agz17 has 17, mini7 has 7", ErrFormat, b.Shape[1])
	}
	if err := f.Layout.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

// checkHeads compares every array with the layout.
func (f *File) checkHeads() error {
	l := f.Layout
	check := func(name, dtype string, shape ...int) error {
		h, ok := f.heads[name]
		if !ok {
			return nil
		}
		shape = append([]int{f.N}, shape...)
		if h.Type != dtype && !(h.Type == "<"+dtype[1:] && npyBytes(dtype) == 1) || !slices.Equal(h.Shape, shape) {
			return fmt.Errorf("%w: array %s is %s %v, want %s %v", ErrFormat, name, h.Type, h.Shape, dtype, shape)
		}
		size := uint64(npyBytes(dtype))
		for _, n := range shape {
			size *= uint64(n)
		}
		if got := f.entries[name].UncompressedSize64; got != size+uint64(h.Bytes) {
			return fmt.Errorf("%w: array %s has %d bytes, want %d", ErrFormat, name, got, size+uint64(h.Bytes))
		}
		return nil
	}
	targets := f.heads[nameTargets].Shape
	if len(targets) != 2 || targets[1] != 64 && targets[1] != Targets {
		return fmt.Errorf("%w: %s has shape %v; 64 and 80 columns are known", ErrFormat, nameTargets, targets)
	}
	return errors.Join(
		check(nameBinary, npyU1, l.Planes(), l.PlaneBytes()),
		check(nameGlobal, npyF4, l.Globals()),
		check(namePolicy, npyI2, policyRows, l.Area()+1),
		check(nameTargets, npyF4, targets[1]),
		check(nameScores, npyI1, l.ScoreCells()),
		check(namePoints, npyI1, PointMaps, l.Side, l.Side),
		check(nameQ, npyI2, qRows, l.Area()+1))
}

func (f *File) readInfo() error {
	f.Info = Info{Encoding: f.Layout.Encoding.String()}
	h, ok := f.heads[nameInfo]
	if !ok {
		return nil
	}
	if h.Type != npyU1 || len(h.Shape) != 1 || h.Shape[0] > maxInfoBytes {
		return fmt.Errorf("%w: array %s is %s %v", ErrFormat, nameInfo, h.Type, h.Shape)
	}
	r, _, err := f.open(nameInfo)
	if err != nil {
		return err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxInfoBytes+1))
	if err == nil {
		err = json.Unmarshal(text, &f.Info)
	}
	if err != nil {
		return fmt.Errorf("%w: array %s: %w", ErrFormat, nameInfo, err)
	}
	if i := &f.Info; i.Games < 0 || i.Moves < 0 || i.Evals < 0 || i.First > mostGames || i.Games > mostGames {
		return fmt.Errorf("%w: array %s: %d games from number %d on, %d moves, %d evaluations", ErrFormat, nameInfo, i.Games, i.First, i.Moves, i.Evals)
	}
	if f.Info.Encoding == features.AGZ17Split.String() && f.Layout.Encoding == features.AGZ17 {
		f.Layout.Encoding = features.AGZ17Split
	}
	if f.Info.Encoding != "" && f.Info.Encoding != f.Layout.Encoding.String() {
		return fmt.Errorf("%w: the rows are said to be %s, but are shaped as %v", ErrFormat, f.Info.Encoding, f.Layout.Encoding)
	}
	return nil
}

// Read reads n rows from row from on, and the q values if they are wanted and
// there. A read that ends with the last row also verifies checksums. The rows
// themselves are not checked, see Set.Check.
func (f *File) Read(from, n int, q bool) (*Set, error) {
	if from < 0 || n < 0 || from+n > f.N {
		return nil, fmt.Errorf("%s: rows %d to %d of %d", f.path, from, from+n, f.N)
	}
	s := NewSet(f.Layout)
	s.Info = f.Info
	if _, ok := f.heads[nameQ]; ok && q {
		s.Q = []int16{}
	}
	s.resize(n)
	var errs []error
	read := func(name string, fill func(r io.Reader, perRow int) error) {
		if len(errs) == 0 {
			if err := f.readRows(name, from, n, fill); err != nil {
				errs = append(errs, fmt.Errorf("%s: array %s: %w", f.path, name, err))
			}
		}
	}
	read(nameBinary, func(r io.Reader, _ int) error { return readFull(r, s.Binary) })
	read(nameGlobal, func(r io.Reader, _ int) error { return readFloats(r, s.Global) })
	read(namePolicy, func(r io.Reader, _ int) error { return readInt16(r, s.Policy) })
	read(nameTargets, func(r io.Reader, perRow int) error {
		for i := range n {
			if err := readFloats(r, s.targets(i)[:perRow]); err != nil {
				return err
			}
		}
		return nil
	})
	read(nameScores, func(r io.Reader, _ int) error { return readInt8(r, s.Scores) })
	read(namePoints, func(r io.Reader, _ int) error { return readInt8(r, s.Points) })
	if s.Q != nil {
		read(nameQ, func(r io.Reader, _ int) error { return readInt16(r, s.Q) })
	}
	return s, errors.Join(errs...)
}

func (f *File) readRows(name string, from, n int, fill func(r io.Reader, perRow int) error) error {
	r, h, err := f.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	perRow := 1
	for _, k := range h.Shape[1:] {
		perRow *= k
	}
	skip := int64(from) * int64(perRow) * int64(npyBytes(h.Type))
	if _, err := io.CopyN(io.Discard, r, skip); err != nil {
		return broken(err)
	}
	if err := fill(r, perRow); err != nil {
		return broken(err)
	}
	if from+n < f.N {
		return nil
	}
	// The end of the entry is where the checksum is compared.
	switch extra, err := io.Copy(io.Discard, io.LimitReader(r, 1)); {
	case err != nil:
		return broken(err)
	case extra > 0:
		return fmt.Errorf("%w: more data than its header says", ErrFormat)
	}
	return nil
}

// broken marks an error of decompression as one of the content.
func broken(err error) error { return fmt.Errorf("%w: damaged data: %w", ErrFormat, err) }

func readFull(r io.Reader, dst []byte) error {
	_, err := io.ReadFull(r, dst)
	return err
}

// inBlocks reads n numbers of some width block by block.
func inBlocks(r io.Reader, n, width int, take func(at int, block []byte)) error {
	var buf [8192]byte
	per := len(buf) / width
	for at := 0; at < n; at += per {
		block := buf[:min(per, n-at)*width]
		if err := readFull(r, block); err != nil {
			return err
		}
		take(at, block)
	}
	return nil
}

func readInt8(r io.Reader, dst []int8) error {
	return inBlocks(r, len(dst), 1, func(at int, block []byte) {
		for i, b := range block {
			dst[at+i] = int8(b)
		}
	})
}

func readInt16(r io.Reader, dst []int16) error {
	return inBlocks(r, len(dst), 2, func(at int, block []byte) {
		for i := 0; i < len(block); i += 2 {
			dst[at+i/2] = int16(binary.LittleEndian.Uint16(block[i:]))
		}
	})
}

func readFloats(r io.Reader, dst []float32) error {
	return inBlocks(r, len(dst), 4, func(at int, block []byte) {
		for i := 0; i < len(block); i += 4 {
			dst[at+i/4] = math.Float32frombits(binary.LittleEndian.Uint32(block[i:]))
		}
	})
}
