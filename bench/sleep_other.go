//go:build !linux

package bench

import "time"

// sleepUntil is off by up to a millisecond where nothing else goes on.
func sleepUntil(t time.Time) { time.Sleep(time.Until(t)) }
