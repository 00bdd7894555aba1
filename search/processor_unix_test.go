//go:build unix

package search

import (
	"syscall"
	"time"
)

// processorTime is what this program has used of all processors: other programs
// disturb it less than the time of day.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
