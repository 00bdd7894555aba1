//go:build unix && !linux

package engines

import (
	"syscall"
)

// YieldToBrowser lowers the priority of this process: a search takes every core, and the
// browser must still draw the page.
func YieldToBrowser() { syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
