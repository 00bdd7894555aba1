package testshared

import (
	"os"
	"path/filepath"
	"testing"
)

// Network returns the path of a network that knows the game on every board: KataGo's
// g170-b6c96 where the reference data is, else the built-in one, which is as large. It is
// for tests that take any such network; those of recorded figures name theirs by [Path].
func Network(t testing.TB) string {
	t.Helper()
	path := filepath.Join(root(t), "models", "katago", "g170-b6c96-s175395328-d26788732.bin.gz")
	if _, err := os.Stat(path); err != nil {
		return filepath.Join(Checkout(t), "models", "kosumi-9x9.bin.gz")
	}
	return path
}
