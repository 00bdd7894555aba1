package testshared

import (
	"path/filepath"
	"testing"
)

// Network returns the path of the built-in network, for tests that would pass with any network for
// all boards. Tests that compare with recorded numbers get their network by [Path].
func Network(t testing.TB) string {
	t.Helper()
	return filepath.Join(Checkout(t), "models", "kosumi.bin.gz")
}
