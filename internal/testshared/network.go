package testshared

import (
	"path/filepath"
	"testing"
)

// Network returns the path of the built-in network, for tests that work with any network for all
// boards. Tests of recorded figures use [Path].
func Network(t testing.TB) string {
	t.Helper()
	return filepath.Join(Checkout(t), "models", "kosumi.bin.gz")
}
