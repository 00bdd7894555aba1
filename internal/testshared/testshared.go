// Package testshared finds the reference data that lies beside a checkout and
// is never part of it, golden files and real networks, and holds what the tests
// of many packages share.
package testshared

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Path returns the path of a file or folder of the shared reference data. The
// data is looked for in $KOSUMI_SHARED, then in the folder shared beside the
// checkout. Without it the test skips and says why; under CI=true its
// absence is a failure.
func Path(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("KOSUMI_SHARED")
	if root == "" {
		_, self, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(self), "..", "..", "..", "shared")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		Absent(t, "reference data not found (set KOSUMI_SHARED): %v", err)
	}
	return path
}
