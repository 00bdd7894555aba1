package katago

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
)

// Bounds on decompressed content. Weights hardly compress, so content larger than ratioFree +
// maxRatio times the compressed bytes is a gzip bomb.
const (
	maxContent = 4 << 30
	maxRatio   = 100
	ratioFree  = 64 << 20
)

// Read reads a network of any supported version. It detects compression, and whether numbers are
// binary or text. The name is used in errors and kept in Source.
//
// Errors: ErrFormat, ErrTruncated, ErrVersion, ErrUnsupported, ErrShape, ErrTooLarge, or r's
// error.
func Read(r io.Reader, name string) (*Network, error) {
	return read(r, name, maxContent)
}

// ReadFile is Read of a file.
func ReadFile(path string) (*Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// read reads a network of at most maxBytes, decompressed.
func read(r io.Reader, name string, maxBytes int64) (n *Network, err error) {
	defer func() {
		if _, named := errors.AsType[*os.PathError](err); err != nil && !named {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	hash := sha256.New()
	stored := &counter{r: io.TeeReader(r, hash)}
	raw := bufio.NewReaderSize(stored, 1<<16)
	head, err := raw.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrTruncated)
	}
	content := io.Reader(raw)
	if head[0] == 0x1f && (len(head) == 1 || head[1] == 0x8b) {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, gzipError(err)
		}
		defer z.Close()
		content = gzipReader{z}
	} else if kind := foreignKind(head); kind != "" {
		return nil, fmt.Errorf("%w: it looks like %s", ErrFormat, kind)
	}
	plain := &counter{r: content, limit: maxBytes, stored: stored}
	src := newSource(plain, maxBytes)
	n = new(Network)
	w := walker{m: src, reading: true}
	if w.network(n); w.err != nil {
		return nil, w.err
	}
	if err := src.finish(); err != nil {
		return nil, err
	}
	n.Source = Source{File: filepath.Base(name), SHA256: hex.EncodeToString(hash.Sum(nil))}
	return n, nil
}

// gzipReader wraps a damaged stream's errors in those of this package.
type gzipReader struct{ z *gzip.Reader }

func (g gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

func gzipError(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the gzip stream ends early", ErrTruncated)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%w: damaged gzip stream: %w", ErrFormat, err)
}

// counter counts bytes and stops at limits.
type counter struct {
	r      io.Reader
	n      int64
	limit  int64
	stored *counter // counts the compressed bytes
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.limit > 0 && c.n > c.limit {
		return n, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, c.limit)
	}
	if c.stored != nil && c.n > ratioFree+maxRatio*c.stored.n {
		return n, fmt.Errorf("%w: %d bytes out of %d compressed ones", ErrTooLarge, c.n, c.stored.n)
	}
	return n, err
}

// foreignKind names the kind of a file that people may load by mistake; "" for other files.
func foreignKind(head []byte) string {
	for _, k := range []struct{ magic, kind string }{
		{"\x89PNG", "a PNG image"},
		{"PK\x03\x04", "a zip archive (a PyTorch checkpoint or npz file, perhaps)"},
		{"\x08", "an ONNX model"},
		{"version https://git-lfs", "a Git LFS pointer: fetch the real file"},
		{"<", "a web page: the download went wrong"},
		{"BZh", "a bzip2 file: unpack it first"},
		{"\xfd7zXZ", "an xz file: unpack it first"},
		{"\x28\xb5\x2f\xfd", "a zstd file: unpack it first"},
		{"\x7fELF", "a program"},
		{"(;", "a game record"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.kind
		}
	}
	return ""
}
