//go:build unix && !linux

package engines

import (
	"syscall"
)

// YieldToBrowser makes this process less urgent than others: a search takes every
// core, and the page must be drawn all the same.
func YieldToBrowser() { syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
