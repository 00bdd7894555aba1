package testshared

import (
	"path/filepath"
	"testing"
)

// Network returns the path of the built-in network, for tests that pass with any network that plays
// on all board sizes. Tests that compare with recorded numbers get their network by [Path].
func Network(t testing.TB) string {
	t.Helper()
	return filepath.Join(Checkout(t), "models", "kosumi.bin.gz")
}
