package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/quant"
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
const graphFormat = "3"

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
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%+v|%s|%+v|%+v|%v", graphFormat, k, runtime.GOARCH, cpu.X86, cpu.ARM64, quant.Here()))
	return fmt.Sprintf("%.12s-%dx%d-%s-%s-%s.onnx", k.sha256, k.size.W, k.size.H, k.provider, k.precision, hex.EncodeToString(sum[:8]))
}

func (c graphCache) path(k graphKey) string { return filepath.Join(c.dir, k.file()) }

// load returns the rewritten graph if it is there.
func (c graphCache) load(k graphKey) ([]byte, bool) {
	if c.dir == "" || k.sha256 == "" {
		return nil, false
	}
	data, err := os.ReadFile(c.path(k))
	if err != nil || len(data) == 0 {
		return nil, false
	}
	c.touch(c.path(k))
	return data, true
}

// has reports whether a rewritten graph is there.
func (c graphCache) has(k graphKey) bool {
	info, err := os.Stat(c.path(k))
	return c.dir != "" && k.sha256 != "" && err == nil && info.Size() > 0
}

// verdict is what was found out about the integer network on this machine.
type verdict struct {
	Fault   string  `json:"fault,omitempty"`   // why there is none
	Report  *Report `json:"report,omitempty"`  // nil if there is none
	Speedup float64 `json:"speedup,omitempty"` // over fp32
}

// leastSpeedup is how much faster int8 has to be to be worth its errors.
const leastSpeedup = 1.2

// against says why int8 is not to be used unless asked for by name; "" for
// nothing.
func (v *verdict) against() string {
	switch {
	case v.Report == nil:
		return cmp.Or(v.Fault, "nothing is known of int8")
	case v.Report.fault() != "":
		return "int8 would not be accurate enough: " + v.Report.fault()
	case v.Report.Positions < leastPositions:
		return fmt.Sprintf("%d positions are too few to judge int8 by", v.Report.Positions)
	case !(v.Speedup >= leastSpeedup):
		return fmt.Sprintf("int8 would be only %.2f times as fast here", v.Speedup)
	}
	return ""
}

// why says what speaks for int8.
func (v *verdict) why() string { return fmt.Sprintf("%.1f times as fast as fp32 here", v.Speedup) }

func (c graphCache) verdictPath(k graphKey) string {
	return strings.TrimSuffix(c.path(k), ".onnx") + ".json"
}

// verdict returns what an earlier start found out.
func (c graphCache) verdict(k graphKey) (v verdict, ok bool) {
	if c.dir == "" || k.sha256 == "" {
		return v, false
	}
	data, err := os.ReadFile(c.verdictPath(k))
	if err != nil || json.Unmarshal(data, &v) != nil {
		return verdict{}, false
	}
	return v, v.Report != nil || v.Fault != ""
}

// judge keeps a verdict. The file appears whole or not at all.
func (c graphCache) judge(k graphKey, v verdict) {
	if c.dir == "" || k.sha256 == "" {
		return
	}
	if err := c.write(c.verdictPath(k), v); err != nil {
		c.log.Debug("the choice of precision is not cached", "error", err)
	}
}

func (c graphCache) write(path string, v verdict) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(c.dir, unfinished+".json")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// claimPoll is how often a program looks whether the other one is done.
const claimPoll = 200 * time.Millisecond

// claim makes sure that of several programs, or goroutines, one at a time prepares
// what a key names; the others wait, and may find it done. Where files cannot be
// locked nobody waits. The claim ends with free, or with the process.
func (c graphCache) claim(ctx context.Context, k graphKey, log *slog.Logger) (free func(), err error) {
	if c.dir == "" || k.sha256 == "" || os.MkdirAll(c.dir, 0o755) != nil {
		return func() {}, nil
	}
	lock := flock.New(strings.TrimSuffix(c.path(k), ".onnx") + ".lock")
	taken, err := lock.TryLock()
	if err == nil && !taken {
		log.Info(fmt.Sprintf("another program is preparing int8 for %dx%d; waiting for it", k.size.W, k.size.H))
		taken, err = lock.TryLockContext(ctx, claimPoll)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || !taken {
		log.Debug("preparing without a lock", "error", err)
		return func() {}, nil
	}
	return func() { lock.Unlock() }, nil
}

// drop removes a graph that turned out to be unusable.
func (c graphCache) drop(k graphKey) { os.Remove(c.path(k)) }

// unfinished is the pattern of files that are being written; one that is older
// than leftover belongs to a program that was killed.
const (
	unfinished = "new-*"
	leftover   = time.Hour
)

// sweep removes what killed programs have left half written.
func (c graphCache) sweep() {
	paths, _ := filepath.Glob(filepath.Join(c.dir, unfinished))
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > leftover {
			os.Remove(path)
		}
	}
}

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
	c.sweep()
	tmp, err := os.CreateTemp(c.dir, unfinished+".onnx")
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
	c.shrink(maxCache)
	return b, nil
}
