package bench

import (
	"syscall"
	"time"
)

// sleepUntil blocks the thread, as a call into a device's library does, and is off by
// some 50 microseconds. Sleep of the runtime would be off by up to a millisecond.
func sleepUntil(t time.Time) {
	for d := time.Until(t); d > 0; d = time.Until(t) {
		left := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&left, nil) // a signal cuts it short
	}
}
