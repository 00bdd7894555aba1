package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kosumi/internal/file"
)

// fileCache is a worker's folder of networks, fetched over the worker's connection. Any number of
// goroutines may use it.
type fileCache struct {
	dir  string
	conn *Conn

	busy chan struct{} // capacity 1; full while a file is looked for or fetched
	mu   sync.Mutex
	kept map[string]int // number of uses of each file, by sha256
}

func newFileCache(dir string, conn *Conn) *fileCache {
	return &fileCache{dir: dir, conn: conn, busy: make(chan struct{}, 1), kept: map[string]int{}}
}

// path returns the path of a file, which it fetches if necessary.
func (c *fileCache) path(ctx context.Context, f File) (string, error) {
	if !sumForm(f.SHA256) || f.Name != filepath.Base(f.Name) || strings.ContainsAny(f.Name, `/\`) || f.Name == "." || f.Name == ".." || f.Bytes <= 0 || f.Bytes > maxNetwork {
		return "", fmt.Errorf("%w: it offers a network %q of %d bytes", ErrRefused, f.Name, f.Bytes)
	}
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	path := filepath.Join(c.dir, f.SHA256, f.Name)
	if sum, err := file.SHA256(path); err == nil && sum == f.SHA256 {
		now := time.Now()
		_ = os.Chtimes(filepath.Dir(path), now, now) // makeRoom removes the least recently used files
		return path, nil
	}
	c.makeRoom(keptFiles - f.Bytes)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	err := file.Write(path, func(out io.Writer) error { return c.fetch(ctx, f, out) })
	return path, err
}

// use protects a file from makeRoom until done is called.
func (c *fileCache) use(sha string) (done func()) {
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.kept[sha] += n; c.kept[sha] == 0 {
			delete(c.kept, sha)
		}
	}
	add(1)
	return func() { add(-1) }
}

// keptFiles bounds the bytes of networks that a worker keeps, mostKept their number.
const keptFiles, mostKept = 4 << 30, 64

// makeRoom removes unused networks, least recently used first, until at most mostKept networks
// and the given number of bytes are left.
func (c *fileCache) makeRoom(most int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type folder struct {
		name  string
		used  time.Time
		bytes int64
	}
	var total int64
	var folders []folder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !sumForm(e.Name()) {
			continue
		}
		f := folder{name: e.Name(), used: info.ModTime()}
		files, _ := os.ReadDir(filepath.Join(c.dir, f.name))
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				f.bytes += info.Size()
			}
		}
		total += f.bytes
		folders = append(folders, f)
	}
	slices.SortFunc(folders, func(a, b folder) int { return a.used.Compare(b.used) })
	for i, f := range folders {
		if total <= most && len(folders)-i <= mostKept {
			return
		}
		if c.kept[f.name] == 0 && os.RemoveAll(filepath.Join(c.dir, f.name)) == nil {
			total -= f.bytes
		}
	}
}

// fetch asks for a file piece by piece.
func (c *fileCache) fetch(ctx context.Context, f File, out io.Writer) error {
	sum := sha256.New()
	failures := 0
	for at := int64(0); at < f.Bytes; {
		m, err := func() (*nats.Msg, error) {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			return c.conn.nats.RequestWithContext(ctx, c.conn.subject(verbNet), pack(wanted{f.SHA256, at}))
		}()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(m.Data) == 0 {
			if failures++; failures > 100 || err == nil && failures > 10 {
				return fmt.Errorf("the network %s cannot be had: %w", f.Name, errors.Join(err, errors.New("no answer, or another network plays by now")))
			}
			pause(ctx, backoff(failures))
			continue
		}
		failures = 0
		sum.Write(m.Data)
		if _, err := out.Write(m.Data); err != nil {
			return err
		}
		at += int64(len(m.Data))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("the network %s arrived damaged: sha256 %s, %s is expected", f.Name, got, f.SHA256)
	}
	return nil
}

// readPiece reads one piece of a file from an offset; the piece ends where the file does.
func readPiece(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, piece)
	n, err := f.ReadAt(data, max(0, at))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

func sumForm(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
