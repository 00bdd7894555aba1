//go:build !unix

package bench

import (
	"runtime"
	"time"
)

// peakRSS returns what the Go runtime has taken from the system, in bytes: the
// memory of a network session is not in it.
func peakRSS() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
