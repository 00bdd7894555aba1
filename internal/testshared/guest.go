package testshared

import (
	"bytes"
	"os"
	"sync"
	"testing"
)

// Absent skips a test that lacks something that `make deps-test` installs; with CI=true the test fails.
func Absent(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Slow skips a test with -short. It marks tests that run or kill programs, or compute for seconds.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow: not among the short tests")
	}
}

// Long skips a test unless `make test-all` runs it. It marks tests that take several seconds and cover
// rare cases, real clients or killed programs, which the faster tests leave out.
func Long(t testing.TB) {
	t.Helper()
	Slow(t)
	if os.Getenv("KOSUMI_ALL") == "" {
		t.Skip("long: make test-all runs it")
	}
}

// Log is a buffer for concurrent writes and reads. Its zero value is empty.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the text written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
