//go:build unix

package bench

import (
	"runtime"
	"syscall"
)

// peakRSS returns the largest resident memory of this process so far, in bytes.
func peakRSS() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // macOS counts bytes, others kibibytes
	}
	return int64(u.Maxrss) * 1024
}
