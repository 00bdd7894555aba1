//go:build unix

package nn

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that this program has used on all cores; 0 if
// unknown.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
