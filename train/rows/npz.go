package rows

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"kosumi/internal/file"
	"kosumi/nn/features"
)

// Names of arrays in a file. The last one is our own: KataGo's tools take
// the arrays that they know and leave others alone.
const (
	nameBinary  = "binaryInputNCHWPacked"
	nameGlobal  = "globalInputNC"
	nameTargets = "globalTargetsNC"
	namePoints  = "valueTargetsNCHW"
	nameInfo    = "kosumiInfo" // JSON of Info, as bytes
)

// Limits of a file that is read.
const (
	maxFileRows  = 4 << 20
	maxEntries   = 64
	maxInfoBytes = 1 << 20
	mostGames    = 1 << 53 // maximum number of games of a run
	// Deflate cannot shrink data to less than about 1/1032.
	maxDeflate = 1100
)

// File is an open npz file whose headers have been read.
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

func (f *File) Close() error { return f.closer.Close() }

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

// open returns a reader of an entry, placed after the header, and the header.
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
	names := []string{nameInfo}
	for _, c := range NewSet(Layout{Encoding: features.V7, Side: 1}).columns {
		names = append(names, c.head().name)
	}
	for _, name := range names {
		e, ok := f.entries[name]
		if !ok {
			if name == nameInfo {
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

// findLayout takes row count, side and encoding from the shapes of the arrays.
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
		f.Layout.Encoding = features.AGZ17 // readInfo makes it AGZ17Split if the info says so
	case features.V7.Planes():
		if g := f.heads[nameGlobal].Shape; len(g) == 2 && g[1] == len(forms[features.Seed22].constant) {
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

func (f *File) checkHeads() error {
	var faults []error
	for _, c := range NewSet(f.Layout).columns {
		want, h := c.head(), f.heads[c.head().name]
		if targets := h.Shape; want.name == nameTargets {
			if len(targets) != 2 || targets[1] != 64 && targets[1] != Targets {
				return fmt.Errorf("%w: %s has shape %v; 64 and 80 columns are known", ErrFormat, nameTargets, targets)
			}
			want = newHead(want.name, want.dtype, targets[1])
		}
		width := npyBytes(want.dtype)
		shape := append([]int{f.N}, want.shape...)
		size := uint64(f.N)*uint64(want.perRow*width) + uint64(h.Bytes)
		switch got := f.entries[want.name].UncompressedSize64; {
		case h.Type != want.dtype && !(width == 1 && h.Type == "<"+want.dtype[1:]) || !slices.Equal(h.Shape, shape):
			faults = append(faults, fmt.Errorf("%w: array %s is %s %v, want %s %v", ErrFormat, want.name, h.Type, h.Shape, want.dtype, shape))
		case got != size:
			faults = append(faults, fmt.Errorf("%w: array %s has %d bytes, want %d", ErrFormat, want.name, got, size))
		}
	}
	return errors.Join(faults...)
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

// Read reads n rows, beginning at index from. A read that ends with the last row also verifies
// checksums. [Set.Check] checks the rows themselves.
func (f *File) Read(from, n int) (*Set, error) {
	if from < 0 || n < 0 || from+n > f.N {
		return nil, fmt.Errorf("%s: rows %d to %d of %d", f.path, from, from+n, f.N)
	}
	s := NewSet(f.Layout)
	s.Info = f.Info
	s.resize(n)
	for _, c := range s.columns {
		if err := f.readRows(c, from, n); err != nil {
			return nil, fmt.Errorf("%s: array %s: %w", f.path, c.head().name, err)
		}
	}
	return s, nil
}

func (f *File) readRows(c column, from, n int) error {
	r, h, err := f.open(c.head().name)
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
	if err := c.read(r, perRow); err != nil {
		return broken(err)
	}
	if from+n < f.N {
		return nil
	}
	// Reading up to the end of the entry makes package zip compare the checksum.
	switch extra, err := io.Copy(io.Discard, io.LimitReader(r, 1)); {
	case err != nil:
		return broken(err)
	case extra > 0:
		return fmt.Errorf("%w: more data than its header says", ErrFormat)
	}
	return nil
}

// broken wraps an error of decompression in ErrFormat.
func broken(err error) error { return fmt.Errorf("%w: damaged data: %w", ErrFormat, err) }

// deflateLevel is low to save time: rows are mostly zeros, so higher levels gain little.
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
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, deflateLevel)
	})
	for _, c := range append(s.columns, column(numbers[uint8]{&text, newHead(nameInfo, npyU1)})) {
		h := c.head()
		entry, err := z.CreateHeader(&zip.FileHeader{Name: h.name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		shape := append([]int{s.N}, h.shape...)
		if h.name == nameInfo {
			shape[0] = len(text)
		}
		if _, err := entry.Write(appendNpyHeader(nil, h.dtype, shape)); err != nil {
			return err
		}
		if err := c.write(entry); err != nil {
			return err
		}
	}
	return z.Close()
}

// WriteFile writes the rows so that the file is either there as a whole or not
// at all, also after a power cut.
func (s *Set) WriteFile(path string) error { return file.Write(path, s.Write) }
