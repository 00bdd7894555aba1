package testshared

import (
	"path/filepath"
	"testing"
)

// Network returns the path of a network that knows the game on every board: the built-in
// one for large boards. It is for tests that take any such network; those of recorded
// figures name theirs by [Path].
func Network(t testing.TB) string {
	t.Helper()
	return filepath.Join(Checkout(t), "models", "kosumi-19x19.bin.gz")
}
