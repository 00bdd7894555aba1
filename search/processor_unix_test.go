//go:build unix

package search

import (
	"syscall"
	"time"
)

// processorTime is the processor time of this process; other programs affect it less than wall
// time.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
