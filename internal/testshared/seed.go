package testshared

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Seed returns the seed of a test with random input or timing: $KOSUMI_SEED, or a new one, which the
// log shows.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("KOSUMI_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("KOSUMI_SEED: %v", err)
		}
	}
	t.Logf("KOSUMI_SEED=%d repeats this run", seed)
	return seed
}
