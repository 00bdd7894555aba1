package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/nn"
)

// graphCache keeps graphs as onnxruntime has rewritten them. An empty dir keeps
// nothing. Failures to keep a graph only cost time, so they are logged and
// forgotten.
type graphCache struct {
	dir string
	log *slog.Logger
}

// graphKey is everything that a rewritten graph depends on but the processor,
// which [graphKey.file] adds.
type graphKey struct {
	sha256    string // of the network's file
	size      board.Size
	provider  string
	precision string
	library   string // version
}

// graphFormat changes whenever graphs are built differently.
const graphFormat = "1"

func newGraphCache(dir string, log *slog.Logger) graphCache {
	switch dir {
	case "none":
		return graphCache{log: log}
	case "":
		base, err := os.UserCacheDir()
		if err != nil {
			return graphCache{log: log}
		}
		dir = filepath.Join(base, "kosumi", "graphs")
	}
	return graphCache{dir: dir, log: log}
}

// file names the graph: readable in front, exact behind.
func (k graphKey) file() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%+v|%s|%+v|%+v", graphFormat, k, runtime.GOARCH, cpu.X86, cpu.ARM64))
	return fmt.Sprintf("%.12s-%dx%d-%s-%s-%s.onnx", k.sha256, k.size.W, k.size.H, k.provider, k.precision, hex.EncodeToString(sum[:8]))
}

func (c graphCache) path(k graphKey) string { return filepath.Join(c.dir, k.file()) }

// load returns the rewritten graph if it is there.
func (c graphCache) load(k graphKey) ([]byte, bool) {
	if c.dir == "" || k.sha256 == "" {
		return nil, false
	}
	data, err := os.ReadFile(c.path(k))
	return data, err == nil && len(data) > 0
}

// drop removes a graph that turned out to be unusable.
func (c graphCache) drop(k graphKey) { os.Remove(c.path(k)) }

// fill opens a session that writes its rewritten graph to a file, and keeps
// the file once it is whole.
func (c graphCache) fill(k graphKey, open func(path string) (nn.Backend, error)) (nn.Backend, error) {
	if c.dir == "" || k.sha256 == "" {
		return open("")
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		c.log.Debug("graphs are not cached", "error", err)
		return open("")
	}
	tmp, err := os.CreateTemp(c.dir, "new-*.onnx")
	if err != nil {
		c.log.Debug("graphs are not cached", "error", err)
		return open("")
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	b, err := open(tmp.Name())
	if err != nil {
		return nil, err
	}
	if err := os.Rename(tmp.Name(), c.path(k)); err != nil {
		c.log.Debug("a graph is not cached", "error", err)
	}
	return b, nil
}
