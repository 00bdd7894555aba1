package testshared

import (
	"bytes"
	"os"
	"sync"
	"testing"
)

// Absent is for what a test cannot do without and `make deps-test` would have
// brought: under CI=true the test fails, elsewhere it skips and says why.
func Absent(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Slow skips a test that the short tests leave out: one that runs other programs or the
// real one, kills it, or computes for seconds.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: not among the short tests")
	}
}

// Long skips a test that only `make test-all` runs: one that adds rare cases, real clients
// or kills to what faster tests check, and takes several seconds for it.
func Long(t testing.TB) {
	t.Helper()
	Slow(t)
	if os.Getenv("KOSUMI_ALL") == "" {
		t.Skip("long: make test-all runs it")
	}
}

// Log is a buffer that may be read while others write to it. Its zero value is
// empty.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
