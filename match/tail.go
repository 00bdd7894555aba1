package match

import (
	"io"
	"slices"
	"strings"
	"sync"
)

// Limits on how much of a program's output is kept.
const (
	tailBytes = 16 << 10 // bytes kept in memory
	logBytes  = 64 << 20 // largest log file, in bytes
)

// tail keeps the end of its input and copies the input to a log until the log is full. Safe for
// concurrent use.
type tail struct {
	copyTo io.Writer // may be nil

	mu struct {
		sync.Mutex
		kept   []byte
		total  int64
		copied int64
	}
}

// Write keeps and copies p. It never fails, so that a full disk does not stop a game.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.total += int64(len(p))
	t.mu.kept = append(t.mu.kept, p...)
	if extra := len(t.mu.kept) - tailBytes; extra > tailBytes {
		t.mu.kept = append(t.mu.kept[:0], t.mu.kept[extra:]...)
	}
	if t.copyTo != nil && t.mu.copied < logBytes {
		n, _ := t.copyTo.Write(p)
		t.mu.copied += int64(n)
	}
	return len(p), nil
}

// total returns the number of bytes written so far.
func (t *tail) total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.total
}

// since returns the output after the first n bytes as clean text. If this output is longer than
// limit bytes, or than the kept ones, only its end is returned.
func (t *tail) since(n int64, limit int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := min(t.mu.total-n, int64(len(t.mu.kept)), int64(limit))
	if fresh <= 0 {
		return ""
	}
	return cleanText(string(t.mu.kept[int64(len(t.mu.kept))-fresh:]))
}

// raw returns a copy of the kept bytes.
func (t *tail) raw() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.mu.kept)
}

// cleanText returns s as valid UTF-8 without control characters other than line breaks, for
// files and terminals.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, s))
}
