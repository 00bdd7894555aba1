package engines

import (
	"golang.org/x/sys/windows"
)

// YieldToBrowser makes this process less urgent than others: a search takes every
// core, and the page must be drawn all the same.
func YieldToBrowser() {
	windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS)
}
