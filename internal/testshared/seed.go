package testshared

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Seed returns what a test of random moments or random input draws from: another
// number each time, which the log shows, or the one in $KOSUMI_SEED, which repeats
// a run.
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
